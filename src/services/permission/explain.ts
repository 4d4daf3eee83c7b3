import type { Decision } from "../../contracts/permission.ts";
import type { Subject } from "../../contracts/subject.ts";
import type { Cause, Evaluation, Judgement } from "./evaluate.ts";

const MAX_SHOWN_CHARS = 120;

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
      return `no rule covers ${thing}`;
  }
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
export function refusalMessage({ judgements }: Evaluation, toolName: string): string {
  const refusals = decisive(judgements, "deny");
  const rule = refusals.map(({ cause }) => cause).find(isRule)?.rule;
  if (rule)
    return `Refused by the deny rule ${rule.text} (${rule.source}). Don't try to reach the same in another way.`;
  const mode = refusals.map(({ cause }) => cause).find((cause) => cause.kind === "mode");
  if (mode?.mode === "plan") {
    return `Plan mode is on: nothing may be changed or run, so ${toolName} was refused. Look at what you need and answer with a plan.`;
  }
  const why = refusals[0] ? describeCause(refusals[0]) : "no rule covers it";
  return `Refused without asking (${why}). Go on without it, or say what you would need.`;
}

/** What the model is told when there is nobody to ask. */
export function unansweredMessage(evaluation: Evaluation, suggestions: readonly string[]): string {
  const why = describeDecision(evaluation);
  const rule = suggestions.length > 0 ? ` The user could allow it with ${suggestions.join(" and ")}.` : "";
  return `Refused: nobody can answer permission questions in this run (${why}).${rule} Go on without it, and say in your answer what could not be done.`;
}

/** What the model is told of a person's no. */
export function rejectionMessage(words: string | undefined): string {
  const said = words?.trim();
  if (said) return `The user refused this call and said: ${said}`;
  return "The user refused this call. Don't repeat it: ask what they want instead, or go on in another way.";
}

function describeSubject(subject: Subject | undefined): string {
  switch (subject?.action) {
    case "read":
    case "write":
      return shorten(subject.path);
    case "execute":
      return `\`${shorten(subject.command)}\``;
    case "network":
      return shorten(subject.host);
    default:
      return "this call";
  }
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > MAX_SHOWN_CHARS ? `${line.slice(0, MAX_SHOWN_CHARS - 1)}…` : line;
}

function isRule(cause: Cause): cause is Extract<Cause, { kind: "rule" }> {
  return cause.kind === "rule";
}
