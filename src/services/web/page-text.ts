import { Parser } from "htmlparser2";
import { type Attributes, BLOCKS, isUnread } from "./markdown/element-rules.ts";
import { MarkdownWriter } from "./markdown/markdown-writer.ts";
import { visible } from "./visible-text.ts";

/** Parsed at once: between two pieces, the memory of the last can be freed. */
const PIECE_CHARS = 256 * 1024;
/** A page with less text has no content that its server sends. */
const LITTLE_TEXT_CHARS = 400;

const CAPTCHA =
  /class=["'][^"']*(?:g-recaptcha|h-captcha|cf-turnstile|cf-challenge)|challenge-platform|_cf_chl_opt|px-captcha|captcha-delivery\.com|awswaf|geo\.captcha/i;
/** A page that only leads elsewhere (HTML, 4.2.5.3). */
const REFRESH = /<meta[^>]{0,200}http-equiv=["']?refresh["']?[^>]{0,200}?url=\s*["']?([^"'>\s]{1,500})/i;
/** A script that runs, and no data. */
const SCRIPT = /<script\b(?![^>]{0,300}\btype=["']?[^"'\s>]*(?:json|template|html|plain))/i;
const PASSWORD = /<input[^>]{0,500}type=["']?password/i;

export type PageText = {
  readonly title: string;
  readonly markdown: string;
  /** Sentences that a reader needs to know. */
  readonly notes: readonly string[];
};

/** Makes Markdown of a page. @param isPlain True for text alone, which needs little memory whatever the page holds. */
export function pageText(html: string, url: string, isPlain = false): PageText {
  const { title, markdown } = isPlain ? plainText(html) : mainText(html, url);
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
  // Whether such a page is complete, only a browser could tell.
  if (isEmpty && notes.length === 0 && SCRIPT.test(html))
    notes.push("The page has little text. If some is missing, scripts write it in a browser, and WebFetch runs none.");
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
  parse(html, writer);
  return { title: writer.title, markdown: writer.finish() };
}

function plainText(html: string) {
  const writer = new PlainWriter();
  parse(html, writer);
  return { title: writer.title, markdown: writer.finish() };
}

type Writer = Pick<MarkdownWriter, "open" | "text" | "close">;

function parse(html: string, writer: Writer): void {
  const parser = new Parser({
    onopentag: (name, attributes) => writer.open(name, attributes),
    ontext: (text) => writer.text(text),
    onclosetag: (name) => writer.close(name),
  });
  for (let at = 0; at < html.length; at += PIECE_CHARS) parser.write(html.slice(at, at + PIECE_CHARS));
  parser.end();
}

/** Writes the text of a page, a line for each block, for pages on which Markdown meets a limit. */
class PlainWriter {
  readonly #parts: string[] = [];
  #skipped: { readonly name: string; depth: number } | undefined;
  #isTitle = false;
  title = "";

  open(name: string, attributes: Attributes): void {
    if (this.#skipped) {
      if (this.#skipped.name === name) this.#skipped.depth += 1;
      return;
    }
    if (name === "title" && this.title === "") this.#isTitle = true;
    if (isUnread(name, attributes)) this.#skipped = { name, depth: 1 };
    else if (BLOCKS.has(name) || name === "br") this.#parts.push("\n");
  }

  text(text: string): void {
    if (this.#isTitle) this.title += text;
    else if (!this.#skipped) this.#parts.push(text.replace(/\s+/g, " "));
  }

  close(name: string): void {
    if (name === "title") this.#isTitle = false;
    if (this.#skipped?.name === name) {
      this.#skipped.depth -= 1;
      if (this.#skipped.depth === 0) this.#skipped = undefined;
    } else if (!this.#skipped && BLOCKS.has(name)) this.#parts.push("\n");
  }

  /** Everything that was written. */
  finish(): string {
    return this.#parts
      .join("")
      .replace(/ *\n */g, "\n")
      .replace(/\n{2,}/g, "\n")
      .trim();
  }
}
