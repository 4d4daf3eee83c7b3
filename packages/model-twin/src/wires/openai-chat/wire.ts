import type { Answer } from "../../deliver.ts";
import type { Reply } from "../../scenario.ts";
import { deliveryOf, wholeDelivery } from "../delivery.ts";
import { type ApiError, answerHeaders, errorAnswer, errorBody, eventFault, jsonAnswer } from "../openai/api-error.ts";
import { OneCallAtATime } from "../openai/one-call.ts";
import type { ChatQuirks, OpenAiOptions } from "../openai/options.ts";
import { CallIds, type RenderedReply, renderReply } from "../openai/render.ts";
import { type AnswerContext, type Endpoint, serve } from "../openai/serve.ts";
import { DEFAULT_DELTA_CHARS } from "../pieces.ts";
import { Remembered } from "../remembered.ts";
import { streamSteps } from "../stream-steps.ts";
import type { Outcome, ReceivedRequest, Wire } from "../wire.ts";
import { sse, streamFrames } from "./events.ts";
import { joined, wireCompletion } from "./render.ts";
import { asksForSearch, type ChatRequest } from "./request.ts";
import { validate } from "./validate.ts";

/** Compatible servers use other path prefixes. */
const PATH = /\/chat\/completions$/;
const EVENT_STREAM = "text/event-stream; charset=utf-8";
const NINE_LETTER_PREFIX = "twn";

type Call = { readonly id: string; readonly name: string; readonly arguments: string };

/**
 * OpenAI's Chat Completions API: `POST …/chat/completions`, streamed or not. The wire leaves out the parts of a
 * reply that it cannot express: hidden thinking, signatures, the borders of text blocks.
 */
export class OpenAiChatWire implements Wire, Endpoint<ChatRequest> {
  readonly name = "openai-chat";
  readonly promptField = "messages";
  readonly #options: OpenAiOptions;
  readonly #quirks: ChatQuirks;
  readonly #ids = new CallIds();
  readonly #reasoning = new Remembered<string>();
  readonly #calls = new OneCallAtATime();

  constructor(options: OpenAiOptions = {}) {
    this.#options = options;
    this.#quirks = options.chat ?? {};
  }

  owns(path: string): boolean {
    return PATH.test(path);
  }

  handle(received: ReceivedRequest, next: () => Promise<Reply | undefined>): Promise<Outcome> {
    return serve(received, next, this, this.#options);
  }

  validate(body: unknown) {
    return validate(body, this.#options, (id) => this.#reasoning.get(id));
  }

  waitingReply({ messages }: ChatRequest): Reply | undefined {
    if (messages.at(-1)?.role !== "tool") return undefined;
    const asked = messages.findLast((message) => message.role === "assistant");
    const [call] = asked?.tool_calls ?? [];
    return this.#calls.restAfter(call && this.#keyOf({ id: call.id, ...call.function }));
  }

  answer(request: ChatRequest, reply: Reply, { received, requestId, serial, promptTokens }: AnswerContext): Answer {
    const isSerial = this.#quirks.parallelCalls === false || request.parallel_tool_calls === false;
    const part = isSerial ? this.#calls.first(reply, (call) => this.#keyOf(call)) : undefined;
    const sent = part?.reply ?? reply;
    const freshId = () => this.#freshId(received.bodyText);
    const whole = renderReply(sent, { model: request.model, serial, promptTokens, freshId });
    const rendered = asksForSearch(request) ? whole : { ...whole, search: undefined };
    part?.remember(rendered.blocks);
    this.#rememberReasoning(rendered);
    if (!request.stream) return this.#whole(rendered, sent, requestId);
    const settings = {
      quirks: this.#quirks,
      includeUsage: request.stream_options?.include_usage ?? false,
      deltaChars: sent.deltaChars ?? DEFAULT_DELTA_CHARS,
    };
    return {
      status: 200,
      headers: { ...answerHeaders(requestId, EVENT_STREAM), "cache-control": "no-cache" },
      steps: streamSteps(sent, streamFrames(rendered, settings)),
      ...deliveryOf(sent),
    };
  }

  fail(request: ChatRequest, error: ApiError, requestId: string): Answer {
    const answer = errorAnswer(error, requestId);
    const { errorsWithStatus200: disguise } = this.#quirks;
    if (disguise === undefined) return answer;
    if (disguise === "json" || !request.stream) return { ...answer, status: 200 };
    const headers = { ...answer.headers, "content-type": EVENT_STREAM };
    return { status: 200, headers, steps: [{ kind: "write", text: sse(errorBody(error)), paced: false }] };
  }

  /** The identity of a call: its id, or its content if the client had to invent the id. */
  #keyOf({ id, name, arguments: json }: Call): string {
    return this.#quirks.callIds === "missing" ? JSON.stringify([name, json]) : id;
  }

  #freshId(bodyText: string): string {
    const isShort = this.#quirks.callIds === "nine_letters";
    return this.#ids.fresh(bodyText, (number) => (isShort ? `${NINE_LETTER_PREFIX}${number}` : `call_twin_${number}`));
  }

  #rememberReasoning({ blocks }: RenderedReply): void {
    const reasoning = this.#quirks.reasoningField === "none" ? "" : joined(blocks, "thinking");
    if (reasoning === "") return;
    for (const block of blocks) if (block.type === "call") this.#reasoning.set(block.id, reasoning);
  }

  /** Without a stream, an error is sent as an HTTP status. */
  #whole(rendered: RenderedReply, reply: Reply, requestId: string): Answer {
    const { fault } = reply;
    if (fault?.kind === "error_event") return errorAnswer(eventFault(fault.errorType, fault.message), requestId);
    return wholeDelivery(jsonAnswer(wireCompletion(rendered, this.#quirks), requestId), reply);
  }
}
