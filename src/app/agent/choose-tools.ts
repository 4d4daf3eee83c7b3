import { SEARCHING_TOOLS } from "../../contracts/call-target.ts";
import { nearestNames } from "../../contracts/did-you-mean.ts";
import { ConfigurationError } from "../../contracts/errors.ts";
import { BASIC_TOOLS } from "../../contracts/inventory.ts";
import type { SessionConfig } from "../../contracts/session-config.ts";
import type { Tool } from "../../contracts/tool.ts";
import { concerns } from "../../services/agents/choose-agent-tools.ts";
import type { PermissionService } from "../../services/permission/permission-deps.ts";

type ToolsRequest = {
  readonly config: Pick<SessionConfig, "tools" | "isBare" | "isSafe" | "skipsUnknownTools" | "answerer">;
  /** Tells the person one line. */
  warn(line: string): void;
};

/**
 * The tools that this session's model sees: the wanted tools, without those that a bare deny rule removes. Where nobody
 * answers, no call may switch plan mode on, because nobody could agree to a plan. The mode itself never changes the
 * list: a session that continues in another mode keeps its prompt cache.
 * @throws {ConfigurationError} (exit 2) the configuration names a tool that does not exist.
 */
export function chooseTools(
  request: ToolsRequest,
  tools: readonly Tool[],
  permissions: Pick<PermissionService, "hiddenTools">,
): readonly Tool[] {
  const wanted = wantedTools(request, tools);
  const hidden = permissions.hiddenTools(tools.map(({ spec }) => spec.name));
  // Tools of servers may be deferred, and are then called through the searching tools.
  const isSearching = (name: string) => SEARCHING_TOOLS.includes(name) && wanted?.some(isOfServer) === true;
  const isUseless = (name: string) => name === "EnterPlanMode" && request.config.answerer === "nobody";
  return tools.filter(
    ({ spec: { name } }) =>
      !hidden.has(name) && !isUseless(name) && ((wanted?.includes(name) ?? true) || isSearching(name)),
  );
}

/**
 * Also hides the tools of MCP servers that a list of tools does not name: `--tools Read,mcp__github` leaves the tools of
 * this server. A program that drives Quoll restricts only the built-in tools with its list, because it names its
 * servers itself.
 */
export function hidingUnwanted<Permissions extends Pick<PermissionService, "hiddenTools">>(
  permissions: Permissions,
  { tools, skipsUnknownTools }: ToolsRequest["config"],
): Pick<Permissions, "hiddenTools"> {
  if (tools === undefined || tools.includes("default") || skipsUnknownTools) return permissions;
  // The tools for resources belong to all servers.
  const isWanted = (name: string) => (isOfServer(name) ? concerns(tools, name) : tools.some(isOfServer));
  return {
    hiddenTools: (names) => new Set([...permissions.hiddenTools(names), ...names.filter((name) => !isWanted(name))]),
  };
}

function isOfServer(name: string): boolean {
  return name.startsWith("mcp__");
}

/**
 * The tools that the configuration names; undefined for all.
 * @throws {ConfigurationError} (exit 2) a tool does not exist; a program is warned instead.
 */
function wantedTools({ config, warn }: ToolsRequest, tools: readonly Tool[]): readonly string[] | undefined {
  const names = tools.map(({ spec }) => spec.name);
  const wanted = config.tools?.includes("default") ? undefined : config.tools;
  const unknown = (wanted ?? []).filter((name) => !names.includes(name) && !isOfServer(name));
  for (const name of unknown) {
    const [nearest] = nearestNames(name, names);
    const hint = nearest === undefined ? `there are ${names.join(", ")}.` : `did you mean ${nearest}?`;
    const problem = `There is no tool "${name}"; ${hint}`;
    if (!config.skipsUnknownTools) throw new ConfigurationError("tools", problem);
    warn(problem);
  }
  return wanted ?? (config.isBare && !config.isSafe ? BASIC_TOOLS : undefined);
}
