import { oneLine } from "@quoll/terminal-text/one-line";
import { splitSuggestions } from "../../contracts/outside-pattern.ts";
import type { PermissionMode } from "../../contracts/permission-mode.ts";
import type { Subject } from "../../contracts/subject.ts";
import type { ExplainedPart, Explanation } from "./explanation.ts";
import { evaluate } from "./judge/evaluate.ts";
import { decisive, describeCause, describeSubject } from "./judge/explain.ts";
import { describeHazards, type HazardAssessment } from "./judge/hazard-assessment.ts";
import {
  type CallFacts,
  type Cause,
  type Evaluation,
  isLackOfRule,
  type Judgement,
  type Situation,
  strictest,
} from "./judge/judgement.ts";
import { describeConfinement } from "./question/make-question.ts";
import { type SuggestionContext, suggestRules } from "./question/suggest.ts";
import { parseCommandPattern } from "./rules/command-pattern.ts";
import { pathsOf } from "./rules/match-rule.ts";
import { exactPathSpec } from "./rules/path-pattern.ts";
import type { Rule } from "./rules/rule.ts";
import { ignoredInAuto } from "./rules/rule-book.ts";

const MAX_RULES_NAMED = 10;
const MAX_TITLE_CHARS = 300;

export type ExplainRequest = {
  readonly call: CallFacts;
  readonly title: string;
  readonly situation: Situation;
  readonly hazardAssessment: HazardAssessment | undefined;
  /** Allow rules of the project that are ignored until the folder is trusted. */
  readonly awaitingTrust: readonly Rule[];
  /** True if a person can agree that confined commands need no question: no settings layer forbids it. */
  readonly mayAgree: boolean;
  readonly suggestions: SuggestionContext;
  /** Compiles allow rules from their texts. */
  compile(texts: readonly string[]): readonly Rule[];
};

/**
 * Explains how a call is judged, part by part, and which changes would alter the verdict. Each change is evaluated
 * before it is listed.
 */
export function explainCall(request: ExplainRequest): Explanation {
  const { call, title, situation, hazardAssessment } = request;
  const evaluation = evaluate(call, situation);
  const { decision, judgements, isForJudge } = evaluation;
  const where = decision === "allow" ? evaluation.confinement : evaluation.confinementAfterYes;
  const isConfined = situation.mode !== "bypassPermissions" || situation.confining?.inBypass === true;
  const isShown = isConfined && decision !== "deny";
  const isPlain = decision === "allow" && where === "none" && judgements.every(({ cause }) => cause.kind === "free");
  const place = isShown ? describeConfinement(situation.confining?.state, where, evaluation.opened) : undefined;
  const confinement = place !== undefined && isPlain ? "needs no sandbox" : place;
  return {
    toolName: oneLine(call.toolName),
    title: oneLine(title, MAX_TITLE_CHARS),
    mode: situation.mode,
    decision,
    isForJudge,
    ...(confinement !== undefined && { confinement }),
    hazards: hazardAssessment ? describeHazards(hazardAssessment).map((text) => oneLine(text, MAX_TITLE_CHARS)) : [],
    parts: judgements.map(explainPart),
    uncovered: [
      ...new Set(
        decisive(judgements, decision)
          .filter(isUncovered)
          .map(({ subject }) => describeSubject(subject)),
      ),
    ],
    changes: [...new Set(changesTo(evaluation, request))],
  };
}

function explainPart(judgement: Judgement): ExplainedPart {
  const { subject, decision, cause } = judgement;
  const rule = cause.kind === "rule" ? cause.rule : undefined;
  return {
    what: phrase(subject),
    decision,
    why: describeCause(judgement),
    ...(rule && { rule: { decision: rule.decision, text: rule.text, source: rule.source } }),
  };
}

const VERBS = { read: "reads", write: "writes", execute: "runs", network: "connects to", use: "uses" } as const;

function phrase(subject: Subject | undefined): string {
  return subject ? `${VERBS[subject.action]} ${describeSubject(subject)}` : "the call itself";
}

/** True if a part needs a question or is refused because no rule matches it. */
function isUncovered({ cause, decision }: Judgement): boolean {
  const why = before(cause);
  return decision !== "allow" && (isLackOfRule(why) || (why.kind === "network" && why.rule === undefined));
}

/** The cause of the question, without the effect of the mode. */
function before(cause: Cause): Cause {
  return cause.kind === "mode" && cause.instead ? cause.instead : cause;
}

