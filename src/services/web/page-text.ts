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

/** The ids of the elements into which frameworks and their templates write an app. */
const ROOT_IDS = new Set(
  "root app __next __nuxt ___gatsby q-app app-root react-root main-app application ember-app svelte swagger-ui redoc-container".split(
    " ",
  ),
);
/** The elements of Angular's and Redoc's templates. */
const ROOT_NAMES = new Set(["app-root", "redoc"]);
const UNSEEN = new Set(["script", "style", "noscript", "template", "svg"]);
/** Types of scripts that are data. */
const DATA = /json|template|html|^text\/(?:plain|x-)/i;
const NEEDS_SCRIPTS =
  /(?:enable|requires?|needs?|without|activate|turn on|disabled)\b.{0,60}java ?script|java ?script\b.{0,60}(?:enabled?|required?|needed|disabled)/i;
/** Parts of a page that may need scripts while its content does not. */
const PART = /comment|disqus/i;
const PLACEHOLDER = /^\W*(?:loading|please wait|initiali[sz]ing|starting)\b/i;
/** A root element with less text shows a placeholder such as "Loading…". */
const PLACEHOLDER_CHARS = 40;
/** A page with more text has content beside the words of its `noscript`. */
const NOSCRIPT_PAGE_CHARS = 200;
const MAX_NOSCRIPT_CHARS = 2_000;

/** Looks in the events of an HTML parser for signs that scripts write the content of a page. */
class AppShell {
  #scripts = 0;
  #modules = 0;
  #noscript = "";
  /** The element whose text nobody sees. */
  #unseen: { readonly name: string; depth: number } | undefined;
  #root: { readonly name: string; depth: number } | undefined;
  #hasRoot = false;
  #rootChars = 0;

  open(name: string, { type = "", id }: Attributes): void {
    if (name === "script" && !DATA.test(type)) this.#scripts += 1;
    if (name === "script" && type === "module") this.#modules += 1;
    if (this.#root?.name === name) this.#root.depth += 1;
    if (this.#unseen?.name === name) this.#unseen.depth += 1;
    if (!this.#unseen && UNSEEN.has(name)) this.#unseen = { name, depth: 1 };
    if (this.#hasRoot || !(ROOT_NAMES.has(name) || (id !== undefined && ROOT_IDS.has(id.toLowerCase())))) return;
    this.#hasRoot = true;
    this.#root = { name, depth: 1 };
  }

  text(text: string): void {
    if (this.#unseen?.name === "noscript" && this.#noscript.length < MAX_NOSCRIPT_CHARS)
      this.#noscript += text.slice(0, MAX_NOSCRIPT_CHARS);
    else if (!this.#unseen && this.#root) this.#rootChars += text.trim().length;
  }

  close(name: string): void {
    this.#unseen = stillOpen(this.#unseen, name);
    this.#root = stillOpen(this.#root, name);
  }

  /** True if scripts probably write the content. @param shown The text of the page, which is short. */
  isLikely(shown: string): boolean {
    if (this.#scripts === 0) return false;
    if (shown === "" || (shown.length < PLACEHOLDER_CHARS && (this.#modules > 0 || PLACEHOLDER.test(shown))))
      return true;
    if (this.#hasRoot && this.#rootChars < PLACEHOLDER_CHARS) return true;
    const words = this.#noscript.replace(/\s+/g, " ");
    return shown.length < NOSCRIPT_PAGE_CHARS && NEEDS_SCRIPTS.test(words) && !PART.test(words);
  }
}

function stillOpen<Open extends { readonly name: string; depth: number }>(open: Open | undefined, name: string) {
  if (open?.name !== name) return open;
  open.depth -= 1;
  return open.depth === 0 ? undefined : open;
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
