import type { HookEvent, Hooks } from "../../contracts/hook.ts";

const TOOL_EVENTS: ReadonlySet<HookEvent> = new Set(["PreToolUse", "PostToolUse"]);

/** The hooks of a child agent, which are only those of its calls. The other events belong to the session. */
export function toolHooks(hooks: Hooks): Hooks {
  return {
    wants: (event, toolName) => TOOL_EVENTS.has(event) && hooks.wants(event, toolName),
    run: (input, signal) => hooks.run(input, signal),
  };
}
