import { loneSurrogates, problemsOf } from "../../shape.ts";
import { promptTokens } from "../openai/estimate.ts";
import { streamOptionsNeedAStream } from "../openai/model-rules.ts";
import type { OpenAiOptions } from "../openai/options.ts";
import type { Validated } from "../openai/serve.ts";
import {
  fieldsFitTheModel,
  formatIsPossible,
  functionsAreWellFormed,
  oneTokenLimit,
  toolFieldsHaveTools,
  toolNamesAreUnique,
} from "./field-rules.ts";
import {
  argumentsAreJson,
  callIdsAreUnique,
  callsAreAnswered,
  callsComeOneAtATime,
  mediaIsWhatItSays,
  reasoningIsKeptInLoop,
  toolMessagesAnswerACall,
} from "./message-rules.ts";
import type { ChatRequest } from "./request.ts";
import { requestShape } from "./request-shape.ts";
import type { Judged, Rule } from "./rule.ts";

/**
 * The rules beyond the request's shape that the Chat Completions API enforces with 400. Problems are reported in this order.
 * Sources: the API reference, and the refusals that clients of the real API and of compatible servers have reported.
 */
const RULES: readonly Rule[] = [
  fieldsFitTheModel,
  oneTokenLimit,
  streamOptionsNeedAStream,
  toolNamesAreUnique,
  functionsAreWellFormed,
  toolFieldsHaveTools,
  formatIsPossible,
  callIdsAreUnique,
  callsAreAnswered,
  toolMessagesAnswerACall,
  callsComeOneAtATime,
  argumentsAreJson,
  reasoningIsKeptInLoop,
  mediaIsWhatItSays,
];

/** Judges a parsed body as the real API would. The shape is judged first: the rules after it rely on it. */
export function validate(
  body: unknown,
  options: OpenAiOptions,
  reasoningOf: Judged["reasoningOf"],
): Validated<ChatRequest> {
  const shape = problemsOf((report) => {
    loneSurrogates(body, "", report);
    requestShape(options)(body, "", report);
  });
  if (shape.length > 0) return { problems: shape };
  const request = body as ChatRequest;
  const problems = problemsOf((report) => {
    for (const rule of RULES) rule({ request, options, reasoningOf }, report);
  });
  if (problems.length > 0) return { problems };
  return { request, promptTokens: promptTokens({ items: request.messages, tools: request.tools }) };
}
