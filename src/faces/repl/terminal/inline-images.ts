import type { EngineEvent } from "../../../contracts/event.ts";
import type { ImageBlock } from "../../../contracts/message.ts";
import type { Clock } from "../../../contracts/ports.ts";
import type { Row } from "../../../protocol/transcript/transcript.ts";
import { type FoundImages, imageKeysOf, imagesOf } from "./found-images.ts";
import type { Cell, PictureWindow } from "./picture-rows.ts";
import type { TerminalImages } from "./terminal-picture.ts";

/** Asks for the size of a character's cell in pixels (xterm's XTWINOPS 16). */
const ASK_CELL = "\u001b[16t";
/** A terminal that answers does so within this time. */
const ANSWER_MS = 120;
/** A row is printed without its pictures when they take longer. */
const PREPARE_MS = 1_500;
/** Messages and calls whose pictures wait to be printed; the oldest are dropped. */
const MAX_WAITING = 20;
/** Further images of a message or a call are only named. */
const MAX_PICTURES = 4;
/** Older images of a saved conversation are only named: its newest ones are what a person looks for. */
const MAX_SAVED_PICTURES = 4;
/** In characters of base64, 6 MiB of images. */
const MAX_SAVED_CHARS = 8 * 1024 * 1024;

type Deps = {
  readonly images: TerminalImages;
  readonly clock: Clock;
  /** Aborts when the REPL is over. */
  readonly ended: () => AbortSignal;
  /** Asks the terminal; does nothing while another program has it. */
  readonly ask: (query: string) => void;
};

type RowsOf = (window: PictureWindow) => readonly string[];

/** The images of the running conversation, prepared for the terminal until the row that they belong to is printed. */
export class InlineImages {
  readonly #deps: Deps;
  /** By message or call; undefined while they are prepared. */
  readonly #waiting = new Map<string, RowsOf | undefined>();
  readonly #answered = Promise.withResolvers<void>();
  #cell: Cell | undefined;
  #isAsked = false;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Prepares the images of an event. @returns undefined if it has none; otherwise resolves when they are ready. */
  take(event: EngineEvent): Promise<void> | undefined {
    const found = imagesOf(event);
    return found && this.#prepare(found.key, found.images.slice(0, MAX_PICTURES));
  }

  /**
   * Prepares the newest images of a saved conversation, at most four of at most 6 MiB together.
   * @returns undefined if there is none; otherwise resolves when they are ready.
   */
  takeSaved(saved: readonly FoundImages[]): Promise<unknown> | undefined {
    const newest = newestOf(saved);
    return newest.length === 0 ? undefined : Promise.all(newest.map(({ key, images }) => this.#prepare(key, images)));
  }

  /** The terminal told the size of its cells. */
  told(cell: Cell): void {
    this.#cell = cell;
    this.#answered.resolve();
  }

  isReady(row: Row): boolean {
    return imageKeysOf(row).every((key) => !this.#waiting.has(key) || this.#waiting.get(key) !== undefined);
  }

  /** The rows of a row's pictures, each only once. */
  rowsOf(row: Row, size: Omit<PictureWindow, "cell">): readonly string[] {
    return imageKeysOf(row).flatMap((key) => {
      const rows = this.#waiting.get(key);
      this.#waiting.delete(key);
      return rows ? rows({ ...size, cell: this.#cell }) : [];
    });
  }

  async #prepare(key: string, images: readonly ImageBlock[]): Promise<void> {
    const [oldest] = this.#waiting.keys();
    if (this.#waiting.size >= MAX_WAITING && oldest !== undefined) this.#waiting.delete(oldest);
    this.#waiting.set(key, undefined);
    const none: RowsOf = () => [];
    const late = this.#wait(PREPARE_MS);
    const rows = await Promise.race([this.#rowsOf(images).catch(() => none), late.passed.then(() => none)]);
    late.end();
    if (this.#waiting.has(key)) this.#waiting.set(key, rows);
  }

  async #rowsOf(images: readonly ImageBlock[]): Promise<RowsOf> {
    const [{ terminalPicture }, { pictureRows }] = await Promise.all([
      import("./terminal-picture.ts"),
      import("./picture-rows.ts"),
      this.#ask(),
    ]);
    const all = await Promise.all(images.map((image) => terminalPicture(image, this.#deps.images)));
    const pictures = all.filter((picture) => picture !== undefined);
    const { protocol } = this.#deps.images;
    return (window) => pictures.flatMap((picture) => pictureRows(picture, window, protocol));
  }

  async #ask(): Promise<void> {
    if (this.#isAsked) return;
    this.#isAsked = true;
    this.#deps.ask(ASK_CELL);
    const late = this.#wait(ANSWER_MS);
    await Promise.race([this.#answered.promise, late.passed]);
    late.end();
  }

  #wait(ms: number): { readonly passed: Promise<void>; end(): void } {
    const over = new AbortController();
    const passed = this.#deps.clock
      .sleep(ms, AbortSignal.any([over.signal, this.#deps.ended()]))
      .catch(() => undefined);
    return { passed, end: () => over.abort() };
  }
}

function newestOf(saved: readonly FoundImages[]): readonly FoundImages[] {
  const newest: FoundImages[] = [];
  let pictures = MAX_SAVED_PICTURES;
  let chars = MAX_SAVED_CHARS;
  for (const { key, images } of saved.toReversed()) {
    const kept = images.slice(0, pictures);
    pictures -= kept.length;
    chars -= kept.reduce((sum, { data }) => sum + data.length, 0);
    if (chars < 0 || kept.length === 0) break;
    newest.push({ key, images: kept });
  }
  return newest;
}
