import type { Decision, PermissionMode } from "../../contracts/permission.ts";
import type { Subject } from "../../contracts/subject.ts";
import type { Level } from "../../contracts/tool.ts";
import { isInside } from "../../platform/paths.ts";
import { hasOnlySafeAssignments } from "./command-spellings.ts";
import { allowsMatch, pathsOf, tightensMatch } from "./match-rule.ts";
import { protection } from "./protected-paths.ts";
import type { Asked, Rule } from "./rule.ts";
import { isSecret } from "./secrets.ts";

/** What is true of the session, whatever the call. All folders absolute, symlinks resolved. */
export type Situation = {
  readonly mode: PermissionMode;
  readonly rules: readonly Rule[];
  readonly roots: readonly string[];
  /** True when the workspace is so wide that being inside of it says nothing. */
  readonly isBroad: boolean;
  /** Folders in which reads are free: what we put aside for the model. */
  readonly freeReadRoots: readonly string[];
  /** Folders of ours that no rule lets anyone write to. */
  readonly ownFolders: readonly string[];
};

export type CallFacts = {
  readonly toolName: string;
  readonly level: Level;
  readonly subjects: readonly Subject[];
};

/** What decided about one subject. */
export type Cause =
  | { readonly kind: "rule"; readonly rule: Rule }
  /** `instead`: why it would have been asked. */
  | { readonly kind: "mode"; readonly mode: PermissionMode; readonly instead?: Cause }
  /** Nobody has to allow this; `why` completes "allowed: …". */
  | { readonly kind: "free"; readonly why: string }
  | { readonly kind: "protected"; readonly what: string }
  | { readonly kind: "secret" }
  | { readonly kind: "unclear" }
  | { readonly kind: "outside" }
  | { readonly kind: "broad" }
  | { readonly kind: "uncovered" };

export type Judgement = {
  readonly decision: Decision;
  /** Undefined for the call itself. */
  readonly subject: Subject | undefined;
  readonly cause: Cause;
};

export type Evaluation = {
  readonly decision: Decision;
  /** One for each subject, in their order; never empty. */
  readonly judgements: readonly Judgement[];
};

const SEVERITY = { allow: 0, ask: 1, deny: 2 } as const satisfies Record<Decision, number>;
const NULL_DEVICE = "/dev/null";

/**
 * Judges a call by the strictest verdict among its subjects. For one subject the strictest matching rule wins, whatever its
 * place; none matching means ask, and so does a call without subjects. Pure: nothing is looked up, nothing remembered.
 */
export function evaluate(call: CallFacts, situation: Situation): Evaluation {
  const judgements = call.level === "none" ? [judgeHarmless(call, situation)] : judgeAll(call, situation);
  const final = situation.mode === "dontAsk" ? judgements.map(withoutAsking) : judgements;
  const decision = final.map((one) => one.decision).reduce(strictest, "allow");
  return { decision, judgements: final };
}

export function strictest(a: Decision, b: Decision): Decision {
  return SEVERITY[a] >= SEVERITY[b] ? a : b;
}

/** A call that touches session state only is never asked for; a deny rule still takes its tool away. */
function judgeHarmless({ toolName }: CallFacts, { rules }: Situation): Judgement {
  const asked = { toolName, subject: undefined };
  const denying = rules.find((rule) => rule.decision === "deny" && tightensMatch(rule, asked));
  if (denying) return { decision: "deny", subject: undefined, cause: { kind: "rule", rule: denying } };
  return {
    decision: "allow",
    subject: undefined,
    cause: { kind: "free", why: "it changes nothing outside this session" },
  };
}

function judgeAll(call: CallFacts, situation: Situation): readonly Judgement[] {
  const subjects = call.subjects.length === 0 ? [undefined] : call.subjects;
  const alone = subjects.map((subject) => judge({ toolName: call.toolName, subject }, call.level, situation));
  const covering = commandRule(alone);
  if (!covering) return alone;
  return alone.map((one) => (isCoveredOperand(one, situation) ? { ...one, decision: "allow", cause: covering } : one));
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
  if (mode === "bypassPermissions") return verdict("allow", { kind: "mode", mode });

  const caution = cautionFor(asked, situation);
  if (caution) return verdict("ask", caution);
  const allowing = rules.find((rule) => rule.decision === "allow" && allowsMatch(rule, asked));
  if (allowing) return verdict("allow", { kind: "rule", rule: allowing });
  if (mode === "acceptEdits" && isAcceptedEdit(asked, level, situation))
    return verdict("allow", { kind: "mode", mode });
  return withoutRule(subject, situation);
}

function changesSomething(subject: Subject | undefined, level: Level): boolean {
  if (level !== "read" && level !== "none") return true;
  return subject?.action === "write"
    ? subject.path !== NULL_DEVICE
    : subject?.action === "execute" && !subject.readOnly;
}

/** What is asked for whatever a rule that means more than this very thing allows. */
function cautionFor(asked: Asked, { rules, ownFolders }: Situation): Cause | undefined {
  const { subject } = asked;
  if (subject?.action === "execute") return subject.understood ? undefined : { kind: "unclear" };
  if (subject?.action !== "read" && subject?.action !== "write") return undefined;
  const paths = pathsOf(subject);
  if (subject.action === "write") {
    const what = paths.map((path) => protection(path, ownFolders)).find((found) => found !== undefined);
    if (what !== undefined) return { kind: "protected", what };
  }
  const secrets = paths.filter(isSecret);
  if (secrets.length === 0) return undefined;
  const isNamed = rules.some(
    (rule) =>
      rule.decision === "allow" &&
      allowsMatch(rule, asked) &&
      rule.spec.kind === "path" &&
      secrets.every((path) => rule.spec.kind === "path" && rule.spec.pattern.names(path)),
  );
  return isNamed ? undefined : { kind: "secret" };
}

/** Write and Edit inside the workspace; never what a command writes. */
function isAcceptedEdit({ toolName, subject }: Asked, level: Level, situation: Situation): boolean {
  if (level !== "write" || toolName === "Bash" || subject?.action !== "write" || subject.byCommand) return false;
  return !situation.isBroad && isWithin(subject.path, situation.roots);
}

/** The verdict when no rule says anything. */
function withoutRule(subject: Subject | undefined, { roots, isBroad, freeReadRoots }: Situation): Judgement {
  const ask = (kind: "outside" | "broad" | "uncovered"): Judgement => ({ decision: "ask", subject, cause: { kind } });
  const free = (why: string): Judgement => ({ decision: "allow", subject, cause: { kind: "free", why } });
  switch (subject?.action) {
    case "read":
      if (isWithin(subject.path, freeReadRoots)) return free("it was put aside for the model");
      if (!isWithin(subject.path, roots)) return ask("outside");
      return isBroad ? ask("broad") : free("it reads inside the workspace");
    case "write":
      if (subject.path === NULL_DEVICE) return free("it writes to nowhere");
      return ask(isWithin(subject.path, roots) ? "uncovered" : "outside");
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
function isCoveredOperand({ decision, subject, cause }: Judgement, { roots }: Situation): boolean {
  if (decision !== "ask" || (subject?.action !== "read" && subject?.action !== "write") || !subject.byCommand)
    return false;
  return (cause.kind === "uncovered" || cause.kind === "broad") && isWithin(subject.path, roots);
}

function withoutAsking(judgement: Judgement): Judgement {
  if (judgement.decision !== "ask") return judgement;
  return { ...judgement, decision: "deny", cause: { kind: "mode", mode: "dontAsk", instead: judgement.cause } };
}

function isWithin(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => isInside(folder, path));
}
