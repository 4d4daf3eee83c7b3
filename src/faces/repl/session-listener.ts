import { oneLine } from "@quoll/terminal-text/one-line";
import { errorMessage } from "../../contracts/errors.ts";
import type { EngineEvent } from "../../contracts/event.ts";
import type { PermissionMode } from "../../contracts/permission-mode.ts";
import { taskName } from "../../contracts/task.ts";
import type { TaskEvent } from "../../contracts/task-control.ts";
import type { SessionEvent, SessionPort, SessionView } from "../../protocol/session-port.ts";
import { reduceAll } from "../../protocol/transcript/reduce.ts";
import type { ScreenEvent } from "../../protocol/transcript/transcript.ts";
import type { OwnKeys } from "./keymap/own-keys.ts";
import type { AskedQuestions } from "./layers/asked-questions.ts";
import type { PersonAlert } from "./person-alert.ts";
import type { EnteredInput } from "./prompt/entered-input.ts";
import type { Suggestions } from "./prompt/suggestions.ts";
import type { VimKeys } from "./prompt/vim-keys.ts";
import type { ReplResult, ScreenProps } from "./repl-props.ts";
import type { ReplScreen } from "./repl-screen-state.ts";
import type { ReplState } from "./repl-state.ts";
import { isStripNews } from "./tasks/shown-tasks.ts";
import { imagesOf } from "./terminal/found-images.ts";
import type { FramePacer } from "./terminal/frame-pacer.ts";
import type { InlineImages } from "./terminal/inline-images.ts";
import type { TerminalHandover } from "./terminal/terminal-handover.ts";
import type { ViewerHost } from "./viewer/viewer-host.ts";

/** The copies of an answer of so many characters are worth a collection of garbage. */
const LARGE_CHARS = 100_000;
/** The reading of a session with so many earlier messages is worth one too. */
const MANY_MESSAGES = 2_000;
/** By then the last frame of a turn is drawn. */
const FREE_AFTER_MS = 150;
/** The rows of a watched agent for which code is loaded when more of its output arrives. */
const NEWEST_ROWS = 20;

export type ListenerParts = {
  readonly props: Pick<ScreenProps, "terminal" | "copyText" | "clock" | "freeMemory">;
  readonly port: SessionPort;
  readonly state: ReplState;
  readonly screen: ReplScreen;
  readonly viewer: Pick<ViewerHost, "take" | "takeHistory">;
  readonly pacer: FramePacer;
  readonly images: InlineImages | undefined;
  readonly input: EnteredInput;
  readonly handover: TerminalHandover;
  readonly suggestions: Suggestions;
  readonly vim: VimKeys;
  readonly ownKeys: OwnKeys;
  readonly questions: AskedQuestions;
  readonly attention: PersonAlert | undefined;
  /** Aborts when the REPL is over. */
  readonly ended: AbortSignal;
  draw(): void;
  /** The conversation was cleared. */
  cleared(): void;
  leave(result: ReplResult): void;
  /** Reports a bug in Quoll. */
  readonly failed: (error: unknown) => void;
};

/** A function for each event of a session; `ReplState.show` takes the other events. */
type Takers = {
  readonly [Type in Exclude<SessionEvent, Shown>["type"]]: (event: Extract<SessionEvent, { type: Type }>) => void;
};
type Shown = Parameters<ReplState["show"]>[0];

