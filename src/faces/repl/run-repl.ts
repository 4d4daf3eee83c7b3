import { errorMessage } from "../../contracts/errors.ts";
import { paletteOf } from "../../contracts/palettes.ts";
import { openSessionPort } from "../../protocol/open-session-port.ts";
import type { SessionPort } from "../../protocol/session-port.ts";
import type { InputEvent, KeyEvent, Report } from "./input/decode-keys.ts";
import type { PlainInput } from "./plain/plain-input.ts";
import { PLAIN_KEYS } from "./plain/plain-keys.ts";
import { isInLineMode, readTypedLines } from "./plain/typed-lines.ts";
import { ReplController } from "./repl-controller.ts";
import type { ReplHandle, ReplProps, ReplResult, ScreenProps } from "./repl-props.ts";
import type { Size } from "./repl-screen-state.ts";
import { earlyFrame, printedLines } from "./terminal/early-frame.ts";
import { scrolledOut } from "./terminal/erase-below.ts";
import { FrameOutput } from "./terminal/frame-output.ts";
import type { FullOutput } from "./terminal/full-output.ts";
import { LateAnswer } from "./terminal/late-answer.ts";
import { ResizeGuard, reflowOf } from "./terminal/resize-guard.ts";
import { ScreenTheme } from "./terminal/screen-theme.ts";
import { readKeys } from "./terminal/terminal-input.ts";
import { enterTerminal, KNOWS_OTHER_KEYS, OTHER_KEYS } from "./terminal/terminal-modes.ts";
import { sizeOf } from "./terminal/window-size.ts";
import { emptyFrame } from "./view/live-frame.ts";
import { AlternateScreen } from "./viewer/alternate-screen.ts";

const INTERRUPT_EXIT_CODE = 130;

/**
 * Starts the REPL and returns the handle that signal handlers need. Its `done` never rejects; a bug in Quoll is reported
 * in one line on stderr, with exit code 1.
 */
export function startRepl(props: ReplProps): ReplHandle {
  const isPlain = props.terminal.isPlain === true;
  const { session, clock, info } = props;
  const screen = {
    clock,
    isPlain,
    keys: PLAIN_KEYS,
    canReopen: info.isSaved === true,
    takesPromptsBack: !isPlain,
  };
  const isResumed = (session.restored?.entries.length ?? 0) > 0;
  return mount(props, (failed) => openSessionPort(session, screen, failed), isResumed);
}

/** Runs the screen of a session that another process holds. Ends like `startRepl`. */
export function startScreen(props: ScreenProps, port: SessionPort): ReplHandle {
  return mount(props, () => port);
}

type OpenPort = (failed: (error: unknown) => void) => SessionPort;

/** @param isResumed True if the conversation of an earlier process is shown with the first frame. */
function mount(props: ScreenProps, openPort: OpenPort, isResumed = false): ReplHandle {
  const repl = new MountedRepl(props, openPort, isResumed);
  repl.start();
  const { done, drawn } = repl;
  return { done, drawn, restore: () => repl.restore(), stop: (exitCode, last) => repl.stop(exitCode, last) };
}

/** A REPL on a terminal: passes keys and resizes to the controller, and the controller's frames to the terminal. */
class MountedRepl {
  readonly #props: ScreenProps;
  readonly #controller: ReplController;
  readonly #output: FrameOutput;
  readonly #resizing: ResizeGuard;
  readonly #ended = Promise.withResolvers<ReplResult>();
  readonly #drawn = Promise.withResolvers<void>();
  /** Keys that arrived before frames are written; undefined afterwards. */
  #early: KeyEvent[] | undefined = [];
  /** The terminal's answer about its background. */
  readonly #answer: LateAnswer;
  /** True if the first frame comes with many rows, whose colours can't be changed once they are printed. */
  readonly #awaitsColors: boolean;
  #plain: PlainInput | undefined;
  #full: FullOutput | undefined;
  /** The last lines of the session after it was left. */
  #farewell: readonly string[] = [];
  readonly #alternate: AlternateScreen;
  #input: ReturnType<typeof readKeys> | undefined;
  #leaveTerminal: (() => void) | undefined;
  #giveBackConsole: (() => void) | undefined;
  #isLeased = false;
  #isRestored = false;
  #hasKittyKeys = false;

