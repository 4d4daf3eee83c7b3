import { oneLine } from "@quoll/terminal-text/one-line";
import { AGENT_MEMORY_SCOPES, type AgentDefinition, type AgentOrigin } from "../../contracts/agent-definition.ts";
import { isJsonObject, type JsonObject } from "../../contracts/message.ts";
import { PERMISSION_MODES, type PermissionMode } from "../../contracts/permission-mode.ts";
import { EFFORTS, type Effort } from "../../contracts/provider.ts";
import { FORMER_NAMES } from "../../contracts/tool-aliases.ts";

const NAME = /^[A-Za-z0-9][\w.-]{0,63}$/;
const MAX_DESCRIPTION_CHARS = 1_536;
const MAX_TURNS = 1_000;
const ISOLATION = "worktree";

/** Other spellings of a field whose loss would give the agent more tools than its author meant. */
const DISALLOWED = ["disallowedTools", "disallowed-tools", "disallowed_tools"];

const KNOWN = new Set(
  "name description tools disallowedTools disallowed-tools disallowed_tools model permissionMode maxTurns effort background color prompt skills mcpServers hooks memory initialPrompt isolation".split(
    " ",
  ),
);
/** Fields that could give a plugin's agent more powers than the person approved. */
const NOT_IN_PLUGINS = ["hooks", "mcpServers"];

/** The place that a definition comes from. */
export type AgentFile = {
  readonly origin: AgentOrigin;
  readonly plugin?: string;
  /** Absolute; empty for a definition of the command line. */
  readonly file: string;
  /** The name for a definition that gives none. */
  readonly name: string;
};

export type ReadAgent = {
  /** Absent if the definition can't be used. */
  readonly agent?: AgentDefinition;
  /** One phrase for each problem, without the file. */
  readonly problems: readonly string[];
};

type Values = Readonly<Record<string, unknown>>;

/** Reads the fields of a definition. @param prompt The text below the frontmatter. */
export function readAgent(from: AgentFile, values: Values, prompt: string): ReadAgent {
  const problems: string[] = [];
  const name = typeof values["name"] === "string" && values["name"] !== "" ? values["name"] : from.name;
  const description = textOf(values["description"]);
  if (!NAME.test(name)) return unusable(`\`name\` ${JSON.stringify(name)}: letters, digits, - _ . only`);
  if (description === "") return unusable("`description` is missing");
  if (prompt.trim() === "") return unusable("it has no text below its fields");
  const unknown = Object.keys(values).filter((key) => !KNOWN.has(key));
  if (unknown.length > 0) problems.push(`unknown: ${unknown.slice(0, 5).join(", ")}`);
  const { origin, plugin, file } = from;
  const limits = limitsOf(values, (problem) => problems.push(problem));
  if (limits === undefined) return unusable(problems.at(-1) ?? "");
  const own = plugin === undefined ? values : withoutPowers(values, (problem) => problems.push(problem));
  const equipment = equipmentOf(own, (problem) => problems.push(problem));
  if (equipment === undefined) return unusable(problems.at(-1) ?? "");
  // A list of tools is also for the session's tools; the servers of the definition are meant for this agent.
  const ofServers = Object.keys(equipment.ownServers ?? {}).map((server) => `mcp__${server}`);
  const agent: AgentDefinition = {
    name: plugin === undefined ? name : `${plugin}:${name}`,
    origin,
    file,
    ...(plugin !== undefined && { plugin }),
    description: oneLine(description, MAX_DESCRIPTION_CHARS),
    prompt: prompt.trim(),
    ...limits,
    ...(limits.tools && { tools: [...limits.tools, ...ofServers] }),
    ...equipment,
  };
  return { agent, problems };
}

/** The fields without those that have no effect in a plugin. */
function withoutPowers(values: Values, problem: (text: string) => void): Values {
  const left = NOT_IN_PLUGINS.filter((key) => isSet(values[key]));
  for (const key of left) problem(`\`${key}\` has no effect in an agent of a plugin`);
  return Object.fromEntries(Object.entries(values).filter(([key]) => !left.includes(key)));
}

type Equipment = Pick<AgentDefinition, "skills" | "servers" | "ownServers" | "hooks" | "memory" | "initialPrompt">;

/**
 * Reads the skills, hooks and servers that an agent starts with. Hooks can enforce restrictions, so an agent whose
 * hooks can't be read is unusable.
 */
