import type { Answer, Refusal } from "../../deliver.ts";
import type { Reply } from "../../scenario.ts";
import { explain, type Problem } from "../../shape.ts";
import { deliveryOf, wholeDelivery } from "../delivery.ts";
import { streamSteps } from "../stream-steps.ts";
import type { Outcome, ReceivedRequest, Wire } from "../wire.ts";
import { type ApiError, DEFAULT_STREAM_ERROR, errorAnswer, errorMessage, statusOfType } from "./api-error.ts";
import { requestTokens } from "./estimate.ts";
import { streamFrames } from "./events.ts";
import { NO_CACHE_USE, PromptCache } from "./prompt-cache.ts";
import { type RenderedMessage, renderMessage, wireMessage } from "./render.ts";
import type { MessagesRequest } from "./request.ts";
import type { Endpoint } from "./request-shape.ts";
import { SentReplies } from "./sent-replies.ts";
import { validate } from "./validate.ts";

const ENDPOINTS: Readonly<Record<string, Endpoint>> = {
  "/v1/messages": "messages",
  "/v1/messages/count_tokens": "count_tokens",
};
const VERSION = /^\d{4}-\d{2}-\d{2}$/;
const PREFIX = "/v1/messages";

export type AnthropicOptions = {
  /** The only key that is accepted; left out: any. */
  readonly apiKey?: string | undefined;
  /** The models that exist; left out: every name. Another one gets 404. */
  readonly models?: readonly string[] | undefined;
  /** Longer requests (estimated) are refused with 400, as the API does when a prompt is too long. */
  readonly contextWindowTokens?: number | undefined;
  /** Plays the prompt cache: replies whose usage says nothing about it tell what was read and written. Left out: 0 of both. */
  readonly promptCache?: boolean | undefined;
};

/** What ended a request before it was answered from the scenario. */
type Rejection = ApiError & { readonly problems?: readonly Problem[] };

function authenticate({ headers }: ReceivedRequest, apiKey: string | undefined): Rejection | undefined {
  const key = headers["x-api-key"];
  const bearer = /^Bearer (\S+)$/i.exec(headers["authorization"] ?? "")?.[1];
  if (!key && !bearer)
    return { status: 401, message: "a header x-api-key, or authorization with a Bearer token, is required" };
  if (apiKey !== undefined && key !== apiKey && bearer !== apiKey)
    return { status: 401, message: "the API key is not valid" };
  return undefined;
}

function judgeHeaders({ headers }: ReceivedRequest): Rejection | undefined {
  const version = headers["anthropic-version"];
  if (version === undefined) return { status: 400, message: "anthropic-version: this header is required" };
  if (VERSION.test(version)) return undefined;
  return { status: 400, message: `anthropic-version: "${version}" is not a valid version` };
}

function betasOf({ headers }: ReceivedRequest): readonly string[] {
  const names = (headers["anthropic-beta"] ?? "").split(",").map((name) => name.trim());
  return names.filter((name) => name !== "");
}

/** Anthropic's Messages API: `POST /v1/messages`, streamed or not, and `POST /v1/messages/count_tokens`. */
export class AnthropicWire implements Wire {
  readonly name = "anthropic";
  readonly #options: AnthropicOptions;
  readonly #sent = new SentReplies();
  readonly #cache = new PromptCache();
  #ids = 0;

  constructor(options: AnthropicOptions = {}) {
    this.#options = options;
  }

  owns(path: string): boolean {
    return path.startsWith(PREFIX);
  }

