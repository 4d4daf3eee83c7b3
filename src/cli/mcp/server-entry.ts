import { UserFacingError } from "../../contracts/errors.ts";
import type { JsonObject } from "../../contracts/message.ts";
import { isJsonObject } from "../../contracts/message.ts";
import { checkServerEntry } from "../../services/mcp/config/parse-config.ts";

/** The options of `quoll mcp add` that are about the server itself. */
export type EntryOptions = {
  readonly transport?: "stdio" | "http" | "sse";
  readonly env?: readonly string[];
  readonly header?: readonly string[];
};

const NAME = /^[A-Za-z0-9_-]{1,60}$/;
const NO_WEB_SOCKETS =
  "Quoll has no web sockets for MCP servers: add the http or sse address of the server, or a program that connects to it.";
const ADDRESS = /^https?:\/\//;

/**
 * The entry that `quoll mcp add` writes.
 * @throws {UserFacingError} (exit 2) the words and options do not make a server.
 */
export function entryOf(words: readonly string[], { transport, env, header }: EntryOptions): JsonObject {
  const [first = "", ...rest] = words;
  if (first.startsWith("-"))
    throw new UserFacingError(`Unknown option '${first.split("=")[0]}': write -- before a command with options.`, 2);
  if (/^wss?:/i.test(first)) throw new UserFacingError(NO_WEB_SOCKETS, 2);
  if ((transport ?? (ADDRESS.test(first) ? "http" : "stdio")) === "stdio") {
    if (header) throw new UserFacingError("--header needs an address: a program gets its variables with --env.", 2);
    return { command: first, args: rest, ...(env && { env: Object.fromEntries(env.map(variable)) }) };
  }
  if (env) throw new UserFacingError("--env is for programs: a remote server gets its key with --header.", 2);
  if (rest.length > 0)
    throw new UserFacingError(`A remote server has one address and no arguments: ${JSON.stringify(rest[0])}.`, 2);
  return {
    type: transport ?? "http",
    url: first,
    ...(header && { headers: Object.fromEntries(header.map(headerOf)) }),
  };
}

/** @throws {UserFacingError} (exit 2) the text is not the entry of a server. */
export function entryOfJson(json: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw new UserFacingError(
      'The entry is not JSON. Example: {"command": "npx", "args": ["-y", "issues-server"]}',
      2,
      {
        cause: error,
      },
    );
  }
  if (!isJsonObject(value)) throw new UserFacingError("The entry must be a JSON object.", 2);
  if (isJsonObject(value["mcpServers"]))
    throw new UserFacingError('Give the entry of one server, without "mcpServers" around it.', 2);
  return value;
}

/**
 * Checks a name and an entry before they are written. Variables may be unset here.
 * @returns warnings, one line each.
 * @throws {UserFacingError} (exit 2) the name or the entry is invalid for a server.
 */
export function checkEntry(name: string, entry: JsonObject): readonly string[] {
  if (!NAME.test(name))
    throw new UserFacingError("The name of a server has letters, digits, _ and -, and at most 60 of them.", 2);
  if (entry["type"] === "ws") throw new UserFacingError(NO_WEB_SOCKETS, 2);
  const { problem, warnings } = checkServerEntry(name, entry);
  if (problem !== undefined) throw new UserFacingError(`${problem}.`, 2);
  return warnings;
}

function variable(text: string): readonly [string, string] {
  const at = text.indexOf("=");
  const name = text.slice(0, Math.max(at, 0));
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
    throw new UserFacingError("--env takes NAME=value, such as ISSUES_HOST=issues.example.com.", 2);
  return [name, text.slice(at + 1)];
}

function headerOf(text: string): readonly [string, string] {
  const [, name, value = ""] = /^([A-Za-z0-9!#$%&'*+.^_`|~-]+):\s*(.*)$/s.exec(text) ?? [];
  if (name === undefined)
    throw new UserFacingError("--header takes a name and a value, such as `Authorization: Bearer …`.", 2);
  return [name, value];
}
