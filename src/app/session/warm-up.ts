import type { EventEnvelope } from "../../contracts/event.ts";
import type { Clock, Redactor } from "../../contracts/ports.ts";
import type { ModelTools } from "../../engine/model-tools.ts";

/** The tools of nearly every session, in the order in which a first answer is likely to use them. */
const FIRST_TOOLS = ["Bash", "Read", "Grep", "Edit"];
/** A delay that lets the request go out first, and in which an answer at once begins. */
const WAIT_MS = 20;
/** The events of an answer that has begun. */
const ANSWER: readonly string[] = ["text_delta", "thinking_delta", "tool_input_delta", "assistant_message"];

export type WarmUpParts = {
  readonly agents: { subscribe(reader: (envelope: EventEnvelope) => void): () => void };
  readonly registry: Pick<ModelTools, "names" | "get">;
  readonly redactor: () => Promise<Redactor>;
  readonly checkpoints: { prepare(): Promise<void> };
  readonly clock: Pick<Clock, "sleep">;
};

/**
 * Loads the code of the first calls while the session's first answers are awaited, never while an answer is read or its
 * calls run. A part that can't be loaded fails again, with an error, when it is needed. No sandbox and no shell for a
 * command is started.
 * @returns the function that stops the loading.
 */
export function warmUp(parts: WarmUpParts): () => void {
  let steps: Step[] | undefined;
  let awaiting = new AbortController();
  const stop = parts.agents.subscribe(({ event }) => {
    if (steps?.length === 0) return stop();
    if (event.type !== "request_started") {
      if (ANSWER.includes(event.type)) awaiting.abort();
      return;
    }
    awaiting.abort();
    awaiting = new AbortController();
    steps ??= stepsOf(parts);
    load(steps, parts.clock, awaiting.signal).catch(() => undefined);
  });
  return () => {
    stop();
    awaiting.abort();
  };
}

type Step = () => Promise<unknown>;

async function load(steps: Step[], clock: WarmUpParts["clock"], signal: AbortSignal): Promise<void> {
  await clock.sleep(WAIT_MS, signal);
  for (let step = steps.shift(); step; step = steps.shift()) {
    await step().catch(() => undefined);
    await clock.sleep(0, signal);
  }
}

function stepsOf({ registry, redactor, checkpoints }: WarmUpParts): Step[] {
  const tools = FIRST_TOOLS.filter((name) => registry.names.includes(name));
  return [
    ...tools.map((name) => async () => registry.get(name).tool.load?.()),
    // The redactor compiles its expressions at their first use.
    async () => (await redactor()).redact(""),
    ...(tools.includes("Bash") ? [() => import("../../services/sandbox/confined-runner.ts")] : []),
    ...(tools.includes("Bash") || tools.includes("Edit") ? [() => checkpoints.prepare()] : []),
  ];
}
