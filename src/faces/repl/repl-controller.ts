import { plural } from "@quoll/terminal-text/plural";
import type { EngineState, UserInput } from "../../contracts/engine.ts";
import { errorMessage } from "../../contracts/errors.ts";
import type { EngineEvent, Outcome, QueuedInput } from "../../contracts/event.ts";
import type { PermissionMode } from "../../contracts/permission.ts";
import { withOlder } from "./editor/history.ts";
import { enterMode } from "./enter-mode.ts";
import { FramePacer } from "./frame-pacer.ts";
import { HiddenLine } from "./hidden-line.ts";
import type { KeyEvent } from "./input/decode-keys.ts";
import { localServerLine } from "./local-server-line.ts";
import type { ReplProps, ReplResult, ReplWatcher } from "./repl-props.ts";
import { ReplScreen, type Size } from "./repl-screen-state.ts";
import { SlashCommands } from "./slash-commands.ts";
import { addRow, reduce } from "./transcript/reduce.ts";
import { restoreTranscript } from "./transcript/restore-transcript.ts";
import { emptyTranscript, type FaceRow, type Transcript } from "./transcript/transcript.ts";
import { handleKey, LEAVE_WINDOW_MS } from "./ui/handle-key.ts";
import { KEYS } from "./ui/key-table.ts";
import { parseCommand, takeBack } from "./ui/prompt-keys.ts";
import { afterEditing, syncQuestion } from "./ui/question.ts";
import { type Draft, type Effect, emptyUi, type Ui, type UiContext, type Waiting } from "./ui/ui-state.ts";
import { MARK_COLUMNS } from "./view/layout.ts";
import type { Theme } from "./view/theme.ts";
import { WaitingInputs } from "./waiting-inputs.ts";

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

export type ControllerDeps = {
  readonly props: ReplProps;
  readonly theme: Theme;
  readonly size: Size;
  /** Called once, when the person leaves. */
  readonly leave: (result: ReplResult) => void;
  /** A fault of ours in drawing or in reading an event. */
  readonly failed: (error: unknown) => void;
  /** Runs something while the terminal is not ours. */
  readonly lend: <T>(run: () => Promise<T>) => Promise<T>;
};

/** Joins keys, engine and screen. Holds all state of the REPL; draws nothing itself. */
export class ReplController {
  readonly screen: ReplScreen;
  readonly #props: ReplProps;
  readonly #leave: (result: ReplResult) => void;
  readonly #failed: (error: unknown) => void;
  readonly #lend: ControllerDeps["lend"];
  readonly #pacer: FramePacer;
  readonly #ended = new AbortController();
  readonly #modes: readonly PermissionMode[];
  #transcript: Transcript = emptyTranscript;
  #ui: Ui = emptyUi;
  #isBusy = false;
  /** The person ended what runs: what waits goes on waiting. */
  #isInterrupted = false;
  readonly #waiting: WaitingInputs;
  readonly #commands: SlashCommands;
  readonly #hidden = new HiddenLine();
  #hasLeft = false;
  #branch: string | undefined;
  /** What the model's tools still wait for. */
  #starting: readonly string[] = [];
  /** The terminal is somebody else's: an editor's, the shell's. */
  #isAway = false;
  /** Why modes could not be entered, as it was said last: going round says it once. */
  #lastObstacles = "";
  /** Asking the engine may cost as much as its history is long: not at each key. */
  #engine: EngineState;

