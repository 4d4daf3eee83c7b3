import { UserFacingError } from "../../contracts/errors.ts";
import type { Decision } from "../../contracts/permission.ts";
import type { RuleLayer, RuleSource } from "../../contracts/settings.ts";
import { parseCommandPattern } from "./command-pattern.ts";
import { parseNamePattern } from "./name-pattern.ts";
import { oneLine } from "./one-line.ts";
import { type PathContext, parsePathPattern } from "./path-pattern.ts";
import { FOLDER_CHANGE, NAMING_TOOLS, READ_TOOLS, type Rule, type RuleSpec, WRITE_TOOLS } from "./rule.ts";
import { checkExamples } from "./rule-examples.ts";
import { RuleSyntaxError, splitRule } from "./rule-syntax.ts";
import { type UnknownTool, unknownTool } from "./tool-names.ts";
import { whyWide } from "./wide-rules.ts";

export type RuleContext = Omit<PathContext, "base"> & {
  /** Whether the person has said that this folder is theirs: only then may a project's files allow anything. */
  readonly isTrusted?: boolean;
  /** Whether only the managed file may allow anything. */
  readonly managedRulesOnly?: boolean;
};

/** A rule that counts for nothing. */
export type IgnoredRule = {
  readonly rule: Rule;
  /** One phrase: why. */
  readonly why: string;
  /** True when trust in the folder would make it count. */
  readonly awaitsTrust: boolean;
};

export type CompiledRules = {
  readonly rules: readonly Rule[];
  readonly ignored: readonly IgnoredRule[];
  readonly warnings: readonly string[];
};

/** Layers that anyone who can write to the repository can write to. */
const REPOSITORY_LAYERS: ReadonlySet<RuleLayer> = new Set(["project", "foreign"]);

/**
 * Makes rules out of what the settings say.
 * @throws {UserFacingError} (exit 2) a rule is broken, an example of it doesn't hold, or it names no tool: to leave it out could
 * loosen what somebody wanted to forbid. A repository's rule that names no tool is a warning.
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
      const line = `${sourceName(source)}: the ${source.decision} rule ${JSON.stringify(source.rule)} is broken: ${error.message}.`;
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
  // What can't allow anything can't match its examples either.
  if (decision !== "allow" || uselessAllow(rule) === undefined) checkExamples(rule, source, paths);
  return rule;
}

/**
 * The tool that a rule concerns. A repository's rule that denies or asks counts for the tool that it surely means.
 * @throws {RuleSyntaxError} no tool has this name, in a file of the person's own.
 */
function knownTool(written: string, source: RuleSource, warn: (warning: string) => void): string {
  // A session's own rules name the tools of its calls, whatever they are called.
  const unknown = source.layer === "session" ? undefined : unknownTool(written);
  if (unknown === undefined) return written;
  const { nearest, isSlip } = unknown;
  const problem = describeUnknown(unknown);
  if (!REPOSITORY_LAYERS.has(source.layer)) throw new RuleSyntaxError(problem);
  // One that allows is not stretched to a guess, and is named among those that count for nothing.
  if (source.decision === "allow") return written;
  const standIn = isSlip ? nearest : undefined;
  const effect = standIn === undefined ? "it counts for nothing" : `it counts for ${standIn}`;
  warn(`${sourceName(source)}: the ${source.decision} rule ${oneLine(source.rule)}: ${problem}; ${effect}.`);
  return standIn ?? written;
}

function describeUnknown({ nearest }: UnknownTool): string {
  return nearest === undefined ? "it names no tool" : `it names no tool (did you mean ${nearest}?)`;
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
    // Whoever forbids writing a file means it for Edit too; a search that may not look somewhere is another matter.
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

/** Why an allow rule can't be honoured; undefined when it can. */
function whyIgnored(rule: Rule, { managedRulesOnly }: RuleContext): string | undefined {
  if (rule.decision !== "allow") return undefined;
  if (managedRulesOnly && rule.layer !== "managed") {
    return "managed policy lets only its own rules allow (allowManagedPermissionRulesOnly)";
  }
  const unknown = rule.layer === "session" ? undefined : unknownTool(rule.tool);
  return unknown ? describeUnknown(unknown) : uselessAllow(rule);
}

function uselessAllow({ tool, spec }: Pick<Rule, "tool" | "spec">): string | undefined {
  if (spec.kind === "opaque") return "what stands in its brackets is not known for this tool";
  if (spec.kind !== "path" || tool === "Read" || tool === "Edit" || tool === FOLDER_CHANGE) return undefined;
  return `paths are allowed by ${spec.action === "read" ? "Read(…)" : "Edit(…)"} rules alone`;
}
