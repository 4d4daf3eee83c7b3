import type { Engine, UserInput } from "../../contracts/engine.ts";
import type { EngineEvent, TurnReport } from "../../contracts/event.ts";
import type { Ids } from "../../contracts/ports.ts";
import { outcomeLine, type WireLine, wireAssistant, wireDenial, wireResult, wireUser } from "./wire-format.ts";

export const OUTPUT_FORMATS = ["text", "json", "stream-json"] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

export type HeadlessProps = {
  readonly engine: Engine;
  readonly input: UserInput;
  readonly format: OutputFormat;
  /** Names each tool call on stderr. */
  readonly verbose: boolean;
  readonly ids: Ids;
  /** Writes to stdout and stderr. */
  readonly out: (text: string) => void;
  readonly err: (line: string) => void;
  /** What the first line of stream-json tells beside the session. */
  readonly init: WireLine;
};

/** `4`: a call was refused because nobody could answer. See the exit codes in the guide. */
export type HeadlessExit = 0 | 1 | 3 | 4;

/**
 * Runs one prompt to its end without a person: prints the answer (`text`), one object (`json`) or a line an event
 * (`stream-json`). What concerns the person goes to stderr, one line each.
 */
export async function runHeadless(props: HeadlessProps): Promise<HeadlessExit> {
  const { engine, format, out, err, ids } = props;
  const line = (fields: WireLine) => out(`${JSON.stringify(fields)}\n`);
  const stream = format === "stream-json" ? streamWriter(engine, ids, line) : undefined;
  stream?.({ type: "system", subtype: "init", ...props.init });

  const unsubscribe = engine.subscribe(({ event }) => {
    if (stream) for (const fields of wireLines(event)) stream(fields);
    const remark = remarkOn(event, props.verbose);
    if (remark && format !== "stream-json") err(remark);
  });
  const report = await engine.submit(props.input).finally(unsubscribe);

  if (format === "text") printAnswer(report.text, out);
  else line(wireResult(report, engine.state.sessionId, ids.next()));
  const why = outcomeLine(report);
  // An answer that itself says why it stopped short is not said twice.
  if (why !== "" && why !== report.text) err(why);
  return exitCode(report);
}

function streamWriter(engine: Engine, ids: Ids, line: (fields: WireLine) => void): (fields: WireLine) => void {
  return (fields) => line({ ...fields, session_id: engine.state.sessionId, uuid: ids.next() });
}

function wireLines(event: EngineEvent): readonly WireLine[] {
  switch (event.type) {
    case "assistant_message":
      return [{ type: "assistant", message: wireAssistant(event.message), parent_tool_use_id: null }];
    case "tool_results":
      return [{ type: "user", message: wireUser(event.message), parent_tool_use_id: null }];
    case "retry": {
      const { attempt, maxAttempts, delayMs, status, message } = event;
      // Programs count the tries after the first.
      const count = { attempt: attempt - 1, max_retries: maxAttempts - 1 };
      const failure = { retry_delay_ms: delayMs, error_status: status ?? null, error: message };
      return [{ type: "system", subtype: "api_retry", ...count, ...failure }];
    }
    case "permission_denied":
      return [{ type: "system", subtype: "permission_denied", ...wireDenial(event.denial), reason: event.denial.by }];
    case "notice":
      return [{ type: "system", subtype: "informational", content: event.message }];
    default:
      return [];
  }
}

function remarkOn(event: EngineEvent, verbose: boolean): string | undefined {
  switch (event.type) {
    case "tool_started":
      return verbose ? `${event.use.name} ${event.title}` : undefined;
    case "retry":
      return `${event.message} Trying again in ${(event.delayMs / 1000).toFixed(1)} s (try ${event.attempt} of ${event.maxAttempts}).`;
    case "notice":
      return event.message;
    case "permission_denied":
      return `Refused: ${event.denial.toolName} (${event.denial.by}).`;
    default:
      return undefined;
  }
}

function printAnswer(text: string, out: (text: string) => void): void {
  if (text !== "") out(text.endsWith("\n") ? text : `${text}\n`);
}

/** Failed before limit before refusal, as the guide's table of exit codes says. */
export function exitCode({ outcome, denials }: TurnReport): HeadlessExit {
  const unanswered = denials.some((denial) => denial.unanswered);
  if (outcome.reason === "failed" || outcome.reason === "aborted") return 1;
  // Work that stopped because of a refusal is told by its cause.
  if (outcome.reason === "stopped_short") return unanswered ? 4 : 1;
  if (outcome.reason === "step_limit" || outcome.reason === "budget") return 3;
  return unanswered ? 4 : 0;
}
