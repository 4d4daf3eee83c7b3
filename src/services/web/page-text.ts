import { Parser } from "htmlparser2";
import { AppShell } from "./app-shell.ts";
import { MarkdownWriter } from "./markdown/markdown-writer.ts";
import { PlainWriter } from "./markdown/plain-writer.ts";
import { visible } from "./visible-text.ts";

/** Parsed at once: between two pieces, the memory of the last can be freed. */
const PIECE_CHARS = 256 * 1024;
/** A page with less text has no content that its server sends. */
const LITTLE_TEXT_CHARS = 400;

const CAPTCHA =
  /class=["'][^"']*(?:g-recaptcha|h-captcha|cf-turnstile|cf-challenge)|challenge-platform|_cf_chl_opt|px-captcha|captcha-delivery\.com|awswaf|geo\.captcha/i;
/** A page that only leads elsewhere (HTML, 4.2.5.3). */
const REFRESH = /<meta[^>]{0,200}http-equiv=["']?refresh["']?[^>]{0,200}?url=\s*["']?([^"'>\s]{1,500})/i;
const PASSWORD = /<input[^>]{0,500}type=["']?password/i;

export type PageText = {
  readonly title: string;
  readonly markdown: string;
  /** Sentences that a reader needs to know. */
  readonly notes: readonly string[];
};

/** Makes Markdown of a page. @param isPlain True for text alone, which needs little memory whatever the page holds. */
export function pageText(html: string, url: string, isPlain = false): PageText {
  const { title, markdown, shell } = isPlain ? plainText(html) : mainText(html, url);
  const own = visible(markdown);
  const isEmpty = own.length < LITTLE_TEXT_CHARS;
  const target = isEmpty ? refreshTarget(html, url) : undefined;
  const text = target === undefined ? own : `${own}\n\n<${target}>`.trim();
  const notes = [
    isPlain ? "The page is too large or too deeply nested for Markdown: this is its text alone, without links." : "",
    target === undefined ? "" : "The page only sends its readers on, to the address at its end.",
    isEmpty && CAPTCHA.test(html) ? "The page asks for a captcha, which only a person can solve." : "",
    isEmpty && PASSWORD.test(html) ? "The page asks for a login; WebFetch has none." : "",
  ].filter((note) => note !== "");
  if (isEmpty && notes.length === 0 && shell.isLikely(own))
    notes.push("The page has almost no text of its own: scripts write it in a browser, and WebFetch runs none.");
  return { title: visible(title).replace(/\s+/g, " ").slice(0, 300), markdown: text, notes };
}

function refreshTarget(html: string, url: string): string | undefined {
  const target = REFRESH.exec(html)?.[1]?.replaceAll("&amp;", "&");
  return target !== undefined && URL.canParse(target, url) ? new URL(target, url).href : undefined;
}

/** The content of a page; everything, if the page seems to have nothing but what surrounds a content. */
function mainText(html: string, url: string) {
  const made = written(html, new MarkdownWriter({ url }));
  if (made.markdown.length >= LITTLE_TEXT_CHARS) return made;
  const all = written(html, new MarkdownWriter({ url, keepsAround: true }));
  return all.markdown.length > made.markdown.length * 3 ? all : made;
}

function written(html: string, writer: MarkdownWriter) {
  const shell = parse(html, writer);
  return { title: writer.title, markdown: writer.finish(), shell };
}

function plainText(html: string) {
  const writer = new PlainWriter();
  const shell = parse(html, writer);
  return { title: writer.title, markdown: writer.finish(), shell };
}

type Writer = Pick<MarkdownWriter, "open" | "text" | "close">;

function parse(html: string, writer: Writer): AppShell {
  const shell = new AppShell();
  const parser = new Parser({
    onopentag(name, attributes) {
      shell.open(name, attributes);
      writer.open(name, attributes);
    },
    ontext(text) {
      shell.text(text);
      writer.text(text);
    },
    onclosetag(name) {
      shell.close(name);
      writer.close(name);
    },
  });
  for (let at = 0; at < html.length; at += PIECE_CHARS) parser.write(html.slice(at, at + PIECE_CHARS));
  parser.end();
  return shell;
}
