import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { withoutFences } from "./markdown.ts";

const LINK = /\[(?:[^\]\\]|\\.)*\]\(([^)\s]+)(?:\s+"[^"]*")?\)/g;
const ELSEWHERE = /^[a-z][a-z0-9+.-]*:/i;

/**
 * Checks the relative links of Markdown files, anchors included. Skips links to other sites.
 * @param root Absolute. @param files Relative to `root`.
 * @returns one line for each broken link.
 */
export function brokenLinks(root: string, files: readonly string[]): readonly string[] {
  return files.flatMap((file) => {
    const text = prose(readFileSync(join(root, file), "utf8"));
    return [...text.matchAll(LINK)].flatMap(([, target = ""]) => {
      const problem = ELSEWHERE.test(target) ? undefined : problemOf(root, file, target);
      return problem === undefined ? [] : [`${file}: ${target}: ${problem}`];
    });
  });
}

function problemOf(root: string, file: string, target: string): string | undefined {
  const [path = "", anchor] = target.split("#");
  const goal = path === "" ? join(root, file) : resolve(root, dirname(file), path);
  if (relative(root, goal).startsWith("..")) return "it leads out of the repository";
  if (!existsSync(goal)) return "there is no such file";
  if (anchor === undefined) return undefined;
  if (statSync(goal).isDirectory()) return "a folder has no headings";
  return anchors(readFileSync(goal, "utf8")).includes(anchor) ? undefined : "there is no such heading";
}

/** The anchors of a page's headings, as GitHub makes them. */
export function anchors(markdown: string): readonly string[] {
  const seen = new Map<string, number>();
  return [...withoutFences(markdown).matchAll(/^#{1,6}\s+(.+?)\s*#*$/gm)].map(([, heading = ""]) => {
    const plain = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase();
    const slug = plain.replace(/[^\p{L}\p{N}\s_-]/gu, "").replace(/\s/g, "-");
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  });
}

/** Removes brackets from code, which contains no links. */
function prose(markdown: string): string {
  return withoutFences(markdown).replace(/(`+)(?!`)[\s\S]*?[^`]\1(?!`)/g, (code) => code.replace(/[[\]()]/g, " "));
}
