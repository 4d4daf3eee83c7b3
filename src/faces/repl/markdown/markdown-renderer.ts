import { plainText } from "@quoll/terminal-text/plain-text";
import { hardWrapText, wrapText } from "@quoll/terminal-text/wrap-text";
import type { Theme } from "../view/theme.ts";
import type { Chunk } from "./chunk.ts";
import { Highlighter } from "./highlight.ts";
import type { chunkLines, RendererOf } from "./render-blocks.ts";

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
  #loading: Promise<void> | undefined;

  constructor(rendererOf?: RendererOf) {
    this.#rendererOf = rendererOf;
  }

  /** True if the result of `lines` for this chunk is final. */
  isReady(chunk: Chunk): boolean {
    return this.#loaded !== undefined && languagesOf(chunk).every((language) => this.#highlighter.isReady(language));
  }

  /** Loads the code that drawing this chunk needs. */
  async load(chunk: Chunk): Promise<void> {
    await this.warm();
    await Promise.all(languagesOf(chunk).map((language) => this.#highlighter.load(language)));
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
function languagesOf(chunk: Chunk): readonly string[] {
  if (chunk.kind === "code") return [chunk.language];
  return Array.from(
    chunk.text.matchAll(/^[ \t>]*(?:[-*+][ \t]+|\d+[.)][ \t]+)?(?:`{3,}|~{3,})[ \t]*([^\s`]+)/gm),
    ([, name]) => (name ?? "").toLowerCase(),
  );
}
