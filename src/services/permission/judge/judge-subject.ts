import { basename, dirname } from "node:path";
import { AGENT_TOOL } from "../../../contracts/agent-definition.ts";
import type { Decision } from "../../../contracts/permission.ts";
import { SKILL_TOOL } from "../../../contracts/skill.ts";
import type { Subject } from "../../../contracts/subject.ts";
import type { Level } from "../../../contracts/tool.ts";
import { hasOnlySafeAssignments } from "../rules/command-spellings.ts";
import { isWithin } from "../rules/fold-path.ts";
import { allowsMatch, pathsOf, tightensMatch, unnamedWords } from "../rules/match-rule.ts";
import type { Rule, RuleQuery } from "../rules/rule.ts";
import type { CallFacts, Cause, Judgement, Situation } from "./judgement.ts";
import { protection } from "./path-protection.ts";
import { isSecret } from "./secrets.ts";

export const NULL_DEVICE = "/dev/null";

/** A call that changes only session state needs no consent; a deny rule still removes its tool. */
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

/** Judges each subject separately, then extends a rule for a command to the command's operands. */
export function judgeSubjects(call: CallFacts, situation: Situation): readonly Judgement[] {
  const subjects = call.subjects.length === 0 ? [undefined] : call.subjects;
  const { toolName, level, line } = call;
  const alone = subjects.map((subject) => judge({ toolName, subject, line }, level, situation));
  const covering = commandRule(alone);
  if (!covering) return alone;
  return alone.map((one) => (isCoveredOperand(one, situation) ? { ...one, decision: "allow", cause: covering } : one));
}

/**
 * The allow rule that matches a subject and takes effect in this mode; also undefined for subjects that no broad rule
 * may allow.
 */
export function allowingRule(asked: RuleQuery, situation: Situation): Rule | undefined {
  if (cautionFor(asked, situation)) return undefined;
  const allowing = honouredRules(situation);
  return allowing.find((rule) => allowsMatch(rule, asked) && unnamedWords(rule, asked, allowing).length === 0);
}

/** The rule that would allow a command without some of its words, and these words. */
function almostAllowing(asked: RuleQuery, situation: Situation): Cause | undefined {
  const allowing = honouredRules(situation);
  const rule = allowing.find((one) => allowsMatch(one, asked));
  return rule && { kind: "option", rule, words: unnamedWords(rule, asked, allowing) };
}

function honouredRules(situation: Situation): readonly Rule[] {
  return situation.rules.filter((rule) => rule.decision === "allow" && isHonoured(rule, situation));
}

/** Mode auto ignores rules that would bypass the judge. */
export function isHonoured({ wide }: Rule, { mode }: Situation): boolean {
  return mode !== "auto" || wide === undefined;
}

function judge(asked: RuleQuery, level: Level, situation: Situation): Judgement {
  const { subject } = asked;
  const { mode, rules } = situation;
  const verdict = (decision: Decision, cause: Cause): Judgement => ({ decision, subject, cause });
  const matching = (decision: "deny" | "ask") =>
    rules.find((rule) => rule.decision === decision && tightensMatch(rule, asked));

  const denying = matching("deny");
  if (denying) return verdict("deny", { kind: "rule", rule: denying });
  if (isClosed(subject, situation)) return verdict("deny", { kind: "closed" });
  if (mode === "plan" && changesSomething(subject, level)) return verdict("deny", { kind: "mode", mode });
  const asking = matching("ask");
  if (asking) return verdict("ask", { kind: "rule", rule: asking });
  if (mode === "bypassPermissions")
    return mayBeForbidden(subject, situation)
      ? verdict("ask", { kind: "unclear" })
      : verdict("allow", { kind: "mode", mode });

  if (isOwnNote(asked, situation))
    return verdict("allow", { kind: "free", why: "it is a note of the project's memory" });
  const caution = cautionFor(asked, situation);
  if (caution) return verdict("ask", caution);
  const allowing = allowingRule(asked, situation);
  if (allowing) return verdict("allow", { kind: "rule", rule: allowing });
  if ((mode === "acceptEdits" || mode === "auto") && isAcceptedEdit(asked, level, situation))
    return verdict("allow", { kind: "mode", mode });
  if (asked.toolName === SKILL_TOOL && level === "read" && subject?.action === "use")
    return verdict("allow", { kind: "free", why: "a skill is a text for the model" });
  if (asked.toolName === AGENT_TOOL && level === "read" && subject?.action === "use")
    return verdict("allow", { kind: "free", why: "each call of the agent is judged by itself" });
  const verdictWithout = withoutRule(subject, situation);
  const almost = verdictWithout.cause.kind === "uncovered" ? almostAllowing(asked, situation) : undefined;
  return almost ? verdict("ask", almost) : verdictWithout;
}

