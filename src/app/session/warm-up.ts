import type { EventEnvelope } from "../../contracts/event.ts";
import type { Clock, Redactor } from "../../contracts/ports.ts";
import type { ModelTools } from "../../engine/model-tools.ts";

/** The tools of nearly every session, in the order in which a first answer is likely to use them. */
const FIRST_TOOLS = ["Bash", "Read", "Grep", "Edit"];
/** A delay that lets the request go out first. */
const WAIT_MS = 20;

export type WarmUpParts = {
  readonly agents: { subscribe(reader: (envelope: EventEnvelope) => void): () => void };
  readonly registry: Pick<ModelTools, "names" | "get">;
  readonly redactor: () => Promise<Redactor>;
  prepareCheckpoints(): Promise<void>;
  readonly clock: Pick<Clock, "sleep">;
};

/**
 * Loads the code of the first calls while the first answer is awaited. A part that can't be loaded fails again, with an
 * error, when it is needed. No sandbox and no shell for a command is started.
 * @returns the function that stops the loading.
 */
export function warmUp(parts: WarmUpParts): () => void {
  const ending = new AbortController();
  const stop = parts.agents.subscribe(({ event }) => {
    if (event.type !== "request_started") return;
    stop();
    loadAll(parts, ending.signal).catch(() => undefined);
  });
  return () => {
    stop();
    ending.abort(new Error("The session is closed."));
  };
}

async function loadAll(parts: WarmUpParts, signal: AbortSignal): Promise<void> {
  await parts.clock.sleep(WAIT_MS, signal);
  for (const step of stepsOf(parts)) {
    await step().catch(() => undefined);
    await parts.clock.sleep(0, signal);
  }
}

function stepsOf({ registry, redactor, prepareCheckpoints }: WarmUpParts): readonly (() => Promise<unknown>)[] {
  const tools = FIRST_TOOLS.filter((name) => registry.names.includes(name));
  return [
    ...tools.map((name) => async () => registry.get(name).tool.load?.()),
    // The redactor compiles its expressions at their first use.
    async () => (await redactor()).redact(""),
    ...(tools.includes("Bash") ? [() => import("../../services/sandbox/confined-runner.ts")] : []),
    ...(tools.includes("Bash") || tools.includes("Edit") ? [prepareCheckpoints] : []),
  ];
}
