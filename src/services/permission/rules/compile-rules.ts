import { oneLine } from "@quoll/terminal-text/one-line";
import { UserFacingError } from "../../../contracts/errors.ts";
import type { RuleLayer, RuleSource } from "../../../contracts/settings.ts";
import { faultLines } from "../../../contracts/words.ts";
import { compileSpec } from "./compile-spec.ts";
import { describeUnknown, isToolHere, unknownTool } from "./known-tools.ts";
import type { PathContext } from "./path-pattern.ts";
import { FOLDER_CHANGE, type Rule, type RuleSpec } from "./rule.ts";
import { checkExamples } from "./rule-examples.ts";
import { RuleSyntaxError, splitRule } from "./rule-syntax.ts";
import { invisibleFault, lookAlikeFault, rootDoubt } from "./spec-faults.ts";
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
  /** True for an allow rule that nothing can match. */
  readonly isInvalid?: boolean;
};

export type CompiledRules = {
  readonly rules: readonly Rule[];
  readonly ignored: readonly IgnoredRule[];
  readonly warnings: readonly string[];
};

/** Layers that a repository's authors can write. */
const REPOSITORY_LAYERS: ReadonlySet<RuleLayer> = new Set(["project", "foreign"]);
/** Layers in which an allow rule for an unknown tool is only left out: those of a repository, and of skills and answers. */
const MAY_NAME_ANY: ReadonlySet<RuleLayer> = new Set([...REPOSITORY_LAYERS, "session"]);

/**
 * Compiles the rules of settings.
 * @throws {UserFacingError} (exit 2) a deny or ask rule is invalid (nothing can match it), an example of a rule fails,
 * or a rule names an unknown tool: skipping such a rule could allow what it meant to forbid. An invalid allow rule, and
 * an unknown tool in a repository's rule, is only a warning.
 */
export function compileRules(sources: readonly RuleSource[], context: RuleContext): CompiledRules {
  const rules: Rule[] = [];
  const ignored: IgnoredRule[] = [];
  const slips: string[] = [];
  const faults: UserFacingError[] = [];
  for (const source of sources) {
    const compiled = compileRule(source, context, (warning) => slips.push(warning));
    if (compiled instanceof UserFacingError) {
      faults.push(compiled);
      continue;
    }
    const { rule, fault } = compiled;
    const awaitsTrust = isUntrusted(rule, context);
    const why = fault ?? (awaitsTrust ? "the folder is not trusted (--trust)" : whyIgnored(rule, context));
    if (why === undefined) rules.push(rule);
    else if (fault !== undefined) ignored.push({ rule, why, awaitsTrust: false, isInvalid: true });
    else ignored.push({ rule, why, awaitsTrust });
  }
  const [first] = faults;
  if (first) throw new UserFacingError(faultLines(faults.map(({ message }) => message)), 2, { cause: first.cause });
  return { rules, ignored, warnings: [...slips, ...uselessLines(ignored)] };
}

/** More invalid rules of one file share a line: other agents also store whole command lines as rules. */
const MAX_LINES_OF_FILE = 3;

function uselessLines(ignored: readonly IgnoredRule[]): readonly string[] {
  const invalid = new Set(ignored.filter(({ isInvalid }) => isInvalid).map(({ rule }) => rule));
  const fileOf = ({ source }: Rule) => source.replace(/:\d+$/, "");
  const ofFile = Map.groupBy(invalid, fileOf);
  const isMany = (rule: Rule) => invalid.has(rule) && (ofFile.get(fileOf(rule))?.length ?? 0) > MAX_LINES_OF_FILE;
  const single = ignored
    .filter(({ rule }) => !isMany(rule))
    .map(({ rule, why }) => `${rule.source}: the rule ${oneLine(rule.text)} allows nothing: ${why}.`);
  const shared = [...ofFile]
    .filter(([, { length }]) => length > MAX_LINES_OF_FILE)
    .map(
      ([file, rules]) =>
        `${file}: ${rules.length} rules allow nothing, the first is ${oneLine(rules[0]?.text ?? "", 80)}; see quoll permissions list.`,
    );
  return [...single, ...shared];
}

type Compiled = {
  readonly rule: Rule;
  /** The reason why an allow rule is invalid. */
  readonly fault?: string;
};

