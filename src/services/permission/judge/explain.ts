import { oneLine } from "@quoll/terminal-text/one-line";
import { withAdvice } from "../../../contracts/advice.ts";
import type { DecidedBy, DeciderKind } from "../../../contracts/decided-by.ts";
import type { Decision } from "../../../contracts/permission.ts";
import type { Subject } from "../../../contracts/subject.ts";
import { firstFew } from "../../../contracts/words.ts";
import type { Rule } from "../rules/rule.ts";
import type { Cause, Evaluation, Judgement } from "./judgement.ts";
import { shownHost } from "./line-network.ts";

/** The cause of a judgement, for people: a rule with its source, a mode, or a reason. */
export function describeCause({ cause, subject, decision }: Judgement): string {
  const thing = describeSubject(subject);
  switch (cause.kind) {
    case "rule":
      return `${cause.rule.decision} rule ${cause.rule.text} (${cause.rule.source})`;
    case "mode":
      return cause.instead
        ? `mode ${cause.mode}: ${describeCause({ cause: cause.instead, subject, decision })}`
        : `mode ${cause.mode}`;
    case "free":
      return cause.why;
    case "protected":
      return `${thing} belongs to ${cause.what}: every write there needs consent`;
    case "secret":
      return `${thing} may hold secrets`;
    case "closed":
      return `${thing} belongs to the checkpoints and backups, which no tool opens: /rewind and \`quoll backups\` restore from them`;
    case "unclear":
      return `the command could not be parsed fully: ${thing}`;
    case "outside":
      return `${thing} lies outside the workspace, and no rule covers it`;
    case "broad":
      return `the workspace is the home folder or above it, and no rule covers ${thing}`;
    case "uncovered":
      if (subject?.action !== "execute") return `no rule covers ${thing}`;
      if (subject.awaitsTrust) return `the folder is not trusted, so ${thing} is asked`;
      return subject.unsaid
        ? `the arguments or input of ${thing} decide its effect, and no rule names it word for word`
        : `no rule covers ${thing}`;
    case "option":
      return describeWords(cause);
    case "masked":
      return `${thing} is hidden from this command in the sandbox`;
    case "sandbox":
      return "the command stays in the sandbox, where commands need no question";
    case "network":
      return describeNetwork(thing, cause, subject?.action === "execute" && subject.needsEngine);
    case "beyond":
      return `${BEYOND[cause.what](thing)}; the ${ruleName(cause.rule)} doesn't take it out of the sandbox`;
    case "leaves-sandbox":
      return cause.forbidden
        ? "settings forbid commands outside the sandbox (sandbox.allowUnsandboxedCommands: false)"
        : "the command asks to run outside the sandbox";
    case "no-sandbox":
      return `settings require a sandbox (sandbox.enabled: true), and there is none: ${oneLine(cause.reason, 200)}`;
    case "guard":
      return cause.elsewhere === undefined
        ? `no backup is possible before ${thing}: ${cause.why}`
        : `no backup is made before ${thing}, because another part of the command ${oneLine(cause.elsewhere)}`;
  }
}

const BEYOND: Readonly<Record<Extract<Cause, { kind: "beyond" }>["what"], (thing: string) => string>> = {
  git: (thing) => `${thing} changes git's settings, which the sandbox blocks`,
  checkout: (thing) => `${thing} checks out protected files, which the sandbox blocks`,
  files: (thing) => `the sandbox closes ${thing}`,
  excluded: (thing) => `another command of the line runs outside the sandbox, and ${thing} would too`,
};

function describeNetwork(
  thing: string,
  { hosts, rule, isShared }: Extract<Cause, { kind: "network" }>,
  isEngine = false,
): string {
  if (isEngine) return `${thing} needs the container engine, whose socket the sandbox closes`;
  const to = hosts ? ` (${hosts.map((host) => oneLine(host)).join(", ")})` : "";
  const need = `${thing} needs the network${to}`;
  if (rule === undefined) return `${need}, and the sandbox has none`;
  if (isShared)
    return `${need}, which the ${ruleName(rule)} opens only to a line without other programs: run ${thing} as a call of its own`;
  const gap = hosts ? "doesn't name these hosts" : "doesn't take it out of the sandbox";
  return `${need}, and the ${ruleName(rule)} ${gap}`;
}

/** For a person whose rule allows a command that needs the network: the rule does not take it out of the sandbox. */
export function staysInside({ judgements, opened }: Evaluation): string {
  const one = judgements.find(({ subject }) => subject?.action === "execute" && subject.needsNetwork);
  const hosts = (opened?.hosts ?? []).map((host) => oneLine(shownHost(host))).join(", ");
  return `${describeSubject(one?.subject)} runs in the sandbox and may reach ${hosts}: an allow rule does not take a command outside. To run it outside, list it in sandbox.excludedCommands.`;
}

function ruleName({ text, source }: Rule): string {
  return `rule ${oneLine(text)} (${source})`;
}

/** The words of a command that the star of a rule does not cover. */
function describeWords({ rule, words }: Extract<Cause, { kind: "option" }>): string {
  const list = words.map(({ word }) => oneLine(word)).join(" and ");
  const why = words.some(({ isCode }) => isCode) ? ", which may start a program or point it elsewhere" : "";
  return `the rule ${rule.text} (${rule.source}) doesn't cover ${list}${why}`;
}

