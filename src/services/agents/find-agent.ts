import { AGENT_LIST_TAG, type AgentDefinition } from "../../contracts/agent-definition.ts";
import { didYouMean } from "../../contracts/did-you-mean.ts";
import { ToolFailedError } from "../../contracts/errors.ts";
import { AGENT_ALIASES } from "./builtin-agents.ts";

const MAX_ENTRY_CHARS = 250;
const INTRODUCTION = "More types for the tool Agent. They may come from the project's files.";

/**
 * The definition with a name: the exact name, the name in other letters, or an alias. A name that is only similar is
 * never accepted.
 * @throws {ToolFailedError} no definition has the name.
 */
export function findAgent(definitions: readonly AgentDefinition[], wanted: string): AgentDefinition {
  const name = wanted.trim();
  const folded = name.toLowerCase();
  const found =
    definitions.find((one) => one.name === name) ??
    definitions.find((one) => one.name.toLowerCase() === folded) ??
    definitions.find((one) => one.name === AGENT_ALIASES[folded]);
  if (found) return found;
  const names = definitions.map((one) => one.name);
  const hint = didYouMean(name, names, `Types: ${names.join(", ")}.`);
  throw new ToolFailedError(`There is no agent type "${name}". ${hint}`);
}

/** The first definition of each name. */
export function firstByName(definitions: readonly AgentDefinition[]): ReadonlyMap<string, AgentDefinition> {
  const byName = new Map<string, AgentDefinition>();
  for (const one of definitions) if (!byName.has(one.name)) byName.set(one.name, one);
  return byName;
}

/** The list of definitions for the first message; only names if there is no room for descriptions. */
export function agentList(definitions: readonly AgentDefinition[], maxChars: number): string {
  if (definitions.length === 0) return "";
  const lines = definitions.map(({ name, description }) => `- ${name}: ${description}`.slice(0, MAX_ENTRY_CHARS));
  const isLong = lines.join("\n").length > maxChars;
  const shown = isLong ? definitions.map(({ name }) => `- ${name}`) : lines;
  while (shown.length > 1 && shown.join("\n").length > maxChars) shown.pop();
  return [`<${AGENT_LIST_TAG}>`, INTRODUCTION, ...shown, `</${AGENT_LIST_TAG}>`].join("\n");
}
