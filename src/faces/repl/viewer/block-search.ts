import { type BlockList, blockMatches, type TranscriptBlock } from "./blocks.ts";
import { lineMatches, type SearchPattern } from "./search-pattern.ts";
import type { Place } from "./transcript-window.ts";

/** The maximum number of matching blocks that are counted, so that a key never waits for a long layout. */
const MAX_COUNTED_BLOCKS = 200;

type Searched = {
  blocks(): BlockList;
  /** A block with the records that have arrived. */
  known(index: number): TranscriptBlock | undefined;
  /** The drawn lines of a block. */
  linesOf(index: number): readonly string[];
};

type From = {
  readonly start: Place;
  readonly step: 1 | -1;
  /** True if the start itself may be found. */
  readonly isIncluded: boolean;
};

/** The search for words in the blocks of a transcript. */
export class BlockSearch {
  readonly #searched: Searched;

  constructor(searched: Searched) {
    this.#searched = searched;
  }

  /** The nearest matching line after the start, continued from the other end; undefined if nothing matches. */
  next(pattern: SearchPattern, { start, step, isIncluded }: From): Place | undefined {
    const count = this.#searched.blocks().length;
    for (let passed = 0; passed <= count; passed += 1) {
      const block = (start.block + step * passed + count * 2) % Math.max(1, count);
      const lines = this.#matches(pattern, block);
      const isFirst = passed === 0;
      const fits = (line: number) =>
        !isFirst || (isIncluded && line === start.line) || (step > 0 ? line > start.line : line < start.line);
      // Back in the first block, the lines on the other side of the start are left.
      const line = step > 0 ? lines.find(fits) : lines.findLast(fits);
      if (line !== undefined) return { block, line };
    }
    return undefined;
  }

  /**
   * The number of the found line among all matches, as `3/12`; undefined if too many blocks match to lay them all out.
   */
  positionOf(pattern: SearchPattern, found: Place): string | undefined {
    const list = this.#searched.blocks();
    const blocks: number[] = [];
    for (let index = 0; index < list.length && blocks.length <= MAX_COUNTED_BLOCKS; index += 1) {
      const block = list.at(index);
      if (block && blockMatches(block, pattern.inSource)) blocks.push(index);
    }
    if (blocks.length > MAX_COUNTED_BLOCKS) return undefined;
    const places = blocks.flatMap((block) => this.#matches(pattern, block).map((line) => ({ block, line })));
    const at = places.findIndex(({ block, line }) => block === found.block && line === found.line);
    return `${at + 1}/${places.length}`;
  }

  /** The lines of a block that match; its first line if the words are there but broken over lines. */
  #matches(pattern: SearchPattern, index: number): readonly number[] {
    const block = this.#searched.known(index);
    if (!block || !blockMatches(block, pattern.inSource)) return [];
    const lines = this.#searched.linesOf(index);
    const found = lines.flatMap((line, at) => (lineMatches(pattern, line) ? [at] : []));
    return found.length > 0 ? found : [Math.min(index, 1)];
  }
}
