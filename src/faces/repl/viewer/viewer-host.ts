import { textWidth } from "@quoll/terminal-text/text-width";
import { padText, truncateText } from "@quoll/terminal-text/truncate-text";
import { wrapText } from "@quoll/terminal-text/wrap-text";
import type { CallRecord } from "../../../contracts/call-record.ts";
import { errorMessage } from "../../../contracts/errors.ts";
import { reduceAll } from "../../../protocol/transcript/reduce.ts";
import { emptyTranscript, type Row, type ScreenEvent } from "../../../protocol/transcript/transcript.ts";
import { KEY_ACTIONS, type KeyAction } from "../keymap/key-actions.ts";
import { keyNamesOf } from "../keymap/key-help.ts";
import type { Keymap } from "../keymap/keymap.ts";
import type { ViewerState } from "../layers/ui-state.ts";
import type { ReplScreen, Size } from "../repl-screen-state.ts";
import type { ReplState } from "../repl-state.ts";
import type { Theme } from "../view/theme.ts";
import type { AlternateScreen } from "./alternate-screen.ts";
import type { TranscriptViewer } from "./transcript-viewer.ts";

type Shown = ViewerState["shown"];

type Deps = {
  readonly alternate: AlternateScreen;
  /** True if the rest of the screen is drawn there too. */
  readonly isFull: boolean;
  /** True where no cursor can be moved. */
  readonly isPlain: boolean;
  readonly state: ReplState;
  readonly screen: ReplScreen;
  readonly ended: AbortSignal;
  readonly copyText: ((text: string, signal: AbortSignal) => Promise<string>) | undefined;
  /** Asks the session for the record of a call; the answer comes to `take`. */
  readonly ask: (toolUseId: string) => void;
  /** Asks the session for the whole saved conversation; it comes to `takeHistory`. */
  readonly askHistory: () => void;
  readonly failed: (error: unknown) => void;
  /** Sends a command as if it were typed. */
  readonly submit: (command: string) => void;
  /** Called when the first screen is shown again in a window of another size. */
  readonly uncovered: () => void;
};

/** Opens and closes the transcript viewer as the state says. While it is open, nothing is drawn on the first screen. */
export class ViewerHost {
  readonly #deps: Deps;
  #viewer: TranscriptViewer | undefined;
  #isLoading = false;
  /** The text that the viewer shows, if it is not the conversation. */
  #shown: Shown;
  /** The rows of a restored conversation that the first screen does not show. */
  #earlier: readonly Row[] = [];
  /** Set when the window got a new size while this was open. */
  #size: Size | undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** True while the terminal shows the transcript. */
  get isOpen(): boolean {
    return this.#viewer !== undefined;
  }

  /** Draws the viewer if it is open. @returns false if the first screen is to be drawn. */
  draw(): boolean {
    const { state, screen, isPlain } = this.#deps;
    const open = state.ui.viewer;
    if (open && isPlain) {
      state.ui = { ...state.ui, viewer: undefined };
      if (open.shown) state.add({ kind: "answer", command: "diff", lines: open.shown.lines });
      else state.notify("warning", "This terminal can't show the transcript on a separate screen.");
    }
    if (!open || isPlain) {
      this.leave();
      return false;
    }
    if (!this.#viewer) {
      // The first screen stays as it is.
      this.#load(open.shown);
      return true;
    }
    if (open.shown !== this.#shown) {
      this.#shown = open.shown;
      this.#viewer.replaceText(open.shown?.said);
    }
    const { theme, nowMs, keymap } = state;
    const { isSearching, showsKeys, shown } = open;
    const transcript = shown?.transcript ?? state.transcript;
    const isAsked = state.ui.asking !== undefined;
    const size = this.#size ?? screen.size;
    const keys = showsKeys ? viewerHelp(keymap, size.columns, theme) : [];
    const scene = { transcript, diff: screen.diff, theme, size, nowMs, isSearching, isAsked, keys };
    this.#deps.alternate.draw(this.#viewer.frame(scene));
    return true;
  }

  /** The window has a new size: what the terminal left of the frame is unknown. */
  resize(size: Size): void {
    this.#size = size;
    this.#deps.alternate.forget();
    this.#deps.state.drawNow();
  }

  /** @returns false if no viewer is open, which would take the size. */
  takeSize(size: Size): boolean {
    if (this.isOpen) this.resize(size);
    return this.isOpen;
  }

