import { basename } from "node:path";
import { formatCount } from "@quoll/terminal-text/format-amount";
import { oneLine, revealedLine } from "@quoll/terminal-text/one-line";
import { plural } from "@quoll/terminal-text/plural";
import { tableLines } from "@quoll/terminal-text/table-lines";
import { padText } from "@quoll/terminal-text/truncate-text";
import type { Probe, ProbedServer } from "../../app/mcp/probe-servers.ts";
import { shownAddress } from "../../contracts/shown-address.ts";
import type { McpServerConfig } from "../../services/mcp/config/server-config.ts";

const MAX_COMMAND_COLUMNS = 1_000;
const MAX_NAME_COLUMNS = 60;
const DOWNLOADERS: ReadonlySet<string> = new Set(["npx", "uvx", "bunx", "pnpx", "docker", "podman"]);
const NONE =
  "There are no MCP servers here. `quoll mcp add <name> -- <command>` or `quoll mcp add <name> <url>` adds a server.";

/** A line for each server: its scope, its state, its tools and the tokens they take. */
export function listLines({ servers, leftOut }: Probe): readonly string[] {
  if (servers.length + leftOut.length === 0) return [NONE];
  const shown = (name: string) => revealedLine(name, MAX_NAME_COLUMNS);
  const row = (name: string, scope: string, text: string) => [shown(name), padText(scope, "managed".length), text];
  return tableLines([
    ...servers.map((server) => row(server.state.name, server.state.scope, stateText(server))),
    ...leftOut.map(({ name, scope, why }) => row(name, scope, `not started: ${why}`)),
  ]);
}

/** Everything about one server. Values of variables and headers are not shown, because they may be secrets. */
export function serverLines(server: ProbedServer): readonly string[] {
  const { config, state, tools } = server;
  const program = state.program && `${state.program.name} ${state.program.version}`;
  const names = Math.max(0, ...tools.map(({ name }) => name.length));
  const width = names - state.toolPrefix.length;
  return [
    `${revealedLine(state.name, MAX_NAME_COLUMNS)} (scope ${state.scope})`,
    `  ${stateText(server)}`,
    `  ${targetText(config)}`,
    ...(program === undefined ? [] : [`  program: ${program}`]),
    ...state.notes.map((note) => `  note: ${note}`),
    ...tools.map(
      ({ name, summary, tokens }) =>
        `  ${padText(name.slice(state.toolPrefix.length), width)}  ${formatCount(tokens).padStart(6)} tokens  ${summary}`,
    ),
  ];
}

/** The data of `--json`. */
export function serverJson({ config, state, tools }: ProbedServer) {
  const { name, scope, kind, status, error, program } = state;
  return {
    name,
    scope,
    kind,
    status,
    ...(error !== undefined && { error }),
    ...(program && { program }),
    target: targetText(config),
    tokens: tokensOf(tools),
    tools: tools.map((tool) => ({ ...tool, name: tool.name.slice(state.toolPrefix.length) })),
  };
}

function stateText({ config, state, tools }: ProbedServer): string {
  if (state.status !== "connected")
    return [state.status, state.error, downloadHint(config, state.isLate)]
      .filter((part) => part !== undefined)
      .join(": ");
  return `connected: ${plural(tools.length, "tool")}, ${formatCount(tokensOf(tools))} tokens`;
}

/** The first start of such a program includes a download. */
function downloadHint(config: McpServerConfig, isLate = false): string | undefined {
  if (!isLate || config.kind !== "stdio" || !DOWNLOADERS.has(basename(config.command))) return undefined;
  return "it may still be downloading: --timeout 60 waits longer";
}

function tokensOf(tools: ProbedServer["tools"]): number {
  return tools.reduce((sum, { tokens }) => sum + tokens, 0);
}

/** Variables in it are shown by their names. */
function targetText(config: McpServerConfig): string {
  if (config.kind === "stdio") {
    const variables = Object.keys(config.env).map((name) => revealedLine(name, MAX_NAME_COLUMNS));
    const command = oneLine(config.written ?? [config.command, ...config.args].join(" "), MAX_COMMAND_COLUMNS);
    return variables.length > 0 ? `${command} (with ${variables.join(", ")})` : command;
  }
  if (config.kind !== "http" && config.kind !== "sse") return config.kind;
  return `${config.kind} ${shownAddress(config.url)}`;
}
