import type { Redactor } from "../../contracts/ports.ts";
import type { ModelTools } from "../../engine/model-tools.ts";
import { systemClock } from "../../platform/clock.ts";
import { observedFetch } from "../../platform/observed-fetch.ts";

/** The tools of nearly every session, in the order in which a first answer is likely to want them. */
const FIRST_TOOLS = ["Bash", "Read", "Grep", "Edit"];
/** On Node, this thread makes the connection, so the connection goes first. */
const CONNECT_MS = 10;

export type WarmUpParts = {
  readonly registry: Pick<ModelTools, "names" | "get">;
  redactor(): Promise<Redactor>;
  readonly sandbox: { prepare(): Promise<void> };
};

/** Loads the code of the first calls while the first answer is awaited, so that they don't wait for it. */
export class WarmUp {
  /** Wraps a provider; its first request starts the warm-up. */
  readonly fetch = observedFetch(() => this.#start());
  readonly #abort = new AbortController();
  #parts: WarmUpParts | undefined;

  /** Sets the parts to load; nothing is loaded yet. */
  prepare(parts: WarmUpParts): void {
    this.#parts = parts;
  }

  /** The session is closed: nothing more is loaded. */
  stop(): void {
    this.#abort.abort(new Error("The session is closed."));
  }

  #start(): void {
    const parts = this.#parts;
    this.#parts = undefined;
    if (parts) void load(parts, this.#abort.signal);
  }
}

/**
 * One part after the other, so that an answer that comes early is read in between. Never rejects: a part that fails
 * to load fails again, with an error, when it is needed.
 */
async function load({ registry, redactor, sandbox }: WarmUpParts, signal: AbortSignal): Promise<void> {
  const tools = FIRST_TOOLS.filter((name) => registry.names.includes(name));
  const steps = [
    ...tools.map((name) => async () => registry.get(name).tool.load?.()),
    // The redactor compiles its expressions at their first use.
    async () => (await redactor()).redact(""),
    ...(tools.includes("Bash") ? [() => sandbox.prepare()] : []),
  ];
  let waitMs = CONNECT_MS;
  for (const step of steps) {
    const isClosed = await systemClock.sleep(waitMs, signal).then(
      () => false,
      () => true,
    );
    if (isClosed) return;
    await step().catch(() => undefined);
    waitMs = 0;
  }
}
