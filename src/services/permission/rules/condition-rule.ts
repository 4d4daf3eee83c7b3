import type { CallToMatch } from "../../../contracts/permission.ts";
import type { Subject } from "../../../contracts/subject.ts";
import { toolsCalled } from "../../../contracts/tool-aliases.ts";
import { realPathOrSelf } from "../../../platform/paths.ts";
import { lineOf } from "../judge/judgement.ts";
import { compileSpec } from "./compile-spec.ts";
import { unknownTool } from "./known-tools.ts";
import { tightensMatch } from "./match-rule.ts";
import type { RuleBook } from "./rule-book.ts";
import { RuleSyntaxError, splitRule } from "./rule-syntax.ts";

/** A rule that limits a hook to certain calls. */
export type ConditionRule = {
  /** The rule that is applied; undefined if the text is no rule, so that the hook is not limited. */
  readonly rule: string | undefined;
  /** The problem with the text, as one phrase; undefined if there is none. */
  readonly problem: string | undefined;
};

/** Faults of a pattern that depend on the project's folder are found when a call is matched. */
const ANYWHERE = { base: "/", roots: ["/"], home: "/", realPath: (path: string) => path };

/**
 * Reads the rule that limits a hook. A mistake must not keep a hook from its calls: a misspelt tool stands for the
 * most similar one, and the pattern of another agent's tool, which has another syntax, for every call of the tool.
 */
export function conditionRule(text: string): ConditionRule {
  try {
    const { tool, spec } = splitRule(text);
    const unknown = unknownTool(tool);
    if (!unknown) {
      compileSpec({ tool, specText: spec, decision: "deny" }, ANYWHERE);
      return { rule: text, problem: undefined };
    }
    const { nearest, isSlip } = unknown;
    if (nearest === undefined || !isSlip) return { rule: undefined, problem: `${tool} is not a tool` };
    const isOther = toolsCalled(tool).length > 0;
    const rule = isOther || spec === undefined ? nearest : `${nearest}(${spec})`;
    return { rule, problem: `${tool} is not a tool: Quoll takes it as ${rule}` };
  } catch (error) {
    if (!(error instanceof RuleSyntaxError)) throw error;
    return { rule: undefined, problem: error.message };
  }
}

/**
 * True if a hook's condition, written like a rule, matches a call. A condition that can't be read, and a command that
 * can't be understood, match: a hook runs rather too often than too rarely.
 */
export function matchesCondition(
  text: string,
  { toolName, call: { subjects, preview } }: CallToMatch,
  book: Pick<RuleBook, "readable">,
): boolean {
  if (subjects.some((subject) => subject.action === "execute" && !subject.understood)) return true;
  const { rule } = conditionRule(text);
  const rules = rule === undefined ? [] : book.readable(rule, "a hook", "deny");
  if (rules.length === 0) return true;
  const asked = subjects.length === 0 ? [undefined] : subjects.map(withRealPath);
  const line = lineOf(preview);
  return rules.some((one) => asked.some((subject) => tightensMatch(one, { toolName, subject, line })));
}

/** A call that could not be prepared names its path as it was given. */
function withRealPath(subject: Subject): Subject {
  if (subject.action !== "read" && subject.action !== "write") return subject;
  return { ...subject, path: realPathOrSelf(subject.path), given: subject.given ?? subject.path };
}
