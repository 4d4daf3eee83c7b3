import type { AgentPool } from "../../services/agents/agent-pool.ts";
import type { AgentTypes } from "./agent-types.ts";

/** The types of agents of a session, and the pool in which all agents work. */
export type Delegation = { readonly types: AgentTypes; readonly pool: AgentPool };
