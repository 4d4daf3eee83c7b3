import { oneLine } from "@quoll/terminal-text/one-line";
import { UserFacingError } from "../../../contracts/errors.ts";
import type { Decision } from "../../../contracts/permission.ts";
import type { RuleLayer, RuleSource } from "../../../contracts/settings.ts";
import { parseCommandPattern } from "./command-pattern.ts";
import { parseNamePattern } from "./name-pattern.ts";
import { type PathContext, parsePathPattern } from "./path-pattern.ts";
import { FOLDER_CHANGE, NAMING_TOOLS, READ_TOOLS, type Rule, type RuleSpec, WRITE_TOOLS } from "./rule.ts";
import { checkExamples } from "./rule-examples.ts";
import { RuleSyntaxError, splitRule } from "./rule-syntax.ts";
import { type UnknownTool, unknownTool } from "./tool-names.ts";
import { whyWide } from "./wide-rules.ts";

export type RuleContext = Omit<PathContext, "base"> & {
  /** True if the person trusts this folder: only then may its files allow anything. */
  readonly isTrusted?: boolean;
  /** True if only the managed file may allow anything. */
  readonly managedRulesOnly?: boolean;
};

/** A rule that is ignored. */
export type IgnoredRule = {
  readonly rule: Rule;
  /** The reason why the rule is ignored, as one phrase. */
  readonly why: string;
  /** True if the rule would take effect in a trusted folder. */
  readonly awaitsTrust: boolean;
};

export type CompiledRules = {
  readonly rules: readonly Rule[];
  readonly ignored: readonly IgnoredRule[];
  readonly warnings: readonly string[];
};

/** Layers that a repository's authors can write. */
const REPOSITORY_LAYERS: ReadonlySet<RuleLayer> = new Set(["project", "foreign"]);

/**
 * Compiles the rules of settings.
 * @throws {UserFacingError} (exit 2) a rule is invalid, one of its examples fails, or it names an unknown tool:
 * skipping such a rule could allow what it meant to forbid. An unknown tool in a repository's rule is only a warning.
 */
export function compileRules(sources: readonly RuleSource[], context: RuleContext): CompiledRules {
  const rules: Rule[] = [];
  const ignored: IgnoredRule[] = [];
  const slips: string[] = [];
  for (const source of sources) {
    try {
      const rule = compileRule(source, context, (warning) => slips.push(warning));
      const awaitsTrust = isUntrusted(rule, context);
      const why = awaitsTrust ? "the folder is not trusted (--trust)" : whyIgnored(rule, context);
      if (why === undefined) rules.push(rule);
      else ignored.push({ rule, why, awaitsTrust });
    } catch (error) {
      if (!(error instanceof RuleSyntaxError)) throw error;
      const line = `${sourceName(source)}: the ${source.decision} rule ${JSON.stringify(source.rule)} is invalid: ${error.message}.`;
      throw new UserFacingError(line, 2, { cause: error });
    }
  }
  const useless = ignored.map(({ rule, why }) => `${rule.source}: the rule ${rule.text} allows nothing: ${why}.`);
  return { rules, ignored, warnings: [...slips, ...useless] };
}

function compileRule(source: RuleSource, context: RuleContext, warn: (warning: string) => void): Rule {
  const { decision, layer } = source;
  const written = splitRule(source.rule);
  const tool = knownTool(written.tool, source, warn);
  const specText = written.spec;
  const paths = { ...context, base: source.base };
  const spec = compileSpec({ tool, specText, decision }, paths);
  const text = source.rule.trim();
  const wide = decision === "allow" ? whyWide(tool, spec) : undefined;
  const rule: Rule = { decision, text, tool, spec, source: sourceName(source), layer, wide };
  // An ignored allow rule would fail its examples, so they are not checked.
  if (decision !== "allow" || uselessAllow(rule) === undefined) checkExamples(rule, source, paths);
  return rule;
}

/**
 * The tool that a rule applies to. A repository's deny or ask rule with a misspelled tool name applies to the most
 * similar tool.
 * @throws {RuleSyntaxError} the person's own file names an unknown tool.
 */
function knownTool(written: string, source: RuleSource, warn: (warning: string) => void): string {
  // Session rules come from real calls, so any tool name is accepted.
  const unknown = source.layer === "session" ? undefined : unknownTool(written);
  if (unknown === undefined) return written;
  const { nearest, isSlip } = unknown;
  const problem = describeUnknown(unknown);
  if (!REPOSITORY_LAYERS.has(source.layer)) throw new RuleSyntaxError(problem);
  // An allow rule is never applied to a guessed tool: it is listed among the ignored rules.
  if (source.decision === "allow") return written;
  const standIn = isSlip ? nearest : undefined;
  const effect = standIn === undefined ? "it is ignored" : `it is applied to ${standIn}`;
  warn(`${sourceName(source)}: the ${source.decision} rule ${oneLine(source.rule)}: ${problem}; ${effect}.`);
  return standIn ?? written;
}

function describeUnknown({ nearest }: UnknownTool): string {
  return nearest === undefined ? "it names no tool" : `it names an unknown tool (did you mean ${nearest}?)`;
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
  if (tool === FOLDER_CHANGE) {
    return {
      kind: "path",
      action: "read",
      pattern: parsePathPattern(specText, context, tightens),
      onlyFolderChange: true,
    };
  }
  if (READ_TOOLS.has(tool) || WRITE_TOOLS.has(tool)) {
    const action = READ_TOOLS.has(tool) ? "read" : "write";
    const pattern = parsePathPattern(specText, context, tightens);
    // A deny rule for Write also denies Edit; a deny rule for a search tool covers only that tool.
    const isNarrow = tool === "Grep" || tool === "Glob";
    return { kind: "path", action, pattern, ...(isNarrow && { onlyTool: tool }) };
  }
  if (NAMING_TOOLS.has(tool)) return { kind: "name", pattern: parseNamePattern(specText) };
  const domain = /^domain:(.+)$/.exec(specText.trim())?.[1];
  if (tool === "WebFetch" && domain !== undefined) return { kind: "domain", host: domain.trim().toLowerCase() };
  return { kind: "opaque" };
}

function isUntrusted({ decision, layer }: Rule, { isTrusted }: RuleContext): boolean {
  return decision === "allow" && REPOSITORY_LAYERS.has(layer) && isTrusted !== true;
}

/** The reason why an allow rule is ignored; undefined if it takes effect. */
function whyIgnored(rule: Rule, { managedRulesOnly }: RuleContext): string | undefined {
  if (rule.decision !== "allow") return undefined;
  if (managedRulesOnly && rule.layer !== "managed") {
    return "managed policy accepts only its own allow rules (allowManagedPermissionRulesOnly)";
  }
  const unknown = rule.layer === "session" ? undefined : unknownTool(rule.tool);
  return unknown ? describeUnknown(unknown) : uselessAllow(rule);
}

function uselessAllow({ tool, spec }: Pick<Rule, "tool" | "spec">): string | undefined {
  if (spec.kind === "opaque") return "this tool does not support the text in its brackets";
  if (spec.kind !== "path" || tool === "Read" || tool === "Edit" || tool === FOLDER_CHANGE) return undefined;
  return `only ${spec.action === "read" ? "Read(…)" : "Edit(…)"} rules can allow paths`;
}
