import type { CommandResult } from "../../contracts/command-result.ts";
import { decidedByText } from "../../contracts/decided-by.ts";
import type { Engine, UserInput } from "../../contracts/engine.ts";
import type { EngineEvent, TurnReport } from "../../contracts/event.ts";
import type { Ids } from "../../contracts/ports.ts";
import type { RunResult } from "../../contracts/run-result.ts";
import { CallInputs } from "./call-inputs.ts";
import { ChildDenials } from "./child-denials.ts";
import type { OutputFormat } from "./output-format.ts";
import type { BridgeDeps } from "./permission-bridge.ts";
import { remedyLine } from "./remedy-line.ts";
import { RunResults } from "./run-results.ts";
import { type CommandRun, runCommand } from "./run-slash-command.ts";
import { type BackgroundAgents, settleAgents } from "./settle-agents.ts";
import { AgentLines } from "./subagent-lines.ts";
import { type ModelLimits, outcomeLine, uuidOf, type WireLine, wireResult } from "./wire-format.ts";

export type HeadlessProps = {
  readonly engine: Engine;
  readonly input: UserInput;
  readonly format: OutputFormat;
  /** Prints each tool call on stderr. */
  readonly verbose: boolean;
  /** `--include-partial-messages`: with stream-json, answers are streamed. */
  readonly partial?: boolean;
  readonly ids: Ids;
  /** Writes to stdout and stderr. */
  readonly out: (text: string) => void;
  readonly err: (line: string) => void;
  /** Further fields of the first stream-json line. */
  readonly init: WireLine;
  readonly limits: ModelLimits;
  /** Reports the events of every agent of the session. */
  readonly subscribe: Engine["subscribe"];
  /** Runs a prompt that may be a slash command. `run` returns undefined if the prompt is not a command. */
  readonly command?: Omit<CommandRun, "tell"> & { readonly run: () => Promise<CommandResult> | undefined };
  /** The run waits for these. */
  readonly background?: { readonly agents: BackgroundAgents; readonly signal: AbortSignal };
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
  const results = new RunResults(engine);
  if (format === "stream-json") stream({ type: "system", subtype: "init", ...props.init });

  const messages = new AgentLines({ ids, partial });
  const inputs = new CallInputs();
  const denials = new ChildDenials();
  const desk = props.desk && (await openDesk({ ...props.desk, questions: engine.questions, inputs, tell: err }));
  const endAnswers = desk && engine.questions.answerWith((question, signal) => desk.answer(question, signal));
  const unsubscribe = props.subscribe((envelope) => {
    const { event, parentAgentId } = envelope;
    inputs.note(envelope);
    denials.note(envelope);
    if (parentAgentId === null) results.note(event);
    if (format === "stream-json") {
      for (const fields of messages.lines(envelope)) stream(fields);
      return;
    }
    const remark = remarkOn(event, props.verbose);
    if (remark) err(remark);
  });
  const report = await allAnswered(props, denials).finally(() => {
    unsubscribe();
    endAnswers?.();
  });
  // Nobody waits for background commands: they end with the run.
  const result = results.of(report, props.background?.agents.commands);
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

/** Includes the turns that the answers of background agents start. The answer of the last turn is used. */
async function allAnswered(props: HeadlessProps, denials: ChildDenials): Promise<TurnReport> {
  const { engine, background, err } = props;
  const first = await answered(props, denials);
  if (!background || first.outcome.reason !== "completed") return first;
  const later: TurnReport[] = [];
  const unsubscribe = engine.subscribe(({ event }) => {
    if (event.type === "turn_finished") later.push(event.report);
  });
  await settleAgents({ engine, ...background, err }).finally(unsubscribe);
  return later.reduce((sum, report) => joined(sum, denials.with(report)), first);
}

function joined(before: TurnReport, last: TurnReport): TurnReport {
  const sum = (key: "steps" | "durationMs" | "waitedMs" | "apiMs") => before[key] + last[key];
  const times = { durationMs: sum("durationMs"), waitedMs: sum("waitedMs"), apiMs: sum("apiMs") };
  return { ...last, ...times, steps: sum("steps"), denials: [...before.denials, ...last.denials] };
}

/** Runs the prompt as a turn, or as a slash command, which asks no model unless its answer is a prompt. */
async function answered(props: HeadlessProps, denials: ChildDenials): Promise<TurnReport> {
  const { engine, input, command, err: tell } = props;
  const answer = command?.run();
  const said = command && answer && (await runCommand(answer, { ...command, tell }));
  return said && "outcome" in said
    ? denials.with(said)
    : denials.with(await engine.submit({ ...input, ...said, ...(said && { typed: input.prompt }) }));
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
      return `${event.message} Trying again in ${(event.delayMs / 1000).toFixed(1)} s (try ${event.attempt} of ${event.maxAttempts}).`;
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
