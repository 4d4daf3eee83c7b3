import type { ExecuteSubject } from "../rules/command-spellings.ts";
import { allowsCommand } from "../rules/match-rule.ts";
import { confine } from "./confine.ts";
import { isHonoured, judgeHarmless, judgeSubjects } from "./judge-subject.ts";
import {
  type CallFacts,
  type Cause,
  type Evaluation,
  isLackOfRule,
  type Judgement,
  type Situation,
  strictest,
} from "./judgement.ts";

/**
 * Judges a call by the strictest verdict among its subjects. For one subject the strictest matching rule wins,
 * regardless of its position. A subject without a matching rule means ask, and so does a call without subjects. Three
 * steps then adjust the judgements, in this order: the destructive guard, the sandbox, and mode dontAsk. Under several
 * modes a call needs the consent of each. Pure: does no I/O and keeps no state.
 */
export function evaluate(call: CallFacts, situation: Situation): Evaluation {
  const { mode, otherModes = [] } = situation;
  return [mode, ...otherModes].map((one) => evaluateIn(call, { ...situation, mode: one })).reduce(bothAllow);
}

/** The stricter evaluation. A judge or a hook may allow the call only if each mode that asks permits that. */
function bothAllow(one: Evaluation, other: Evaluation): Evaluation {
  const [strict, loose] = strictest(one.decision, other.decision) === one.decision ? [one, other] : [other, one];
  const bothAsk = strict.decision === "ask" && loose.decision === "ask";
  const confined = (where: "confinement" | "confinementAfterYes") =>
    strict[where] === "sandbox" ? "sandbox" : loose[where];
  return {
    ...strict,
    confinement: confined("confinement"),
    confinementAfterYes: confined("confinementAfterYes"),
    ...((strict.hasSandbox || loose.hasSandbox) && { hasSandbox: true }),
    ...((strict.opened ?? loose.opened) && { opened: strict.opened ?? loose.opened }),
    onlyLacksRule: strict.onlyLacksRule && (!bothAsk || loose.onlyLacksRule),
    isForJudge: strict.isForJudge && (!bothAsk || loose.isForJudge),
  };
}

function evaluateIn(call: CallFacts, situation: Situation): Evaluation {
  if (call.level === "none") return decide([judgeHarmless(call, situation)], situation, NOWHERE);
  const judged = judgeSubjects(call, situation).map((one) => withoutWayBack(one, situation));
  const { judgements, ...where } = confine(call, judged, situation);
  return decide(judgements, situation, { ...where, isForJudge: where.isForJudge && call.wantsOutside !== true });
}

type Where = Pick<Evaluation, "confinement" | "confinementAfterYes" | "opened" | "hasSandbox" | "isForJudge">;
const NOWHERE: Where = { confinement: "none", confinementAfterYes: "none", isForJudge: false };

function decide(judgements: readonly Judgement[], { mode }: Situation, where: Where): Evaluation {
  const final = mode === "dontAsk" ? judgements.map(withoutAsking) : judgements;
  const decision = final.map((one) => one.decision).reduce(strictest, "allow");
  const asked = final.filter((one) => one.decision === "ask");
  const isOpen = decision === "ask" && where.isForJudge;
  const onlyLacksRule = isOpen && asked.every(({ cause }) => isLackOfRule(cause));
  // The judge may open named hosts to a confined command, but never let a command out.
  const isForJudge = isOpen && asked.every(({ cause }) => isLackOfRule(cause) || opensHosts(cause, where));
  return { ...where, decision, judgements: final, onlyLacksRule, isForJudge: mode === "auto" && isForJudge };
}

function opensHosts(cause: Cause, { opened, confinementAfterYes }: Where): boolean {
  return cause.kind === "network" && opened !== undefined && confinementAfterYes === "sandbox";
}

/** Quoll asks about a destructive command without a backup in every mode, unless a rule names this exact command. */
function withoutWayBack(judgement: Judgement, situation: Situation): Judgement {
  const { backup } = situation;
  const { subject, decision, cause } = judgement;
  if (backup?.kind !== "impossible" || subject?.action !== "execute" || subject.hazards.length === 0) return judgement;
  if (decision === "deny" || (decision === "ask" && !isLackOfRule(cause))) return judgement;
  if (isNamedWordForWord(subject, situation)) return judgement;
  const { why, hazard } = backup;
  const isElsewhere = hazard !== undefined && !subject.hazards.includes(hazard);
  return { subject, decision: "ask", cause: { kind: "guard", why, ...(isElsewhere && { elsewhere: hazard.text }) } };
}

function isNamedWordForWord(subject: ExecuteSubject, situation: Situation): boolean {
  return situation.rules.some(
    (rule) =>
      rule.decision === "allow" &&
      isHonoured(rule, situation) &&
      rule.spec.kind === "command" &&
      rule.spec.pattern.pieces.length === 1 &&
      allowsCommand(rule.spec.pattern, subject),
  );
}

function withoutAsking(judgement: Judgement): Judgement {
  if (judgement.decision !== "ask") return judgement;
  return { ...judgement, decision: "deny", cause: { kind: "mode", mode: "dontAsk", instead: judgement.cause } };
}
