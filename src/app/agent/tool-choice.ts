import type { AgentDefinition } from "../../contracts/agent-definition.ts";
import { SEARCHING_TOOLS } from "../../contracts/call-target.ts";
import { nearestName } from "../../contracts/did-you-mean.ts";
import { ConfigurationError } from "../../contracts/errors.ts";
import { BASIC_TOOLS } from "../../contracts/inventory.ts";
import type { SessionConfig } from "../../contracts/session-config.ts";
import type { Tool } from "../../contracts/tool.ts";
import { concerns, mayHaveTool } from "../../services/agents/choose-agent-tools.ts";
import type { PermissionService } from "../../services/permission/permission-deps.ts";

/** The events at which a hook can answer a question of the model. */
const ANSWERING_EVENTS: ReadonlySet<string> = new Set(["PreToolUse", "PermissionRequest"]);

type Choosing = {
  readonly config: Pick<SessionConfig, "tools" | "isBare" | "isSafe" | "skipsUnknownTools" | "answerer">;
  /** The definition that the main conversation works as. */
  readonly mainAgent?: AgentDefinition | undefined;
  readonly permissions: Pick<PermissionService, "hiddenTools">;
  /** The hooks that run from the start: some can answer questions. */
  readonly hooks: readonly { readonly event: string }[];
  /** Tells the person one line. */
  notify(line: string): void;
};

/**
 * Decides which tools the model of the main agent gets. Three sources hide a tool: a bare deny rule, the agent
 * definition that the conversation works as, and the configuration's list of tools. `choose` is for the tools that
 * exist when the agent opens, and reports names in the list that none of these tools has; `hiddenTools` is for the
 * tools of MCP servers, which come later.
 */
export class ToolChoice {
  readonly #choosing: Choosing;

  constructor(choosing: Choosing) {
    this.#choosing = choosing;
  }

  /**
   * The tools of Quoll and of extensions that the model gets. Where nobody answers, no call may ask the person or switch
   * plan mode on, because nobody could agree to a plan. The mode itself never changes the list: a session that continues
   * in another mode keeps its prompt cache.
   * @throws {ConfigurationError} (exit 2) the configuration names a tool that does not exist.
   */
  choose(tools: readonly Tool[]): readonly Tool[] {
    const wanted = wantedTools(this.#choosing, tools);
    const hidden = this.#hiddenByRules(tools.map(({ spec }) => spec.name));
    // Tools of servers may be deferred, and are then called through the searching tools.
    const isSearching = (name: string) => SEARCHING_TOOLS.includes(name) && wanted?.some(isOfServer) === true;
    return tools.filter(
      ({ spec: { name } }) =>
        !hidden.has(name) && !this.#isUseless(name) && ((wanted?.includes(name) ?? true) || isSearching(name)),
    );
  }

  #isUseless(name: string): boolean {
    const { config, hooks } = this.#choosing;
    if (config.answerer !== "nobody") return false;
    if (name === "AskUserQuestion") return !hooks.some(({ event }) => ANSWERING_EVENTS.has(event));
    return name === "EnterPlanMode";
  }

  /**
   * The hidden names among the tools of MCP servers and the tools for their resources. `--tools Read,mcp__github`
   * leaves the tools of this server. A program that drives Quoll restricts only the built-in tools with its list,
   * because it names its servers itself.
   */
  hiddenTools(names: readonly string[]): ReadonlySet<string> {
    const { tools, skipsUnknownTools } = this.#choosing.config;
    const hidden = this.#hiddenByRules(names);
    if (tools === undefined || tools.includes("default") || skipsUnknownTools) return hidden;
    // The tools for resources belong to all servers.
    const isWanted = (name: string) => (isOfServer(name) ? concerns(tools, name) : tools.some(isOfServer));
    return new Set([...hidden, ...names.filter((name) => !isWanted(name))]);
  }

  #hiddenByRules(names: readonly string[]): ReadonlySet<string> {
    const { permissions, mainAgent } = this.#choosing;
    const hidden = permissions.hiddenTools(names);
    if (!mainAgent) return hidden;
    return new Set([...hidden, ...names.filter((name) => !isAllowed(mainAgent, name))]);
  }
}

/** Tools of servers may be deferred, and are then called through the searching tools. */
function isAllowed(agent: AgentDefinition, name: string): boolean {
  return mayHaveTool(agent, name) || (SEARCHING_TOOLS.includes(name) && agent.tools?.some(isOfServer) === true);
}

function isOfServer(name: string): boolean {
  return name.startsWith("mcp__");
}

/**
 * The tools that the configuration names; undefined for all.
 * @throws {ConfigurationError} (exit 2) a tool does not exist; a program is warned instead.
 */
function wantedTools({ config, notify }: Choosing, tools: readonly Tool[]): readonly string[] | undefined {
  const names = tools.map(({ spec }) => spec.name);
  const wanted = config.tools?.includes("default") ? undefined : config.tools;
  const unknown = (wanted ?? []).filter((name) => !names.includes(name) && !isOfServer(name));
  for (const name of unknown) {
    const nearest = nearestName(name, names);
    const hint = nearest === undefined ? `there are ${names.join(", ")}.` : `did you mean ${nearest}?`;
    const problem = `There is no tool "${name}"; ${hint}`;
    if (!config.skipsUnknownTools) throw new ConfigurationError("tools", problem);
    notify(problem);
  }
  return wanted ?? (config.isBare && !config.isSafe ? BASIC_TOOLS : undefined);
}