  async handle(received: ReceivedRequest, next: () => Promise<Reply | undefined>): Promise<Outcome> {
    const requestId = `req_twin_${String(received.number).padStart(6, "0")}`;
    const judged = this.#judge(received);
    if ("status" in judged) {
      const rejected = judged.problems?.map(explain) ?? [judged.message];
      return { answer: errorAnswer(judged, requestId), rejected };
    }
    const { request, endpoint } = judged;
    if (endpoint === "count_tokens") {
      return { answer: jsonAnswer({ input_tokens: requestTokens(request) }, requestId), rejected: [] };
    }
    const reply = await next();
    return { answer: this.#answer(request, received, reply, requestId), rejected: [] };
  }

  #judge(received: ReceivedRequest): Rejection | { readonly request: MessagesRequest; readonly endpoint: Endpoint } {
    const endpoint = ENDPOINTS[received.path];
    if (!endpoint) return { status: 404, message: `there is nothing at ${received.path}` };
    if (received.method !== "POST") {
      return { status: 405, message: `${received.method} is not allowed here, only POST`, headers: { allow: "POST" } };
    }
    const refused = authenticate(received, this.#options.apiKey) ?? judgeHeaders(received);
    if (refused) return refused;
    if (received.isTooLarge) return { status: 413, message: "the body is larger than 32 MB" };
    if (received.bodyProblem !== undefined)
      return { status: 400, message: `the body is not valid JSON: ${received.bodyProblem}` };
    const validated = validate(received.body, { endpoint, betas: betasOf(received), sent: this.#sent });
    if ("problems" in validated) {
      const [first] = validated.problems;
      return { status: 400, message: first ? explain(first) : errorMessage(400), problems: validated.problems };
    }
    return this.#judgeLimits(validated.request, endpoint) ?? { request: validated.request, endpoint };
  }

  #judgeLimits(request: MessagesRequest, endpoint: Endpoint): Rejection | undefined {
    const { models, contextWindowTokens: window } = this.#options;
    if (models && !models.includes(request.model)) return { status: 404, message: `model: ${request.model}` };
    const tokens = window === undefined || endpoint === "count_tokens" ? 0 : requestTokens(request);
    if (window === undefined || tokens <= window) return undefined;
    return { status: 400, message: `prompt is too long: ${tokens} tokens > ${window} maximum` };
  }

  #answer(
    request: MessagesRequest,
    { bodyText }: ReceivedRequest,
    reply: Reply | undefined,
    requestId: string,
  ): Answer | Refusal {
    if (!reply) return usedUp(requestId);
    const { fault } = reply;
    if (fault?.kind === "silence" || fault?.kind === "hang_up") return { kind: fault.kind };
    if (fault?.kind === "status") {
      const retry = fault.retryAfter === undefined ? {} : { "retry-after": String(fault.retryAfter) };
      const message = fault.message ?? errorMessage(fault.status);
      return errorAnswer(
        { ...fault, message, type: fault.errorType, headers: { ...retry, ...fault.headers } },
        requestId,
      );
    }
    const nextId = () => ++this.#ids;
    const messageId = requestId.replace("req_", "msg_");
    const cached = this.#options.promptCache ? this.#cache.use(request) : NO_CACHE_USE;
    const message = renderMessage(reply, { request, bodyText, messageId, nextId, cached });
    this.#sent.remember(message.blocks.map(({ block }) => block));
    return request.stream ? streamAnswer(message, reply, requestId) : wholeAnswer(message, reply, requestId);
  }
}

/** Not retried by clients that honour `x-should-retry`: a script that is too short should be seen at once. */
function usedUp(requestId: string): Answer {
  const message = "model-twin: the scenario has no more replies";
  return errorAnswer({ status: 500, message, headers: { "x-should-retry": "false" } }, requestId);
}

function jsonAnswer(body: unknown, requestId: string): Answer {
  return {
    status: 200,
    headers: { "content-type": "application/json", "request-id": requestId },
    steps: [{ kind: "write", text: JSON.stringify(body), paced: false }],
  };
}

function streamAnswer(message: RenderedMessage, reply: Reply, requestId: string): Answer {
  return {
    status: 200,
    headers: {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-cache",
      "request-id": requestId,
    },
    steps: streamSteps(reply, streamFrames(message, reply, requestId)),
    ...deliveryOf(reply),
  };
}

/** Without a stream an error comes as its status. */
function wholeAnswer(message: RenderedMessage, reply: Reply, requestId: string): Answer {
  const { fault } = reply;
  if (fault?.kind === "error_event") {
    const type = fault.errorType ?? DEFAULT_STREAM_ERROR;
    const status = statusOfType(type);
    return errorAnswer({ status, type, message: fault.message ?? errorMessage(status) }, requestId);
  }
  return wholeDelivery(jsonAnswer(wireMessage(message), requestId), reply);
}
