import type { Answer, Refusal } from "../../deliver.ts";
import type { Fault, Reply } from "../../scenario.ts";
import { explain } from "../../shape.ts";
import { jsonAnswer, streamAnswer, usedUp, wholeAnswer } from "../anthropic/answers.ts";
import { errorAnswer as anthropicError, statusFault as anthropicFault } from "../anthropic/api-error.ts";
import { requestTokens } from "../anthropic/estimate.ts";
import { MessagesModel, type Rejection } from "../anthropic/messages-model.ts";
import { type Platform, readPlatformBody } from "../anthropic/platform-body.ts";
import type { MessagesRequest } from "../anthropic/request.ts";
import { SentReplies } from "../anthropic/sent-replies.ts";
import { betasOf } from "../anthropic/wire.ts";
import { decoded } from "../decoded.ts";
import {
  type ApiError,
  errorAnswer as googleError,
  statusFault as googleFault,
  retryInfoOf,
} from "../gemini/api-error.ts";
import type { Outcome, ReceivedRequest, Wire } from "../wire.ts";
import type { VertexOptions } from "./options.ts";

const PATH =
  /^\/v1\/projects\/([^/]+)\/locations\/([^/]+)\/publishers\/anthropic\/models\/([^/:]+):(rawPredict|streamRawPredict)$/;
const PREFIX = "/v1/projects/";
/** The name in the path of a token count, which is not a model. */
const COUNT_TOKENS = "count-tokens";

const VERTEX: Platform = {
  name: "Vertex",
  version: "vertex-2023-10-16",
  moved: { model: "the path, as the name of the model" },
};
/** A token count names its model in the body, because the path names the count. */
const VERTEX_COUNT: Platform = { ...VERTEX, moved: {} };

/** Statuses of the platform itself, whose errors are Google's; the model's own are Anthropic's. */
const GOOGLE_STATUSES: readonly number[] = [401, 403, 404, 429];

type Target = { readonly project: string; readonly model: string; readonly isStream: boolean };
type Accepted = { readonly request: MessagesRequest; readonly isCount: boolean };
/** Google's error, or Anthropic's. */
type Refused = { readonly google: ApiError } | { readonly anthropic: Rejection };

function targetOf(path: string): Target | undefined {
  const [, project, , model, specifier] = PATH.exec(path) ?? [];
  if (project === undefined || model === undefined) return undefined;
  return { project: decoded(project), model: decoded(model), isStream: specifier === "streamRawPredict" };
}

/**
 * Claude on Google's Vertex AI: `POST /v1/projects/<p>/locations/<l>/publishers/anthropic/models/<m>:streamRawPredict`, `:rawPredict`,
 * and `count-tokens:rawPredict`. Messages and events are those of Anthropic's API; access and its errors are Google's.
 */
export class VertexWire implements Wire {
  readonly name = "vertex";
  readonly #options: VertexOptions;
  readonly #model: MessagesModel;

  constructor(options: VertexOptions = {}, sent = new SentReplies()) {
    this.#options = options;
    this.#model = new MessagesModel(options, sent);
  }

  owns(path: string): boolean {
    return path.startsWith(PREFIX);
  }

  async handle(received: ReceivedRequest, next: () => Promise<Reply | undefined>): Promise<Outcome> {
    const requestId = `req_vrtx_twin_${String(received.number).padStart(6, "0")}`;
    const judged = this.#judge(received);
    if ("google" in judged) return { answer: googleError(judged.google), rejected: [judged.google.message] };
    if ("anthropic" in judged) {
      const { problems, message } = judged.anthropic;
      return {
        answer: anthropicError(judged.anthropic, requestId),
        rejected: problems?.map(explain) ?? [message],
      };
    }
    if (judged.isCount)
      return { answer: jsonAnswer({ input_tokens: requestTokens(judged.request) }, requestId), rejected: [] };
    const reply = await next();
    return { answer: this.#answer(judged.request, received, reply, requestId), rejected: [] };
  }

  #judge(received: ReceivedRequest): Refused | Accepted {
    const target = targetOf(received.path);
    const refused = this.#authenticate(received, target);
    if (refused) return { google: refused };
    if (!target || received.method !== "POST")
      return { google: { code: 404, message: `there is nothing at ${received.method} ${received.path}` } };
    if (received.isTooLarge) return { google: { code: 413, message: "the body is too large" } };
    if (received.bodyProblem !== undefined)
      return { anthropic: { status: 400, message: `the body is not valid JSON: ${received.bodyProblem}` } };
    return this.#judgeBody(received, target);
  }

  #authenticate({ headers }: ReceivedRequest, target: Target | undefined): ApiError | undefined {
    const token = /^Bearer (\S+)$/.exec(headers["authorization"] ?? "")?.[1];
    const { apiKey, project } = this.#options;
    if (token === undefined || (apiKey !== undefined && token !== apiKey))
      return {
        code: 401,
        message: "invalid authentication credentials: an OAuth 2 access token is expected in the header authorization",
      };
    if (project === undefined || !target || target.project === project) return undefined;
    return { code: 403, message: `permission denied on the project ${target.project}` };
  }

  #judgeBody(received: ReceivedRequest, { model, isStream }: Target): Refused | Accepted {
    const isCount = model === COUNT_TOKENS;
    const read = readPlatformBody(received.body, isCount ? VERTEX_COUNT : VERTEX);
    if ("problems" in read) {
      const message = read.problems.map(explain).join("; ");
      return { anthropic: { status: 400, message, problems: read.problems } };
    }
    const betas = [...betasOf(received), ...read.betas];
    const body = isCount ? read.fields : { ...read.fields, model };
    const judged = this.#model.judge(body, { endpoint: isCount ? "count_tokens" : "messages", betas });
    if ("request" in judged) return judgeStream(judged.request, { isStream, isCount });
    if (judged.status !== 404) return { anthropic: judged };
    return { google: { code: 404, message: `Publisher Model \`${model}\` was not found or is not available here.` } };
  }

  #answer(
    request: MessagesRequest,
    { bodyText, number }: ReceivedRequest,
    reply: Reply | undefined,
    requestId: string,
  ): Answer | Refusal {
    if (!reply) return usedUp(requestId);
    const messageId = `msg_vrtx_twin_${String(number).padStart(6, "0")}`;
    return this.#model.answer(
      request,
      { reply, bodyText, messageId },
      {
        fail: (fault) => faultAnswer(fault, requestId),
        stream: (message) => streamAnswer(message, reply, requestId),
        whole: (message) => wholeAnswer(message, reply, requestId),
      },
    );
  }
}

/** Answers a fault `status` in the error format of its sender: the platform or the model. */
function faultAnswer(fault: Extract<Fault, { kind: "status" }>, requestId: string): Answer {
  if (!GOOGLE_STATUSES.includes(fault.status) || fault.errorType !== undefined)
    return anthropicError(anthropicFault(fault), requestId);
  const error = googleFault(fault);
  const details = retryInfoOf(error);
  return googleError({ ...error, details: details.length > 0 ? details : undefined });
}

/** The body says if the client wants a stream, and the method must support streams. */
function judgeStream(
  request: MessagesRequest,
  { isStream, isCount }: { readonly isStream: boolean; readonly isCount: boolean },
): Refused | Accepted {
  if (!request.stream || isStream) return { request, isCount };
  return { anthropic: { status: 400, message: "stream: cannot be true for rawPredict: use streamRawPredict" } };
}
