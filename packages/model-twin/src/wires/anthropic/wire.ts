import type { Answer, Refusal } from "../../deliver.ts";
import type { Reply } from "../../scenario.ts";
import { explain } from "../../shape.ts";
import type { Outcome, ReceivedRequest, Wire } from "../wire.ts";
import { jsonAnswer, streamAnswer, usedUp, wholeAnswer } from "./answers.ts";
import { errorAnswer, statusFault } from "./api-error.ts";
import { requestTokens } from "./estimate.ts";
import { MessagesModel, type MessagesOptions, type Rejection } from "./messages-model.ts";
import type { MessagesRequest } from "./request.ts";
import type { Endpoint } from "./request-shape.ts";
import { SentReplies } from "./sent-replies.ts";

const ENDPOINTS: Readonly<Record<string, Endpoint>> = {
  "/v1/messages": "messages",
  "/v1/messages/count_tokens": "count_tokens",
};
const VERSION = /^\d{4}-\d{2}-\d{2}$/;
const PREFIX = "/v1/messages";

export type AnthropicOptions = MessagesOptions & {
  /** The only key that is accepted; any if absent. */
  readonly apiKey?: string | undefined;
};

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

/** The names in the header anthropic-beta. */
export function betasOf({ headers }: ReceivedRequest): readonly string[] {
  const names = (headers["anthropic-beta"] ?? "").split(",").map((name) => name.trim());
  return names.filter((name) => name !== "");
}

/** Anthropic's Messages API: `POST /v1/messages`, streamed or not, and `POST /v1/messages/count_tokens`. */
export class AnthropicWire implements Wire {
  readonly name = "anthropic";
  readonly #options: AnthropicOptions;
  readonly #model: MessagesModel;

  constructor(options: AnthropicOptions = {}, sent = new SentReplies()) {
    this.#options = options;
    this.#model = new MessagesModel(options, sent);
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
    const judged = this.#model.judge(received.body, { endpoint, betas: betasOf(received) });
    return "status" in judged ? judged : { request: judged.request, endpoint };
  }

  #answer(
    request: MessagesRequest,
    { bodyText }: ReceivedRequest,
    reply: Reply | undefined,
    requestId: string,
  ): Answer | Refusal {
    if (!reply) return usedUp(requestId);
    const messageId = requestId.replace("req_", "msg_");
    return this.#model.answer(
      request,
      { reply, bodyText, messageId },
      {
        fail: (fault) => errorAnswer(statusFault(fault), requestId),
        stream: (message) => streamAnswer(message, reply, requestId),
        whole: (message) => wholeAnswer(message, reply, requestId),
      },
    );
  }
}