/** What decides by each kind of cause; `default` for the others. */
const DECIDERS: Readonly<Partial<Record<Cause["kind"], DeciderKind>>> = {
  rule: "rule",
  mode: "mode",
  protected: "protected",
  secret: "protected",
  closed: "protected",
  guard: "guard",
  masked: "sandbox",
  sandbox: "sandbox",
  network: "sandbox",
  beyond: "sandbox",
  "leaves-sandbox": "sandbox",
  "no-sandbox": "sandbox",
};

/** What decided about a call: the first of the decisive causes, and the words for all. */
export function decidedBy(evaluation: Evaluation): DecidedBy {
  const causes = decisive(evaluation.judgements, evaluation.decision).map(({ cause }) => cause);
  const rule = causes.find(isRule)?.rule;
  const kind = (rule && "rule") ?? DECIDERS[causes[0]?.kind ?? "free"] ?? "default";
  const reason = describeDecision(evaluation);
  return { kind, ...(rule && { rule: rule.text, source: rule.source }), reason };
}

/** The reasons for a decision, for people. At most three. */
export function describeDecision({ decision, judgements }: Evaluation): string {
  const reasons = new Set(decisive(judgements, decision).map(describeCause));
  return firstFew([...reasons], 3, (count) => `and ${count} more`).join("; ");
}

/** The judgements that have the final decision. */
export function decisive(judgements: readonly Judgement[], decision: Decision): readonly Judgement[] {
  return judgements.filter((one) => one.decision === decision);
}

/** The message to the model when a rule or a mode refused a call. */
export function refusalMessage(evaluation: Evaluation, toolName: string): string {
  const refusals = decisive(evaluation.judgements, "deny");
  const rule = refusals.map(({ cause }) => cause).find(isRule)?.rule;
  if (rule)
    return withAdvice(
      `Refused by the deny rule ${rule.text} (${rule.source}).`,
      "Don't try to do the same in another way.",
    );
  const mode = refusals.map(({ cause }) => cause).find((cause) => cause.kind === "mode");
  if (mode?.mode === "plan") {
    return withAdvice(
      `Plan mode is on: nothing may be changed or run, so ${toolName} was refused.`,
      "Look at what you need, then hand the plan over with ExitPlanMode or, without that tool, as your answer.",
    );
  }
  const why = refusals[0] ? describeCause(refusals[0]) : "no rule covers it";
  if (refusals.some(({ cause }) => cause.kind === "leaves-sandbox")) {
    return withAdvice(`Refused: ${why}.`, "Run it inside, or go on without it.");
  }
  if (refusals.some(({ cause }) => cause.kind === "no-sandbox")) return `Refused: ${why}. No command can run here.`;
  return withAdvice(
    `Refused without a question: ${why}.${guardHint(evaluation)}`,
    "Go on without it, or say what you would need.",
  );
}

/** The message to the model when nobody can answer a question. */
export function unansweredMessage(evaluation: Evaluation, suggestions: readonly string[], more = ""): string {
  // If the rules allow the call, only a hook asks about it.
  const isAllowed = evaluation.decision === "allow" && more !== "";
  const why = [...(isAllowed ? [] : [describeDecision(evaluation)]), ...(more === "" ? [] : [more])].join("; ");
  const rule =
    suggestions.length > 0 && !isAllowed ? ` The user could allow it with ${suggestions.join(" and ")}.` : "";
  return withAdvice(
    `Refused: nobody can answer permission questions in this run (${why}).${rule}${guardHint(evaluation)}`,
    "Go on without it, and say in your answer what could not be done.",
  );
}

/** The setting that would run a command refused for lack of a backup. */
function guardHint({ judgements }: Evaluation): string {
  const isGuard = ({ cause }: Judgement) =>
    cause.kind === "guard" || (cause.kind === "mode" && cause.instead?.kind === "guard");
  return judgements.some(isGuard)
    ? ' Settings with destructiveGuard: "off" would run it without a backup; only the user may decide that.'
    : "";
}

/**
 * The message to the model when the judge of mode auto refused a call.
 * @param mayRetry True if a hook lets the model try again.
 */
export function judgedMessage(reason: string, mayRetry: boolean): string {
  return withAdvice(
    `Refused by the judge of mode auto: ${reason.replace(/[.\s]+$/, "")}.`,
    mayRetry
      ? "A hook of the user's says that you may try this call again."
      : "Don't try to do the same in another way: go on without it, or ask the user for it in plain words.",
  );
}

/** The message to the model when a person refused a call. */
export function rejectionMessage(words: string | undefined): string {
  if (words) return `The user refused this call and said: ${words}`;
  return withAdvice(
    "The user refused this call.",
    "Don't repeat it: ask what they want instead, or go on in another way.",
  );
}

/** A subject as a short phrase that is safe to print. */
export function describeSubject(subject: Subject | undefined): string {
  switch (subject?.action) {
    case "read":
    case "write":
      return oneLine(subject.inside ?? subject.path);
    case "execute":
      return `\`${oneLine(subject.command)}\``;
    case "network":
      return oneLine(subject.host);
    case "use":
      return oneLine(subject.name);
    default:
      return "this call";
  }
}

function isRule(cause: Cause): cause is Extract<Cause, { kind: "rule" }> {
  return cause.kind === "rule";
}