  /** Shows the first screen again, and adapts it if the window has a new size. */
  leave(): void {
    const { alternate, isFull, screen, ended, uncovered } = this.#deps;
    const wasOpen = this.#viewer !== undefined;
    this.#viewer = undefined;
    if (!isFull) alternate.leave(screen.frame.cursor !== undefined);
    if ((this.#size || (isFull && wasOpen)) && !ended.aborted) uncovered();
    this.#size = undefined;
  }

  perform(does: KeyAction): void {
    if (!this.#viewer) this.#deps.screen.scroll(does);
    else if (does === "viewer.copy") void this.#copy();
    else if (does === "viewer.takeBack") this.#takeBack(this.#viewer);
    else this.#viewer.perform(does);
  }

  /** Shows the record of a call, unless the viewer was closed in the meantime. */
  take(toolUseId: string, record: CallRecord): void {
    this.#viewer?.take(toolUseId, record);
    if (this.#viewer) this.#deps.state.drawNow();
  }

  /** Takes the saved conversation, and shows the viewer that waits for it. */
  takeHistory(events: readonly ScreenEvent[]): void {
    const { state } = this.#deps;
    state.hasEarlier = false;
    this.#earlier = reduceAll(emptyTranscript, events, 0).settled.slice();
    this.#isLoading = false;
    state.drawNow();
  }

  type(text: string): void {
    this.#viewer?.type(text);
  }

  #takeBack(viewer: TranscriptViewer): void {
    const commands = this.#shown?.takeBack;
    if (!commands) return;
    const command = commands.get(viewer.markedCall ?? "");
    if (command === undefined) viewer.notify(noTakeBack(viewer, this.#deps.state.keymap));
    else this.#deps.submit(command);
    this.#deps.state.drawNow();
  }

  async #copy(): Promise<void> {
    const viewer = this.#viewer;
    const { copyText, ended, state } = this.#deps;
    const text = viewer?.copied ?? "";
    if (!viewer || !copyText || text.trim() === "") return;
    const lines = text.split("\n").length;
    const said = await copyText(text, ended).catch(errorMessage);
    viewer.notify(`${lines === 1 ? "1 line" : `${lines} lines`}: ${said}`);
    state.drawNow();
  }

  /** @param shown A text other than the conversation, which is shown from its beginning. */
  #load(shown: Shown): void {
    if (this.#isLoading) return;
    this.#isLoading = true;
    const { state, screen, failed, ask, askHistory } = this.#deps;
    // A long conversation was restored only in part; the rest is read once it is looked at.
    if (!shown && state.hasEarlier) {
      askHistory();
      return;
    }
    import("./transcript-viewer.ts").then(({ TranscriptViewer }) => {
      this.#isLoading = false;
      const earlier = this.#earlier;
      const parts = shown ? { title: shown.title, hasTakeBack: shown.takeBack !== undefined } : { earlier, ask };
      this.#shown = shown;
      this.#viewer = new TranscriptViewer(screen.markdown, () => state.drawNow(), parts);
      state.drawNow();
    }, failed);
  }
}

/** A title is marked at first, and the changes below it are what can be taken back. */
function noTakeBack({ markedCall }: TranscriptViewer, keymap: Keymap): string {
  if (markedCall !== undefined) return "this can't be taken back by itself";
  return `${keyNamesOf(keymap, "viewer.nextBlock", 1)} marks a change to take back`;
}

/** Actions that share a row, with their words for a narrow window. */
const ROWS = [
  { actions: ["viewer.lineUp", "viewer.lineDown"], brief: "a line up, down" },
  { actions: ["viewer.pageUp", "viewer.pageDown"], brief: "a page up, down" },
  { actions: ["viewer.top", "viewer.bottom"], brief: "to the top, the end" },
  { actions: ["viewer.previousTurn", "viewer.nextTurn"], brief: "turn before, after" },
  { actions: ["viewer.previousBlock", "viewer.nextBlock"], brief: "block before, after" },
  { actions: ["viewer.search"], brief: "search" },
  { actions: ["viewer.nextMatch", "viewer.previousMatch"], brief: "next match, previous" },
  { actions: ["viewer.copy"], brief: "copy the block" },
  { actions: ["viewer.takeBack"], brief: "take the change back" },
  { actions: ["viewer.close"], brief: "close" },
] as const;
const KEY_COLUMNS = 26;

/** The keys of the transcript viewer, below a rule; in a narrow window one key for each action, with a few words. */
export function viewerHelp(keymap: Keymap, columns: number, theme: Theme): readonly string[] {
  // The arrows have another meaning while words are typed.
  const own = keymap.filter(({ context }) => context === "viewer");
  const isNarrow = columns < 2 * KEY_COLUMNS;
  const rows = ROWS.map(({ actions, brief }) => ({
    keys: actions.map((action) => keyNamesOf(own, action, isNarrow ? 1 : 2)).join(" · "),
    does: isNarrow ? brief : actions.map((action) => KEY_ACTIONS[action]).join(" · "),
  }));
  const width = isNarrow ? Math.max(...rows.map(({ keys }) => textWidth(keys))) : KEY_COLUMNS;
  const lines = rows.flatMap(({ keys, does }) => {
    const lead = `  ${padText(keys, width)}  `;
    const words = isNarrow ? [does] : wrapText(does, columns - textWidth(lead));
    return words.map((row, at) => (at === 0 ? lead : " ".repeat(textWidth(lead))) + theme.dim(row));
  });
  return [theme.dim("─".repeat(columns)), ...lines.map((line) => truncateText(line, columns))];
}
