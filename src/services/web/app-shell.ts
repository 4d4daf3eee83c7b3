import type { Attributes } from "./markdown/element-rules.ts";

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
export class AppShell {
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
