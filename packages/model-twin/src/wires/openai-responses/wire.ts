import type { Answer } from "../../deliver.ts";
import type { Reply } from "../../scenario.ts";
import { deliveryOf, wholeDelivery } from "../delivery.ts";
import { type ApiError, answerHeaders, errorAnswer, eventFault, jsonAnswer } from "../openai/api-error.ts";
import { OneCallAtATime } from "../openai/one-call.ts";
import type { OpenAiOptions } from "../openai/options.ts";
import { CallIds, renderReply } from "../openai/render.ts";
import { type AnswerContext, type Endpoint, rejectionOutcome, requestIdOf, serve } from "../openai/serve.ts";
import { DEFAULT_DELTA_CHARS } from "../pieces.ts";
import { streamSteps } from "../stream-steps.ts";
import type { Outcome, ReceivedRequest, Wire } from "../wire.ts";
import { streamFrames } from "./events.ts";
import { isCall, isOutput } from "./items.ts";
import { endedResponse, type RenderedResponse, renderResponse } from "./render.ts";
import { asksForEncrypted, isStored } from "./request.ts";
import { SentItems } from "./sent-items.ts";
import { type Prompt, validate } from "./validate.ts";

/** Compatible servers use other path prefixes. Stored responses can't be fetched by their id. */
const PATH = /\/responses(\/.*)?$/;

/** OpenAI's Responses API: `POST …/responses`, streamed or not. */
export class OpenAiResponsesWire implements Wire, Endpoint<Prompt> {
  readonly name = "openai-responses";
  readonly promptField = "input";
  readonly #options: OpenAiOptions;
  readonly #ids = new CallIds();
  readonly #sent = new SentItems();
  readonly #calls = new OneCallAtATime();

  constructor(options: OpenAiOptions = {}) {
    this.#options = options;
  }

  owns(path: string): boolean {
    return PATH.test(path);
  }

  async handle(received: ReceivedRequest, next: () => Promise<Reply | undefined>): Promise<Outcome> {
    if (PATH.exec(received.path)?.[1] === undefined) return serve(received, next, this, this.#options);
    return rejectionOutcome({ status: 404, message: `there is nothing at ${received.path}` }, requestIdOf(received));
  }

  validate(body: unknown) {
    return validate(body, this.#options, this.#sent);
  }

  waitingReply({ conversation }: Prompt): Reply | undefined {
    const last = conversation.at(-1);
    if (!last || !isOutput(last)) return undefined;
    return this.#calls.restAfter(conversation.findLast(isCall)?.call_id);
  }

  answer(request: Prompt, reply: Reply, { received, requestId, serial, promptTokens }: AnswerContext): Answer {
    const part = request.parallel_tool_calls === false ? this.#calls.first(reply, ({ id }) => id) : undefined;
    const sent = part?.reply ?? reply;
    const freshId = () => this.#ids.fresh(received.bodyText, (number) => `call_twin_${number}`);
    const rendered = renderReply(sent, { model: request.model, serial, promptTokens, freshId });
    part?.remember(rendered.blocks);
    const options = this.#options.responses ?? {};
    const response = renderResponse(rendered, request, options);
    const items = response.items.flatMap((item) => (item.type === "web_search_call" ? [] : [item]));
    const kept = { items, isEncrypted: asksForEncrypted(request), isStored: isStored(request) };
    this.#sent.remember(`resp_${serial}`, kept, request.conversation);
    if (!request.stream) return wholeAnswer(response, sent, requestId);
    const { deltaChars = DEFAULT_DELTA_CHARS, repeatFirstDelta = false } = sent;
    return {
      status: 200,
      headers: { ...answerHeaders(requestId, "text/event-stream; charset=utf-8"), "cache-control": "no-cache" },
      steps: streamSteps(sent, streamFrames(response, { options, deltaChars, repeatFirstDelta })),
      ...deliveryOf(sent),
    };
  }

  fail(_request: Prompt, error: ApiError, requestId: string): Answer {
    return errorAnswer(error, requestId);
  }
}

/** Without a stream, an error is sent as an HTTP status. */
function wholeAnswer(response: RenderedResponse, reply: Reply, requestId: string): Answer {
  const { fault } = reply;
  if (fault?.kind === "error_event") return errorAnswer(eventFault(fault.errorType, fault.message), requestId);
  return wholeDelivery(jsonAnswer(endedResponse(response), requestId), reply);
}
