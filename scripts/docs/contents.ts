import { anchors } from "./links.ts";
import { withoutFences } from "./markdown.ts";

const START = "<!-- contents: generated from the headings by `npm run docs` -->";
const END = "<!-- end of contents -->";
const LONG_PAGE_WORDS = 1_200;
const LEAST_CHAPTERS = 4;

/**
 * Gives a long page links to its chapters, near its first paragraph, and takes them from a page that is long no more.
 * @returns the page itself where nothing changes.
 */
export function withContents(page: string): string {
  const bare = withoutContents(page);
  const links = chapterLinks(bare);
  const words = bare.split(/\s+/).length;
  if (words < LONG_PAGE_WORDS || links.length < LEAST_CHAPTERS) return bare;
  const at = placeOf(bare);
  return `${bare.slice(0, at)}\n\n${START}\n\nOn this page: ${links.join(" · ")}\n\n${END}${bare.slice(at)}`;
}

function withoutContents(page: string): string {
  const from = page.indexOf(`\n\n${START}`);
  const to = page.indexOf(END);
  return from < 0 || to < from ? page : page.slice(0, from) + page.slice(to + END.length);
}

function chapterLinks(page: string): readonly string[] {
  const headings = [...withoutFences(page).matchAll(/^(#{1,6})\s+(.+?)\s*#*$/gm)];
  const targets = anchors(page);
  return headings.flatMap(([, marks, heading = ""], index) =>
    marks === "##" ? [`[${plainHeading(heading)}](#${targets[index]})`] : [],
  );
}

/** A heading without links of its own, because a link holds no other link. */
function plainHeading(heading: string): string {
  return heading.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1");
}

/** Behind the first paragraph of the page's beginning, or before it if it leads to a list. Comments are no paragraphs. */
function placeOf(page: string): number {
  const paragraph = /^(?!#|<!--)\S[\s\S]*?(?=\n\n)/gm;
  paragraph.lastIndex = page.indexOf("\n");
  const found = paragraph.exec(page);
  if (found === null || found.index > page.indexOf("\n## ")) return page.indexOf("\n");
  return found[0].endsWith(":") ? found.index - 2 : found.index + found[0].length;
}
