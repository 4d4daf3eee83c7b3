import { textWidth } from "@quoll/terminal-text/text-width";
import { truncateText } from "@quoll/terminal-text/truncate-text";
import type { CallRecord } from "../../../contracts/call-record.ts";
import type { DiffLayout } from "../../../contracts/terminal-settings.ts";
import type { Row, Transcript } from "../../../protocol/transcript/transcript.ts";
import type { KeyAction } from "../keymap/key-actions.ts";
import type { MarkdownRenderer } from "../markdown/markdown-renderer.ts";
import type { Size } from "../repl-screen-state.ts";
import { splitAt } from "../view/diff-lines.ts";
import { GLYPHS, type Theme } from "../view/theme.ts";
import { fittingHints, hintsOf } from "../view/theme-hints.ts";
import type { AlternateFrame } from "./alternate-screen.ts";
import { wholeBlockLines, wholeDrawables } from "./block-lines.ts";
import { BlockSearch } from "./block-search.ts";
import { BlockList, copiedText, type TranscriptBlock } from "./blocks.ts";
import { CallRecords } from "./call-records.ts";
import { markMatches, type SearchPattern, searchPattern } from "./search-pattern.ts";
import {
  endTop,
  isBefore,
  type LaidOut,
  moved,
  type Place,
  type PlacedLine,
  windowLines,
} from "./transcript-window.ts";

/** The columns of the bar that marks the selected block. */
const BAR_COLUMNS = 2;
const BAR = `${GLYPHS.current} `;
/** The maximum number of laid-out blocks that are kept. */
const MAX_KEPT_BLOCKS = 2_000;
export type ViewerScene = {
  readonly transcript: Transcript;
  readonly theme: Theme;
  readonly size: Size;
  readonly diff?: DiffLayout;
  /** Monotonic milliseconds. */
  readonly nowMs: number;
  /** True while the person types the words to search for. */
  readonly isSearching: boolean;
  readonly isAsked: boolean;
  /** The lines of the list of keys; empty while the list is closed. */
  readonly keys: readonly string[];
};

export type ViewedParts = {
  /** The title of a text other than the conversation, which is shown from its beginning. */
  readonly title?: string;
  /** True if blocks of the text can be taken back. */
  readonly hasTakeBack?: boolean;
  /** Rows that precede those of the transcript. */
  readonly earlier?: readonly Row[];
  /** Requests the record of a call, which arrives through `take`; absent if no records are kept. */
  readonly ask?: (toolUseId: string) => void;
};

