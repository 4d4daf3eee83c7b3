import { plainText } from "@quoll/terminal-text/plain-text";
import { hardWrapText, wrapText } from "@quoll/terminal-text/wrap-text";
import { languageOf } from "../../../contracts/language-of.ts";
import type { Chunk } from "../../../protocol/transcript/chunk.ts";
import type { changedWords } from "../view/changed-words.ts";
import type { Theme } from "../view/theme.ts";
import { Highlighter } from "./highlight.ts";
import type { chunkLines, RendererOf } from "./render-blocks.ts";

/** The change of a file, whose diff is drawn with the grammar of its language. */
export type FileChange = { readonly kind: "diff"; readonly path: string };

/** Draws the changed lines of a file. */
export type DiffPaint = {
  /** Draws lines of the file with the colours of its language. */
  code(lines: readonly string[], theme: Theme): readonly string[];
  readonly changedWords: typeof changedWords;
};

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
  #changedWords: typeof changedWords | undefined;
  #loading: Promise<void> | undefined;

  constructor(rendererOf?: RendererOf) {
    this.#rendererOf = rendererOf;
  }

  /** True if the drawing of this chunk or change is final. */
  isReady(drawn: Chunk | FileChange): boolean {
    const code = drawn.kind === "diff" ? this.#changedWords : this.#loaded;
    return code !== undefined && languagesOf(drawn).every((language) => this.#highlighter.isReady(language));
  }

  /** Loads the code that drawing this chunk or change needs. */
  async load(drawn: Chunk | FileChange): Promise<void> {
    if (drawn.kind === "diff") this.#changedWords ??= (await import("../view/changed-words.ts")).changedWords;
    else await this.warm();
    await Promise.all(languagesOf(drawn).map((language) => this.#highlighter.load(language)));
  }

  /** @returns undefined until the code for this change is loaded; until then the change is drawn in two colours. */
  diffPaint(path: string): DiffPaint | undefined {
    const words = this.#changedWords;
    if (!words || !this.isReady({ kind: "diff", path })) return undefined;
    const code = (lines: readonly string[], theme: Theme) => this.#highlighter.lines(lines, languageOf(path), theme);
    return { code, changedWords: words };
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
function languagesOf(chunk: Chunk | FileChange): readonly string[] {
  if (chunk.kind === "diff") return [languageOf(chunk.path)];
  if (chunk.kind === "code") return [chunk.language];
  return Array.from(
    chunk.text.matchAll(/^[ \t>]*(?:[-*+][ \t]+|\d+[.)][ \t]+)?(?:`{3,}|~{3,})[ \t]*([^\s`]+)/gm),
    ([, name]) => (name ?? "").toLowerCase(),
  );
}
