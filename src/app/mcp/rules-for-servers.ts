import { oneLine } from "@quoll/terminal-text/one-line";
import type { Approvable } from "../../contracts/approval.ts";
import type { RuleSource } from "../../contracts/settings.ts";
import { namedFew } from "../../contracts/words.ts";
import { serverPart } from "../../services/mcp/tools/tool-names.ts";
import { shownEffects } from "../../services/trust/shown-effects.ts";

const MAX_NAMED = 10;
const MAX_RULE_COLUMNS = 100;
const NONE: ReadonlySet<string> = new Set();

/**
 * Adds a line to each server of a project whose tools the person's own rules allow: these rules name a server, and the
 * project may have chosen the name of a server that the person uses elsewhere.
 */
export function withOwnRules(servers: readonly Approvable[], rules: readonly RuleSource[]): readonly Approvable[] {
  const allowing = rules.filter(({ decision, layer }) => decision === "allow" && layer !== "project");
  return servers.map((server) => {
    const counting = [...new Set(allowing.map(({ rule }) => rule).filter((rule) => concerns(rule, server.name)))];
    if (counting.length === 0) return server;
    const shown = counting.map((rule) => oneLine(rule, MAX_RULE_COLUMNS));
    const listed = namedFew(shown, MAX_NAMED);
    const { lines } = shownEffects([`runs tools of ${server.name} without a question, by your own rules: ${listed}`]);
    return { ...server, lines: [...server.lines, ...lines] };
  });
}

/** True for `mcp__server`, `mcp__server__tool`, and families such as `mcp__*`. */
function concerns(rule: string, server: string): boolean {
  const [tool = ""] = rule.trim().split("(");
  const name = `mcp__${serverPart(server, NONE)}`;
  if (!tool.endsWith("*")) return tool === name || tool.startsWith(`${name}__`);
  const stem = tool.slice(0, -1);
  return stem.startsWith(`${name}__`) || `${name}__`.startsWith(stem);
}