/** Brings the events of a session into the state of the screen. */
export class SessionListener {
  readonly #parts: ListenerParts;
  #modes: readonly PermissionMode[] | undefined;
  readonly #takers: Takers = {
    engine: ({ event }) => this.#take(event),
    status: ({ status }) => this.#parts.state.takeStatus(status),
    starting: ({ names }) => this.#parts.input.starting(names),
    state: ({ state }) => this.#takeState(state),
    arguments: (offer) => this.#parts.suggestions.takeOffer(offer),
    mentions: (offer) => this.#parts.suggestions.takeOffer(offer),
    continued_mentions: (offer) => this.#parts.suggestions.takeOffer(offer),
    files: (offer) => this.#parts.suggestions.takeOffer(offer),
    restored: (restored) => this.#restore(restored),
    history: ({ events }) => this.#parts.viewer.takeHistory(events),
    earlier: ({ events }) => this.#showEarlier(events),
    questions: ({ pending }) => this.#parts.questions.take(pending),
    task_output: ({ id, part }) => {
      this.#parts.state.showOutput(id, part);
      this.#prepareWatched();
    },
    call_record: ({ id, record }) => this.#parts.viewer.take(id, record),
    edit: ({ file }) => void this.#edit(file),
    copy: ({ text, what }) => void this.#copy(text, what),
    taken_back: (back) => this.#parts.input.returnToEditor(back),
    draft: (back) => this.#parts.input.returnToEditor(back),
    editor_mode: ({ mode }) => void this.#parts.vim.choose(mode).catch(this.#parts.failed),
    keys: ({ request }) => void this.#parts.ownKeys.show(request).catch(this.#parts.failed),
    theme: ({ theme }) => {
      this.#parts.state.colors.choose(theme);
      this.#parts.pacer.now();
    },
    leave: ({ next }) => this.#parts.leave({ exitCode: 0, ...(next && { next }) }),
  };

  constructor(parts: ListenerParts) {
    this.#parts = parts;
  }

  /**
   * The modes that the mode key cycles through. The modes include the initial mode of the session, once it is known.
   */
  get modes(): readonly PermissionMode[] {
    return this.#modes ?? modeCycle();
  }

  takeEvent(event: SessionEvent): void {
    const take = (this.#takers as Readonly<Record<string, (event: SessionEvent) => void>>)[event.type];
    if (take) take(event);
    else this.#showPart(event as Shown);
  }

  /** The first frame is drawn with the first state. */
  #takeState(session: SessionView): void {
    this.#parts.state.take(session);
    if (this.#modes) return;
    this.#modes = modeCycle(session.mode);
    this.#parts.state.welcome();
    this.#parts.draw();
  }

  #restore(restored: Extract<SessionEvent, { type: "restored" }>): void {
    const { state } = this.#parts;
    state.transcript = reduceAll(state.transcript, restored.events, 0);
    state.hasEarlier = restored.hiddenCount > 0;
    state.isResumed = !state.isBusy;
    if (restored.hiddenCount >= MANY_MESSAGES) this.#freeMemory();
    this.#drawSaved(restored.events);
  }

  #showEarlier(events: readonly EngineEvent[]): void {
    for (const past of events) this.#show(past);
    this.#drawSaved(events);
    this.#parts.pacer.soon();
  }

  /** The rows of these images are printed together with them. */
  #drawSaved(events: readonly ScreenEvent[]): void {
    const { images, pacer, failed } = this.#parts;
    const saved = events.map(imagesOf).filter((one) => one !== undefined);
    images?.takeSaved(saved)?.then(() => pacer.soon(), failed);
  }

  /** Loads the code that draws the newest rows of a watched agent; earlier rows had their turn. */
  #prepareWatched(): void {
    const { state, screen } = this.#parts;
    const rows = state.ui.view?.transcript?.settled;
    if (rows) screen.prepare(rows.slice(Math.max(0, rows.length - NEWEST_ROWS)));
  }

  #showPart(event: Shown): void {
    const { state, screen, suggestions } = this.#parts;
    state.show(event);
    if (event.type === "view") screen.prepare(state.ui.view?.transcript?.settled.slice() ?? []);
    if (event.type === "field") suggestions.look();
  }

  #take(event: EngineEvent): void {
    const { state, input, attention, questions, pacer, images, failed } = this.#parts;
    // The row of the event is printed together with its pictures.
    images?.take(event)?.then(() => pacer.soon(), failed);
    this.#show(event);
    // A question may arrive before the row of its call.
    if (event.type === "tool_started") questions.stopClocks();
    if (event.type === "conversation_changed" && event.by === "clear") this.#parts.cleared();
    if (event.type === "queue_changed") input.showQueue(event.queue, event.total);
    if (event.type === "input_receipt") input.take(event.receipt);
    if (event.type === "turn_finished") {
      attention?.finished(event.report.durationMs, state.nowMs);
      if (event.report.text.length >= LARGE_CHARS) this.#freeMemory();
    }
    if (event.type === "task_ended") attention?.taskEnded(event.task);
    if (isStripNews(event, state.tasks)) pacer.later();
    else if (event.type === "text_delta") pacer.text(event.text.length);
    else pacer.soon();
  }

  #freeMemory(): void {
    const { props, ended } = this.#parts;
    props.clock.sleep(FREE_AFTER_MS, ended).then(props.freeMemory, () => undefined);
  }

  #show(event: EngineEvent): void {
    const { state, props } = this.#parts;
    if ("task" in event) state.takeTask(event.task);
    const line = props.terminal.isPlain && "task" in event ? plainTaskLine(event) : undefined;
    if (line !== undefined) state.notify("info", line);
    state.takeEvent(event);
  }

  /** Lends the terminal to the person's editor for a command's file. */
  async #edit(file: string): Promise<void> {
    const { handover, port, ended } = this.#parts;
    const problem = await handover.open(file, ended);
    port.send({ type: "edited", ...(problem !== undefined && { problem }) });
  }

  /** Copies a command's text to the clipboard and says which way was used. */
  async #copy(text: string, what: string): Promise<void> {
    const { state, props, ended } = this.#parts;
    const copied = props.copyText?.(text, ended) ?? Promise.reject(new Error("not copied: there is no clipboard"));
    await copied.then(
      (where) => state.notify("info", `${what}: ${where}.`),
      (error: unknown) => state.notify("error", `${what}: ${errorMessage(error)}.`),
    );
  }
}

/** The modes that Shift+Tab cycles through. */
const MODES = ["default", "acceptEdits", "plan", "auto"] as const satisfies readonly PermissionMode[];

/** The modes to cycle through: they include the initial mode of the session, if it is known. */
function modeCycle(mode?: PermissionMode): readonly PermissionMode[] {
  return mode === "bypassPermissions" || mode === "dontAsk" ? [...MODES, mode] : MODES;
}

const MAX_COLUMNS = 200;

/**
 * The line about an agent on a terminal without a strip; undefined if none is needed. The session itself reports how a
 * background agent ended, and which agent shows no activity.
 */
function plainTaskLine({ type, task }: TaskEvent): string | undefined {
  if (!task.can.includes("answer")) return undefined;
  const who = `Agent ${taskName(task)}`;
  if (type === "task_started") return `${who} started: ${oneLine(task.title, MAX_COLUMNS)}`;
  if (type === "task_changed" || task.isBackground) return undefined;
  return `${who} ${oneLine(task.state, MAX_COLUMNS)}`;
}
