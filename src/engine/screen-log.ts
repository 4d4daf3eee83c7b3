import type { DiffHunk, DiffLine, Display, Preview } from "../contracts/display.ts";
import type { EngineEvent } from "../contracts/event.ts";
import { textOf } from "../contracts/message.ts";
import type { Redactor } from "../contracts/ports.ts";
import type { AnswerNote } from "../contracts/question.ts";
import type { ShownCall, ShownFact } from "../contracts/session.ts";
import type { Conversation } from "./conversation.ts";
import type { EventHub } from "./event-hub.ts";
import { redactDisplay } from "./redact-result.ts";

/** The maximum number of characters of one diff, command or text that are kept for a screen. */
export const MAX_SHOWN_CHARS = 32_000;
/**
 * The maximum number of lines of one diff; lines beyond `MAX_SHOWN_CHARS` are kept empty, so that a screen counts them.
 */
export const MAX_SHOWN_LINES = 2_000;
const MAX_LINE_CHARS = 400;
const MAX_TITLE_CHARS = 500;
const MAX_EXCERPT_CHARS = 2_000;
/** The maximum number of calls that have begun and not ended. */
const MAX_OPEN_CALLS = 1_000;

type ScreenLogDeps = {
  readonly conversation: Pick<Conversation, "append">;
  redactor(): Promise<Redactor>;
};
type OpenCall = { title: string; answer?: AnswerNote };
type Finished = Extract<EngineEvent, { type: "tool_finished" }>;

/** Logs facts that only a screen shows, so that a resumed session looks like the running session. */
export class ScreenLog {
  readonly #deps: ScreenLogDeps;
  readonly #calls = new Map<string, OpenCall>();
  #isInTurn = false;
  #written: Promise<void> = Promise.resolve();

  constructor(deps: ScreenLogDeps) {
    this.#deps = deps;
  }

  take(event: EngineEvent): void {
    switch (event.type) {
      case "turn_started":
        this.#isInTurn = true;
        return;
      case "turn_finished":
        this.#isInTurn = false;
        this.#calls.clear();
        return;
      case "tool_started":
        if (this.#calls.size < MAX_OPEN_CALLS) this.#calls.set(event.use.id, { title: event.title });
        return;
      case "tool_discarded":
        this.#calls.delete(event.toolUseId);
        return;
      case "question_settled":
        if (event.answer && event.toolUseId !== undefined) this.#note(event.toolUseId, { answer: event.answer });
        return;
      case "tool_finished":
        this.#finish(event);
        return;
      case "notice":
        if (this.#isInTurn) this.#write((redactor) => ({ ...event, message: redactor.redact(event.message) }));
        return;
      case "tools_changed":
      case "cache_missed":
        this.#write(() => event);
        return;
      case "continued":
        if (event.reason !== "tool_results") this.#write(() => ({ type: "continued", reason: event.reason }));
        return;
      default:
        return;
    }
  }

  /** Resolves when all facts so far are in the log. */
  settled(): Promise<void> {
    return this.#written;
  }

  #note(toolUseId: string, facts: Partial<OpenCall>): void {
    const call = this.#calls.get(toolUseId);
    if (call) this.#calls.set(toolUseId, { ...call, ...facts });
  }

  #finish({ result, durationMs, display }: Finished): void {
    const { toolUseId, isError, content } = result;
    const call = this.#calls.get(toolUseId);
    if (!call) return;
    this.#calls.delete(toolUseId);
    const isOwn = !this.#isInTurn;
    this.#write((redactor): ShownFact => {
      const shown: ShownCall = {
        toolUseId,
        title: redactor.redact(call.title).slice(0, MAX_TITLE_CHARS),
        durationMs,
        // The call's input contains the task list.
        ...(display && display.kind !== "todos" && { display: cutDisplay(display) }),
        ...(call.answer && { answer: safeAnswer(call.answer, redactor) }),
      };
      if (!isOwn) return { type: "call", ...shown };
      return { type: "shell", isError, excerpt: textOf(content).slice(0, MAX_EXCERPT_CHARS), ...shown };
    });
  }

  /**
   * Writes entries in the order of the events. If the log can't be written, another write reports the error and fails
   * the turn.
   */
  #write(make: (redactor: Redactor) => ShownFact): void {
    this.#written = this.#written
      .then(async () => {
        const fact = make(await this.#deps.redactor());
        this.#deps.conversation.append({ kind: "shown", optional: true, fact });
      })
      .catch(() => undefined);
  }
}

export function followScreen(deps: ScreenLogDeps, events: Pick<EventHub, "subscribe">): ScreenLog {
  const screen = new ScreenLog(deps);
  events.subscribe(({ event }) => screen.take(event));
  return screen;
}

function safeAnswer(answer: AnswerNote, redactor: Redactor): AnswerNote {
  if (answer.kind === "part") return answer;
  const { reason } = answer;
  const preview = safePreview(answer.preview, redactor);
  return { ...answer, preview, ...(reason !== undefined && { reason: redactor.redact(reason) }) };
}

function safePreview(preview: Preview, redactor: Redactor): Preview {
  switch (preview.kind) {
    case "command":
      return { ...preview, command: redactor.redact(preview.command).slice(0, MAX_SHOWN_CHARS) };
    case "diff": {
      const diff = redactDisplay({ ...preview, added: 0, removed: 0 }, redactor);
      return { ...preview, hunks: diff.kind === "diff" ? cutHunks(diff.hunks) : [] };
    }
    case "text":
      return { kind: "text", text: redactor.redact(preview.text).slice(0, MAX_SHOWN_CHARS) };
  }
}

function cutDisplay(display: Display): Display {
  switch (display.kind) {
    case "command":
      return { ...display, command: display.command.slice(0, MAX_TITLE_CHARS) };
    case "summary":
      return {
        kind: "summary",
        text: display.text.slice(0, MAX_EXCERPT_CHARS),
        // `redactDisplay` has cut the content.
        ...(display.body && { body: display.body }),
      };
    case "diff":
      return { ...display, hunks: cutHunks(display.hunks) };
    case "todos":
      return display;
  }
}

function cutHunks(hunks: readonly DiffHunk[]): readonly DiffHunk[] {
  let chars = MAX_SHOWN_CHARS;
  let left = MAX_SHOWN_LINES;
  const cut = hunks.map((hunk): DiffHunk => {
    const lines = hunk.lines.slice(0, left).map(({ kind, text }): DiffLine => {
      const kept = text.slice(0, Math.min(MAX_LINE_CHARS, chars));
      chars -= kept.length;
      return { kind, text: kept };
    });
    left -= lines.length;
    return { ...hunk, lines };
  });
  return cut.filter(({ lines }) => lines.length > 0);
}
