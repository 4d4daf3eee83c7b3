import { oneLine } from "@quoll/terminal-text/one-line";
import { plainText } from "@quoll/terminal-text/plain-text";
import type { McpServerState, McpServerStatus } from "../../contracts/mcp.ts";
import { MAX_DESCRIPTION_CHARS } from "./mcp-limits.ts";
import type { ClientSession } from "./session/client-session.ts";
import { cutText } from "./tools/sanitize-schema.ts";

/** How the last start or connection ended. `isLate`: it took too long. */
export type Outcome = {
  readonly status: McpServerStatus;
  readonly error: string | undefined;
  readonly isLate: boolean;
};

export type ServerFacts = Pick<McpServerState, "program" | "instructions">;

/** What a server says about itself, for the person and the model. */
export function serverFacts(session: ClientSession): ServerFacts {
  const program = programOf(session);
  const instructions = instructionsOf(session);
  return { ...(program && { program }), ...(instructions !== undefined && { instructions }) };
}

/** The name and version that a server gives itself. */
function programOf({ program }: ClientSession): McpServerState["program"] {
  if (!program) return undefined;
  const about = oneLine(program.description ?? program.title ?? "", 200);
  return { name: oneLine(program.name, 100), version: oneLine(program.version, 40), ...(about !== "" && { about }) };
}

/** The server's instructions for the model, cut. */
function instructionsOf({ instructions }: ClientSession): string | undefined {
  const text = plainText(instructions ?? "").trim();
  return text ? cutText(text, MAX_DESCRIPTION_CHARS) : undefined;
}
