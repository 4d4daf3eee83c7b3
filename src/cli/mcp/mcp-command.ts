import { revealedLine } from "@quoll/terminal-text/one-line";
import { findServers } from "../../app/mcp/find-servers.ts";
import { probeServers } from "../../app/mcp/probe-servers.ts";
import { nearestName } from "../../contracts/did-you-mean.ts";
import { UserFacingError } from "../../contracts/errors.ts";
import type { EditableScope } from "../../contracts/mcp.ts";
import { printProblem } from "../../platform/host.ts";
import { printLine } from "../../platform/standard-output.ts";
import { MCP_LIMITS } from "../../services/mcp/mcp-limits.ts";
import { projectHere } from "../project-here.ts";
import { abortAtSignal } from "../signals.ts";
import { addServer, removeServer } from "./edit-servers.ts";
import { isProgramMissing } from "./missing-program.ts";
import { checkEntry, type EntryOptions, entryOf, entryOfJson } from "./server-entry.ts";
import { listLines, serverJson, serverLines } from "./show-servers.ts";

const MAX_NAME_COLUMNS = 60;
const COMPLETED_NAME = /^[\w.-]+$/;
const NEVER = new AbortController().signal;

/** The project of a command: the current folder if absent. */
export type FolderOptions = { readonly cwd?: string };
export type ScopeOptions = FolderOptions & { readonly scope: EditableScope };
export type ListOptions = FolderOptions & {
  readonly json?: true;
  /** True to print only the names: no server is started. */
  readonly names?: true;
  readonly trust?: true;
  readonly mcpConfig?: readonly string[];
  readonly strictMcpConfig?: true;
  /** Seconds. */
  readonly timeout?: number;
};

/** `quoll mcp add`. @param words An address, or a program and its arguments. */
export async function addWords(name: string, words: readonly string[], options: ScopeOptions & EntryOptions) {
  return add(name, entryOf(words, options), options);
}

/** `quoll mcp add-json`. */
export async function addJson(name: string, json: string, options: ScopeOptions): Promise<number> {
  return add(name, entryOfJson(json), options);
}

/** `quoll mcp remove`. */
export async function remove(
  name: string,
  { scope, ...options }: FolderOptions & { readonly scope?: EditableScope },
): Promise<number> {
  printLine(await removeServer({ name, scope }, await projectHere(options)));
  return 0;
}

async function add(name: string, entry: ReturnType<typeof entryOf>, options: ScopeOptions): Promise<number> {
  for (const warning of checkEntry(name, entry)) printProblem(warning);
  const environment = await projectHere(options);
  const { command } = entry;
  if (
    typeof command === "string" &&
    !command.includes("${") &&
    isProgramMissing(command, environment.env["PATH"] ?? "")
  )
    printProblem(
      `the program "${revealedLine(command, MAX_NAME_COLUMNS)}" was not found: the server starts once it is installed.`,
    );
  for (const line of await addServer({ name, entry, scope: options.scope }, environment)) printLine(line);
  return 0;
}

/** `quoll mcp list`. */
export async function list(options: ListOptions, version: string): Promise<number> {
  if (options.names) {
    for (const name of await serverNames(options)) printLine(name);
    return 0;
  }
  const found = await probe(options, version);
  for (const warning of found.warnings) printProblem(warning);
  if (options.json)
    printLine(JSON.stringify({ servers: found.servers.map(serverJson), leftOut: found.leftOut }, null, 2));
  else for (const line of listLines(found)) printLine(line);
  return 0;
}

/**
 * The names of all servers here, started or not. A shell expands the names that it completes, so other names are left
 * out.
 */
async function serverNames(options: ListOptions): Promise<readonly string[]> {
  const { servers, leftOut } = await findServers(wishesOf(options), await projectHere(options), NEVER);
  const names = [...servers, ...leftOut].map(({ name }) => name).filter((name) => COMPLETED_NAME.test(name));
  return [...new Set(names)].sort();
}

function wishesOf({ mcpConfig: configs = [], strictMcpConfig }: ListOptions) {
  return { mcp: { configs, inProcess: [], ...(strictMcpConfig && { isStrict: true as const }) } };
}

/** `quoll mcp get`: exits with 1 if the server is not connected. */
export async function get(name: string, options: ListOptions, version: string): Promise<number> {
  const found = await probe(options, version, name);
  const [server] = found.servers;
  if (!server) {
    const left = found.leftOut.find((one) => one.name === name);
    const shown = revealedLine(name, MAX_NAME_COLUMNS);
    if (left) throw new UserFacingError(`The MCP server ${shown} (scope ${left.scope}) was not started: ${left.why}.`);
    const nearest = nearestName(name, found.names);
    throw new UserFacingError(
      `There is no MCP server ${shown}${nearest === undefined ? ": `quoll mcp list` lists them." : `: did you mean ${revealedLine(nearest, MAX_NAME_COLUMNS)}?`}`,
    );
  }
  if (options.json) printLine(JSON.stringify(serverJson(server), null, 2));
  else for (const line of serverLines(server)) printLine(line);
  return server.state.status === "connected" ? 0 : 1;
}

async function probe(options: ListOptions, version: string, only?: string) {
  const limitMs = options.timeout === undefined ? MCP_LIMITS.startMs : options.timeout * 1_000;
  using signals = abortAtSignal(new UserFacingError("Interrupted.", 1));
  return await probeServers({
    // The servers are listed with their state, so no line about their approval is needed.
    environment: await projectHere(options),
    config: wishesOf(options),
    ...(only !== undefined && { only }),
    limitMs,
    version,
    signal: signals.signal,
  });
}
