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
import type { ReplProps, ReplResult, ScreenProps } from "./repl-props.ts";
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

/** Brings the events of a session into the state of the screen. */
export class SessionListener {
  readonly #parts: ListenerParts;
  #modes: readonly PermissionMode[] | undefined;

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
    const { props, state, pacer, input, suggestions, vim, ownKeys, questions, ended, failed } = this.#parts;
    switch (event.type) {
      case "engine":
        this.#take(event.event);
        return;
      case "status":
        state.takeStatus(event.status);
        return;
      case "starting":
        input.starting(event.names);
        return;
      case "state":
        this.#takeState(event.state);
        return;
      case "arguments":
      case "mentions":
      case "continued_mentions":
      case "files":
        suggestions.takeOffer(event);
        return;
      case "restored":
      case "history":
      case "earlier":
        this.#showSaved(event);
        return;
      case "questions":
        questions.take(event.pending);
        return;
      case "task_output":
        state.showOutput(event.id, event.part);
        this.#prepareWatched();
        return;
      case "call_record":
        this.#parts.viewer.take(event.id, event.record);
        return;
      case "edit":
        void this.#edit(event.file);
        return;
      case "copy":
        void copyAndNotify(event.text, event.what, { state, copyText: props.copyText, ended });
        return;
      case "taken_back":
      case "draft":
        input.returnToEditor(event);
        return;
      case "editor_mode":
        vim.choose(event.mode).catch(failed);
        return;
      case "keys":
        ownKeys.show(event.request).catch(failed);
        return;
      case "theme":
        state.colors.choose(event.theme);
        pacer.now();
        return;
      case "leave":
        this.#parts.leave({ exitCode: 0, ...(event.next && { next: event.next }) });
        return;
      default:
        this.#showPart(event);
    }
  }

  /** The first frame is drawn with the first state. */
  #takeState(session: SessionView): void {
    const { state, input } = this.#parts;
    const wasBusy = state.isBusy;
    state.take(session);
    if (wasBusy && !state.isBusy) input.rested();
    if (this.#modes) return;
    this.#modes = modeCycle(session.mode);
    this.#parts.state.welcome();
    this.#parts.draw();
  }

  #showSaved(event: Extract<SessionEvent, { type: "restored" | "history" | "earlier" }>): void {
    if (event.type === "restored") this.#restore(event);
    else if (event.type === "history") this.#parts.viewer.takeHistory(event.events);
    else this.#showEarlier(event.events);
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

  #showPart(event: Parameters<ReplState["show"]>[0]): void {
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
}

type Parts = { readonly state: ReplState; readonly copyText: ReplProps["copyText"]; readonly ended: AbortSignal };

/** Copies a command's text to the clipboard and says which way was used. */
async function copyAndNotify(text: string, what: string, { state, copyText, ended }: Parts): Promise<void> {
  const copied = copyText ? copyText(text, ended) : Promise.reject(new Error("not copied: there is no clipboard"));
  await copied.then(
    (where) => state.notify("info", `${what}: ${where}.`),
    (error: unknown) => state.notify("error", `${what}: ${errorMessage(error)}.`),
  );
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