function changesTo(evaluation: Evaluation, request: ExplainRequest): readonly string[] {
  switch (evaluation.decision) {
    case "allow":
      return tightenings(evaluation);
    case "ask":
      return loosenings(evaluation, request, "ask");
    case "deny":
      return loosenings(evaluation, request, "deny");
  }
}

/** The reasons why a call is allowed. */
function tightenings({ judgements }: Evaluation): readonly string[] {
  const rules = judgements.flatMap(({ cause }) => (cause.kind === "rule" ? [cause.rule] : []));
  const modes = judgements.flatMap(({ cause }) => (cause.kind === "mode" ? [cause.mode] : []));
  return [
    ...rules.slice(0, MAX_RULES_NAMED).map((rule) => `Without the ${named(rule)}, Quoll would ask about that part.`),
    ...modes.map((mode) => `In any mode but ${mode}, Quoll would ask about that part.`),
    ...(judgements.some(({ cause }) => cause.kind === "sandbox")
      ? ["Without your consent to commands in the sandbox (/permissions revoke sandbox), Quoll would ask."]
      : []),
    "A matching deny or ask rule would take precedence.",
  ];
}

function loosenings(evaluation: Evaluation, request: ExplainRequest, decided: "ask" | "deny"): readonly string[] {
  const decisiveCauses = decisive(evaluation.judgements, decided).map(({ cause }) => cause);
  return [
    ...ruleRemovals(request, decided),
    ...modeChanges(evaluation, request),
    ...trust(evaluation, request),
    ...newRules(evaluation, request),
    ...wideRules(evaluation, request),
    ...withSandbox(evaluation, request),
    ...withConsent(evaluation, request),
    ...decisiveCauses.flatMap((cause) => plainAdvice(before(cause))),
  ];
}

/** Lists every blocking rule, not just the first. */
function ruleRemovals({ call, situation }: ExplainRequest, decision: "ask" | "deny"): readonly string[] {
  const found: Rule[] = [];
  let rules = situation.rules;
  while (found.length < MAX_RULES_NAMED) {
    const { judgements } = evaluate(call, { ...situation, rules });
    const hits = decisive(judgements, decision).flatMap(({ cause }) => {
      const why = before(cause);
      return why.kind === "rule" ? [why.rule] : [];
    });
    if (hits.length === 0) break;
    found.push(...hits);
    rules = rules.filter((rule) => !hits.includes(rule));
  }
  if (found.length === 0) return [];
  const then = evaluate(call, { ...situation, rules });
  const names = [...new Set(found)].slice(0, MAX_RULES_NAMED).map(named).join(" and ");
  return [`Without the ${names}, the verdict would be ${verdictOf(then)}.`];
}

/** A verdict, with the sandbox when it depends on it. */
function verdictOf({ decision, confinement }: Evaluation): string {
  return decision === "allow" && confinement === "sandbox" ? "allow, in the sandbox" : decision;
}

function modeChanges({ decision }: Evaluation, { call, situation }: ExplainRequest): readonly string[] {
  const tried = (mode: PermissionMode) => evaluate(call, { ...situation, mode }).decision;
  const candidates: readonly PermissionMode[] = ["default", "acceptEdits"];
  return candidates
    .filter((mode) => mode !== situation.mode && isLooser(tried(mode), decision))
    .slice(0, 1)
    .map((mode) => `In mode ${mode}, the verdict would be ${tried(mode)}.`);
}

function trust({ decision }: Evaluation, { call, situation, awaitingTrust }: ExplainRequest): readonly string[] {
  const now = evaluate(call, { ...situation, rules: [...situation.rules, ...awaitingTrust] });
  if (!isLooser(now.decision, decision)) return [];
  const used = now.judgements.flatMap(({ cause }) => (cause.kind === "rule" ? [cause.rule] : []));
  const names = awaitingTrust.filter((rule) => used.includes(rule)).map(named);
  return [
    `If the folder is trusted (--trust), the verdict is ${now.decision}${names.length > 0 ? ` by the ${names.join(" and ")}` : ""}.`,
  ];
}

