import type { Decision } from "../../contracts/permission.ts";
import type { Subject } from "../../contracts/subject.ts";
import type { Level } from "../../contracts/tool.ts";
import { hasOnlySafeAssignments } from "./command-spellings.ts";
import { isWithin } from "./fold-path.ts";
import type { CallFacts, Cause, Judgement, Situation } from "./judgement.ts";
import { allowsMatch, pathsOf, tightensMatch, unnamedWords } from "./match-rule.ts";
import { protection } from "./protected-paths.ts";
import type { Asked, Rule } from "./rule.ts";
import { isSecret } from "./secrets.ts";

export const NULL_DEVICE = "/dev/null";

/** A call that touches session state only is never asked for; a deny rule still takes its tool away. */
export function judgeHarmless({ toolName }: CallFacts, { rules }: Situation): Judgement {
  const asked = { toolName, subject: undefined };
  const denying = rules.find((rule) => rule.decision === "deny" && tightensMatch(rule, asked));
  if (denying) return { decision: "deny", subject: undefined, cause: { kind: "rule", rule: denying } };
  return {
    decision: "allow",
    subject: undefined,
    cause: { kind: "free", why: "it changes nothing outside this session" },
  };
}

/** Judges each subject by itself, then lets a rule for a command mean its operands too. */
export function judgeSubjects(call: CallFacts, situation: Situation): readonly Judgement[] {
  const subjects = call.subjects.length === 0 ? [undefined] : call.subjects;
  const alone = subjects.map((subject) => judge({ toolName: call.toolName, subject }, call.level, situation));
  const covering = commandRule(alone);
  if (!covering) return alone;
  return alone.map((one) => (isCoveredOperand(one, situation) ? { ...one, decision: "allow", cause: covering } : one));
}

/** The allow rule that covers a subject and counts in this mode; undefined also for what no broad rule may allow. */
export function allowingRule(asked: Asked, situation: Situation): Rule | undefined {
  if (cautionFor(asked, situation)) return undefined;
  const allowing = honouredRules(situation);
  return allowing.find((rule) => allowsMatch(rule, asked) && unnamedWords(rule, asked, allowing).length === 0);
}

/** The rule that would allow a command but for some of its words, and these. */
function almostAllowing(asked: Asked, situation: Situation): Cause | undefined {
  const allowing = honouredRules(situation);
  const rule = allowing.find((one) => allowsMatch(one, asked));
  return rule && { kind: "option", rule, words: unnamedWords(rule, asked, allowing) };
}

function honouredRules(situation: Situation): readonly Rule[] {
  return situation.rules.filter((rule) => rule.decision === "allow" && isHonoured(rule, situation));
}

/** In mode auto a rule that would let the judge be passed by doesn't count. */
export function isHonoured({ wide }: Rule, { mode }: Situation): boolean {
  return mode !== "auto" || wide === undefined;
}

function judge(asked: Asked, level: Level, situation: Situation): Judgement {
  const { subject } = asked;
  const { mode, rules } = situation;
  const verdict = (decision: Decision, cause: Cause): Judgement => ({ decision, subject, cause });
  const matching = (decision: "deny" | "ask") =>
    rules.find((rule) => rule.decision === decision && tightensMatch(rule, asked));

  const denying = matching("deny");
  if (denying) return verdict("deny", { kind: "rule", rule: denying });
  if (mode === "plan" && changesSomething(subject, level)) return verdict("deny", { kind: "mode", mode });
  const asking = matching("ask");
  if (asking) return verdict("ask", { kind: "rule", rule: asking });
  if (mode === "bypassPermissions")
    return mayBeForbidden(subject, situation)
      ? verdict("ask", { kind: "unclear" })
      : verdict("allow", { kind: "mode", mode });

  const caution = cautionFor(asked, situation);
  if (caution) return verdict("ask", caution);
  const allowing = allowingRule(asked, situation);
  if (allowing) return verdict("allow", { kind: "rule", rule: allowing });
  if ((mode === "acceptEdits" || mode === "auto") && isAcceptedEdit(asked, level, situation))
    return verdict("allow", { kind: "mode", mode });
  const verdictWithout = withoutRule(subject, situation);
  const almost = verdictWithout.cause.kind === "uncovered" ? almostAllowing(asked, situation) : undefined;
  return almost ? verdict("ask", almost) : verdictWithout;
}

