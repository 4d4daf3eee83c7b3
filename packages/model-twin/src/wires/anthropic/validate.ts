import { loneSurrogates, type Problem, problemsOf } from "../../shape.ts";
import { blankTextIsNotCached, cacheMarksAreFew, longCacheComesFirst } from "./cache-rules.ts";
import { mediaIsWhatItSays } from "./media-rules.ts";
import { firstMessageIsTheUsers, messagesHaveContent, prefillEndsInText, textIsNotBlank } from "./message-rules.ts";
import { effortFitsTheModel, prefillIsPossible, samplingFitsTheModel, thinkingFitsTheModel } from "./model-rules.ts";
import type { MessagesRequest } from "./request.ts";
import { type Endpoint, requestShape } from "./request-shape.ts";
import type { Rule } from "./rule.ts";
import { outputSchemaIsSupported } from "./schema-rules.ts";
import type { SentReplies } from "./sent-replies.ts";
import {
  loopBeginsWithThinking,
  samplingFitsThinking,
  thinkingBudgetFits,
  thinkingComesFirst,
  thinkingIsKeptInLoop,
  thinkingIsNotLast,
  thinkingIsUnaltered,
} from "./thinking-rules.ts";
import {
  failedResultsAreText,
  toolChoiceIsPossible,
  toolNamesAreUnique,
  toolResultsAnswerACall,
  toolResultsComeFirst,
  toolsAreDeclared,
  toolUseIdsAreUnique,
  toolUsesAreAnswered,
} from "./tool-rules.ts";
import { turnsOf } from "./turns.ts";

/**
 * The rules beyond the request's shape that the Messages API enforces with 400. Problems are reported in this order.
 * Sources: the API reference, the SDK's types, and the refusals that clients of the real API have reported.
 */
const RULES: readonly Rule[] = [
  firstMessageIsTheUsers,
  messagesHaveContent,
  blankTextIsNotCached,
  textIsNotBlank,
  cacheMarksAreFew,
  longCacheComesFirst,
  toolNamesAreUnique,
  toolChoiceIsPossible,
  toolsAreDeclared,
  toolUseIdsAreUnique,
  toolResultsComeFirst,
  toolUsesAreAnswered,
  toolResultsAnswerACall,
  failedResultsAreText,
  thinkingFitsTheModel,
  effortFitsTheModel,
  samplingFitsTheModel,
  outputSchemaIsSupported,
  thinkingBudgetFits,
  samplingFitsThinking,
  thinkingIsUnaltered,
  thinkingIsNotLast,
  thinkingComesFirst,
  thinkingIsKeptInLoop,
  loopBeginsWithThinking,
  prefillIsPossible,
  prefillEndsInText,
  mediaIsWhatItSays,
];

type ValidationContext = {
  readonly endpoint: Endpoint;
  /** Names in the header anthropic-beta. */
  readonly betas: readonly string[];
  readonly sent: SentReplies;
};

type Validated =
  | { readonly request: MessagesRequest }
  /** At least one. */
  | { readonly problems: readonly Problem[] };

/** Judges a parsed body as the real API would. The shape is judged first: the rules after it rely on it. */
export function validate(body: unknown, { endpoint, betas, sent }: ValidationContext): Validated {
  const shape = problemsOf((report) => {
    loneSurrogates(body, "", report);
    requestShape(endpoint, betas)(body, "", report);
  });
  if (shape.length > 0) return { problems: shape };
  const request = body as MessagesRequest;
  const judged = { request, turns: turnsOf(request.messages), sent, betas };
  const problems = problemsOf((report) => {
    for (const rule of RULES) rule(judged, report);
  });
  return problems.length > 0 ? { problems } : { request };
}