/** A command is judged by the usual rules, and the sandbox hides the folders from it. */
function isClosed(subject: Subject | undefined, { folders: { closedFolders = [] } }: Situation): boolean {
  if (subject?.action !== "read" && subject?.action !== "write") return false;
  return !subject.byCommand && pathsOf(subject).some((path) => isWithin(path, closedFolders, true));
}

/** Deny rules for commands exist, and this command can't be parsed well enough to rule them out. */
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

/** Subjects that always need a question unless a rule names exactly this subject. */
function cautionFor(asked: RuleQuery, situation: Situation): Cause | undefined {
  const { rules, folders } = situation;
  const { ownFolders, workFolders } = folders;
  const { subject } = asked;
  if (subject?.action === "execute") return subject.understood ? undefined : { kind: "unclear" };
  if (subject?.action !== "read" && subject?.action !== "write") return undefined;
  const paths = pathsOf(subject);
  // Nothing obeys files in the session's folder for temporary files.
  if (subject.action === "write" && subject.inside === undefined) {
    const what = paths.map((path) => protection(path, ownFolders, workFolders)).find((found) => found !== undefined);
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

/**
 * A note that Read, Write or Edit names by its own path: a Markdown file directly in the memory folder. A path that
 * reaches the note through a link does not count, and neither does a command.
 */
function isOwnNote({ toolName, subject }: RuleQuery, situation: Situation): boolean {
  if (subject?.action !== "read" && subject?.action !== "write") return false;
  if (!(subject.action === "read" ? toolName === "Read" : toolName === "Write" || toolName === "Edit")) return false;
  if (subject.byCommand || (subject.given !== undefined && subject.given !== subject.path)) return false;
  const file = basename(subject.path);
  if (!file.endsWith(".md") || file.startsWith(".")) return false;
  const notes = situation.notes?.();
  if (notes === undefined || (subject.action === "write" && !notes.mayWrite)) return false;
  return dirname(subject.path) === notes.folder;
}

/** True for Write and Edit inside the workspace, but never for a write by a command. */
function isAcceptedEdit({ toolName, subject }: RuleQuery, level: Level, situation: Situation): boolean {
  if (level !== "write" || toolName === "Bash" || subject?.action !== "write" || subject.byCommand) return false;
  const { workspace, isCaseInsensitive } = situation.folders;
  return !workspace.isBroad && isWithin(subject.path, workspace.roots, isCaseInsensitive);
}

const OF_SESSION = "it is in the session's own folder for temporary files";

/** The verdict when no rule matches. */
function withoutRule(subject: Subject | undefined, situation: Situation): Judgement {
  const { workspace, freeReadRoots, readOnlyRoots = [], isCaseInsensitive } = situation.folders;
  const { roots, isBroad } = workspace;
  const ask = (kind: "outside" | "broad" | "uncovered"): Judgement => ({ decision: "ask", subject, cause: { kind } });
  const free = (why: string): Judgement => ({ decision: "allow", subject, cause: { kind: "free", why } });
  switch (subject?.action) {
    case "read":
      if (subject.inside !== undefined) return free(OF_SESSION);
      if (isWithin(subject.path, freeReadRoots)) return free("Quoll stored it for the model");
      if (!isWithin(subject.path, [...roots, ...readOnlyRoots], isCaseInsensitive)) return ask("outside");
      return isBroad ? ask("broad") : free("it reads inside the workspace");
    case "write":
      if (subject.path === NULL_DEVICE) return free("it writes to the null device");
      if (subject.inside !== undefined) return free(OF_SESSION);
      return ask(isWithin(subject.path, roots, isCaseInsensitive) ? "uncovered" : "outside");
    case "execute":
      if (!subject.readOnly || !hasOnlySafeAssignments(subject) || subject.hazards.length > 0) return ask("uncovered");
      return isBroad ? ask("broad") : free("the command only reads");
    default:
      return ask("uncovered");
  }
}

/** The rule that allows the commands of a call, if each command that needs consent has a rule. */
function commandRule(judgements: readonly Judgement[]): Cause | undefined {
  const commands = judgements.filter(({ subject }) => subject?.action === "execute");
  if (commands.some(({ decision }) => decision !== "allow")) return undefined;
  return commands.find(({ cause }) => cause.kind === "rule")?.cause;
}

/** A rule for `rm *` also allows its operands when their only problem is a missing rule. */
function isCoveredOperand({ decision, subject, cause }: Judgement, { folders }: Situation): boolean {
  if (decision !== "ask" || (subject?.action !== "read" && subject?.action !== "write") || !subject.byCommand)
    return false;
  const isBare = cause.kind === "uncovered" || cause.kind === "broad";
  return isBare && isWithin(subject.path, folders.workspace.roots, folders.isCaseInsensitive);
}