/** Rules forbid some commands, and nobody can say whether this is one of them. */
function mayBeForbidden(subject: Subject | undefined, { rules }: Situation): boolean {
  if (subject?.action !== "execute" || subject.understood) return false;
  return rules.some(({ decision, spec }) => decision === "deny" && spec.kind === "command");
}

function changesSomething(subject: Subject | undefined, level: Level): boolean {
  if (level !== "read" && level !== "none") return true;
  return subject?.action === "write"
    ? subject.path !== NULL_DEVICE
    : subject?.action === "execute" && !subject.readOnly;
}

/** What is asked for whatever a rule that means more than this very thing allows. */
function cautionFor(asked: Asked, situation: Situation): Cause | undefined {
  const { rules, ownFolders } = situation;
  const { subject } = asked;
  if (subject?.action === "execute") return subject.understood ? undefined : { kind: "unclear" };
  if (subject?.action !== "read" && subject?.action !== "write") return undefined;
  const paths = pathsOf(subject);
  if (subject.action === "write") {
    const what = paths.map((path) => protection(path, ownFolders)).find((found) => found !== undefined);
    if (what !== undefined) return { kind: "protected", what };
  }
  const secrets = subject.action === "read" && subject.isNameOnly ? [] : paths.filter(isSecret);
  if (secrets.length === 0) return undefined;
  const isNamed = rules.some(
    (rule) =>
      rule.decision === "allow" &&
      isHonoured(rule, situation) &&
      allowsMatch(rule, asked) &&
      rule.spec.kind === "path" &&
      secrets.every((path) => rule.spec.kind === "path" && rule.spec.pattern.names(path)),
  );
  return isNamed ? undefined : { kind: "secret" };
}

/** Write and Edit inside the workspace; never what a command writes. */
function isAcceptedEdit({ toolName, subject }: Asked, level: Level, situation: Situation): boolean {
  if (level !== "write" || toolName === "Bash" || subject?.action !== "write" || subject.byCommand) return false;
  return !situation.isBroad && isWithin(subject.path, situation.roots, situation.isCaseInsensitive);
}

/** The verdict when no rule says anything. */
function withoutRule(subject: Subject | undefined, situation: Situation): Judgement {
  const { roots, isBroad, freeReadRoots, isCaseInsensitive } = situation;
  const ask = (kind: "outside" | "broad" | "uncovered"): Judgement => ({ decision: "ask", subject, cause: { kind } });
  const free = (why: string): Judgement => ({ decision: "allow", subject, cause: { kind: "free", why } });
  switch (subject?.action) {
    case "read":
      if (isWithin(subject.path, freeReadRoots)) return free("it was put aside for the model");
      if (!isWithin(subject.path, roots, isCaseInsensitive)) return ask("outside");
      return isBroad ? ask("broad") : free("it reads inside the workspace");
    case "write":
      if (subject.path === NULL_DEVICE) return free("it writes to nowhere");
      return ask(isWithin(subject.path, roots, isCaseInsensitive) ? "uncovered" : "outside");
    case "execute":
      if (!subject.readOnly || !hasOnlySafeAssignments(subject) || subject.hazards.length > 0) return ask("uncovered");
      return isBroad ? ask("broad") : free("the command only reads");
    default:
      return ask("uncovered");
  }
}

/** The rule that allows the commands of a call, when every one that isn't free has one. */
function commandRule(judgements: readonly Judgement[]): Cause | undefined {
  const commands = judgements.filter(({ subject }) => subject?.action === "execute");
  if (commands.some(({ decision }) => decision !== "allow")) return undefined;
  return commands.find(({ cause }) => cause.kind === "rule")?.cause;
}

/** A rule for `rm *` means its operands too, as long as nothing but the lack of a rule speaks against them. */
function isCoveredOperand({ decision, subject, cause }: Judgement, { roots, isCaseInsensitive }: Situation): boolean {
  if (decision !== "ask" || (subject?.action !== "read" && subject?.action !== "write") || !subject.byCommand)
    return false;
  const isBare = cause.kind === "uncovered" || cause.kind === "broad";
  return isBare && isWithin(subject.path, roots, isCaseInsensitive);
}
