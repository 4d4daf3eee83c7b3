import type { AgentDefinition } from "../../contracts/agent-definition.ts";
import { UserFacingError } from "../../contracts/errors.ts";
import { compileRules } from "../../services/permission/rules/compile-rules.ts";
import { unknownTool } from "../../services/permission/rules/tool-names.ts";

/** `mcp__github__*`: a list may name a family of tools, which a rule may not. */
const FAMILY = /^[\w-]*\*$/;

type Place = {
  readonly project: { readonly root: string };
  readonly own: { readonly home: string };
};

/**
 * The reason why an entry of `disallowedTools` forbids nothing; undefined if each forbids something. An agent with such
 * an entry must not start: it could do what its author forbade.
 */
export function disallowedFault(agent: AgentDefinition, { project, own }: Place): string | undefined {
  const entries = agent.disallowedTools.filter((entry) => !FAMILY.test(entry));
  const rule = { decision: "deny", layer: "user", file: `the agent ${agent.name}`, base: project.root } as const;
  try {
    compileRules(
      entries.map((entry) => ({ ...rule, rule: entry })),
      { roots: [project.root], home: own.home, realPath: (path) => path, isTrusted: true },
    );
    return undefined;
  } catch (error) {
    if (error instanceof UserFacingError) return error.message.replace(/\.$/, "");
    throw error;
  }
}

/** One phrase for each name in `tools` that is not the name of a tool. */
export function unknownTools({ tools = [] }: AgentDefinition): readonly string[] {
  return tools.flatMap((name) => {
    const unknown = FAMILY.test(name) ? undefined : unknownTool(name);
    if (!unknown) return [];
    return [
      `\`tools\`: ${name} is not a tool${unknown.nearest === undefined ? "" : ` (did you mean ${unknown.nearest}?)`}`,
    ];
  });
}
