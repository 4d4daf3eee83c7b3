import type { AgentSource } from "../../contracts/agent.ts";
import type { HookEvent, HookInput, Hooks } from "../../contracts/hook.ts";

/** The events of a child agent, by the events of its loop. The other events belong to the session. */
const EVENTS: Partial<Readonly<Record<HookEvent, HookEvent>>> = {
  PreToolUse: "PreToolUse",
  PostToolUse: "PostToolUse",
  SessionStart: "SubagentStart",
  Stop: "SubagentStop",
};

type Child = Pick<AgentSource, "agentId" | "type"> & {
  /** The file with the agent's messages; empty when the session is not saved. */
  readonly transcriptPath: string;
};

/**
 * The hooks of a child agent: of its calls, its start and its end. Only an agent with a type has a start and an end
 * event.
 */
export function childHooks(hooks: Hooks, { agentId, type, transcriptPath }: Child): Hooks {
  const eventOf = (event: HookEvent): HookEvent | undefined => {
    const own = EVENTS[event];
    return own !== event && type === undefined ? undefined : own;
  };
  const subagent = { subagentId: agentId, subagentType: type ?? "" };
  const inputOf = (input: HookInput): HookInput => {
    if (input.event === "SessionStart") return { event: "SubagentStart", ...subagent };
    if (input.event !== "Stop") return input;
    const { isAgain, lastText } = input;
    return { event: "SubagentStop", isAgain, lastText, subagentTranscriptPath: transcriptPath, ...subagent };
  };
  return {
    wants: (event, toolName) => {
      const own = eventOf(event);
      return own !== undefined && hooks.wants(own, toolName);
    },
    run: (input, signal) => hooks.run(Object.assign({}, input, inputOf(input)), signal),
  };
}
