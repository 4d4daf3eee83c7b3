import type { Answer, Refusal } from "../../deliver.ts";
import type { Reply } from "../../scenario.ts";
import { decoded } from "../decoded.ts";
import { deliveryOf, wholeDelivery, withoutAnswer } from "../delivery.ts";
import { CallIds, renderReply } from "../openai/render.ts";
import { DEFAULT_DELTA_CHARS } from "../pieces.ts";
import { streamSteps } from "../stream-steps.ts";
import type { Outcome, ReceivedRequest, Wire } from "../wire.ts";
import {
  type ApiError,
  BAD_KEY_DETAIL,
  errorAnswer,
  eventFault,
  explainProblem,
  jsonAnswer,
  problemsError,
  statusFault,
  tooLong,
} from "./api-error.ts";
import { promptTokens } from "./estimate.ts";
import { streamFrames } from "./events.ts";
import { modelCard, modelsPage } from "./models.ts";
import type { GeminiOptions } from "./options.ts";
import { INVALID_JSON } from "./proto.ts";
import { type GeminiReply, renderGemini, wireResponse } from "./render.ts";
import type { GenerateRequest } from "./request.ts";
import { SentSignatures } from "./sent-signatures.ts";
import { type Method, validate } from "./validate.ts";

const PREFIX = "/v1beta/";
const MODELS = "models";
const ACTION = /^models\/([^/:]+)(?::([A-Za-z]+))?$/;
const METHODS: readonly string[] = ["generateContent", "streamGenerateContent", "countTokens"] satisfies Method[];

/**
 * The reason why a request was rejected before the scenario answered it. `rejected`: all problems, if the message does
 * not list them all.
 */
type Rejection = ApiError & { readonly rejected?: readonly string[] };

type Call = { readonly method: Method; readonly model: string };
type Accepted = Call & { readonly request: GenerateRequest; readonly promptTokens: number };

function authenticate(
  { headers }: ReceivedRequest,
  query: URLSearchParams,
  { apiKey }: GeminiOptions,
): Rejection | undefined {
  const key = headers["x-goog-api-key"] ?? query.get("key") ?? "";
  if (key === "" && headers["authorization"] !== undefined)
    return { code: 401, message: "an API key is no access token: it belongs in the header x-goog-api-key" };
  if (key === "")
    return { code: 403, message: "unregistered callers are not served: an API key is required in x-goog-api-key" };
  if (apiKey === undefined || key === apiKey) return undefined;
  return { code: 400, message: "API key not valid. Please pass a valid API key.", details: [BAD_KEY_DETAIL] };
}

/**
 * Google's Gemini API, v1beta: `:generateContent`, `:streamGenerateContent` (as events with `alt=sse`, else as a JSON array),
 * `:countTokens`, and the list of models. The wire leaves out the parts of a reply that it cannot express: hidden
 * thinking, the borders of text blocks, broken JSON.
 */
export class GeminiWire implements Wire {
  readonly name = "gemini";
  readonly #options: GeminiOptions;
  readonly #sent = new SentSignatures();
  readonly #ids = new CallIds();

  constructor(options: GeminiOptions = {}) {
    this.#options = options;
  }

  owns(path: string): boolean {
    return path.startsWith(PREFIX);
  }