function equipmentOf(values: Values, problem: (text: string) => void): Equipment | undefined {
  const { hooks, initialPrompt } = values;
  const skills = listOf(values["skills"]);
  const { names: servers, own: ownServers } = serversOf(values["mcpServers"]);
  if (isSet(hooks) && !isJsonObject(hooks)) return void problem("`hooks`: expected hooks below the names of events");
  if (skills === "odd") problem("`skills`: expected names of skills");
  if (isSet(initialPrompt) && typeof initialPrompt !== "string") problem("`initialPrompt`: expected a text");
  const memory = AGENT_MEMORY_SCOPES.find((scope) => scope === values["memory"]);
  if (isSet(values["memory"]) && !memory) problem(`\`memory\`: expected one of ${AGENT_MEMORY_SCOPES.join(", ")}`);
  const tools = listOf(values["tools"]);
  if (memory && Array.isArray(tools) && !tools.some((tool) => tool === "Write" || tool === "*"))
    problem("`memory`: without Write among its `tools`, the agent reads its notes and writes none");
  return {
    ...(memory && { memory }),
    ...(Array.isArray(skills) && skills.length > 0 && { skills }),
    ...(servers.length > 0 && { servers }),
    ...(Object.keys(ownServers).length > 0 && { ownServers }),
    ...(isJsonObject(hooks) && Object.keys(hooks).length > 0 && { hooks }),
    ...(textOf(initialPrompt) !== "" && { initialPrompt: textOf(initialPrompt) }),
  };
}

type Limits = Pick<AgentDefinition, "tools" | "disallowedTools" | "permissionMode" | "maxTurns"> &
  Pick<AgentDefinition, "model" | "effort" | "isBackground" | "isIsolated">;

/** A limit that can't be read makes the definition unusable, because without the limit the agent could do more. */
function limitsOf(values: Values, problem: (text: string) => void): Limits | undefined {
  const tools = toolsOf(values["tools"]);
  const disallowed = toolsOf(DISALLOWED.map((name) => values[name]).find(isSet));
  const mode = values["permissionMode"];
  const maxTurns = isSet(values["maxTurns"]) ? Number(values["maxTurns"]) : undefined;
  if (tools === "odd") return void problem("`tools`: expected names of tools");
  if (disallowed === "odd") return void problem("`disallowedTools`: expected names of tools");
  if (isSet(mode) && !isMode(mode))
    return void problem(`\`permissionMode\` ${String(mode)}: expected one of ${PERMISSION_MODES.join(", ")}`);
  if (maxTurns !== undefined && !(Number.isInteger(maxTurns) && maxTurns >= 1 && maxTurns <= MAX_TURNS))
    return void problem(`\`maxTurns\`: expected a number from 1 to ${MAX_TURNS}`);
  const { effort, model, isolation } = values;
  if (isSet(isolation) && isolation !== ISOLATION)
    return void problem(`\`isolation\` ${String(isolation)}: expected ${ISOLATION}`);
  if (isSet(effort) && !isEffort(effort))
    problem(`\`effort\` ${String(effort)}: expected one of ${EFFORTS.join(", ")}`);
  return {
    ...(tools && !tools.includes("*") && { tools }),
    disallowedTools: disallowed ?? [],
    ...(typeof model === "string" && model !== "" && model !== "inherit" && { model }),
    ...(isEffort(effort) && { effort }),
    ...(isMode(mode) && { permissionMode: mode }),
    ...(maxTurns !== undefined && { maxTurns }),
    ...(isSet(values["background"]) && { isBackground: true as const }),
    ...(isSet(isolation) && { isIsolated: true as const }),
  };
}

function unusable(problem: string): ReadAgent {
  return { problems: [`${problem}; the agent is not used`] };
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "" && value !== false && value !== "false";
}

function isMode(value: unknown): value is PermissionMode {
  return PERMISSION_MODES.some((mode) => mode === value);
}

function isEffort(value: unknown): value is Effort {
  return EFFORTS.some((effort) => effort === value);
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value.trim() : "";
}

/** A list of tools or rules; a former name of a tool stands for its present one. */
function toolsOf(value: unknown): ReturnType<typeof listOf> {
  const list = listOf(value);
  return Array.isArray(list) ? list.map((name) => FORMER_NAMES.get(name) ?? name) : list;
}

type Servers = { readonly names: readonly string[]; readonly own: JsonObject };

/** Splits servers into the names of configured servers, and the servers that the definition itself describes. */
function serversOf(value: unknown): Servers {
  const given = isJsonObject(value) ? [value] : Array.isArray(value) ? value : listOf(value);
  const entries: readonly unknown[] = Array.isArray(given) ? given : [];
  return {
    names: entries.flatMap((entry) => (typeof entry === "string" && entry.trim() !== "" ? [entry.trim()] : [])),
    own: Object.fromEntries(entries.filter(isJsonObject).flatMap((entry) => Object.entries(entry))),
  };
}

/** A list, or a text with commas between the parts; commas in brackets belong to a rule. */
function listOf(value: unknown): readonly string[] | "odd" | undefined {
  if (value === undefined || value === null) return undefined;
  if (Array.isArray(value))
    return value.every((one) => typeof one === "string") ? value.map((one) => one.trim()) : "odd";
  if (typeof value !== "string") return "odd";
  const parts = value.split(/,(?![^(]*\))/).map((part) => part.trim());
  return parts.filter((part) => part !== "");
}
