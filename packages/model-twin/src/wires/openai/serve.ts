import type { Answer, Refusal } from "../../deliver.ts";
import type { Reply } from "../../scenario.ts";
import type { Problem } from "../../shape.ts";
import { withoutAnswer } from "../delivery.ts";
import type { Outcome, ReceivedRequest } from "../wire.ts";
import { type ApiError, errorAnswer, explainProblem, problemError, statusFault } from "./api-error.ts";
import type { OpenAiOptions } from "./options.ts";

export type Validated<Request> =
  | { readonly request: Request; readonly promptTokens: number }
  /** At least one. */
  | { readonly problems: readonly Problem[] };

export type AnswerContext = {
  readonly received: ReceivedRequest;
  readonly requestId: string;
  /** The end of the answer's ids. */
  readonly serial: string;
  readonly promptTokens: number;
};

/** The behaviour in which OpenAI's endpoints differ. */
export type Endpoint<Request> = {
  /** The field that contains the prompt. */
  readonly promptField: string;
  validate(body: unknown): Validated<Request>;
  /** A reply that is already waiting for this request; it precedes the scenario. */
  waitingReply(request: Request): Reply | undefined;
  answer(request: Request, reply: Reply, context: AnswerContext): Answer;
  /** The answer to a fault `status`. */
  fail(request: Request, error: ApiError, requestId: string): Answer;
};

/** The reason why a request was rejected before the scenario answered it. */
export type Rejection = ApiError & { readonly problems?: readonly Problem[] };

/** @returns undefined when the request may be judged. */
export function authenticate(
  { headers }: ReceivedRequest,
  { apiKey, requireKey = true }: OpenAiOptions,
): Rejection | undefined {
  const bearer = /^Bearer (\S+)$/i.exec(headers["authorization"] ?? "")?.[1];
  if (!bearer && requireKey)
    return { status: 401, code: null, message: "a header authorization with a Bearer token is required" };
  if (apiKey !== undefined && requireKey && bearer !== apiKey)
    return { status: 401, message: "the API key is not valid" };
  return undefined;
}

/** @returns undefined when the model exists. */
export function judgeModel(model: string, { models }: OpenAiOptions): Rejection | undefined {
  if (!models || models.includes(model)) return undefined;
  const message = `the model "${model}" does not exist or you do not have access to it`;
  return { status: 404, message, type: "invalid_request_error", code: "model_not_found", param: "model" };
}

export function wrongMethod(method: string, path: string, allowed: string): Rejection {
  const message = `${method} is not allowed on ${path}, only ${allowed}`;
  return { status: 405, message, headers: { allow: allowed } };
}

function admit(received: ReceivedRequest, options: OpenAiOptions): Rejection | undefined {
  const refused = authenticate(received, options);
  if (refused) return refused;
  if (received.method !== "POST") return wrongMethod(received.method, received.path, "POST");
  if (received.isTooLarge) return { status: 413, message: "the body is larger than 32 MB" };
  if (received.bodyProblem === undefined) return undefined;
  return { status: 400, message: `the body is not valid JSON: ${received.bodyProblem}` };
}

function judgeLength(tokens: number, field: string, { contextWindowTokens: window }: OpenAiOptions) {
  if (window === undefined || tokens <= window) return undefined;
  return {
    status: 400,
    message: `this model's maximum context length is ${window} tokens, and the ${field} resulted in ${tokens} tokens`,
    code: "context_length_exceeded",
    param: field,
  };
}

function judge<Request extends { readonly model: string }>(
  received: ReceivedRequest,
  endpoint: Endpoint<Request>,
  options: OpenAiOptions,
): Rejection | { readonly request: Request; readonly promptTokens: number } {
  const refused = admit(received, options);
  if (refused) return refused;
  const validated = endpoint.validate(received.body);
  if ("problems" in validated) {
    const [first] = validated.problems;
    return {
      ...problemError(first ?? { where: "", message: "the request is not valid" }),
      problems: validated.problems,
    };
  }
  const { request, promptTokens } = validated;
  return judgeModel(request.model, options) ?? judgeLength(promptTokens, endpoint.promptField, options) ?? validated;
}

export function rejectionOutcome(rejection: Rejection, requestId: string): Outcome {
  const rejected = rejection.problems?.map(explainProblem) ?? [rejection.message];
  return { answer: errorAnswer(rejection, requestId), rejected };
}

export const requestIdOf = ({ number }: ReceivedRequest): string => `req_twin_${String(number).padStart(6, "0")}`;

/** Not retried by clients that honour `x-should-retry`: a script that is too short should be seen at once. */
function usedUp(requestId: string): Answer {
  const message = "model-twin: the scenario has no more replies";
  return errorAnswer({ status: 500, message, headers: { "x-should-retry": "false" } }, requestId);
}

/** Judges a request and answers it from the scenario. */
export async function serve<Request extends { readonly model: string }>(
  received: ReceivedRequest,
  next: () => Promise<Reply | undefined>,
  endpoint: Endpoint<Request>,
  options: OpenAiOptions,
): Promise<Outcome> {
  const requestId = requestIdOf(received);
  const judged = judge(received, endpoint, options);
  if ("status" in judged) return rejectionOutcome(judged, requestId);
  const { request, promptTokens } = judged;
  const reply = endpoint.waitingReply(request) ?? (await next());
  const answer = (): Answer | Refusal => {
    if (!reply) return usedUp(requestId);
    const none = withoutAnswer(reply);
    if (none) return none;
    const { fault } = reply;
    if (fault?.kind === "status") return endpoint.fail(request, statusFault(fault), requestId);
    return endpoint.answer(request, reply, {
      received,
      requestId,
      serial: requestId.slice("req_".length),
      promptTokens,
    });
  };
  return { answer: answer(), rejected: [] };
}
