import type { Engine, UserInput } from "../../contracts/engine.ts";
import type { TurnReport } from "../../contracts/event.ts";
import type { RunResult } from "../../contracts/run-result.ts";
import type { ProgramSession } from "../../protocol/session-port.ts";
import { ChildDenials } from "./child-denials.ts";
import { RunResults } from "./run-results.ts";
import { type BackgroundAgents, settleAgents } from "./settle-agents.ts";

export type RunProps = {
  readonly engine: Pick<Engine, "state">;
  readonly session: ProgramSession;
  readonly input: UserInput;
  /** True if the prompt may be a slash command. */
  readonly mayBeCommand?: boolean;
  /** Tells the person one line. */
  readonly err: (line: string) => void;
  /** The run waits for these. */
  readonly background?: { readonly agents: BackgroundAgents; readonly signal: AbortSignal };
};

/** Runs one prompt without a person, with the turns that follow from it. Prints nothing. */
export async function runPrompt(props: RunProps): Promise<RunResult> {
  const results = new RunResults(props.engine);
  const denials = new ChildDenials();
  const leave = props.session.subscribe((event) => {
    if (event.type !== "engine") return;
    denials.note(event);
    if (event.parentAgentId === null) results.note(event.event);
  });
  const report = await allAnswered(props, denials).finally(leave);
  // Nobody waits for background commands: they end with the run.
  return results.of(report, props.background?.agents.commands);
}

/** Includes the turns that the answers of background agents start. The answer of the last turn is used. */
async function allAnswered(props: RunProps, denials: ChildDenials): Promise<TurnReport> {
  const { engine, session, background, err } = props;
  const first = denials.with(await answered(props));
  if (!background || first.outcome.reason !== "completed") return first;
  const later: TurnReport[] = [];
  const unsubscribe = session.subscribe((told) => {
    if (told.type === "engine" && told.parentAgentId === null && told.event.type === "turn_finished")
      later.push(told.event.report);
  });
  await settleAgents({ engine, session, ...background, err }).finally(unsubscribe);
  return later.reduce((sum, report) => joined(sum, denials.with(report)), first);
}

function joined(before: TurnReport, last: TurnReport): TurnReport {
  const sum = (key: "steps" | "durationMs" | "waitedMs" | "apiMs") => before[key] + last[key];
  const times = { durationMs: sum("durationMs"), waitedMs: sum("waitedMs"), apiMs: sum("apiMs") };
  return { ...last, ...times, steps: sum("steps"), denials: [...before.denials, ...last.denials] };
}

async function answered({ session, input, mayBeCommand = false, err }: RunProps): Promise<TurnReport> {
  const { promise, resolve } = Promise.withResolvers<TurnReport>();
  const leave = session.subscribe((event) => {
    if (event.type === "answered") resolve(event.report);
    if (event.type === "operation") err(event.progress?.text ?? event.title);
  });
  session.send({ type: "ask", id: "prompt", input, when: "next", mayBeCommand });
  return promise.finally(leave);
}
