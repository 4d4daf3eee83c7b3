import type { McpElicitation, McpElicitationReply } from "../../contracts/mcp.ts";
import type { SessionConfig } from "../../contracts/session-config.ts";
import { openBrowser } from "../../platform/open-browser.ts";
import type { PermissionBroker } from "../../services/permission/question/broker.ts";
import type { ProjectEnvironment } from "../session/project-environment.ts";

export type PersonElicitParts = {
  readonly config: Pick<SessionConfig, "answerer">;
  readonly broker: PermissionBroker;
  readonly place: Pick<ProjectEnvironment, "machine" | "env">;
};

/**
 * Asks the person at the terminal on behalf of a server; undefined without a terminal. The code is loaded at the first
 * question.
 */
export function personElicit({ config, broker, place }: PersonElicitParts) {
  if (config.answerer !== "person") return undefined;
  const openPage = (url: string) => openBrowser(url, { os: place.machine.os, env: place.env });
  return async (request: McpElicitation, signal: AbortSignal): Promise<McpElicitationReply> => {
    const { elicitPerson } = await import("../../services/mcp/elicitation/elicit-person.ts");
    return elicitPerson({ asker: broker.asker(true), openPage })(request, signal);
  };
}
