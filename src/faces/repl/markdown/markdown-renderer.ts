import { lazy } from "@quoll/async/lazy";
import { plainText } from "@quoll/terminal-text/plain-text";
import { hardWrapText, wrapText } from "@quoll/terminal-text/wrap-text";
import { languageOf } from "../../../contracts/language-of.ts";
import type { Chunk } from "../../../protocol/transcript/chunk.ts";
import type { changedWords, matchedLines } from "../view/changed-words.ts";
import type { Theme } from "../view/theme.ts";
import type { RendererOf } from "./render-blocks.ts";

/** The change of a file, or its lines, which are drawn with the grammar of its language. */
export type FilePart = { readonly kind: "diff" | "file"; readonly path: string };

/** Draws lines of a file with the colours of its language. */
export type CodePaint = (lines: readonly string[], theme: Theme) => readonly string[];

/** Draws the changed lines of a file. */
export type DiffPaint = {
  readonly code: CodePaint;
  readonly changedWords: typeof changedWords;
  readonly matchedLines: typeof matchedLines;
};

/**
 * Draws Markdown. The lexer, the highlighter and its grammars are loaded at their first use, so that the first frame does
 * not wait for them.
 */
export class MarkdownRenderer {
  readonly #highlighter = lazy(async () => new (await import("./highlight.ts")).Highlighter());
  readonly #words = lazy(() => import("../view/changed-words.ts"));
  readonly #blocks = lazy(async () => {
    const code = [import("marked"), import("./render-blocks.ts"), import("./certain-part.ts")] as const;
    const [{ lexer }, { chunkLines }, { certainPart }] = await Promise.all(code);
    return { lexer: (text: string) => lexer(text), chunkLines, certainPart, highlighter: await this.#highlighter() };
  });
  readonly #rendererOf: RendererOf | undefined;
  #openLoads = 0;

  constructor(rendererOf?: RendererOf) {
    this.#rendererOf = rendererOf;
  }

  /** True if the drawing of this chunk or part of a file is final. */
  isReady(drawn: Chunk | FilePart): boolean {
    const isLoaded = drawn.kind === "file" || (drawn.kind === "diff" ? this.#words : this.#blocks).value !== undefined;
    return isLoaded && languagesOf(drawn).every((language) => this.#highlighter.value?.isReady(language));
  }

  /** True while code or a grammar is being loaded. */
  get isLoading(): boolean {
    return this.#openLoads > 0;
  }

  /** Loads the code that drawing this chunk or part of a file needs. */
  async load(drawn: Chunk | FilePart): Promise<void> {
    this.#openLoads += 1;
    try {
      await this.#loadFor(drawn);
    } finally {
      this.#openLoads -= 1;
    }
  }

  async #loadFor(drawn: Chunk | FilePart): Promise<void> {
    if (drawn.kind === "diff") await this.#words();
    else if (drawn.kind !== "file") await this.warm();
    const languages = languagesOf(drawn);
    if (languages.length === 0) return;
    const highlighter = await this.#highlighter();
    await Promise.all(languages.map((language) => highlighter.load(language)));
  }

  /** @returns undefined until the code for this change is loaded; until then the change is drawn in two colours. */
  diffPaint(path: string): DiffPaint | undefined {
    const words = this.#words.value;
    if (!words || !this.isReady({ kind: "diff", path })) return undefined;
    return { code: this.#codePaint(path), changedWords: words.changedWords, matchedLines: words.matchedLines };
  }

  /** @returns undefined until the grammar of this file is loaded; until then its lines have no colours. */
  filePaint(path: string): CodePaint | undefined {
    return this.isReady({ kind: "file", path }) ? this.#codePaint(path) : undefined;
  }

  #codePaint(path: string): CodePaint {
    return (lines, theme) => this.#highlighter.value?.lines(lines, languageOf(path), theme) ?? lines;
  }

  /** The part of a chunk whose lines stay as they are, whatever text follows; undefined if there is none. */
  certainPart(chunk: Chunk): Chunk | undefined {
    const isOwn = chunk.kind === "code" && this.#rendererOf?.(chunk.language) !== undefined;
    return isOwn || !this.isReady(chunk) ? undefined : this.#blocks.value?.certainPart(chunk);
  }

  /** Loads the lexer and the highlighter. */
  async warm(): Promise<void> {
    await this.#blocks();
  }

  /** Lines of at most `columns`; plain text until the lexer is loaded. */
  lines(chunk: Chunk, theme: Theme, columns: number): readonly string[] {
    if (this.#blocks.value) {
      const { chunkLines, lexer, highlighter } = this.#blocks.value;
      return chunkLines(chunk, { lexer, highlighter, theme, columns, rendererOf: this.#rendererOf });
    }
    // The leading blanks of a line of code belong to the code.
    return chunk.kind === "code"
      ? hardWrapText(plainText(chunk.lines.join("\n")), columns)
      : wrapText(plainText(chunk.text), columns);
  }
}

/** The languages of its fenced blocks, including those inside a list or a quote. */
function languagesOf(chunk: Chunk | FilePart): readonly string[] {
  if ("path" in chunk) return [languageOf(chunk.path)];
  if (chunk.kind === "code") return [chunk.language];
  return Array.from(
    chunk.text.matchAll(/^[ \t>]*(?:[-*+][ \t]+|\d+[.)][ \t]+)?(?:`{3,}|~{3,})[ \t]*([^\s`]+)/gm),
    ([, name]) => (name ?? "").toLowerCase(),
  );
}