/** @returns an error (exit 2) if a deny or ask rule is invalid, an example fails, or the tool is unknown. */
function compileRule(
  source: RuleSource,
  context: RuleContext,
  notify: (warning: string) => void,
): Compiled | UserFacingError {
  const { decision, layer } = source;
  const paths = { ...context, base: source.base };
  const shared = { decision, layer, text: source.rule.trim(), source: sourceName(source) };
  try {
    const spec = readSpec(source, paths, notify);
    const wide = decision === "allow" ? whyWide(spec.tool, spec.spec) : undefined;
    const rule: Rule = { ...shared, ...spec, wide };
    // An ignored allow rule would fail its examples, so they are not checked.
    if (decision !== "allow" || uselessAllow(rule) === undefined) checkExamples(rule, source, paths);
    return { rule };
  } catch (error) {
    if (!(error instanceof RuleSyntaxError)) throw error;
    if (decision === "allow" && error instanceof UnmatchableRuleError)
      return { rule: { ...shared, tool: error.tool, spec: { kind: "opaque" }, wide: undefined }, fault: error.message };
    const line = `${sourceName(source)}: the ${source.decision} rule ${JSON.stringify(source.rule)} is invalid: ${error.message}.`;
    return new UserFacingError(line, 2, { cause: error });
  }
}

/** A rule that nothing can match: as an allow rule it is left out with a warning, any other stops the start. */
class UnmatchableRuleError extends RuleSyntaxError {
  constructor(
    readonly tool: string,
    { message }: RuleSyntaxError,
  ) {
    super(message);
  }
}

function readSpec(source: RuleSource, context: PathContext, notify: (warning: string) => void) {
  const written = splitOrUnmatchable(source.rule);
  const tool = knownTool(written.tool, source, notify);
  try {
    const spec = compileSpec({ tool, specText: written.spec, decision: source.decision }, context);
    const doubt = doubtAbout({ tool, spec, specText: written.spec }, source);
    if (doubt !== undefined)
      notify(`${sourceName(source)}: the ${source.decision} rule ${oneLine(source.rule)}: ${doubt}.`);
    return { tool, spec };
  } catch (error) {
    throw error instanceof RuleSyntaxError ? new UnmatchableRuleError(tool, error) : error;
  }
}

type WrittenSpec = { readonly tool: string; readonly spec: RuleSpec; readonly specText: string | undefined };

/** A rule that takes effect, but perhaps another one than its author expects. */
function doubtAbout({ tool, spec, specText = "" }: WrittenSpec, source: RuleSource): string | undefined {
  if (spec.kind === "path") return rootDoubt(specText, source);
  if (spec.kind !== "opaque" || source.decision === "allow" || !isToolHere(tool)) return undefined;
  return `it covers every call of ${tool}, which does not support the text in its brackets`;
}

function splitOrUnmatchable(text: string) {
  const fault = invisibleFault(text) ?? lookAlikeFault(text);
  try {
    if (fault !== undefined) throw new RuleSyntaxError(fault);
    return splitRule(text);
  } catch (error) {
    throw error instanceof RuleSyntaxError ? new UnmatchableRuleError("", error) : error;
  }
}

/**
 * The tool that a rule applies to. A repository's deny or ask rule with a misspelled tool name applies to the most
 * similar tool.
 * @throws {RuleSyntaxError} the person's own file names an unknown tool.
 */
function knownTool(written: string, source: RuleSource, notify: (warning: string) => void): string {
  const unknown = unknownTool(written);
  if (unknown === undefined) return written;
  const { nearest, isSlip } = unknown;
  const problem = describeUnknown(unknown);
  // An allow rule is never applied to a guessed tool: it is listed among the ignored rules.
  if (source.decision === "allow" && MAY_NAME_ANY.has(source.layer)) return written;
  if (!REPOSITORY_LAYERS.has(source.layer)) throw new RuleSyntaxError(problem);
  const standIn = isSlip ? nearest : undefined;
  const effect = standIn === undefined ? "it is ignored" : `it is applied to ${standIn}`;
  notify(`${sourceName(source)}: the ${source.decision} rule ${oneLine(source.rule)}: ${problem}; ${effect}.`);
  return standIn ?? written;
}

function sourceName({ file, line }: RuleSource): string {
  return line === undefined ? file : `${file}:${line}`;
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
  const unknown = unknownTool(rule.tool);
  return unknown ? describeUnknown(unknown) : uselessAllow(rule);
}

function uselessAllow({ tool, spec }: Pick<Rule, "tool" | "spec">): string | undefined {
  if (spec.kind === "opaque") return "this tool does not support the text in its brackets";
  if (spec.kind !== "path" || tool === "Read" || tool === "Edit" || tool === FOLDER_CHANGE) return undefined;
  return `only ${spec.action === "read" ? "Read(…)" : "Edit(…)"} rules can allow paths`;
}
