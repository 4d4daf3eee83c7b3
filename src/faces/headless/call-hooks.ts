import type { HookCallback, Hooks } from "../../contracts/hook.ts";
import type { CallInputs } from "./call-inputs.ts";
import type { ControlChannel } from "./control-channel.ts";

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
    channel.tell(request);
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
