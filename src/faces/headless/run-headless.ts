import { decidedByText } from "../../contracts/decided-by.ts";
import type { Engine } from "../../contracts/engine.ts";
import type { EngineEvent, TurnReport } from "../../contracts/event.ts";
import type { Ids } from "../../contracts/ports.ts";
import type { RunResult } from "../../contracts/run-result.ts";
import { CallInputs } from "./call-inputs.ts";
import type { OutputFormat } from "./output-format.ts";
import type { BridgeDeps } from "./permission-bridge.ts";
import { remedyLine } from "./remedy-line.ts";
import { type RunProps, runPrompt } from "./run-prompt.ts";
import { AgentLines } from "./subagent-lines.ts";
import { type ModelLimits, outcomeLine, uuidOf, type WireLine, wireResult } from "./wire-format.ts";

export type HeadlessProps = RunProps & {
  readonly engine: Pick<Engine, "state" | "questions">;
  readonly format: OutputFormat;
  /** Prints each tool call on stderr. */
  readonly verbose: boolean;
  /** `--include-partial-messages`: with stream-json, answers are streamed. */
  readonly partial?: boolean;
  readonly ids: Ids;
  /** Writes to stdout. */
  readonly out: (text: string) => void;
  /** Further fields of the first stream-json line. */
  readonly init: WireLine;
  readonly limits: ModelLimits;
  /** Decides about calls, if an MCP tool was named for that. */
  readonly desk?: Pick<BridgeDeps, "ask" | "changeRules" | "setMode">;
};

/**
 * Runs one prompt without a person, and prints the answer (`text`), one object (`json`) or one line for each event
 * (`stream-json`). Messages for the person go to stderr, one line each.
 * @returns the result that was printed.
 */
export async function runHeadless(props: HeadlessProps): Promise<RunResult> {
  const { engine, format, out, err, ids, partial = false } = props;
  const { sessionId } = engine.state;
  const stream = (fields: WireLine) =>
    out(`${JSON.stringify({ ...fields, session_id: sessionId, uuid: uuidOf(fields, ids) })}\n`);
  if (format === "stream-json") stream({ type: "system", subtype: "init", ...props.init });

  const messages = new AgentLines({ ids, partial });
  const inputs = new CallInputs();
  const desk = props.desk && (await openDesk({ ...props.desk, questions: engine.questions, inputs, notify: err }));
  const endAnswers = desk && engine.questions.answerWith((question, signal) => desk.answer(question, signal));
  const unsubscribe = props.session.subscribe((told) => {
    if (told.type !== "engine") return;
    inputs.note(told);
    if (format === "stream-json") {
      for (const fields of messages.lines(told)) stream(fields);
      return;
    }
    const remark = remarkOn(told.event, props.verbose);
    if (remark) err(remark);
  });
  const result = await runPrompt(props).finally(() => {
    unsubscribe();
    endAnswers?.();
  });
  print(result, props);
  return result;
}

function print(result: RunResult, { format, out, err, ids, limits }: HeadlessProps): void {
  if (format === "text") printAnswer(textOf(result), out);
  else out(`${JSON.stringify(wireResult(result, { uuid: ids.next(), limits }))}\n`);
  const why = outcomeLine(result);
  // An answer that itself says why it is incomplete is printed only once.
  if (why !== "" && why !== result.text) err(why);
  const remedy = remedyLine(result.denials);
  if (remedy !== undefined) err(remedy);
}

/** Loaded only for a run with a tool that decides. */
async function openDesk(deps: BridgeDeps) {
  const { PermissionBridge } = await import("./permission-bridge.ts");
  return new PermissionBridge(deps);
}

/** If the request has a schema, only the JSON of the answer is printed, without the text around it. */
function textOf(report: TurnReport): string {
  return "structuredOutput" in report ? JSON.stringify(report.structuredOutput, null, 2) : report.text;
}

function remarkOn(event: EngineEvent, verbose: boolean): string | undefined {
  switch (event.type) {
    case "tool_started":
      return verbose ? `${event.use.name} ${event.title}` : undefined;
    case "retry":
      return `${event.message} Trying again in ${(event.delayMs / 1000).toFixed(1)} s (attempt ${event.attempt} of ${event.maxAttempts}).`;
    case "notice":
      return event.message;
    case "permission_denied":
      return `Refused: ${event.denial.toolName} (${decidedByText(event.denial.decidedBy)}).`;
    default:
      return undefined;
  }
}

function printAnswer(text: string, out: (text: string) => void): void {
  if (text !== "") out(text.endsWith("\n") ? text : `${text}\n`);
}
