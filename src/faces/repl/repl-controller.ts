import { afterSleep } from "../../contracts/after-sleep.ts";
import type { StatusLineScreen } from "../../contracts/status-line.ts";
import type { SessionPort } from "../../protocol/session-port.ts";
import { addRow, endText, settleTodos } from "../../protocol/transcript/reduce.ts";
import { commandCalls } from "../../protocol/transcript/transcript.ts";
import type { KeyEvent, Report } from "./input/decode-keys.ts";
import { OwnKeys } from "./keymap/own-keys.ts";
import { AskedQuestions } from "./layers/asked-questions.ts";
import { handleKey, openLayers, type StackContext } from "./layers/layer-stack.ts";
import type { Effect } from "./layers/ui-state.ts";
import { leavingLines } from "./leaving-lines.ts";
import { notifyOfLocalServers } from "./local-server-line.ts";
import { performEffect } from "./perform-effect.ts";
import { PersonAlert } from "./person-alert.ts";
import type { PlainInput, PlainParts } from "./plain/plain-input.ts";
import { EnteredInput } from "./prompt/entered-input.ts";
import { ImagePaste } from "./prompt/image-paste.ts";
import { Suggestions } from "./prompt/suggestions.ts";
import { TypedHistory } from "./prompt/typed-history.ts";
import { VimKeys } from "./prompt/vim-keys.ts";
import type { ReplResult, ScreenProps } from "./repl-props.ts";
import { ReplScreen, type Size } from "./repl-screen-state.ts";
import { ReplState } from "./repl-state.ts";
import { folderName, screenView } from "./screen-view.ts";
import { SessionListener } from "./session-listener.ts";
import { askingFirst } from "./tasks/row-questions.ts";
import { drawWhileKeysWait } from "./terminal/begun-keys.ts";
import { FramePacer } from "./terminal/frame-pacer.ts";
import { InlineImages } from "./terminal/inline-images.ts";
import type { ScreenTheme } from "./terminal/screen-theme.ts";
import { type HandOver, TerminalHandover } from "./terminal/terminal-handover.ts";
import { MARK_COLUMNS } from "./view/layout.ts";
import type { AlternateScreen } from "./viewer/alternate-screen.ts";
import { ViewerHost } from "./viewer/viewer-host.ts";

export type ControllerDeps = {
  readonly props: ScreenProps;
  readonly port: SessionPort;
  readonly theme: ScreenTheme;
  readonly size: Size;
  /** Called once when the person leaves, with the last lines of the session. */
  readonly leave: (result: ReplResult, lines: readonly string[]) => void;
  /** Reports a bug in Quoll's drawing or event handling. */
  readonly failed: (error: unknown) => void;
  readonly lease: HandOver;
  /** The terminal's alternate screen, for the transcript and for a full screen. */
  readonly alternate: AlternateScreen;
  /** How long a write to the terminal currently takes, in milliseconds. */
  readonly writeMs?: () => number;
  /** Sends a query to the terminal, unless another program has it. */
  readonly ask?: (query: string) => void;
  /** Adapts the screen to a size that the window got while another screen was shown. */
  readonly uncovered: () => void;
  /** Moves the rows of the first screen into the terminal's history, and draws the live frame at the top. */
  readonly scrollOut?: () => void;
};

/** Connects keys, engine and screen; draws nothing itself. */
export class ReplController {
  readonly screen: ReplScreen;
  readonly viewer: ViewerHost;
  /** The images that are drawn in the transcript; absent where they are named. */
  readonly images: InlineImages | undefined;
  readonly #props: ScreenProps;
  readonly #port: SessionPort;
  readonly #leave: ControllerDeps["leave"];
  readonly #scrollOut: ControllerDeps["scrollOut"];
  readonly #failed: (error: unknown) => void;
  readonly #pacer: FramePacer;
  readonly #ended = new AbortController();
  readonly #state: ReplState;
  readonly #input: EnteredInput;
  readonly #handover: TerminalHandover;
  readonly #suggestions: Suggestions;
  readonly #images: ImagePaste;
  readonly #history: TypedHistory;
  readonly #vim: VimKeys;
  readonly #ownKeys: OwnKeys;
  readonly #attention: PersonAlert | undefined;
  readonly #questions: AskedQuestions;
  readonly #listener: SessionListener;
  /** The screen of lines that is drawn instead of frames. */
  #plain: PlainInput | undefined;
  /** The facts of the screen that the session knows. */
  #look: StatusLineScreen | undefined;

