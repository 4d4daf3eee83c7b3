import type { ApprovalRequest } from "../../contracts/approval.ts";
import type { AboveRequest, TrustRequest } from "../../contracts/permission.ts";
import type { Clock } from "../../contracts/ports.ts";
import type { InputEvent, Report } from "./input/decode-keys.ts";
import { aboveQuestion, approvalQuestion, trustQuestion } from "./layers/start-questions.ts";
import { trustKey, trustLayer } from "./layers/trust-layer.ts";
import {
  type AboveChoice,
  type ApprovalChoice,
  emptyTrustState,
  type StartQuestion,
  type TrustChoice,
  type TrustState,
} from "./layers/trust-state.ts";
import { startAnswerLine, startQuestionLines, unusedAnswerLine } from "./plain/start-question.ts";
import { ESCAPE, readTypedLines } from "./plain/typed-lines.ts";
import { printedLines } from "./plain/whole-words.ts";
import type { ReplTerminal } from "./repl-props.ts";
import type { FirstPaint } from "./terminal/first-paint.ts";
import { LateAnswer } from "./terminal/late-answer.ts";
import { ASK_BACKGROUND, ScreenTheme } from "./terminal/screen-theme.ts";
import { readKeys } from "./terminal/terminal-input.ts";
import { sizeOf } from "./terminal/window-size.ts";

export type TrustScreen = {
  readonly terminal: ReplTerminal;
  readonly clock: Clock;
  /** The normal screen, which is restored afterwards. */
  readonly firstPaint?: FirstPaint;
};

/**
 * Uses the alternate screen, so that neither the window's size nor its earlier content matters. The cursor is hidden.
 */
const ENTER = "\u001b[?1049h\u001b[?25l\u001b[?2004h";
/** The screen is erased first, because a terminal without an alternate screen would keep the text. */
const LEAVE = "\u001b[H\u001b[2J\u001b[?2004l\u001b[?25h\u001b[?1049l";
const ERASE = "\u001b[H\u001b[2J";
/** The prompt of a plain screen. */
const ANSWER = "Answer: ";

/**
 * Asks whether a folder is trusted, before any of the folder's content takes effect. Keys typed before the question was
 * readable don't answer it; they are passed on to the next reader. Ctrl+C, Ctrl+D, Escape and a closed terminal mean
 * `exit`.
 */
export function askTrust(request: TrustRequest, screen: TrustScreen): Promise<TrustChoice> {
  return new Asked(trustQuestion(request), screen).answer.promise;
}

/** Asks whether new or changed content of a trusted folder may run, in the same way. */
export function askApproval(request: ApprovalRequest, screen: TrustScreen): Promise<ApprovalChoice> {
  return new Asked(approvalQuestion(request), screen).answer.promise;
}

/** Asks whether the model gets the instruction files of folders above the project, in the same way. */
export function askAbove(request: AboveRequest, screen: TrustScreen): Promise<AboveChoice> {
  return new Asked(aboveQuestion(request), screen).answer.promise;
}

class Asked<Choice extends string> {
  readonly answer = Promise.withResolvers<Choice | "exit">();
  readonly #question: StartQuestion<Choice>;
  readonly #screen: TrustScreen;
  readonly #theme: ScreenTheme;
  readonly #told: LateAnswer;
  readonly #input: Pick<ReturnType<typeof readKeys>, "stop">;
  #state: TrustState;
  /** The keys for the next reader. */
  #early = "";
  #isOver = false;
  #isSettled = false;

