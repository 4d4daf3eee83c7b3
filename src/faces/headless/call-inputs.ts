import { MAIN_AGENT } from "../../contracts/agent.ts";
import type { EventEnvelope } from "../../contracts/event.ts";
import type { HookCallback, Hooks } from "../../contracts/hook.ts";
import type { ControlChannel } from "./control-channel.ts";

type Input = Readonly<Record<string, unknown>>;
/** An input, and the agent that made the call. */
type Known = { readonly input: Input; readonly agentId: string };
type Waiting = (input: Input) => void;

/** The inputs of running calls, by call id, for the questions about them. */
export class CallInputs {
  readonly #inputs = new Map<string, Known>();
  readonly #waiting = new Map<string, Waiting[]>();

  note({ event, agentId }: Pick<EventEnvelope, "event" | "agentId">): void {
    if (event.type === "tool_started") this.#set(event.use.id, { input: event.use.input, agentId });
    if (event.type === "tool_finished") this.#forget(event.result.toolUseId);
    if (event.type === "tool_discarded") this.#forget(event.toolUseId);
    if (event.type !== "turn_finished") return;
    for (const [id, known] of [...this.#inputs]) if (known.agentId === agentId) this.#forget(id);
  }

  /** Records that a hook replaced the model's input. */
  replace(id: string, input: Input): void {
    this.#set(id, { input, agentId: this.#inputs.get(id)?.agentId ?? MAIN_AGENT.agentId });
  }

  /**
   * The input of a call. A question may arrive before its call's event; the input is then awaited.
   * @returns an empty input when `signal` aborts first.
   */
  of(id: string, signal: AbortSignal): Promise<Input> {
    const known = this.#inputs.get(id)?.input;
    if (known || signal.aborted) return Promise.resolve(known ?? {});
    return new Promise((resolve) => {
      this.#waiting.set(id, [...(this.#waiting.get(id) ?? []), resolve]);
      signal.addEventListener("abort", () => resolve({}), { once: true });
    });
  }

  #set(id: string, known: Known): void {
    this.#inputs.set(id, known);
    for (const take of this.#waiting.get(id) ?? []) take(known.input);
    this.#waiting.delete(id);
  }

  #forget(id: string): void {
    this.#inputs.delete(id);
    this.#waiting.delete(id);
  }
}

/**
 * Calls the program's hooks over the control protocol.
 * @param wordsOf Returns the complete message of a prompt, which may be only its last part.
 */
export function hookCaller(channel: ControlChannel, wordsOf: (prompt: string) => string | undefined): HookCallback {
  return async (id, input, signal) => {
    const { hook_event_name: event, prompt, tool_use_id: toolUse } = input;
    const spoken = typeof prompt === "string" && { prompt: wordsOf(prompt) ?? prompt, source: "sdk" };
    const request = {
      subtype: "hook_callback",
      callback_id: id,
      input: { ...input, ...spoken },
      ...(toolUse !== undefined && { tool_use_id: toolUse }),
    };
    if (event !== "SessionEnd" || !channel.isClosed) return channel.request(request, { signal });
    // Most programs can't answer at the end of a session, but they still get the event.
    channel.notify(request);
    return {};
  };
}

/** Questions about a call show the input that a hook substituted, not the model's. */
export function notingInputs(hooks: Hooks, inputs: Pick<CallInputs, "replace">): Hooks {
  return {
    wants: (event, toolName) => hooks.wants(event, toolName),
    async run(input, signal) {
      const outcome = await hooks.run(input, signal);
      if (input.event === "PreToolUse" && outcome.updatedInput) inputs.replace(input.toolUseId, outcome.updatedInput);
      return outcome;
    },
  };
}
