import type { CallToMatch } from "../../../contracts/permission.ts";
import type { Subject } from "../../../contracts/subject.ts";
import { realPathOrSelf } from "../../../platform/paths.ts";
import { lineOf } from "../judge/judgement.ts";
import { conditionRule } from "./condition-rule.ts";
import { tightensMatch } from "./match-rule.ts";
import type { RuleBook } from "./rule-book.ts";

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