/** The whole conversation on a separate screen: the position of the person in it, and its appearance. */
export class TranscriptViewer {
  #blocks: BlockList;
  readonly #markdown: MarkdownRenderer;
  readonly #title: string;
  readonly #hasTakeBack: boolean;
  readonly #records: CallRecords | undefined;
  readonly #search = new BlockSearch({
    blocks: () => this.#blocks,
    known: (index) => this.#known(index),
    linesOf: (index) => this.#linesOf(index),
  });
  /** Called when a grammar that a block waits for was loaded. */
  readonly #changed: () => void;
  #kept = new Map<TranscriptBlock, readonly string[]>();
  #scene: ViewerScene | undefined;
  /** Undefined at the end, which is then followed. */
  #top: Place | undefined;
  #shown: readonly PlacedLine[] = [];
  /** Undefined for the last block on the screen. */
  #marked: number | undefined;
  #query = "";
  #pattern: SearchPattern | undefined;
  /** The window when the search began. */
  #searchedFrom: Place | undefined;
  #found: Place | undefined;
  #note = "";
  #isLoading = false;
  readonly #actions: { readonly [Name in KeyAction]?: () => void } = {
    "viewer.lineUp": () => this.#scroll(-1),
    "viewer.lineDown": () => this.#scroll(1),
    "viewer.pageUp": () => this.#scroll(1 - this.#rows),
    "viewer.pageDown": () => this.#scroll(this.#rows - 1),
    "viewer.top": () => this.#markAt(0),
    "viewer.bottom": () => this.#follow(),
    "viewer.previousTurn": () => this.#turn(-1),
    "viewer.nextTurn": () => this.#turn(1),
    "viewer.previousBlock": () => this.#step(-1),
    "viewer.nextBlock": () => this.#step(1),
    "viewer.nextMatch": () => this.#find(1),
    "viewer.previousMatch": () => this.#find(-1),
    "viewer.search": () => this.#startSearch(),
    "viewerSearch.cancel": () => this.#cancelSearch(),
    "viewerSearch.deleteBackward": () => this.#look(Array.from(this.#query).slice(0, -1).join("")),
    "viewerSearch.clear": () => this.#look(""),
  };

  constructor(markdown: MarkdownRenderer, changed: () => void, parts: ViewedParts = {}) {
    const { title, earlier = [], ask, hasTakeBack = false } = parts;
    this.#records = ask && new CallRecords(ask);
    this.#blocks = new BlockList(earlier);
    this.#markdown = markdown;
    this.#changed = changed;
    this.#title = title ?? "Transcript";
    this.#hasTakeBack = hasTakeBack;
    if (title !== undefined) this.#markAt(0);
  }

  /** The text of the selected block. */
  get copied(): string {
    const block = this.#known(this.#mark);
    return block ? copiedText(block) : "";
  }

  /** The id of the selected call. */
  get markedCall(): string | undefined {
    const [row] = this.#blocks.at(this.#mark)?.rows ?? [];
    return row?.kind === "tool" ? row.tool.use.id : undefined;
  }

  /** The next frame has another text than the last one; the place and the selection stay. @param said A line about it. */
  replaceText(said: string | undefined): void {
    this.#marked = this.#mark;
    this.#blocks = new BlockList();
    this.#kept = new Map();
    this.#found = undefined;
    if (said !== undefined) this.notify(said);
  }

  /** Replaces the transcript's excerpt of a call by the call's record. */
  take(toolUseId: string, record: CallRecord): void {
    if (this.#records?.take(toolUseId, record)) this.#kept.clear();
    if (this.#scene?.isSearching && !this.#found) this.#look(this.#query);
  }

  /** A block with the records that have arrived. */
  #known(index: number): TranscriptBlock | undefined {
    const block = this.#blocks.at(index);
    return block && (this.#records?.fill(block) ?? block);
  }

  /** Shows a line in place of the keys until the next key. */
  notify(note: string): void {
    this.#note = note;
  }

  frame(scene: ViewerScene): AlternateFrame {
    const { theme, size, keys, transcript } = scene;
    if (this.#scene?.size.columns !== size.columns || this.#scene.theme !== theme) this.#kept = new Map();
    this.#scene = scene;
    this.#blocks.update(transcript);
    const rows = this.#rows;
    const layout = this.#layout;
    const end = endTop(layout, rows);
    if (this.#top && !isBefore(this.#top, end)) this.#top = undefined;
    this.#shown = windowLines(layout, this.#top ?? end, rows);
    const body = this.#shown.map((line) => this.#drawn(line));
    const blank = Array.from({ length: rows - body.length }, () => "");
    const status = this.#status(scene);
    const lines = [...body, ...blank, ...keys.slice(0, size.rows - 2), theme.dim(status)];
    const y = size.rows - 1;
    return scene.isSearching ? { lines, cursor: { x: Math.min(textWidth(status), size.columns - 1), y } } : { lines };
  }

  /** Does what a key asks for. */
  perform(name: KeyAction): void {
    this.#note = "";
    this.#actions[name]?.();
  }

  /** Takes typed text as words to search for. */
  type(text: string): void {
    this.#look(this.#query + text);
  }

  #startSearch(): void {
    this.#searchedFrom = this.#firstShown;
    this.#records?.askForSearch(this.#blocks);
    this.#look("");
  }

  #cancelSearch(): void {
    this.#top = this.#searchedFrom;
    this.#look("");
  }

  #look(query: string): void {
    this.#query = query;
    this.#pattern = searchPattern(query);
    this.#note = "";
    if (this.#pattern && this.#searchedFrom) this.#find(1, this.#searchedFrom);
  }

  get #rows(): number {
    const { size = { rows: 2 }, keys = [] } = this.#scene ?? {};
    return Math.max(1, size.rows - 1 - Math.min(keys.length, size.rows - 2));
  }

  get #firstShown(): Place {
    return this.#shown[0] ?? { block: 0, line: 0 };
  }

  /** The selected block, moved into the window if it was scrolled away. */
  get #mark(): number {
    const first = this.#firstShown.block;
    const last = this.#shown.at(-1)?.block ?? 0;
    if (this.#marked !== undefined) return Math.min(Math.max(this.#marked, first), last);
    // The summary of a turn is rarely copied.
    for (let at = last; at >= first; at -= 1) if (this.#blocks.at(at)?.kind !== "other") return at;
    return last;
  }

  get #layout(): LaidOut {
    const count = this.#blocks.length;
    return { length: count, lines: (block) => this.#linesOf(block) };
  }

  #linesOf(index: number): readonly string[] {
    const block = this.#blocks.at(index);
    const scene = this.#scene;
    if (!block || !scene) return [];
    const known = this.#kept.get(block);
    if (known) return known;
    const { theme, size, nowMs, diff } = scene;
    const split = splitAt(size.columns, diff);
    const columns = Math.max(20, size.columns - BAR_COLUMNS);
    const { block: shown = block, isLoading = false } = this.#records?.show(block) ?? {};
    const drawn = wholeBlockLines(shown, { theme, columns, markdown: this.#markdown, split }, nowMs);
    const lines = index > 0 && drawn.length > 0 ? ["", ...drawn] : drawn;
    if (!this.#load(block) && !block.running && !isLoading) {
      if (this.#kept.size >= MAX_KEPT_BLOCKS) this.#kept.clear();
      this.#kept.set(block, lines);
    }
    return lines;
  }

  /** Loads the grammars that a block needs. @returns false if no grammar is missing. */
  #load({ rows }: TranscriptBlock): boolean {
    const missing = rows.flatMap(wholeDrawables).find((one) => !this.#markdown.isReady(one));
    if (!missing) return false;
    if (this.#isLoading) return true;
    this.#isLoading = true;
    const done = () => {
      this.#isLoading = false;
      this.#changed();
    };
    this.#markdown.load(missing).then(done, done);
    return true;
  }

  #drawn({ block, line, text }: PlacedLine): string {
    const theme = this.#scene?.theme;
    if (!theme) return text;
    const bar = block === this.#mark ? theme.accent(BAR) : " ".repeat(BAR_COLUMNS);
    const columns = (this.#scene?.size.columns ?? 0) - BAR_COLUMNS;
    const isCurrent = block === this.#found?.block && line === this.#found.line;
    const marked = this.#pattern ? markMatches(text, this.#pattern, theme, isCurrent) : text;
    const isGap = block > 0 && line === 0;
    return isGap ? "" : `${bar}${truncateText(marked, columns)}`.trimEnd();
  }

  #status({ theme, size, isSearching, isAsked }: ViewerScene): string {
    if (isSearching)
      return truncateText(`  /${this.#query}${this.#note === "" ? "" : `  ${this.#note}`}`, size.columns);
    const count = this.#blocks.length;
    const share = this.#top ? `${Math.round((100 * this.#top.block) / Math.max(1, count))}%` : "end";
    const lead = `  ${this.#title} · ${share} · `;
    const room = size.columns - textWidth(lead);
    const close = hintsOf(theme, "viewer")("", "viewer.close");
    const said = isAsked ? `▲ a question waits: ${close}` : this.#note;
    const line = said === "" ? keysLine(theme, this.#hasTakeBack, room) : said;
    // The line about a change that was taken back stays for long, so the key that closes stays in sight.
    const ends = said !== "" && this.#hasTakeBack ? ` · ${close}` : "";
    return `${truncateText(`${lead}${line}`, size.columns - textWidth(ends))}${ends}`;
  }

  #scroll(by: number): void {
    this.#goTo(moved(this.#layout, this.#firstShown, by));
  }

  #goTo(place: Place): void {
    this.#top = place;
  }

  #follow(): void {
    this.#top = undefined;
    this.#marked = undefined;
  }

  #turn(step: 1 | -1): void {
    const to = this.#blocks.prompt(this.#mark, step);
    if (to === undefined) this.notify(step < 0 ? "this is the first turn" : "this is the last turn");
    else this.#markAt(to);
  }

  /** Selects a block and shows its beginning in the first row. */
  #markAt(block: number): void {
    this.#marked = block;
    this.#goTo({ block, line: Math.min(block, 1) });
  }

  #step(step: 1 | -1): void {
    const to = Math.min(Math.max(0, this.#mark + step), this.#blocks.length - 1);
    const isVisible = this.#shown.some(({ block, text }) => block === to && text !== "");
    if (isVisible) this.#marked = to;
    else this.#markAt(to);
  }

  /** @param from Where the search begins, including this position; by default after the last match. */
  #find(step: 1 | -1, from?: Place): void {
    const pattern = this.#pattern;
    if (!pattern) {
      this.notify("/ searches");
      return;
    }
    const start = from ?? this.#found ?? this.#firstShown;
    const found = this.#search.next(pattern, { start, step, isIncluded: from !== undefined });
    this.#found = found;
    if (!found) {
      this.notify(`not found: ${pattern.query}`);
      return;
    }
    const isBehind = step > 0 ? isBefore(found, start) : isBefore(start, found);
    const position = this.#search.positionOf(pattern, found);
    const wrapped = isBehind && from === undefined ? ["the search continued from the other end"] : [];
    this.notify([...(position === undefined ? [] : [position]), ...wrapped].join(" · "));
    this.#marked = found.block;
    const isVisible = this.#shown.slice(0, -2).some(({ block, line }) => block === found.block && line === found.line);
    if (!isVisible) this.#goTo(moved(this.#layout, found, -Math.floor(this.#rows / 3)));
  }
}

/** The keys that the viewer's last row names: as many as fit. */
function keysLine(theme: Theme, hasTakeBack: boolean, columns: number): string {
  const key = hintsOf(theme, "viewer");
  return fittingHints(
    columns,
    ...(hasTakeBack ? [key("take back", "viewer.takeBack")] : []),
    key("keys", "viewer.keys"),
    key("search", "viewer.search"),
    key("turn", "viewer.previousTurn", "viewer.nextTurn"),
    ...(hasTakeBack ? [] : [key("copy", "viewer.copy")]),
    key("block", "viewer.nextBlock"),
    key("", "viewer.close"),
  );
}
