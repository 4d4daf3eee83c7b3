import type { CommandResult } from "../../contracts/command-result.ts";
import type { Engine, UserInput } from "../../contracts/engine.ts";
import type { TurnReport } from "../../contracts/event.ts";
import type { RunResult } from "../../contracts/run-result.ts";
import { ChildDenials } from "./child-denials.ts";
import { RunResults } from "./run-results.ts";
import { type CommandRun, runCommand } from "./run-slash-command.ts";
import { type BackgroundAgents, settleAgents } from "./settle-agents.ts";

export type RunProps = {
  readonly engine: Engine;
  readonly input: UserInput;
  /** Reports the events of every agent of the session. */
  readonly subscribe: Engine["subscribe"];
  /** Tells the person one line. */
  readonly err: (line: string) => void;
  /** Runs a prompt that may be a slash command. `run` returns undefined if the prompt is not a command. */
  readonly command?: Omit<CommandRun, "notify"> & { readonly run: () => Promise<CommandResult> | undefined };
  /** The run waits for these. */
  readonly background?: { readonly agents: BackgroundAgents; readonly signal: AbortSignal };
};

/** Runs one prompt without a person, with the turns that follow from it. Prints nothing. */
export async function runPrompt(props: RunProps): Promise<RunResult> {
  const results = new RunResults(props.engine);
  const denials = new ChildDenials();
  const leave = props.subscribe((envelope) => {
    denials.note(envelope);
    if (envelope.parentAgentId === null) results.note(envelope.event);
  });
  const report = await allAnswered(props, denials).finally(leave);
  // Nobody waits for background commands: they end with the run.
  return results.of(report, props.background?.agents.commands);
}

/** Includes the turns that the answers of background agents start. The answer of the last turn is used. */
async function allAnswered(props: RunProps, denials: ChildDenials): Promise<TurnReport> {
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
async function answered(props: RunProps, denials: ChildDenials): Promise<TurnReport> {
  const { engine, input, command, err: notify } = props;
  const answer = command?.run();
  const said = command && answer && (await runCommand(answer, { ...command, notify }));
  return said && "outcome" in said
    ? denials.with(said)
    : denials.with(await engine.submit({ ...input, ...said, ...(said && { typed: input.prompt }) }));
}