  async handle(received: ReceivedRequest, next: () => Promise<Reply | undefined>): Promise<Outcome> {
    const query = new URLSearchParams(received.query);
    const judged = this.#judge(received, query);
    if ("code" in judged) return { answer: errorAnswer(judged), rejected: judged.rejected ?? [judged.message] };
    if ("page" in judged) return { answer: jsonAnswer(judged.page), rejected: [] };
    if (judged.method === "countTokens") {
      const { promptTokens: count } = judged;
      const details = [{ modality: "TEXT", tokenCount: count }];
      return { answer: jsonAnswer({ totalTokens: count, promptTokensDetails: details }), rejected: [] };
    }
    const reply = await next();
    return { answer: this.#answer(judged, received, query, reply), rejected: [] };
  }

  #judge(received: ReceivedRequest, query: URLSearchParams): Rejection | Accepted | { readonly page: unknown } {
    const refused = authenticate(received, query, this.#options);
    if (refused) return refused;
    const { method: verb } = received;
    const path = received.path.slice(PREFIX.length);
    if (path === MODELS && verb === "GET") return { page: modelsPage(query, this.#options) };
    const [, name, action] = ACTION.exec(path) ?? [];
    const isMethod = action !== undefined && METHODS.includes(action) && verb === "POST";
    if (name === undefined || (!isMethod && (action !== undefined || verb !== "GET")))
      return { code: 404, message: `there is nothing at ${verb} ${received.path}` };
    const model = decoded(name);
    const { models } = this.#options;
    if (models && !models.includes(model))
      return {
        code: 404,
        message: `models/${model} is not found for API version v1beta, or is not supported for ${action}`,
      };
    if (action === undefined) return { page: modelCard(model, this.#options) };
    return this.#judgeBody(received, { method: action as Method, model });
  }

  #judgeBody(received: ReceivedRequest, call: Call): Rejection | Accepted {
    if (received.isTooLarge) return { code: 400, message: "Request payload size exceeds the limit" };
    if (received.bodyProblem !== undefined) return { code: 400, message: `${INVALID_JSON} ${received.bodyProblem}` };
    const validated = validate(received.body, { ...call, options: this.#options, sent: this.#sent });
    if ("problems" in validated)
      return { ...problemsError(validated.problems), rejected: validated.problems.map(explainProblem) };
    const { request } = validated;
    const tokens = promptTokens(request);
    const { contextWindowTokens: window } = this.#options;
    if (window !== undefined && tokens > window && call.method !== "countTokens")
      return { code: 400, message: tooLong(tokens, window) };
    return { ...call, request, promptTokens: tokens };
  }

  #answer(
    accepted: Accepted,
    received: ReceivedRequest,
    query: URLSearchParams,
    reply: Reply | undefined,
  ): Answer | Refusal {
    if (!reply) return usedUp();
    const none = withoutAnswer(reply);
    if (none) return none;
    const { fault } = reply;
    if (fault?.kind === "status") return errorAnswer(statusFault(fault));
    const rendered = this.#render(accepted, received, reply);
    if (accepted.method === "generateContent") return wholeAnswer(rendered, reply);
    return streamAnswer(rendered, reply, query.get("alt") === "sse" ? "sse" : "array");
  }

  #render({ model, request, promptTokens: tokens }: Accepted, received: ReceivedRequest, reply: Reply): GeminiReply {
    const { callIds = "sent" } = this.#options;
    const serial = `twin_${String(received.number).padStart(6, "0")}`;
    const freshId = () =>
      callIds === "missing" ? "" : this.#ids.fresh(received.bodyText, (number) => `fc_twin_${number}`);
    const neutral = renderReply(reply, { model, serial, promptTokens: tokens, freshId });
    const includeThoughts = request.generationConfig?.thinkingConfig?.includeThoughts ?? false;
    const isSearching = request.tools?.some(({ googleSearch }) => googleSearch !== undefined) ?? false;
    const rendered = renderGemini(neutral, serial, { options: this.#options, includeThoughts, isSearching });
    for (const { functionCall, thoughtSignature } of rendered.parts) {
      if (functionCall && thoughtSignature !== undefined)
        this.#sent.rememberCall(functionCall, thoughtSignature, model);
    }
    if (rendered.endSignature !== undefined) this.#sent.rememberText(rendered.endSignature);
    return rendered;
  }
}

/** Not retried by clients that honour `x-should-retry`: a script that is too short should be seen at once. */
function usedUp(): Answer {
  const message = "model-twin: the scenario has no more replies";
  return errorAnswer({ code: 500, message, headers: { "x-should-retry": "false" } });
}

function streamAnswer(rendered: GeminiReply, reply: Reply, framing: "sse" | "array"): Answer {
  const settings = {
    framing,
    deltaChars: reply.deltaChars ?? DEFAULT_DELTA_CHARS,
    hasPings: reply.pings !== undefined,
  };
  return {
    status: 200,
    headers: { "content-type": framing === "sse" ? "text/event-stream" : "application/json; charset=UTF-8" },
    steps: streamSteps(reply, streamFrames(rendered, settings)),
    ...deliveryOf(reply),
  };
}

/** Without a stream, an error is sent as an HTTP status. */
function wholeAnswer(rendered: GeminiReply, reply: Reply): Answer {
  const { fault } = reply;
  if (fault?.kind === "error_event") return errorAnswer(eventFault(fault.errorType, fault.message));
  return wholeDelivery(jsonAnswer(wireResponse(rendered)), reply);
}
