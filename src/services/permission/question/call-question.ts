import { MAIN_AGENT } from "../../../contracts/agent.ts";
import type { PermissionMode } from "../../../contracts/permission-mode.ts";
import type { SandboxState } from "../../../contracts/ports.ts";
import type { CallAssessment } from "../judge/call-assessor.ts";
import { describeDecision, unansweredMessage } from "../judge/explain.ts";
import { factsOf } from "../judge/judgement.ts";
import type { PermissionDeps } from "../permission-deps.ts";
import type { AskedCall } from "./asked-call.ts";
import type { CallOffers } from "./call-offers.ts";
import { makeQuestion, type PermissionQuestion } from "./make-question.ts";

type QuestionParts = {
  readonly deps: Pick<PermissionDeps, "ids" | "agent" | "workspace">;
  readonly mode: PermissionMode;
  readonly offers: CallOffers;
};

/** The question about a call, with everything that an answer can choose. */
export function callQuestion(asked: AskedCall, { deps, mode, offers }: QuestionParts): PermissionQuestion {
  const { ids, agent, workspace } = deps;
  const { request, assessment, evaluation, more } = asked;
  const call = factsOf(request);
  return makeQuestion({
    id: ids.next(),
    agent: agent ?? MAIN_AGENT,
    request,
    evaluation,
    hazardAssessment: assessment.hazardAssessment,
    sandbox: sandboxShown(assessment, mode),
    more,
    projectRoot: workspace.projectRoot,
    suggestions: offers.rules(call, assessment, evaluation, { lasts: "always" }),
    sessionRules: offers.rules(call, assessment, evaluation, { lasts: "session" }),
    consent: request.hook?.decision === "ask" ? undefined : offers.consent(call, assessment),
  });
}

/** The refusal of a call for which nobody can be asked, and the change that would allow it. */
export function unansweredCall({ request, assessment, evaluation, more }: AskedCall, offers: CallOffers) {
  const call = factsOf(request);
  const suggestions = offers.rules(call, assessment, evaluation, { lasts: "always", namesAny: true });
  const isAskedByHook = request.hook?.decision === "ask";
  return {
    by: isAskedByHook && more !== undefined ? more : describeDecision(evaluation),
    message: unansweredMessage(evaluation, suggestions, more),
    remedy: isAskedByHook ? undefined : offers.remedy(call, assessment, suggestions),
  };
}

/** The sandbox state when it matters for this call. */
function sandboxShown({ confining }: CallAssessment, mode: PermissionMode): SandboxState | undefined {
  if (mode === "bypassPermissions" && confining?.inBypass !== true) return undefined;
  return confining?.state;
}
