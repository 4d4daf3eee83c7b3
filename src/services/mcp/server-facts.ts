import { oneLine } from "@quoll/terminal-text/one-line";
import { plainText } from "@quoll/terminal-text/plain-text";
import type { McpServerState } from "../../contracts/mcp.ts";
import { MAX_DESCRIPTION_CHARS } from "./mcp-limits.ts";
import type { ClientSession } from "./session/client-session.ts";
import { cutText } from "./tools/sanitize-schema.ts";

/** The name and version that a server gives itself. */
export function programOf({ program }: ClientSession): McpServerState["program"] {
  if (!program) return undefined;
  const about = oneLine(program.description ?? program.title ?? "", 200);
  return { name: oneLine(program.name, 100), version: oneLine(program.version, 40), ...(about !== "" && { about }) };
}

/** The server's instructions for the model, cut. */
export function instructionsOf({ instructions }: ClientSession): string | undefined {
  const text = plainText(instructions ?? "").trim();
  return text ? cutText(text, MAX_DESCRIPTION_CHARS) : undefined;
}