/** The narrow rules that would allow the call, each evaluated. */
function newRules(evaluation: Evaluation, request: ExplainRequest): readonly string[] {
  const { call, situation, suggestions } = request;
  const backup = situation.backup;
  const texts = [
    suggestRules(evaluation, { ...suggestions, toolName: call.toolName, backup }),
    secretRules(evaluation, suggestions),
  ].find((rules) => rules.length > 0 && evaluate(call, withRules(request, rules)).decision === "allow");
  if (!texts) return [];
  const { rules, outside } = splitSuggestions(texts);
  const added = rules.length > 0 ? [`adding ${rules.join(" and ")} to the allow rules`] : [];
  const listed = outside.length > 0 ? [`listing ${outside.join(" and ")} in sandbox.excludedCommands`] : [];
  const line = [...added, ...listed].join(", and ");
  const place = outside.length > 0 ? ", outside the sandbox" : "";
  return [`${line.charAt(0).toUpperCase()}${line.slice(1)} would allow it${place}.`];
}

/** Only a rule that names a secret file can allow it. */
function secretRules({ judgements }: Evaluation, { projectRoot }: SuggestionContext): readonly string[] {
  return judgements.flatMap(({ subject, cause }) => {
    if (before(cause).kind !== "secret" || (subject?.action !== "read" && subject?.action !== "write")) return [];
    const tool = subject.action === "read" ? "Read" : "Edit";
    return pathsOf(subject).map((path) => `${tool}(${exactPathSpec(path, projectRoot)})`);
  });
}

function withRules({ situation, compile }: ExplainRequest, texts: readonly string[]): Situation {
  const { rules, outside } = splitSuggestions(texts);
  const { confining } = situation;
  const excluded = [...(confining?.excluded ?? []), ...outside.map(parseCommandPattern)];
  return {
    ...situation,
    rules: [...situation.rules, ...compile(rules)],
    ...(confining && { confining: { ...confining, excluded } }),
  };
}

/** Rules that would allow the call in any mode but auto. */
function wideRules({ decision }: Evaluation, { call, situation }: ExplainRequest): readonly string[] {
  if (situation.mode !== "auto") return [];
  const { judgements, decision: then } = evaluate(call, { ...situation, mode: "default" });
  if (!isLooser(then, decision)) return [];
  const rules = judgements.flatMap(({ cause }) => (cause.kind === "rule" ? [cause.rule] : []));
  return rules
    .filter((rule) => ignoredInAuto(rule) !== undefined)
    .map((rule) => `The ${named(rule)} doesn't count: ${ignoredInAuto(rule)}.`);
}

function withSandbox({ decision }: Evaluation, { call, situation }: ExplainRequest): readonly string[] {
  const { confining } = situation;
  if (confining?.state.kind !== undefined || confining?.state.reason === undefined) return [];
  const state = { kind: "bubblewrap", strength: "full", hasNetwork: false } as const;
  const then = evaluate(call, { ...situation, confining: { ...confining, state } }).decision;
  if (!isLooser(then, decision)) return [];
  return [`With a sandbox, the verdict would be ${then}; there is no sandbox: ${oneLine(confining.state.reason, 200)}`];
}

function withConsent({ decision }: Evaluation, { call, situation, mayAgree }: ExplainRequest): readonly string[] {
  const { confining } = situation;
  if (!mayAgree || !confining || confining.isAgreed) return [];
  const then = evaluate(call, { ...situation, confining: { ...confining, isAgreed: true } });
  if (!isLooser(then.decision, decision)) return [];
  return [
    `If commands in the sandbox need no question (--allow-sandboxed, or an answer to a question), the verdict is ${verdictOf(then)}.`,
  ];
}

function plainAdvice(cause: Cause): readonly string[] {
  switch (cause.kind) {
    case "protected":
      return ["No rule can allow a write there: a person must consent each time."];
    case "unclear":
      return ["No rule can match a command that can't be parsed: write it as plain commands."];
    case "guard":
      return ['With destructiveGuard: "off" in settings, only the rules would decide.'];
    case "leaves-sandbox":
      return cause.forbidden
        ? ["With sandbox.allowUnsandboxedCommands: true, Quoll would ask."]
        : ["Without dangerouslyDisableSandbox, the command would run in the sandbox."];
    case "network":
      return cause.hosts ? ["sandbox.network.allowedDomains can open hosts to every command in the sandbox."] : [];
    case "no-sandbox":
      return [
        'With sandbox.enabled: "auto", commands run without a sandbox where none is available, under the usual rules.',
      ];
    default:
      return [];
  }
}

function isLooser(one: Evaluation["decision"], than: Evaluation["decision"]): boolean {
  return one !== than && strictest(one, than) === than;
}

function named({ decision, text, source }: Rule): string {
  return `${decision} rule ${oneLine(text)} (${source})`;
}
