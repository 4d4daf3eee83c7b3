import { oneLine } from "@quoll/terminal-text/one-line";
import { z } from "zod";
import { isJsonObject, type JsonObject } from "../../contracts/message.ts";

/** Names of plugins and marketplaces; a name becomes a part of commands and of folders. */
export const PLUGIN_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** The parts of a plugin that a manifest, or an entry of a marketplace, can name. */
export const COMPONENT_KEYS = [
  "commands",
  "agents",
  "skills",
  "hooks",
  "mcpServers",
  "lspServers",
  "outputStyles",
] as const;

const component = z.unknown().optional();
/** Other fields, such as `author`, `homepage`, `license` and `keywords`, have no effect. */
export const manifestSchema = z.looseObject({
  name: z.string().regex(PLUGIN_NAME).optional(),
  version: z.string().optional().catch(undefined),
  description: z.string().optional().catch(undefined),
  commands: component,
  agents: component,
  skills: component,
  hooks: component,
  mcpServers: component,
  lspServers: component,
  outputStyles: component,
});
export type Manifest = z.infer<typeof manifestSchema>;

/** Parses a text as JSON. @throws {Error} one phrase: it is no JSON object. */
export function parseObject(text: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    throw new Error(`it is not JSON (${oneLine(error instanceof Error ? error.message : String(error), 200)})`);
  }
  if (!isJsonObject(value)) throw new Error("it is not a JSON object");
  return value;
}
