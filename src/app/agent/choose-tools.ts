import { nearestNames } from "../../contracts/did-you-mean.ts";
import { ConfigurationError } from "../../contracts/errors.ts";
import { BASIC_TOOLS } from "../../contracts/inventory.ts";
import type { SessionConfig } from "../../contracts/session-config.ts";
import type { Tool } from "../../contracts/tool.ts";
import type { PermissionService } from "../../services/permission/permission-deps.ts";

type ToolsRequest = {
  readonly config: Pick<SessionConfig, "tools" | "isBare" | "skipsUnknownTools" | "answerer">;
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
  const isUseless = (name: string) => name === "EnterPlanMode" && request.config.answerer === "nobody";
  return tools.filter(
    ({ spec: { name } }) => !hidden.has(name) && !isUseless(name) && (wanted?.includes(name) ?? true),
  );
}

/**
 * The tools that the configuration names; undefined for all.
 * @throws {ConfigurationError} (exit 2) a tool does not exist; a program is warned instead.
 */
function wantedTools({ config, warn }: ToolsRequest, tools: readonly Tool[]): readonly string[] | undefined {
  const names = tools.map(({ spec }) => spec.name);
  const wanted = config.tools?.includes("default") ? undefined : config.tools;
  const unknown = (wanted ?? []).filter((name) => !names.includes(name));
  for (const name of unknown) {
    const [nearest] = nearestNames(name, names);
    const hint = nearest === undefined ? `there are ${names.join(", ")}.` : `did you mean ${nearest}?`;
    const problem = `There is no tool "${name}"; ${hint}`;
    if (!config.skipsUnknownTools) throw new ConfigurationError("tools", problem);
    warn(problem);
  }
  return wanted ?? (config.isBare ? BASIC_TOOLS : undefined);
}