  constructor({ props, theme, size, leave, failed, lend }: ControllerDeps) {
    this.#props = props;
    this.#leave = leave;
    this.#failed = failed;
    this.#lend = lend;
    this.#engine = props.engine.state;
    this.#waiting = new WaitingInputs(props.engine);
    this.#commands = new SlashCommands(props.commands, {
      ...props.context,
      engine: props.engine,
      keys: KEYS,
      resume: (sessionId) => this.leave({ exitCode: 0, next: { sessionId } }),
      exit: () => this.leave({ exitCode: 0 }),
    });
    const { mode } = this.#engine;
    this.#modes = mode === "bypassPermissions" || mode === "dontAsk" ? [...MODES, mode] : MODES;
    this.screen = new ReplScreen(theme, size, () => this.#pacer.soon());
    this.#pacer = new FramePacer(props.clock, this.#ended.signal, () => this.#guarded(() => this.#draw()));
  }

  /** Draws the first frame, then starts to listen and to load what the first frame could do without. */
  start(): void {
    const { engine, info, initialPrompt, watch } = this.#props;
    this.#branch = info.branch();
    this.#add({ kind: "welcome", version: info.version, cwd: info.cwd });
    for (const text of info.notices) this.#add({ kind: "notice", level: "warning", text });
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
    const { messages, queue } = this.#engine;
    this.#showQueue(queue, queue.length);
    if (messages.length > 0) this.#transcript = restoreTranscript(this.#transcript, messages);
    void this.#loadHistory();
    void this.#lookForLocalServers();
    if (initialPrompt !== undefined && initialPrompt.trim() !== "") this.#enter(initialPrompt);
    this.#pacer.soon();
  }

  /** Ends every timer and subscription. */
  end(): void {
    this.#ended.abort();
  }

  keys(events: readonly KeyEvent[]): void {
    // What is typed there is typed for who has the terminal.
    if (this.#isAway) return;
    for (const event of events) {
      if (this.#hasLeft) return;
      const { ui, effects } = handleKey(this.#ui, event, this.#context());
      const isArmed = ui.armed !== undefined && ui.armed !== this.#ui.armed;
      this.#ui = ui;
      if (isArmed) this.#pacer.at(this.#now + LEAVE_WINDOW_MS + 1);
      for (const effect of effects) this.#perform(effect);
    }
    this.#pacer.now();
  }

  resize(size: Size): void {
    this.screen.size = size;
    this.#pacer.now();
  }

  /** Leaves; only the first call counts. A running turn is ended. */
  leave(result: ReplResult): void {
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    const unsent = this.#ui.queue.length + this.#ui.unlisted;
    if (this.#isBusy) {
      this.#props.engine.interrupt();
      // What was said so far is not lost with the live frame.
      this.#transcript = addRow(this.#transcript, {
        kind: "notice",
        level: "info",
        text: "left in the middle of a turn",
      });
    }
    if (unsent > 0) {
      const text = `not sent: ${plural(unsent, "waiting input")}; ↑ in the next session brings back what you typed`;
      this.#transcript = addRow(this.#transcript, { kind: "notice", level: "info", text });
    }
    this.#guarded(() => this.screen.finish(this.#transcript));
    this.#leave(result);
  }

  #take(event: EngineEvent): void {
    this.#transcript = reduce(this.#transcript, event, this.#now);
    if (event.type === "queue_changed") this.#showQueue(event.queue, event.total);
    if (STATE_EVENTS.has(event.type)) this.#sync();
    // The engine begins the next turn by itself right behind this one.
    if (event.type === "turn_finished") queueMicrotask(() => this.#guarded(() => this.#rest(event.report.outcome)));
    this.#pacer.soon();
  }

  #guarded(run: () => void): void {
    try {
      run();
    } catch (error) {
      this.#failed(error);
    }
  }

  /** Aborts when the REPL is over. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  get #now(): number {
    return this.#props.clock.monotonicMs();
  }

  #context(): UiContext {
    return {
      isBusy: this.#isBusy,
      nowMs: this.#now,
      columns: this.screen.size.columns - MARK_COLUMNS,
      commands: this.#commands.completions,
      mode: this.#engine.mode,
      modes: this.#modes,
      preview: this.screen.frame.preview,
      canEdit: this.#props.editFile !== undefined,
    };
  }

  #draw(): void {
    const { engine, info } = this.#props;
    if (this.#ui.armed && this.#now > this.#ui.armed.until) this.#ui = { ...this.#ui, armed: undefined };
    const { armed, editor } = this.#ui;
    const isTyping = editor.text.trim() !== "";
    this.screen.draw(this.#transcript, {
      ui: this.#ui,
      transcript: this.#transcript,
      engine: this.#engine,
      folder: folderName(info.cwd),
      branch: this.#branch,
      sandbox: info.sandbox,
      isBusy: this.#isBusy,
      isAsked: this.#ui.asking !== undefined,
      isTyping,
      isWaiting: this.#ui.queue.length > 0 && !isTyping && !this.#ui.picker && !this.#ui.hidden,
      hint: armed ? `${armed.by} again to leave` : undefined,
      starting: this.#starting,
      nowMs: this.#now,
      commands: this.#commands.completions,
      questionCount: engine.questions.pending.length,
      canEdit: this.#props.editFile !== undefined,
    });
  }

  #perform(effect: Effect): void {
    const { engine } = this.#props;
    switch (effect.type) {
      case "submit":
        if (effect.remembered !== "") this.#props.history.add(effect.remembered).catch(() => undefined);
        this.#enter(effect.text);
        return;
      case "enqueue":
        if (effect.remembered !== "") this.#props.history.add(effect.remembered).catch(() => undefined);
        this.#enqueue(effect, effect.text, effect.when);
        return;
      case "withdraw":
        this.#withdraw(effect.id, effect.edit);
        return;
      case "go_on":
        this.#goOn();
        return;
      case "hidden":
        void this.#takeHidden(effect.text);
        return;
      case "interrupt":
        this.#isInterrupted = true;
        engine.interrupt();
        return;
      case "leave":
        this.leave({ exitCode: 0 });
        return;
      case "suspend":
        this.#suspend().catch(this.#failed);
        return;
      case "mode":
        this.#setMode(effect.mode);
        return;
      case "edit":
        this.#edit(effect.id, effect.file).catch(this.#failed);
        return;
      case "reply":
        engine.questions.reply(effect.id, effect.reply);
        this.#syncQuestion();
        return;
    }
  }

  #setMode(wanted: PermissionMode): void {
    const obstacles = enterMode(this.#props.engine, this.#modes, wanted).join(" ");
    if (obstacles !== "" && obstacles !== this.#lastObstacles) {
      this.#add({ kind: "notice", level: "warning", text: obstacles });
    }
    this.#lastObstacles = obstacles || this.#lastObstacles;
    this.#engine = this.#props.engine.state;
  }

  /** Gives the terminal back to the shell until it lets us go on. What runs is stopped as well. */
  async #suspend(): Promise<void> {
    const { suspend } = this.#props;
    if (!suspend || this.#isAway) return;
    this.#isAway = true;
    try {
      await this.#lend(suspend);
    } finally {
      this.#isAway = false;
      this.#pacer.now();
    }
  }

  /** Lets the person edit what a question is about; what they wrote is what is asked then. */
  async #edit(id: string, file: string): Promise<void> {
    const { editFile } = this.#props;
    if (!editFile || this.#isAway) return;
    this.#isAway = true;
    try {
      const text = await this.#lend(() => editFile(file, this.#ended.signal));
      this.#ui = afterEditing(this.#ui, id, { edited: text }, this.#now) ?? this.#ui;
    } catch (error) {
      const problem = errorMessage(error);
      const told = afterEditing(this.#ui, id, { problem }, this.#now);
      if (told) this.#ui = told;
      else this.#add({ kind: "notice", level: "error", text: problem });
    } finally {
      this.#isAway = false;
      this.#pacer.now();
    }
  }

  /** What goes wrong in the engine or in a command is said on the screen; what is left is a fault of ours. */
  #enter(text: string): void {
    const command = parseCommand(text);
    const isShell = text.trimStart().startsWith("!");
    const run = command
      ? this.#runCommand(text, command.name, command.argument)
      : isShell
        ? this.#runShell(text)
        : this.#runTurn({ prompt: text });
    run?.catch(this.#failed);
  }

  /** Begins a turn, or puts the input where it belongs when one runs already. */
  #runTurn(input: UserInput, canWait = true): Promise<void> | undefined {
    const { engine } = this.#props;
    const isEarly = canWait && this.#starting.length > 0;
    if (engine.state.busy || isEarly) {
      this.#enqueue({ shown: input.prompt, pastes: new Map() }, input.prompt, isEarly ? "early" : "steer");
      return undefined;
    }
    return this.#busily(() => engine.submit(input));
  }

  #runShell(text: string): Promise<void> | undefined {
    const { engine } = this.#props;
    const command = text.trimStart().slice(1).trim();
    if (engine.state.busy) {
      this.#enqueue({ shown: text, pastes: new Map() }, text, "shell");
      return undefined;
    }
    this.#add({ kind: "user", text });
    if (command === "") {
      const problem = "There is no command behind the `!`: type `!ls`, for example.";
      this.#add({ kind: "notice", level: "error", text: problem });
      return undefined;
    }
    return this.#busily(() => engine.runShell(command)).then(() => {
      if (!this.#isInterrupted && !this.#isBusy) this.#goOn();
    });
  }

  async #busily(run: () => Promise<unknown>): Promise<void> {
    this.#isInterrupted = false;
    try {
      const running = run();
      this.#sync();
      await running;
    } catch (error) {
      this.#add({ kind: "notice", level: "error", text: errorMessage(error) });
    } finally {
      this.#sync();
    }
  }

  /** Reads the engine's state anew. Turns begin and end by themselves too. */
  #sync(): void {
    this.#engine = this.#props.engine.state;
    const { busy } = this.#engine;
    if (busy === this.#isBusy) return;
    this.#isBusy = busy;
    if (busy) this.#pacer.startTicking();
    else {
      this.#pacer.stopTicking();
      this.#branch = this.#props.info.branch();
    }
    this.#pacer.now();
  }

  /** A turn ended, and the engine had its chance to begin the next one: a shell command's time has come. */
  #rest(outcome: Outcome): void {
    this.#sync();
    if (!this.#isBusy && outcome.reason !== "aborted") this.#goOn();
  }

  #enqueue(draft: Draft, text: string, when: Waiting["when"]): void {
    this.#ui = { ...this.#ui, queue: this.#waiting.add(this.#ui.queue, draft, text, when) };
    this.#sync();
    this.#pacer.now();
  }

  #showQueue(told: readonly QueuedInput[], total: number): void {
    this.#ui = { ...this.#ui, queue: this.#waiting.told(this.#ui.queue, told), unlisted: total - told.length };
  }

  #claim(id: string) {
    const claimed = this.#waiting.claim(this.#ui.queue, id);
    if (claimed) this.#ui = { ...this.#ui, queue: claimed.queue };
    return claimed;
  }

  #withdraw(id: string, edit: boolean): void {
    const claimed = this.#claim(id);
    if (claimed?.input && edit) this.#ui = takeBack(this.#ui, [claimed.waiting]);
  }

  /** Sends what waits longest; the engine goes on with the rest. */
  #goOn(): void {
    const [first] = this.#ui.queue;
    if (!first || this.#hasLeft) return;
    const { input, waiting } = this.#claim(first.id) ?? {};
    if (!input) return;
    const run = waiting?.when === "shell" ? this.#runShell(input.prompt) : this.#runTurn(input, false);
    run?.catch(this.#failed);
  }

  async #runCommand(text: string, name: string, argument: string): Promise<void> {
    this.#add({ kind: "user", text });
    const result = await this.#commands.run(name, argument);
    this.#engine = this.#props.engine.state;
    if (this.#engine.messages.length === 0) this.#transcript = { ...this.#transcript, context: undefined };
    if (result.type === "row") this.#add(result.row);
    if (result.type === "picker") this.#ui = { ...this.#ui, picker: result.picker };
    if (result.type === "hidden") {
      this.#hidden.ask(result.asked);
      this.#ui = { ...this.#ui, hidden: { title: result.title, text: "" } };
    }
    this.#pacer.now();
  }

  async #takeHidden(text: string | undefined): Promise<void> {
    this.#add(await this.#hidden.answer(text));
  }

  #syncQuestion(): void {
    this.#ui = syncQuestion(this.#ui, this.#props.engine.questions.pending, this.#now);
    this.#pacer.now();
  }

  #add(row: FaceRow): void {
    this.#transcript = addRow(this.#transcript, row);
    this.#pacer.now();
  }

  #watcher(): ReplWatcher {
    return {
      warn: (text) => this.#guarded(() => this.#add({ kind: "notice", level: "warning", text })),
      starting: (names) => this.#guarded(() => this.#wait(names)),
      changed: () => this.#pacer.soon(),
    };
  }

  /** Words that came too early are sent once everything is there. */
  #wait(names: readonly string[]): void {
    const isOver = this.#starting.length > 0 && names.length === 0;
    this.#starting = names;
    this.#pacer.now();
    if (isOver && !this.#isBusy && !this.#isInterrupted) this.#goOn();
  }

  /** Says what runs on this machine; nothing is used before the person says so. */
  async #lookForLocalServers(): Promise<void> {
    const servers = (await this.#props.findLocalServers?.(this.#ended.signal).catch(() => [])) ?? [];
    for (const server of servers) {
      if (this.#hasLeft || this.#engine.providerName !== "offline") return;
      this.#add({ kind: "notice", level: "info", text: localServerLine(server) });
    }
  }

  async #loadHistory(): Promise<void> {
    // A history that can't be read is no reason not to work.
    const older = await this.#props.history.load().catch(() => []);
    this.#ui = { ...this.#ui, history: withOlder(this.#ui.history, older) };
  }
}

function folderName(cwd: string): string {
  return cwd.split(/[\\/]/).findLast((part) => part !== "") ?? cwd;
}
