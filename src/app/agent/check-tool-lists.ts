import type { AgentDefinition } from "../../contracts/agent-definition.ts";
import { UserFacingError } from "../../contracts/errors.ts";
import { namedFew } from "../../contracts/words.ts";
import { compileRules } from "../../services/permission/rules/compile-rules.ts";
import { isToolHere, unknownTool } from "../../services/permission/rules/known-tools.ts";

/** `mcp__github__*`: a list may name a family of tools, which a rule may not. */
const FAMILY = /^[\w-]*\*$/;
const TOOL = /^[A-Za-z][\w-]*$/;
/** The maximum number of entries that a phrase names. */
const MAX_NAMED = 5;

type ProjectFolders = {
  readonly project: { readonly root: string };
  readonly own: { readonly home: string };
};

/**
 * The reason why an entry of `disallowedTools` forbids nothing, without the agent's name; undefined if each forbids
 * something. An agent with such an entry must not start: it could do what its author forbade.
 */
export function disallowedFault(agent: AgentDefinition, { project, own }: ProjectFolders): string | undefined {
  const entries = agent.disallowedTools.filter((entry) => !FAMILY.test(entry));
  const rule = { decision: "deny", layer: "user", file: agent.name, base: project.root } as const;
  try {
    compileRules(
      entries.map((entry) => ({ ...rule, rule: entry })),
      { roots: [project.root], home: own.home, realPath: (path) => path, isTrusted: true },
    );
    return undefined;
  } catch (error) {
    if (error instanceof UserFacingError) return error.message.replace(`${rule.file}: `, "").replace(/\.$/, "");
    throw error;
  }
}

/**
 * The agent without the entries of `tools` that give it nothing: names of other programs' tools, and rules such as
 * `Agent(worker)`, because without their limits they would give more than the author meant.
 * @returns `leftOut`: one phrase that names these entries, except for well-known tools of other agents; undefined if
 * there are none.
 */
export function withKnownTools(agent: AgentDefinition): {
  readonly agent: AgentDefinition;
  readonly leftOut: string | undefined;
} {
  const missing = agent.tools?.filter((name) => !(FAMILY.test(name) || (TOOL.test(name) && isToolHere(name)))) ?? [];
  if (missing.length === 0) return { agent, leftOut: undefined };
  const odd = missing.filter((name) => !TOOL.test(name) || unknownTool(name));
  return {
    agent: { ...agent, tools: agent.tools?.filter((name) => !missing.includes(name)) ?? [] },
    leftOut: odd.length === 0 ? undefined : `\`tools\`: Quoll does not have ${namedFew(odd.map(withHint), MAX_NAMED)}`,
  };
}

function withHint(name: string): string {
  const unknown = unknownTool(name);
  return unknown?.isSlip ? `${name} (did you mean ${unknown.nearest}?)` : name;
}
