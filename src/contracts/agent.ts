import type { SpendSource } from "./spend.ts";

/** The agent that caused an event, a log entry, a question or a charge. */
export type AgentSource = {
  readonly agentId: string;
  /** Null for the session's own agent. */
  readonly parentAgentId: string | null;
  /** The call that this agent answers; null for the session's own agent. */
  readonly parentToolUseId: string | null;
  /** The spend source of the agent's requests. */
  readonly spendSource: SpendSource;
  /** The name of a child agent for the person: its type and task. */
  readonly label?: string;
  /** The name of a child agent's definition: `Explore`. */
  readonly type?: string;
};

/** The agent that the person talks to. */
export const MAIN_AGENT: AgentSource = {
  agentId: "main",
  parentAgentId: null,
  parentToolUseId: null,
  spendSource: "main",
};
