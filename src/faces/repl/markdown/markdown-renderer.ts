import { plainText } from "@quoll/terminal-text/plain-text";
import { hardWrapText, wrapText } from "@quoll/terminal-text/wrap-text";
import { languageOf } from "../../../contracts/language-of.ts";
import type { Chunk } from "../../../protocol/transcript/chunk.ts";
import type { changedWords, matchedLines } from "../view/changed-words.ts";
import type { Theme } from "../view/theme.ts";
import { Highlighter } from "./highlight.ts";
import type { chunkLines, RendererOf } from "./render-blocks.ts";

/** The change of a file, or its lines, which are drawn with the grammar of its language. */
export type FilePart = { readonly kind: "diff" | "file"; readonly path: string };

/** Draws lines of a file with the colours of its language. */
export type CodePaint = (lines: readonly string[], theme: Theme) => readonly string[];

/** Draws the changed lines of a file. */
export type DiffPaint = Words & { readonly code: CodePaint };
type Words = { readonly changedWords: typeof changedWords; readonly matchedLines: typeof matchedLines };

type Loaded = {
  readonly lexer: (text: string) => ReturnType<typeof import("marked").lexer>;
  readonly draw: typeof chunkLines;
};

/**
 * Draws Markdown. The lexer and the grammars are loaded at their first use, so that the first frame does not wait for
 * them.
 */
export class MarkdownRenderer {
  readonly #highlighter = new Highlighter();
  readonly #rendererOf: RendererOf | undefined;
  #loaded: Loaded | undefined;
  #words: Words | undefined;
  #loading: Promise<void> | undefined;

  constructor(rendererOf?: RendererOf) {
    this.#rendererOf = rendererOf;
  }

  /** True if the drawing of this chunk or part of a file is final. */
  isReady(drawn: Chunk | FilePart): boolean {
    const isLoaded = drawn.kind === "file" || (drawn.kind === "diff" ? this.#words : this.#loaded) !== undefined;
    return isLoaded && languagesOf(drawn).every((language) => this.#highlighter.isReady(language));
  }

  /** Loads the code that drawing this chunk or part of a file needs. */
  async load(drawn: Chunk | FilePart): Promise<void> {
    if (drawn.kind === "diff") this.#words ??= await import("../view/changed-words.ts");
    else if (drawn.kind !== "file") await this.warm();
    await Promise.all(languagesOf(drawn).map((language) => this.#highlighter.load(language)));
  }

  /** @returns undefined until the code for this change is loaded; until then the change is drawn in two colours. */
  diffPaint(path: string): DiffPaint | undefined {
    const words = this.#words;
    if (!words || !this.isReady({ kind: "diff", path })) return undefined;
    return { code: this.#codePaint(path), changedWords: words.changedWords, matchedLines: words.matchedLines };
  }

  /** @returns undefined until the grammar of this file is loaded; until then its lines have no colours. */
  filePaint(path: string): CodePaint | undefined {
    return this.isReady({ kind: "file", path }) ? this.#codePaint(path) : undefined;
  }

  #codePaint(path: string): CodePaint {
    return (lines, theme) => this.#highlighter.lines(lines, languageOf(path), theme);
  }

  /** Loads the lexer. */
  async warm(): Promise<void> {
    this.#loading ??= (async () => {
      const [{ lexer }, { chunkLines }] = await Promise.all([import("marked"), import("./render-blocks.ts")]);
      this.#loaded = { lexer: (text) => lexer(text), draw: chunkLines };
    })();
    await this.#loading;
  }

  /** Lines of at most `columns`; plain text until the lexer is loaded. */
  lines(chunk: Chunk, theme: Theme, columns: number): readonly string[] {
    if (this.#loaded) {
      const { lexer, draw } = this.#loaded;
      return draw(chunk, { lexer, highlighter: this.#highlighter, theme, columns, rendererOf: this.#rendererOf });
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
