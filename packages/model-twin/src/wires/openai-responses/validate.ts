import { loneSurrogates, type Problem, problemsOf } from "../../shape.ts";
import { promptTokens } from "../openai/estimate.ts";
import { streamOptionsNeedAStream } from "../openai/model-rules.ts";
import type { OpenAiOptions } from "../openai/options.ts";
import {
  fieldsFitTheModel,
  formatIsPossible,
  functionsAreWellFormed,
  parallelCallsHaveTools,
  toolChoiceIsPossible,
  toolNamesAreUnique,
} from "./field-rules.ts";
import {
  callIdsAreUnique,
  callsAreAnswered,
  mediaIsWhatItSays,
  outputsAnswerACall,
  reasoningIsFollowed,
  reasoningIsKeptInLoop,
  reasoningIsUnaltered,
  reasoningIsWhole,
} from "./item-rules.ts";
import { resolveItems } from "./items.ts";
import type { Item, ResponsesRequest } from "./request.ts";
import { requestShape } from "./request-shape.ts";
import type { Placed, Rule } from "./rule.ts";
import type { SentItems } from "./sent-items.ts";

/**
 * The rules beyond the request's shape that the Responses API enforces with 400 (404 for an item that it did not store).
 * Problems are reported in this order. Sources: the API reference, and the refusals that clients of the real API have reported.
 */
const RULES: readonly Rule[] = [
  fieldsFitTheModel,
  streamOptionsNeedAStream,
  toolNamesAreUnique,
  functionsAreWellFormed,
  toolChoiceIsPossible,
  parallelCallsHaveTools,
  formatIsPossible,
  callIdsAreUnique,
  callsAreAnswered,
  outputsAnswerACall,
  reasoningIsWhole,
  reasoningIsUnaltered,
  reasoningIsFollowed,
  reasoningIsKeptInLoop,
  mediaIsWhatItSays,
];

/** The request, and all items of its conversation. */
export type Prompt = ResponsesRequest & { readonly conversation: readonly Item[] };

type Judgement =
  | { readonly request: Prompt; readonly promptTokens: number }
  /** At least one. */
  | { readonly problems: readonly Problem[] };

/** Judges a parsed body as the real API would. The shape is judged first: the rules after it rely on it. */
export function validate(body: unknown, options: OpenAiOptions, sent: SentItems): Judgement {
  const shape = problemsOf((report) => {
    loneSurrogates(body, "", report);
    requestShape(options)(body, "", report);
  });
  if (shape.length > 0) return { problems: shape };
  const request = body as ResponsesRequest;
  let items: readonly Placed[] = [];
  const problems = problemsOf((report) => {
    items = resolveItems(request, sent, report);
    for (const rule of RULES) rule({ request, items, sent, options }, report);
  });
  if (problems.length > 0) return { problems };
  const conversation = items.map(({ item }) => item);
  const { instructions, tools } = request;
  return {
    request: { ...request, conversation },
    promptTokens: promptTokens({ instructions, items: conversation, tools }),
  };
}