  constructor(question: StartQuestion<Choice>, screen: TrustScreen) {
    const { terminal, clock, firstPaint } = screen;
    const { stdin, stdout, isPlain = false, asksColors = true } = terminal;
    this.#question = question;
    this.#screen = screen;
    this.#theme = new ScreenTheme(terminal, undefined);
    this.#told = new LateAnswer(clock);
    this.#state = emptyTrustState(question, clock.monotonicMs());
    firstPaint?.cover(() => this.#restore());
    if (stdin.isTTY && !isPlain) stdin.setRawMode(true);
    if (!isPlain) stdout.write(ENTER);
    if (!isPlain && asksColors) {
      stdout.write(ASK_BACKGROUND);
      this.#told.asked();
    }
    const closed = () => this.#settle("exit");
    if (isPlain) {
      // A plain screen tells the question once.
      stdout.write(printedLines(startQuestionLines(question), terminal) + ANSWER);
      this.#input = readTypedLines({ stdin, clock, line: (text) => this.#takeLine(text), closed });
      return;
    }
    this.#draw();
    stdout.on("resize", this.#draw);
    const keys = (events: readonly InputEvent[]) => {
      for (const event of events) this.#take(event);
    };
    this.#input = readKeys({ stdin, clock, keys, closed });
  }

  readonly #draw = () => {
    const { stdout } = this.#screen.terminal;
    const room = { theme: this.#theme.current, ...sizeOf(stdout) };
    const { lines, preview } = trustLayer(this.#question, this.#state).lines(room);
    this.#state = { ...this.#state, ...(preview && { preview }) };
    stdout.write(ERASE + lines.join("\r\n"));
  };

  #take(event: InputEvent): void {
    if (this.#isOver) return;
    if (event.type === "report") {
      this.#recolor(event.report);
      return;
    }
    const nowMs = this.#screen.clock.monotonicMs();
    const { state, answer, early = "" } = trustKey(event, { question: this.#question, state: this.#state, nowMs });
    const isMoved = state.choice !== this.#state.choice || state.scroll !== this.#state.scroll;
    this.#state = state;
    this.#early += early;
    if (answer !== undefined) this.#settle(answer);
    else if (isMoved) this.#draw();
  }

  /** A line that was typed before the question could be read is kept for the prompt. */
  #takeLine(text: string): void {
    if (this.#isOver) return;
    const isEarly = this.#screen.clock.monotonicMs() < this.#state.guardedUntil;
    const { options } = this.#question;
    const word = text.trim().toLowerCase();
    const found = options.find(({ key, label }) => key === word || label.toLowerCase() === word);
    const { terminal } = this.#screen;
    const { stdout } = terminal;
    if (text === ESCAPE) this.#settle("exit");
    else if (!isEarly && found) {
      stdout.write(printedLines([startAnswerLine(found)], terminal));
      this.#settle(found.answer);
    } else {
      // An answer that comes too early is none, and no prompt either.
      if (isEarly && !found) this.#early += `${text}\n`;
      const early = isEarly ? (found ? "dropped" : "kept") : undefined;
      stdout.write(printedLines([unusedAnswerLine(options, early)], terminal) + ANSWER);
    }
  }

  #recolor(report: Report): void {
    if (report.about !== "background") return;
    this.#told.answered();
    const before = this.#theme.current;
    this.#theme.report(report);
    if (this.#theme.current !== before) this.#draw();
  }

  /** If the program continues, its next reader takes a late answer of the terminal. */
  #settle(answer: Choice | "exit"): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    const settle = () => {
      this.#restore();
      this.answer.resolve(answer);
    };
    const told = answer === "exit" ? this.#told.wait() : undefined;
    if (told) void told.then(settle);
    else settle();
  }

  #restore(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { terminal, firstPaint } = this.#screen;
    const { stdin, stdout, isPlain = false } = terminal;
    this.#input.stop();
    stdout.off("resize", this.#draw);
    firstPaint?.cover(undefined);
    try {
      if (!isPlain) stdout.write(LEAVE);
      // The first paint already has the terminal in raw mode, and restores it itself.
      if (!firstPaint && stdin.isTTY && !isPlain) stdin.setRawMode(false);
      if (this.#early !== "") stdin.unshift(this.#early, "utf8");
    } catch {
      // The terminal has been closed, so there is nothing to restore.
    }
  }
}
