import { withAdvice } from "../../contracts/advice.ts";
import type { Decision } from "../../contracts/permission.ts";
import type { Subject } from "../../contracts/subject.ts";
import type { Cause, Evaluation, Judgement } from "./judgement.ts";
import { oneLine } from "./one-line.ts";

/** What decided a judgement, for people: a rule with its place, a mode, a plain reason. */
export function describeCause({ cause, subject, decision }: Judgement): string {
  const thing = describeSubject(subject);
  switch (cause.kind) {
    case "rule":
      return `${cause.rule.decision} rule ${cause.rule.text} (${cause.rule.source})`;
    case "mode":
      return cause.instead
        ? `mode ${cause.mode} (${describeCause({ cause: cause.instead, subject, decision })})`
        : `mode ${cause.mode}`;
    case "free":
      return cause.why;
    case "protected":
      return `${thing} belongs to ${cause.what}: every write there is asked for`;
    case "secret":
      return `${thing} may hold secrets`;
    case "unclear":
      return `the command could not be understood fully: ${thing}`;
    case "outside":
      return `${thing} lies outside the workspace, and no rule covers it`;
    case "broad":
      return `the workspace is the home folder or above it, and no rule covers ${thing}`;
    case "uncovered":
      return subject?.action === "execute" && subject.unsaid
        ? `what ${thing} writes or runs stands in what it is given, and no rule names it word for word`
        : `no rule covers ${thing}`;
    case "option":
      return describeWords(cause);
    case "masked":
      return `${thing} is hidden from this command in the sandbox`;
    case "sandbox":
      return "it stays in the sandbox, and confined commands need no question here";
    case "network":
      return `${thing} needs the network, and the sandbox has none`;
    case "leaves-sandbox":
      return cause.forbidden
        ? "settings let no command out of the sandbox (sandbox.allowUnsandboxedCommands: false)"
        : "it asks to run outside the sandbox";
    case "no-sandbox":
      return `settings want every command in a sandbox (sandbox.enabled: true), and there is none: ${oneLine(cause.reason, 200)}`;
    case "guard":
      return `there is no way back from ${thing}: ${cause.why}`;
  }
}

/** Which words of a command the star of a rule does not cover. */
function describeWords({ rule, words }: Extract<Cause, { kind: "option" }>): string {
  const list = words.map(({ word }) => oneLine(word)).join(" and ");
  const why = words.some(({ isCode }) => isCode) ? ", which may start a program or point it elsewhere" : "";
  return `the rule ${rule.text} (${rule.source}) doesn't cover ${list}${why}`;
}

/** What decided a call, for people. At most three reasons. */
export function describeDecision({ decision, judgements }: Evaluation): string {
  const reasons = new Set(decisive(judgements, decision).map(describeCause));
  const shown = [...reasons].slice(0, 3);
  const more = reasons.size - shown.length;
  return more > 0 ? `${shown.join("; ")}; and ${more} more` : shown.join("; ");
}

/** The judgements that made the decision. */
export function decisive(judgements: readonly Judgement[], decision: Decision): readonly Judgement[] {
  return judgements.filter((one) => one.decision === decision);
}

/** What the model is told of a refusal that a rule or a mode made. */
export function refusalMessage(evaluation: Evaluation, toolName: string): string {
  const refusals = decisive(evaluation.judgements, "deny");
  const rule = refusals.map(({ cause }) => cause).find(isRule)?.rule;
  if (rule)
    return withAdvice(
      `Refused by the deny rule ${rule.text} (${rule.source}).`,
      "Don't try to reach the same in another way.",
    );
  const mode = refusals.map(({ cause }) => cause).find((cause) => cause.kind === "mode");
  if (mode?.mode === "plan") {
    return withAdvice(
      `Plan mode is on: nothing may be changed or run, so ${toolName} was refused.`,
      "Look at what you need and answer with a plan.",
    );
  }
  const why = refusals[0] ? describeCause(refusals[0]) : "no rule covers it";
  if (refusals.some(({ cause }) => cause.kind === "leaves-sandbox")) {
    return withAdvice(`Refused: ${why}.`, "Run it inside, or go on without it.");
  }
  if (refusals.some(({ cause }) => cause.kind === "no-sandbox")) return `Refused: ${why}. No command can run here.`;
  return withAdvice(
    `Refused without asking (${why}).${guardHint(evaluation)}`,
    "Go on without it, or say what you would need.",
  );
}

/** What the model is told when there is nobody to ask. */
export function unansweredMessage(evaluation: Evaluation, suggestions: readonly string[], more = ""): string {
  const why = `${describeDecision(evaluation)}${more === "" ? "" : `; ${more}`}`;
  const rule = suggestions.length > 0 ? ` The user could allow it with ${suggestions.join(" and ")}.` : "";
  return withAdvice(
    `Refused: nobody can answer permission questions in this run (${why}).${rule}${guardHint(evaluation)}`,
    "Go on without it, and say in your answer what could not be done.",
  );
}

/** How a person switches off what refused it for want of a way back. */
function guardHint({ judgements }: Evaluation): string {
  const isGuard = ({ cause }: Judgement) =>
    cause.kind === "guard" || (cause.kind === "mode" && cause.instead?.kind === "guard");
  return judgements.some(isGuard)
    ? ' Settings with destructiveGuard: "off" would run it without a way back; that is for the user alone to decide.'
    : "";
}

/** What the model is told when the judge of mode auto says no. */
export function judgedMessage(reason: string): string {
  return withAdvice(
    `Refused by the judge of mode auto: ${reason.replace(/[.\s]+$/, "")}.`,
    "Don't try to reach the same in another way: go on without it, or ask the user for it in plain words.",
  );
}

/** What the model is told of a person's no. */
export function rejectionMessage(words: string | undefined): string {
  const said = words?.trim();
  if (said) return `The user refused this call and said: ${said}`;
  return withAdvice(
    "The user refused this call.",
    "Don't repeat it: ask what they want instead, or go on in another way.",
  );
}

/** A subject in a few words that are safe to print. */
export function describeSubject(subject: Subject | undefined): string {
  switch (subject?.action) {
    case "read":
    case "write":
      return oneLine(subject.path);
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