  constructor(props: ScreenProps, openPort: OpenPort, isResumed: boolean) {
    const { stdout, isPlain, isFull } = props.terminal;
    this.#props = props;
    this.#awaitsColors = isResumed && !isPlain && !isFull;
    this.#output = new FrameOutput(props.terminal, sizeOf(stdout), props.firstPaint?.erase);
    this.#alternate = new AlternateScreen(this.#output.direct);
    this.#answer = new LateAnswer(props.clock);
    const port = openPort((error) => this.#fail(error));
    this.#controller = new ReplController({
      props,
      port,
      theme: new ScreenTheme(props.terminal, props.theme, { isStill: props.prompt?.reducedMotion, paletteOf }),
      size: this.#size(),
      leave: (result, lines) => this.#finish(result, lines),
      failed: (error) => this.#fail(error),
      lease: (run) => this.#lease(run),
      alternate: this.#alternate,
      writeMs: () => this.#output.writeMs,
      ask: (query) => this.#isLeased || stdout.write(query),
      scrollOut: () => this.#scrollOut(),
      uncovered: () => (this.#full ? this.#full.draw() : this.#resizing.uncovered()),
    });
    this.#resizing = new ResizeGuard({
      stdout,
      lookUpSize: props.terminal.lookUpSize,
      clock: props.clock,
      ended: this.#controller.ended,
      painted: () => this.#output.painted ?? emptyFrame,
      written: () => this.#output.written,
      printAgain: (rowsInHistory, columns) => this.#output.printAgain(rowsInHistory, columns),
      drawnFor: () => this.#output.size,
      hold: () => this.#controller.screen.hold(),
      erase: () => this.#output.eraseFrame(),
      moved: (widths) => {
        const { lines = [] } = this.#output.painted ?? emptyFrame;
        return this.#controller.screen.moved(this.#output.moved(widths), lines);
      },
      clear: () => {
        this.#output.eraseFrame();
        this.#controller.screen.abandon();
      },
      adopt: (size) => this.#adopt(size),
      printed: () => this.#controller.screen.snapshot.printed.length + this.#output.rewrittenRows,
      covered: () => this.#controller.viewer.takeSize(this.#size()),
    });
  }

  get done(): Promise<ReplResult> {
    return this.#ended.promise;
  }

  /** Resolves when frames are written and keys are taken; never if the REPL ends before. */
  get drawn(): Promise<void> {
    return this.#drawn.promise;
  }

  start(): void {
    this.#takeTerminal();
    if (this.#awaitsColors) this.#controller.screen.hold();
    this.#guarded(() => this.#controller.start());
    this.#guarded(() => this.#paintEarly());
    const { initialInput } = this.#props;
    if (initialInput) this.#input?.feed(initialInput);
    this.#open().catch((error: unknown) => this.#fail(error));
  }

  /** Draws the first frame before the code is loaded that writes further ones. */
  #paintEarly(): void {
    const { firstPaint, terminal } = this.#props;
    const early = firstPaint && earlyFrame(this.#controller.screen.snapshot, this.#size());
    if (!early || terminal.isPlain || this.#isRestored) return;
    // The keys so far are written over the placeholder.
    const typed = firstPaint.shown ? `${firstPaint.shown}\u001b[K` : "";
    terminal.stdout.write(firstPaint.erase + early.text + typed);
    this.#output.prefix = early.erase;
  }

  #takeTerminal(): void {
    const { terminal, clock } = this.#props;
    this.#leaveTerminal = enterTerminal(terminal);
    if (!terminal.isPlain && terminal.asksColors !== false) this.#answer.asked();
    const { stdin } = terminal;
    // A line that comes early waits for the screen.
    const line = (text: string) => void this.#drawn.promise.then(() => this.#guarded(() => this.#plain?.line(text)));
    const keys = (events: readonly InputEvent[]) => this.#guarded(() => this.#take(events));
    this.#input = isInLineMode(terminal)
      ? // When the lines end, the person wants to leave; if the terminal was closed, a signal arrives too.
        readTypedLines({ stdin, clock, line, closed: () => this.stop(0) })
      : readKeys({ stdin, clock, keys, closed: () => this.stop(129) });
    terminal.stdout.on("resize", this.#onResize);
  }

  #dropTerminal(): void {
    this.#input?.stop();
    this.#props.terminal.stdout.off("resize", this.#onResize);
    this.#leaveTerminal?.();
  }

  /**
   * Hands the terminal to another program while `run` runs: the frame is erased, keys are not read, terminal modes are
   * restored.
   */
  async #lease<T>(run: () => Promise<T>): Promise<T> {
    await this.#drawn.promise;
    this.#controller.screen.hold();
    this.#resizing.forget();
    try {
      this.#output.suspend();
      this.#full?.lease();
      this.#plain?.screen.end();
      this.#isLeased = true;
      this.#dropTerminal();
      return await run();
    } finally {
      if (this.#isLeased && !this.#isRestored) this.#takeTerminal();
      this.#isLeased = false;
      if (!this.#isRestored) {
        const size = sizeOf(this.#props.terminal.stdout);
        this.#output.adopt(size);
        this.#full?.takeBack();
        this.#guarded(() => this.#controller.resize(size));
      }
    }
  }

  #scrollOut(): void {
    if (!this.#output.isOpen || this.#isLeased) return;
    const { stdout } = this.#props.terminal;
    this.#resizing.forget();
    stdout.write(this.#output.leaveFrame() + scrolledOut(stdout.rows));
    this.#adopt(sizeOf(stdout));
  }

  stop(exitCode: number, last?: string): boolean {
    // Ctrl+C is meant for the program that has the terminal, or it stops the turn if no key event arrives.
    if (exitCode === INTERRUPT_EXIT_CODE && (this.#isLeased || (this.#plain && this.#controller.interrupt())))
      return true;
    this.#controller.leave({ exitCode, ...(last !== undefined && { last }) });
    return false;
  }

  restore(): void {
    if (this.#isRestored) return;
    this.#isRestored = true;
    this.#giveBackConsole?.();
    this.#controller.end();
    this.#input?.stop();
    this.#props.terminal.stdout.off("resize", this.#onResize);
    try {
      if (!this.#full) this.#controller.screen.abandon();
      if (this.#full) this.#full.end(this.#farewell);
      else if (this.#output.isOpen) this.#output.end();
      else if (this.#plain) this.#plain.screen.end();
      else this.#leaveEarly();
    } catch {
      // The terminal was closed, or drawing failed.
    }
    this.#leaveTerminal?.();
  }

  /** Leaves before frames are written. */
  #leaveEarly(): void {
    const { terminal } = this.#props;
    const rows = printedLines(this.#controller.screen.snapshot).map((line) => `${line}\r\n`);
    if (!terminal.isPlain) terminal.stdout.write(this.#output.prefix + rows.join(""));
  }

  #open(): Promise<void> {
    const { isPlain, isFull } = this.#props.terminal;
    return isPlain ? this.#openPlain() : isFull ? this.#openFull() : this.#openFirst();
  }

  /** The code of the plain screen is loaded only if a plain screen is used. */
  async #openPlain(): Promise<void> {
    const { PlainInput } = await import("./plain/plain-input.ts");
    if (this.#isRestored) return;
    const { terminal } = this.#props;
    const editsLines = !isInLineMode(terminal);
    const options = { stdout: terminal.stdout, editsLines, stop: this.#interrupt, leave: () => this.stop(0) };
    this.#plain = this.#controller.printPlain((parts) => new PlainInput(parts, options));
    this.#takeEarly();
  }

  /** The code that writes frames over others is loaded after the first. */
  async #openFirst(): Promise<void> {
    const [{ FrameWriter }, { takeConsole }] = await Promise.all([
      import("./terminal/frame-writer.ts"),
      import("./terminal/console-rows.ts"),
      this.#awaitsColors && this.#answer.waitFirst(),
    ]);
    if (this.#isRestored) return;
    this.#giveBackConsole = takeConsole((text) => this.#output.print(text));
    if (this.#awaitsColors) this.#controller.resize(this.#size());
    this.#output.open(this.#controller.screen, new FrameWriter(), (error) => this.#fail(error));
    this.#takeEarly();
  }

  /** The code of the full screen is loaded only if a full screen is used. */
  async #openFull(): Promise<void> {
    const [{ FullOutput }, { TranscriptWindow }] = await Promise.all([
      import("./terminal/full-output.ts"),
      import("./viewer/transcript-window.ts"),
    ]);
    if (this.#isRestored) return;
    const { hasMouse = true } = this.#props.terminal;
    const { screen } = this.#controller;
    const { direct: stdout } = this.#output;
    this.#full = new FullOutput({ stdout, alternate: this.#alternate, screen, hasMouse });
    screen.open(TranscriptWindow);
    this.#takeEarly();
  }

  /** Handles the keys that arrived before the screen was drawn. */
  #takeEarly(): void {
    const early = this.#early ?? [];
    this.#early = undefined;
    this.#drawn.resolve();
    if (early.length > 0) this.#guarded(() => this.#take(early));
  }

  readonly #onResize = () =>
    this.#guarded(() => {
      const { viewer } = this.#controller;
      if (this.#full) {
        this.#alternate.forget();
        this.#controller.resize(this.#size());
      } else if (this.#props.terminal.isPlain) this.#controller.resize(this.#size());
      else if (!viewer.takeSize(this.#size())) this.#resizing.resized();
    });

  #size(): Size {
    return sizeOf(this.#props.terminal.stdout);
  }

  #adopt(size: Size): void {
    this.#output.adopt(size);
    this.#controller.resize(size);
  }

  #take(events: readonly InputEvent[]): void {
    const keys: KeyEvent[] = [];
    for (const event of events) {
      if (event.type === "report") this.#takeReport(event.report);
      else keys.push(event);
    }
    if (this.#early) this.#early.push(...keys);
    else if (keys.length > 0) this.#controller.keys(keys);
  }

  /** Ctrl+C of a terminal in raw mode has the effect of the signal. */
  readonly #interrupt = () => void this.stop(INTERRUPT_EXIT_CODE);

  #takeReport(report: Report): void {
    if (report.about === "background") this.#answer.answered();
    const { terminal } = this.#props;
    if (report.about === "kittyKeys") {
      this.#hasKittyKeys = true;
      terminal.answered?.({ keys: "kitty" });
    }
    if (report.about === "device") {
      this.#answer.overtaken();
      terminal.answered?.({ device: report.attributes });
    }
    if (report.about === "cell") this.#controller.images?.told(report);
    else if (report.about === "focus") this.#controller.focus(report.isFocused);
    else if (report.about === "background" || report.about === "scheme") this.#controller.recolor(report);
    else if (report.about !== "kittyKeys") {
      if (report.about === "device") {
        this.#output.marksWidth = reflowOf(report.attributes) === "shifted";
        this.#askOtherKeys(report.attributes);
      }
      this.#resizing.report(report);
    }
  }

  /**
   * If the terminal does not support kitty's protocol, shift+enter is reported through xterm's. A second answer has no
   * effect.
   */
  #askOtherKeys(attributes: string): void {
    const { terminal } = this.#props;
    if (this.#hasKittyKeys || this.#isLeased || this.#isRestored || !KNOWS_OTHER_KEYS.test(attributes)) return;
    terminal.stdout.write(OTHER_KEYS);
    terminal.answered?.({ keys: "xterm" });
  }

  #guarded(run: () => void): void {
    try {
      run();
    } catch (error) {
      this.#fail(error);
    }
  }

  #finish(result: ReplResult, lines: readonly string[]): void {
    this.#farewell = lines;
    const finish = () => {
      this.restore();
      this.#ended.resolve(result);
    };
    const answer = this.#answer.wait();
    if (answer) void answer.then(finish);
    else finish();
  }

  #fail(error: unknown): void {
    if (this.#isRestored) return;
    this.restore();
    const what = errorMessage(error).split("\n")[0];
    this.#props.terminal.stderr.write(`quoll: the screen could not be drawn: ${what}. The session is saved.\n`);
    this.stop(1);
  }
}
