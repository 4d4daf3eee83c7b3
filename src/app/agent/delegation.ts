import type { AgentDefinition } from "../../contracts/agent-definition.ts";
import type { AgentPool } from "../../services/agents/agent-pool.ts";
import type { AgentTypes } from "./agent-types.ts";

/** The types of agents of a session, and the pool in which all agents work. */
export type Delegation = {
  readonly types: AgentTypes;
  readonly pool: AgentPool;
  /** The definition that the main conversation works as. */
  readonly main: AgentDefinition | undefined;
};
