import { join, resolve } from "node:path";
import type { AgentParts } from "./agent-parts.ts";

const FOLDER_VARIABLE = "QUOLL_AGENT_STORE";

type Parts = Pick<AgentParts, "config" | "place" | "conversation" | "artifacts">;

/** The folder for the records of a session's agents: absolute. Where nothing is saved, it ends with the session. */
export function agentFolder({ config, place, conversation, artifacts }: Parts): string {
  if (!config.isSaved) return join(artifacts.path, "agents");
  return join(agentStore(place), conversation.log.sessionId);
}

/** The folder for the records of a project's agents. */
export function agentStore({ env, own, project }: AgentParts["place"]): string {
  const given = env[FOLDER_VARIABLE];
  return given ? resolve(given) : join(own.data, "agents", project.id);
}
