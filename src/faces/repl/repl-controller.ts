import { plural } from "@quoll/terminal-text/plural";
import type { EngineEvent } from "../../contracts/event.ts";
import type { PermissionMode, Reply } from "../../contracts/permission.ts";
import { Attention } from "./attention.ts";
import { withOlder } from "./editor/history.ts";
import { enterMode } from "./enter-mode.ts";
import { EnteredInput } from "./entered-input.ts";
import { FramePacer } from "./frame-pacer.ts";
import type { KeyEvent } from "./input/decode-keys.ts";
import { localServerLine } from "./local-server-line.ts";
import type { PlainStatus } from "./plain-output.ts";
import type { ReplProps, ReplResult, ReplWatcher } from "./repl-props.ts";
import { ReplScreen, type Size } from "./repl-screen-state.ts";
import { ReplState } from "./repl-state.ts";
import { SlashCommands } from "./slash-commands.ts";
import { type Lend, TerminalLoan } from "./terminal-loan.ts";
import { answerNote } from "./transcript/answer-note.ts";
import { addRow, reduce } from "./transcript/reduce.ts";
import { noteAnswer } from "./transcript/reduce-tools.ts";
import { restoreTranscript } from "./transcript/restore-transcript.ts";
import { handleKey } from "./ui/handle-key.ts";
import { LEAVE_WINDOW_MS } from "./ui/key-actions.ts";
import { KEYS } from "./ui/key-table.ts";
import { isHeld, syncQuestion } from "./ui/question.ts";
import { NO_HUNK } from "./ui/question-options.ts";
import type { Effect, UiContext } from "./ui/ui-state.ts";
import { MARK_COLUMNS } from "./view/layout.ts";
import type { Theme } from "./view/theme.ts";

/** Events behind which the engine's state is another. */
const STATE_EVENTS: ReadonlySet<EngineEvent["type"]> = new Set([
  "assistant_message",
  "mode_changed",
  "model_changed",
  "turn_started",
  "turn_finished",
]);

/** Modes that Shift+Tab goes through. */
const MODES = ["default", "acceptEdits", "plan", "auto"] as const satisfies readonly PermissionMode[];

/** Who answered a question so lately is there for the next. */
const JUST_ANSWERED_MS = 2_000;

export type ControllerDeps = {
  readonly props: ReplProps;
  readonly theme: Theme;
  readonly size: Size;
  /** Called once, when the person leaves. */
  readonly leave: (result: ReplResult) => void;
  /** A fault of ours in drawing or in reading an event. */
  readonly failed: (error: unknown) => void;
  readonly lend: Lend;
};

/** Joins keys, engine and screen; draws nothing itself. */
export class ReplController {
  readonly screen: ReplScreen;
  readonly #props: ReplProps;
  readonly #leave: (result: ReplResult) => void;
  readonly #failed: (error: unknown) => void;
  readonly #pacer: FramePacer;
  readonly #ended = new AbortController();
  readonly #modes: readonly PermissionMode[];
  readonly #state: ReplState;
  readonly #commands: SlashCommands;
  readonly #input: EnteredInput;
  readonly #loan: TerminalLoan;
  readonly #attention: Attention | undefined;
  /** Why modes could not be entered, as it was said last: going round says it once. */
  #lastObstacles = "";

