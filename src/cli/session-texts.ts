import { resolve } from "node:path";
import { errorMessage, UserFacingError } from "../contracts/errors.ts";
import { type ListedAgent, readAgents } from "../faces/headless/agents.ts";
import { loadFile } from "../platform/files/load-file.ts";
import { host } from "../platform/host.ts";
import { outputShape, parseJson, parseSchema } from "./output-shape.ts";
import type { SessionOptions } from "./program.ts";
import type { WireRequest } from "./wire.ts";

const MAX_TEXT_BYTES = 1024 * 1024;
const SCHEMA = "--json-schema";

/** What the command line brings as text or as the name of a file that holds it. */
export type SessionTexts = Pick<WireRequest, "systemPrompt" | "shape"> & { readonly agents: readonly ListedAgent[] };

/**
 * Reads `--system-prompt`, `--append-system-prompt` and their `-file` forms, `--json-schema` and `--agents`.
 * @throws {UserFacingError} (exit 2) a file can't be read, or what is given is not formed as it must be.
 */
export async function sessionTexts(options: SessionOptions): Promise<SessionTexts> {
  const read = reader(options);
  const instead = await read("--system-prompt", options.systemPrompt, options.systemPromptFile);
  const behind = await read("--append-system-prompt", options.appendSystemPrompt, options.appendSystemPromptFile);
  const isGiven = instead !== undefined || behind !== undefined;
  const systemPrompt = { ...(instead !== undefined && { instead }), ...(behind !== undefined && { behind }) };
  const shape = await shapeOf(options, read);
  const agents = options.agents === undefined ? [] : agentsOf(options.agents);
  return { ...(isGiven && { systemPrompt }), ...(shape && { shape }), agents };
}

type Read = (option: string, text: string | undefined, file: string | undefined) => Promise<string | undefined>;

function reader({ cwd = "." }: SessionOptions): Read {
  return async (option, text, file) => {
    if (text !== undefined && file !== undefined)
      throw new UserFacingError(`${option} and ${option}-file say the same: give one of them.`, 2);
    const given = file === undefined ? text : await readText(resolve(host().cwd, cwd, file), fileOption(option));
    // Models refuse an empty text.
    return given === undefined || given.trim() === "" ? undefined : given.trim();
  };
}

async function shapeOf({ jsonSchema }: SessionOptions, read: Read) {
  if (jsonSchema === undefined) return undefined;
  const file = jsonSchema.startsWith("@") ? jsonSchema.slice(1) : undefined;
  const text = await read(SCHEMA, file === undefined ? jsonSchema : undefined, file);
  return outputShape(parseSchema(text ?? "", SCHEMA), SCHEMA);
}

function agentsOf(text: string): readonly ListedAgent[] {
  const value = parseJson(text, "--agents");
  try {
    return readAgents(value);
  } catch (error) {
    throw new UserFacingError(`--agents: ${errorMessage(error)}.`, 2, { cause: error });
  }
}

/** A schema from a file has no option of its own. */
function fileOption(option: string): string {
  return option === SCHEMA ? option : `${option}-file`;
}

async function readText(path: string, option: string): Promise<string> {
  try {
    const { bytes } = await loadFile(path, MAX_TEXT_BYTES, new AbortController().signal);
    // The decoder takes a byte order mark away by itself.
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) throw new UserFacingError(`${option}: ${path} is no text in UTF-8.`, 2);
    throw new UserFacingError(`${option}: ${errorMessage(error)}`, 2, { cause: error });
  }
}

/** What the command line says of servers; nothing where it names none. */
export function mcpOf({ mcpConfig: configs = [] }: SessionOptions): Pick<WireRequest, "mcp"> {
  return configs.length === 0 ? {} : { mcp: { configs, inProcess: [] } };
}