  constructor(deps: ControllerDeps) {
    const { props, port, theme, size, leave, failed, lease, alternate, uncovered, writeMs, ask } = deps;
    this.#props = props;
    this.#scrollOut = deps.scrollOut;
    this.#port = port;
    this.#leave = leave;
    this.#failed = failed;
    const { images: shown, isPlain, isFull } = props.terminal;
    if (shown && ask && !isPlain && !isFull)
      this.images = new InlineImages({ images: shown, clock: props.clock, ended: () => this.ended, ask });
    this.screen = new ReplScreen(size, () => this.#pacer.soon(), {
      rendererOf: props.rendererOf,
      diff: props.prompt?.diff,
      isFull: isFull === true,
      images: this.images,
    });
    this.#pacer = new FramePacer(props.clock, this.#ended.signal, () => this.#guarded(() => this.#draw()), writeMs);
    this.#state = new ReplState(props, this.#pacer, theme);
    this.#input = new EnteredInput(port, this.#state, (ms, then) => this.#later(ms, then));
    this.#handover = new TerminalHandover(props, this.#state, (run) => {
      this.#state.ui = { ...this.#state.ui, viewer: undefined };
      this.viewer.leave();
      return lease(run);
    });
    this.#history = new TypedHistory(props.history, this.#state);
    this.#vim = new VimKeys(this.#state);
    const held = { state: this.#state, keys: (events: readonly KeyEvent[]) => this.keys(events) };
    this.#images = new ImagePaste({ ...held, pasting: props.images });
    this.#ownKeys = new OwnKeys({ ...held, file: props.keybindings, ended: this.ended });
    this.#suggestions = new Suggestions({
      state: this.#state,
      port,
      clock: props.clock,
      changed: () => this.#pacer.soon(),
    });
    const { attention, terminal, info, copyText } = props;
    this.viewer = new ViewerHost({
      alternate,
      isFull: terminal.isFull === true,
      isPlain: terminal.isPlain === true,
      copyText,
      state: this.#state,
      screen: this.screen,
      ended: this.ended,
      failed,
      uncovered,
      ask: (id) => port.send({ type: "call", id }),
      askHistory: () => port.send({ type: "history" }),
      submit: (command) => this.#input.enter(command),
    });
    if (attention) this.#attention = new PersonAlert(terminal, folderName(info.cwd), attention);
    this.#questions = new AskedQuestions(this.#state, this.#pacer, failed);
    this.#listener = this.#listening();
  }

  #listening(): SessionListener {
    const { ended } = this;
    return new SessionListener({
      props: this.#props,
      port: this.#port,
      state: this.#state,
      screen: this.screen,
      pacer: this.#pacer,
      ended,
      viewer: this.viewer,
      images: this.images,
      input: this.#input,
      handover: this.#handover,
      suggestions: this.#suggestions,
      vim: this.#vim,
      ownKeys: this.#ownKeys,
      questions: this.#questions,
      attention: this.#attention,
      failed: this.#failed,
      draw: () => this.#draw(),
      cleared: () => {
        this.screen.startOver(this.#state.transcript);
        if (!this.viewer.isOpen && !this.#handover.isLeased) this.#scrollOut?.();
      },
      leave: (result) => this.leave(result),
    });
  }

  /**
   * Starts listening. The first frame is drawn when the session's state is known, before its conversation is shown
   * again.
   */
  start(): void {
    const { initialPrompt } = this.#props;
    const state = this.#state;
    const unsubscribe = this.#port.subscribe((event) => this.#guarded(() => this.#listener.takeEvent(event)));
    this.#ended.signal.addEventListener("abort", unsubscribe, { once: true });
    void this.#history.load();
    this.#ownKeys.start();
    if (this.#props.prompt?.editorMode === "vim" && !this.#props.terminal.isPlain)
      this.#vim.choose("vim").catch(this.#failed);
    void notifyOfLocalServers(this.#props, state, this.ended);
    if (initialPrompt !== undefined && initialPrompt.trim() !== "") this.#input.enter(initialPrompt);
    this.#pacer.soon();
  }

  /** Calls back after a time, unless the REPL ends first. */
  #later(ms: number, then: () => void): void {
    afterSleep(this.#props.clock.sleep(ms, this.#ended.signal), () => this.#guarded(then));
  }

  /** Ends every timer and subscription. */
  end(): void {
    this.#ended.abort();
    this.#suggestions.end();
    this.#attention?.end();
    this.viewer.leave();
  }

  /** Aborts when the REPL is over. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  /** Prints lines from now on, and draws no frames. @param make Makes the screen for the state that it prints. */
  printPlain(make: (parts: PlainParts) => PlainInput): PlainInput {
    this.#plain = make({
      state: this.#state,
      pacer: this.#pacer,
      handover: this.#handover,
      ownKeys: this.#ownKeys,
      questions: this.#questions,
      suggestions: this.#suggestions,
      context: () => this.#context(),
      perform: (effect) => this.#perform(effect),
    });
    this.#draw();
    return this.#plain;
  }

  /** Stops the running turn or operation. @returns false if nothing runs, or if it is already being stopped. */
  interrupt(): boolean {
    const { isBusy, isOperating, isStopping } = this.#state;
    if (isStopping || !(isBusy || isOperating)) return false;
    this.#input.interrupt();
    return true;
  }

  keys(events: readonly KeyEvent[]): void {
    if (this.#plain) {
      this.#plain.keys(events);
      return;
    }
    if (this.#handover.isLeased) return;
    const state = this.#state;
    for (const event of events) {
      if (state.hasLeft) return;
      if (this.#ownKeys.holds(event) || this.#images.holds(event)) continue;
      const { ui, effects } = handleKey(state.ui, event, this.#context());
      drawWhileKeysWait(this.#pacer, state.ui, ui);
      state.ui = ui;
      for (const effect of effects) this.#perform(effect);
    }
    this.#suggestions.look();
    this.#questions.drawAtHoldEnd();
    this.#pacer.now();
  }

  /** Handles the background that the terminal reports. */
  recolor(report: Extract<Report, { readonly about: "background" | "scheme" }>): void {
    this.#state.colors.report(report);
    this.#pacer.now();
  }

  /** Handles that the terminal's window gained or lost the focus. */
  focus(isFocused: boolean): void {
    this.#attention?.focused(isFocused);
  }

  resize(size: Size): void {
    this.screen.size = size;
    this.#pacer.now();
  }

  /**
   * Leaves the REPL; only the first call has an effect. A running turn is ended, unless the session continues without
   * this screen.
   */
  leave(result: ReplResult): void {
    const state = this.#state;
    if (state.hasLeft) return;
    state.hasLeft = true;
    this.viewer.leave();
    const { info, detachLine } = this.#props;
    const { isSaved } = info;
    const ends = () => leavingLines(state, { hasNext: result.next !== undefined, isSaved });
    const lines = detachLine === undefined ? ends() : [result.last ?? detachLine];
    if (state.isBusy && detachLine === undefined) this.#port.send({ type: "interrupt", isLast: true });
    // The pacer no longer draws, so the last frame contains these rows.
    state.transcript = settleTodos(endText(state.transcript));
    for (const text of lines) {
      state.transcript = addRow(endText(state.transcript), { kind: "notice", level: "info", text });
    }
    let last: readonly string[] = [];
    this.#guarded(() => {
      if (this.#plain) this.#plain.screen.update(true);
      else last = this.screen.finish(state.transcript, state.colors.current);
    });
    // Another session draws on the same screen.
    this.#leave(result, result.next || last.length === 0 ? lines : last);
  }

  #guarded(run: () => void): void {
    try {
      run();
    } catch (error) {
      this.#failed(error);
    }
  }

  #context(): StackContext {
    const calls = commandCalls(this.#state.transcript);
    const { isBusy, isOperating, isStopping, nowMs, session, completions, keymap, mustAnswer, rowQuestions, tasks } =
      this.#state;
    return {
      isBusy,
      isFresh: session.isEmpty,
      isResumed: this.#state.isResumed,
      tip: this.#state.tip,
      helpLines: this.#state.helpLines,
      isStopping,
      isOperating,
      nowMs,
      isDetachable: this.#props.detachLine !== undefined,
      columns: this.screen.size.columns - MARK_COLUMNS,
      commands: completions,
      ...this.#suggestions.context,
      mode: session.mode,
      modes: this.#listener.modes,
      preview: this.screen.frame.preview,
      canEdit: this.#props.editFile !== undefined,
      questionCount: mustAnswer.length,
      keymap,
      ...this.#vim.context,
      ...this.#questions.context,
      hasGhost: this.#props.prompt?.ghostText ?? true,
      tasks: askingFirst(tasks, rowQuestions),
      rowQuestions,
      commandCalls: calls,
      isShell: calls.length > 0 && this.#state.transcript.turn === undefined,
    };
  }

  #draw(): void {
    const state = this.#state;
    state.forgetKeys();
    const { ui, transcript } = state;
    this.#attention?.follow(state);
    if (this.viewer.draw()) return;
    this.#sendLook(ui.vim?.mode);
    if (this.#plain) {
      // Another program has the terminal, or is about to get it.
      if (!this.#handover.isLeased) this.#plain.screen.update();
      return;
    }
    const layers = openLayers(ui, this.#context());
    this.screen.draw(transcript, screenView(state, layers));
  }

  #perform(effect: Effect): void {
    performEffect(effect, {
      port: this.#port,
      input: this.#input,
      history: this.#history,
      images: this.#images,
      handover: this.#handover,
      viewer: this.viewer,
      state: this.#state,
      screen: this.screen,
      ended: this.ended,
      openQuestion: (id) => this.#questions.open(id),
      modes: this.#listener.modes,
      isDetachable: this.#props.detachLine !== undefined,
      leave: () => this.leave({ exitCode: 0 }),
      failed: this.#failed,
    });
  }

  /** Tells the session the facts of the screen, if they changed. */
  #sendLook(vim: string | undefined): void {
    const { columns, rows } = this.screen.size;
    const { columns: knownColumns, rows: knownRows, vim: knownVim } = this.#look ?? {};
    if (columns === knownColumns && rows === knownRows && vim === knownVim) return;
    this.#look = { columns, rows, ...(vim !== undefined && { vim }) };
    this.#port.send({ type: "look", screen: this.#look });
  }
}