  constructor({ props, theme, size, leave, failed, lend }: ControllerDeps) {
    const { engine } = props;
    this.#props = props;
    this.#leave = leave;
    this.#failed = failed;
    this.screen = new ReplScreen(theme, size, () => this.#pacer.soon());
    this.#pacer = new FramePacer(props.clock, this.#ended.signal, () => this.#guarded(() => this.#draw()));
    this.#state = new ReplState(props, this.#pacer);
    this.#commands = new SlashCommands(props.commands, props.terminal.isDumb === true, {
      ...props.context,
      engine,
      keys: KEYS,
      resume: (sessionId) => this.leave({ exitCode: 0, next: { sessionId } }),
      exit: () => this.leave({ exitCode: 0 }),
    });
    this.#input = new EnteredInput({ engine, state: this.#state, commands: this.#commands, failed });
    this.#loan = new TerminalLoan(props, this.#state, lend);
    const { attention, terminal, info } = props;
    if (attention && !terminal.isDumb)
      this.#attention = new Attention(terminal.stdout, folderName(info.cwd), attention);
    const { mode } = this.#state.engine;
    this.#modes = mode === "bypassPermissions" || mode === "dontAsk" ? [...MODES, mode] : MODES;
  }

  /** Draws the first frame, then starts to listen and to load what the first frame could do without. */
  start(): void {
    const { engine, info, initialPrompt, watch } = this.#props;
    const state = this.#state;
    state.branch = info.branch();
    state.add({ kind: "welcome", version: info.version, cwd: info.cwd });
    for (const text of info.notices) state.tell("warning", text);
    this.#draw();
    const unsubscribe = [
      engine.subscribe(({ event, parentToolUseId }) => {
        if (parentToolUseId === null) this.#guarded(() => this.#take(event));
      }),
      engine.questions.subscribe(() => this.#syncQuestion()),
      ...(watch ? [watch(this.#watcher())] : []),
    ];
    const unsubscribeAll = () => {
      for (const end of unsubscribe) end();
    };
    this.#ended.signal.addEventListener("abort", unsubscribeAll, { once: true });
    this.#syncQuestion();
    const { messages, queue } = state.engine;
    this.#input.showQueue(queue, queue.length);
    if (messages.length > 0) state.transcript = restoreTranscript(state.transcript, messages);
    void this.#loadHistory();
    void this.#lookForLocalServers();
    if (initialPrompt !== undefined && initialPrompt.trim() !== "") this.#input.enter(initialPrompt);
    this.#pacer.soon();
  }

  /** Ends every timer and subscription. */
  end(): void {
    this.#ended.abort();
    this.#attention?.end();
  }

  /** Aborts when the REPL is over. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  get plainStatus(): PlainStatus {
    const { ui, nowMs, isBusy } = this.#state;
    const isTaking = ui.asking !== undefined && nowMs >= ui.asking.guardedUntil;
    return { isBusy, questionId: isTaking ? ui.asking?.question.id : undefined };
  }

  keys(events: readonly KeyEvent[]): void {
    if (this.#loan.isLent) return;
    const state = this.#state;
    for (const event of events) {
      if (state.hasLeft) return;
      const { ui, effects } = handleKey(state.ui, event, this.#context());
      const isArmed = ui.armed !== undefined && ui.armed !== state.ui.armed;
      state.ui = ui;
      if (isArmed) this.#pacer.at(state.nowMs + LEAVE_WINDOW_MS + 1);
      for (const effect of effects) this.#perform(effect);
    }
    this.#drawAtHoldEnd();
    this.#pacer.now();
  }

  resize(size: Size): void {
    this.screen.size = size;
    this.#pacer.now();
  }

  /** Leaves; only the first call counts. A running turn is ended. */
  leave(result: ReplResult): void {
    const state = this.#state;
    if (state.hasLeft) return;
    state.hasLeft = true;
    const unsent = state.ui.queue.length + state.ui.unlisted;
    // Not drawn by the pacer any more: the last frame holds it.
    const told = (text: string) => {
      state.transcript = addRow(state.transcript, { kind: "notice", level: "info", text });
    };
    if (state.isBusy) {
      this.#props.engine.interrupt();
      // What was said so far is not lost with the live frame.
      told("left in the middle of a turn");
    }
    if (unsent > 0) {
      told(`not sent: ${plural(unsent, "waiting input")}; ↑ in the next session brings back what you typed`);
    }
    state.refresh();
    if (!result.next && this.#props.info.isSaved && state.engine.messages.length > 0) {
      told(`to go on with it: quoll --resume ${state.engine.sessionId}`);
    }
    this.#guarded(() => this.screen.finish(state.transcript));
    this.#leave(result);
  }

  #take(event: EngineEvent): void {
    const state = this.#state;
    state.transcript = reduce(state.transcript, event, state.nowMs);
    if (event.type === "queue_changed") this.#input.showQueue(event.queue, event.total);
    if (STATE_EVENTS.has(event.type)) state.sync();
    // The engine begins the next turn by itself right behind this one.
    if (event.type === "turn_finished") {
      this.#attention?.finished(event.report.durationMs);
      queueMicrotask(() => this.#guarded(() => this.#input.rest(event.report.outcome)));
    }
    this.#pacer.soon();
  }

  #guarded(run: () => void): void {
    try {
      run();
    } catch (error) {
      this.#failed(error);
    }
  }

  #context(): UiContext {
    const { isBusy, isStopping, nowMs, engine } = this.#state;
    return {
      isBusy,
      isStopping,
      nowMs,
      columns: this.screen.size.columns - MARK_COLUMNS,
      commands: this.#commands.completions,
      mode: engine.mode,
      modes: this.#modes,
      preview: this.screen.frame.preview,
      canEdit: this.#props.editFile !== undefined,
    };
  }

  #draw(): void {
    const { engine, info } = this.#props;
    const state = this.#state;
    if (state.ui.armed && state.nowMs > state.ui.armed.until) state.ui = { ...state.ui, armed: undefined };
    const { ui, transcript } = state;
    this.#callForAttention();
    const isTyping = ui.editor.text.trim() !== "";
    this.screen.draw(transcript, {
      ui,
      transcript,
      engine: state.engine,
      folder: folderName(info.cwd),
      branch: state.branch,
      sandbox: info.sandbox,
      isBusy: state.isBusy,
      isAsked: ui.asking !== undefined,
      leadsBack: ui.asking?.why !== undefined || ui.asking?.isChoosingTerm === true,
      isHeld: isHeld(ui, state.nowMs),
      isTyping,
      isWaiting: ui.queue.length > 0 && !isTyping && !ui.picker && !ui.hidden,
      hint: ui.armed ? `${ui.armed.by} again to leave` : undefined,
      starting: state.starting,
      nowMs: state.nowMs,
      commands: this.#commands.completions,
      questionCount: engine.questions.pending.length,
      canEdit: this.#props.editFile !== undefined,
    });
  }

  #callForAttention(): void {
    const { ui, nowMs, isBusy } = this.#state;
    this.#attention?.show(ui.asking ? "asking" : isBusy ? "working" : "idle");
    if (ui.asking && nowMs >= ui.asking.guardedUntil) {
      const { id, title } = ui.asking.question;
      this.#attention?.asked({ id, title, isExpected: nowMs - ui.answeredAt < JUST_ANSWERED_MS });
    }
  }

  #perform(effect: Effect): void {
    switch (effect.type) {
      case "submit":
        this.#remember(effect.remembered);
        this.#input.enter(effect.text);
        return;
      case "enqueue":
        this.#remember(effect.remembered);
        this.#input.enqueue(effect, effect.text, effect.when);
        return;
      case "withdraw":
        this.#input.withdraw(effect.id, effect.edit);
        return;
      case "go_on":
        this.#input.goOn();
        return;
      case "hidden":
        void this.#input.takeHidden(effect.text);
        return;
      case "interrupt":
        this.#input.interrupt();
        return;
      case "leave":
        this.leave({ exitCode: 0 });
        return;
      case "suspend":
        this.#loan.suspend().catch(this.#failed);
        return;
      case "mode":
        this.#setMode(effect.mode);
        return;
      case "edit":
        this.#loan.edit(effect.id, effect.file, this.ended).catch(this.#failed);
        return;
      case "reply":
        this.#noteAnswer(effect.id, effect.reply);
        this.#props.engine.questions.reply(effect.id, effect.reply);
        this.#syncQuestion();
        return;
    }
  }

  /** The row of the call tells of it. */
  #noteAnswer(id: string, reply: Reply): void {
    const question = this.#props.engine.questions.pending.find((one) => one.id === id);
    const note = question && answerNote(question, reply, reply !== NO_HUNK);
    if (note) this.#state.transcript = noteAnswer(this.#state.transcript, question.toolUseId, note);
  }

  #remember(text: string): void {
    if (text !== "") this.#props.history.add(text).catch(() => undefined);
  }

  #setMode(wanted: PermissionMode): void {
    const obstacles = enterMode(this.#props.engine, this.#modes, wanted).join(" ");
    if (obstacles !== "" && obstacles !== this.#lastObstacles) this.#state.tell("warning", obstacles);
    this.#lastObstacles = obstacles || this.#lastObstacles;
    this.#state.refresh();
  }

  #syncQuestion(): void {
    const state = this.#state;
    state.ui = syncQuestion(state.ui, this.#props.engine.questions.pending, state.nowMs);
    this.#drawAtHoldEnd();
    this.#pacer.now();
  }

  /** A question that lets a person finish typing shows when it takes the keys. */
  #drawAtHoldEnd(): void {
    const { ui, nowMs } = this.#state;
    if (ui.asking && isHeld(ui, nowMs)) this.#pacer.at(ui.asking.guardedUntil);
  }

  #watcher(): ReplWatcher {
    return {
      warn: (text) => this.#guarded(() => this.#state.tell("warning", text)),
      starting: (names) => this.#guarded(() => this.#input.starting(names)),
      changed: () => this.#pacer.soon(),
    };
  }

  /** Says what runs on this machine; nothing is used before the person says so. */
  async #lookForLocalServers(): Promise<void> {
    const servers = (await this.#props.findLocalServers?.(this.ended).catch(() => [])) ?? [];
    for (const server of servers) {
      if (this.#state.hasLeft || this.#state.engine.providerName !== "offline") return;
      this.#state.tell("info", localServerLine(server));
    }
  }

  async #loadHistory(): Promise<void> {
    // A history that can't be read is no reason not to work.
    const older = await this.#props.history.load().catch(() => []);
    const { ui } = this.#state;
    this.#state.ui = { ...ui, history: withOlder(ui.history, older) };
  }
}

function folderName(cwd: string): string {
  return cwd.split(/[\\/]/).findLast((part) => part !== "") ?? cwd;
}
