import { resolve } from "node:path";
import { errorMessage, UserFacingError } from "../../contracts/errors.ts";
import type { JsonObject } from "../../contracts/message.ts";
import type { SessionConfig } from "../../contracts/session-config.ts";
import { agentsByName } from "../../faces/headless/agents.ts";
import { loadFile } from "../../platform/files/load-file.ts";
import { host } from "../../platform/host.ts";
import type { SessionOptions } from "../invocation.ts";

const EXAMPLE = '{"type":"object","properties":{…}}';

const MAX_TEXT_BYTES = 1024 * 1024;
const SCHEMA = "--json-schema";

/** Options of the command line that hold a text, or the name of a file with the text. */
export type SessionTexts = Pick<SessionConfig, "systemPrompt" | "outputSchema" | "agents">;

/**
 * Reads `--system-prompt`, `--append-system-prompt` and their `-file` forms, `--json-schema` and `--agents`.
 * @throws {UserFacingError} (exit 2) a file cannot be read, or a value has the wrong form.
 */
export async function sessionTexts(options: SessionOptions): Promise<SessionTexts> {
  const read = reader(options);
  const replace = await read("--system-prompt", options.systemPrompt, options.systemPromptFile);
  const append = await read("--append-system-prompt", options.appendSystemPrompt, options.appendSystemPromptFile);
  const isGiven = replace !== undefined || append !== undefined;
  const systemPrompt = { ...(replace !== undefined && { replace }), ...(append !== undefined && { append }) };
  const outputSchema = await schemaOf(options, read);
  const agents = options.agents === undefined ? undefined : await agentsOf(options.agents);
  return { ...(isGiven && { systemPrompt }), ...(outputSchema && { outputSchema }), ...(agents && { agents }) };
}

type Read = (option: string, text: string | undefined, file: string | undefined) => Promise<string | undefined>;

function reader({ cwd = "." }: SessionOptions): Read {
  return async (option, text, file) => {
    if (text !== undefined && file !== undefined)
      throw new UserFacingError(`Give either ${option} or ${option}-file, not both.`, 2);
    const given = file === undefined ? text : await readText(resolve(host().cwd, cwd, file), fileOption(option));
    // Models reject an empty text.
    return given === undefined || given.trim() === "" ? undefined : given.trim();
  };
}

async function schemaOf({ jsonSchema }: SessionOptions, read: Read) {
  if (jsonSchema === undefined) return undefined;
  const file = jsonSchema.startsWith("@") ? jsonSchema.slice(1) : undefined;
  const text = await read(SCHEMA, file === undefined ? jsonSchema : undefined, file);
  return { schema: parseSchema(text ?? "", SCHEMA), source: SCHEMA };
}

async function agentsOf(text: string): Promise<Readonly<Record<string, JsonObject>>> {
  const value = parseJson(text, "--agents");
  const { readAgents } = await import("../../faces/headless/read-agents.ts");
  try {
    return agentsByName(readAgents(value));
  } catch (error) {
    throw new UserFacingError(`--agents: ${errorMessage(error)}.`, 2, { cause: error });
  }
}

/** There is no separate option for a schema file. */
function fileOption(option: string): string {
  return option === SCHEMA ? option : `${option}-file`;
}

async function readText(path: string, option: string): Promise<string> {
  try {
    const { bytes } = await loadFile(path, MAX_TEXT_BYTES, new AbortController().signal);
    // The decoder removes a byte order mark.
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) throw new UserFacingError(`${option}: ${path} is not UTF-8 text.`, 2);
    throw new UserFacingError(`${option}: ${errorMessage(error)}`, 2, { cause: error });
  }
}

/** The options of the command line about MCP servers. */
export function mcpOf({ mcpConfig: configs = [], strictMcpConfig }: SessionOptions) {
  return { mcp: { configs, inProcess: [], ...(strictMcpConfig && { isStrict: true as const }) } };
}

/** @throws {UserFacingError} (exit 2) the text is not JSON, or not an object. */
function parseSchema(text: string, source: string): JsonObject {
  const value = parseJson(text, source);
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new UserFacingError(`${source}: expected a JSON schema, such as ${EXAMPLE}.`, 2);
  return { ...value };
}

/** @throws {UserFacingError} (exit 2) the text is not JSON. */
function parseJson(text: string, source: string): unknown {
  if (text.trim() === "") throw new UserFacingError(`${source} is empty: expected JSON.`, 2);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UserFacingError(`${source} is not JSON: ${errorMessage(error)}.`, 2, { cause: error });
  }
}
