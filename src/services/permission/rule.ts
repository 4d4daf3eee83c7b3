import { UserFacingError } from "../../contracts/errors.ts";
import type { Decision } from "../../contracts/permission.ts";
import type { RuleSource } from "../../contracts/settings.ts";
import type { Subject } from "../../contracts/subject.ts";
import { type CommandPattern, parseCommandPattern } from "./command-pattern.ts";
import { type PathContext, type PathPattern, parsePathPattern } from "./path-pattern.ts";
import { RuleSyntaxError, splitRule } from "./rule-syntax.ts";

/** What a rule says about the calls of its tool. */
export type RuleSpec =
  /** A bare tool name. */
  | { readonly kind: "any" }
  | { readonly kind: "command"; readonly pattern: CommandPattern }
  | {
      readonly kind: "path";
      readonly action: "read" | "write";
      readonly pattern: PathPattern;
      /** Set when it concerns the calls of this tool alone. */
      readonly onlyTool?: string;
    }
  | { readonly kind: "domain"; readonly host: string }
  /** Something that only a tool we don't have could judge. */
  | { readonly kind: "opaque" };

export type Rule = {
  readonly decision: Decision;
  readonly text: string;
  readonly tool: string;
  readonly spec: RuleSpec;
  /** For people: `path:line`, a flag, `this session`. */
  readonly source: string;
};

export type RuleContext = Omit<PathContext, "base">;

export type CompiledRules = { readonly rules: readonly Rule[]; readonly warnings: readonly string[] };

/** Tools whose path rules are written as Read rules. */
export const READ_TOOLS: ReadonlySet<string> = new Set(["Read", "Grep", "Glob"]);
/** Tools whose path rules are written as Edit rules. */
export const WRITE_TOOLS: ReadonlySet<string> = new Set(["Edit", "Write"]);

/**
 * Makes rules out of what the settings say.
 * @throws {UserFacingError} (exit 2) a rule is broken: to leave it out could loosen what somebody wanted to forbid.
 */
export function compileRules(sources: readonly RuleSource[], context: RuleContext): CompiledRules {
  const rules: Rule[] = [];
  const warnings: string[] = [];
  for (const source of sources) {
    const where = sourceName(source);
    try {
      const { tool, spec: specText } = splitRule(source.rule);
      const spec = compileSpec({ tool, specText, decision: source.decision }, { ...context, base: source.base });
      const useless = source.decision === "allow" ? uselessAllow(tool, spec) : undefined;
      if (useless === undefined)
        rules.push({ decision: source.decision, text: source.rule.trim(), tool, spec, source: where });
      else warnings.push(`${where}: the rule ${source.rule} allows nothing: ${useless}.`);
    } catch (error) {
      if (!(error instanceof RuleSyntaxError)) throw error;
      const line = `${where}: the ${source.decision} rule ${JSON.stringify(source.rule)} is broken: ${error.message}.`;
      throw new UserFacingError(line, 2, { cause: error });
    }
  }
  return { rules, warnings };
}

function sourceName({ file, line }: RuleSource): string {
  return line === undefined ? file : `${file}:${line}`;
}

type SpecText = { readonly tool: string; readonly specText: string | undefined; readonly decision: Decision };

function compileSpec({ tool, specText, decision }: SpecText, context: PathContext): RuleSpec {
  if (specText === undefined) return { kind: "any" };
  const tightens = decision !== "allow";
  if (tool === "Bash") {
    const pattern = parseCommandPattern(specText);
    return pattern.isEverything ? { kind: "any" } : { kind: "command", pattern };
  }
  if (READ_TOOLS.has(tool) || WRITE_TOOLS.has(tool)) {
    const action = READ_TOOLS.has(tool) ? "read" : "write";
    const pattern = parsePathPattern(specText, context, tightens);
    // Whoever forbids writing a file means it for Edit too; a search that may not look somewhere is another matter.
    const isNarrow = tool === "Grep" || tool === "Glob";
    return { kind: "path", action, pattern, ...(isNarrow && { onlyTool: tool }) };
  }
  const domain = /^domain:(.+)$/.exec(specText.trim())?.[1];
  if (tool === "WebFetch" && domain !== undefined) return { kind: "domain", host: domain.trim().toLowerCase() };
  return { kind: "opaque" };
}

/** Why an allow rule can't be honoured; undefined when it can. */
function uselessAllow(tool: string, spec: RuleSpec): string | undefined {
  if (spec.kind === "opaque") return "what stands in its brackets is not known for this tool";
  if (spec.kind !== "path" || tool === "Read" || tool === "Edit") return undefined;
  return `paths are allowed by ${spec.action === "read" ? "Read(…)" : "Edit(…)"} rules alone`;
}

/** One thing to judge: a subject of the call, or `undefined` for the call itself. */
export type Asked = { readonly toolName: string; readonly subject: Subject | undefined };

/** Whether a rule names this tool: its own name, a family (`mcp__server__*`), or a whole server (`mcp__server`). */
export function namesTool(rule: Pick<Rule, "tool">, toolName: string): boolean {
  if (rule.tool === toolName) return true;
  if (!rule.tool.startsWith("mcp__")) return false;
  if (rule.tool.endsWith("*")) return toolName.startsWith(rule.tool.slice(0, -1));
  return rule.tool.split("__").length === 2 && toolName.startsWith(`${rule.tool}__`);
}

/** `example.com` means that host, `*.example.com` every host below it. */
export function matchesHost(pattern: string, host: string): boolean {
  const name = host.toLowerCase().replace(/\.$/, "");
  return pattern.startsWith("*.") ? name.endsWith(pattern.slice(1)) : name === pattern || pattern === "*";
}
