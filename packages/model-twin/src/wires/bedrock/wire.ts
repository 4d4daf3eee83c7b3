import type { Answer, Refusal } from "../../deliver.ts";
import type { Reply } from "../../scenario.ts";
import { explain, isObject, type Problem } from "../../shape.ts";
import { requestTokens } from "../anthropic/estimate.ts";
import { MessagesModel } from "../anthropic/messages-model.ts";
import { type Platform, readPlatformBody } from "../anthropic/platform-body.ts";
import { type RenderedMessage, wireMessage } from "../anthropic/render.ts";
import type { MessagesRequest } from "../anthropic/request.ts";
import { SentReplies } from "../anthropic/sent-replies.ts";
import { decoded } from "../decoded.ts";
import { deliveryOf, wholeDelivery } from "../delivery.ts";
import { streamSteps } from "../stream-steps.ts";
import type { Outcome, ReceivedRequest, Wire } from "../wire.ts";
import { type AwsError, answerHeaders, errorAnswer, eventFault, statusFault } from "./api-error.ts";
import { streamFrames } from "./events.ts";
import type { BedrockOptions } from "./options.ts";
import { authenticate } from "./signature.ts";

const PREFIX = "/model/";
const OPERATION = /^\/model\/([^/]+)\/(invoke|invoke-with-response-stream|count-tokens)$/;
const EVENT_STREAM = "application/vnd.amazon.eventstream";

type Operation = "invoke" | "invoke-with-response-stream" | "count-tokens";

const BEDROCK: Platform = {
  name: "Bedrock",
  version: "bedrock-2023-05-31",
  moved: { model: "the path, as the id of the model", stream: "the path, as the operation" },
};

type Rejection = AwsError & { readonly problems?: readonly Problem[] };
type Accepted = { readonly request: MessagesRequest; readonly operation: Operation };

const invalid = (message: string): Rejection => ({ status: 400, exception: "ValidationException", message });

/** The body whose tokens are counted, in base64. Source: AWS's API reference, CountTokens. */
function countedBody(body: unknown): unknown {
  const input = isObject(body) ? body["input"] : undefined;
  const invoke = isObject(input) ? input["invokeModel"] : undefined;
  const text = isObject(invoke) ? invoke["body"] : undefined;
  try {
    return typeof text === "string" ? JSON.parse(Buffer.from(text, "base64").toString("utf8")) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Claude on Amazon Bedrock: `POST /model/<id>/invoke-with-response-stream`, `/invoke` and `/count-tokens`.
 * The messages are those of Anthropic's API; the framing, the signature and the errors are AWS's.
 */
export class BedrockWire implements Wire {
  readonly name = "bedrock";
  readonly #options: BedrockOptions;
  readonly #model: MessagesModel;

  constructor(options: BedrockOptions = {}, sent = new SentReplies()) {
    this.#options = options;
    this.#model = new MessagesModel(options, sent);
  }

  owns(path: string): boolean {
    return path.startsWith(PREFIX);
  }

  async handle(received: ReceivedRequest, next: () => Promise<Reply | undefined>): Promise<Outcome> {
    const requestId = `00000000-0000-4000-8000-${String(received.number).padStart(12, "0")}`;
    const judged = this.#judge(received);
    if ("status" in judged)
      return {
        answer: errorAnswer(judged, requestId),
        rejected: judged.problems?.map(explain) ?? [judged.message],
      };
    if (judged.operation === "count-tokens")
      return { answer: jsonAnswer({ inputTokens: requestTokens(judged.request) }, requestId), rejected: [] };
    const reply = await next();
    return { answer: this.#answer(judged, received, reply, requestId), rejected: [] };
  }

  #judge(received: ReceivedRequest): Rejection | Accepted {
    const refused = authenticate(received, this.#options);
    if (refused) return refused;
    const [, id, name] = OPERATION.exec(received.path) ?? [];
    if (id === undefined || received.method !== "POST")
      return {
        status: 404,
        exception: "UnknownOperationException",
        message: `there is no operation ${received.method} ${received.path}`,
      };
    if (received.isTooLarge)
      return { status: 413, exception: "RequestEntityTooLargeException", message: "the body is too large" };
    if (received.bodyProblem !== undefined)
      return {
        status: 400,
        exception: "SerializationException",
        message: `the body is not valid JSON: ${received.bodyProblem}`,
      };
    return this.#judgeBody(received.body, decoded(id), name as Operation);
  }

  #judgeBody(sent: unknown, model: string, operation: Operation): Rejection | Accepted {
    const body = operation === "count-tokens" ? countedBody(sent) : sent;
    if (body === undefined) return invalid("input.invokeModel.body: must be the body of an invocation, in base64");
    const read = readPlatformBody(body, BEDROCK);
    if ("problems" in read) return { ...invalid(read.problems.map(explain).join("; ")), problems: read.problems };
    const stream = operation === "invoke-with-response-stream";
    const judged = this.#model.judge({ ...read.fields, model, stream }, { endpoint: "messages", betas: read.betas });
    if ("request" in judged) return { request: judged.request, operation };
    if (judged.status === 404)
      return { status: 404, exception: "ResourceNotFoundException", message: `the model ${model} was not found` };
    return { ...invalid(judged.message), ...(judged.problems && { problems: judged.problems }) };
  }

  #answer(
    { request }: Accepted,
    { bodyText, number }: ReceivedRequest,
    reply: Reply | undefined,
    requestId: string,
  ): Answer | Refusal {
    if (!reply) return usedUp(requestId);
    const messageId = `msg_bdrk_twin_${String(number).padStart(6, "0")}`;
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

/** Not retried by clients that honour `x-should-retry`: a script that is too short should be seen at once. */
function usedUp(requestId: string): Answer {
  const message = "model-twin: the scenario has no more replies";
  const headers = { "x-should-retry": "false" };
  return errorAnswer({ status: 500, exception: "InternalServerException", message, headers }, requestId);
}

function jsonAnswer(body: unknown, requestId: string): Answer {
  return {
    status: 200,
    headers: answerHeaders(requestId),
    steps: [{ kind: "write", text: JSON.stringify(body), paced: false }],
  };
}

function streamAnswer(message: RenderedMessage, reply: Reply, requestId: string): Answer {
  return {
    status: 200,
    headers: { ...answerHeaders(requestId, EVENT_STREAM), "x-amzn-bedrock-content-type": "application/json" },
    steps: streamSteps(reply, streamFrames(message, reply)),
    ...deliveryOf(reply),
  };
}

/** Without a stream, an error is sent as an HTTP status. */
function wholeAnswer(message: RenderedMessage, reply: Reply, requestId: string): Answer {
  const { fault } = reply;
  if (fault?.kind === "error_event") return errorAnswer(eventFault(fault.errorType, fault.message), requestId);
  const answer = jsonAnswer(wireMessage(message), requestId);
  const { inputTokens, outputTokens } = message.usage;
  const counts = {
    "x-amzn-bedrock-input-token-count": String(inputTokens),
    "x-amzn-bedrock-output-token-count": String(outputTokens),
  };
  return wholeDelivery({ ...answer, headers: { ...answer.headers, ...counts } }, reply);
}
