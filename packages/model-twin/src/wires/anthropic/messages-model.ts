import type { Answer, Refusal } from "../../deliver.ts";
import type { Fault, Reply } from "../../scenario.ts";
import { explain, type Problem } from "../../shape.ts";
import { withoutAnswer } from "../delivery.ts";
import { type ApiError, errorMessage } from "./api-error.ts";
import { requestTokens } from "./estimate.ts";
import { NO_CACHE_USE, PromptCache } from "./prompt-cache.ts";
import { type RenderedMessage, renderMessage } from "./render.ts";
import type { MessagesRequest } from "./request.ts";
import type { Endpoint } from "./request-shape.ts";
import { isSearchBlock } from "./search-blocks.ts";
import { SentReplies } from "./sent-replies.ts";
import { validate } from "./validate.ts";

export type MessagesOptions = {
  /** The models that exist; every name if absent. An unknown name gets 404. */
  readonly models?: readonly string[] | undefined;
  /** Longer requests (estimated) are refused with 400, as the API does when a prompt is too long. */
  readonly contextWindowTokens?: number | undefined;
  /**
   * Simulates the prompt cache: replies without cache counts in their usage report the tokens read and written.
   * Absent: both counts are 0.
   */
  readonly promptCache?: boolean | undefined;
};

/** The reason why a request was rejected before the scenario answered it. */
export type Rejection = ApiError & { readonly problems?: readonly Problem[] };

type JudgeContext = { readonly endpoint: Endpoint; readonly betas: readonly string[] };
type AnswerContext = { readonly reply: Reply; readonly bodyText: string; readonly messageId: string };

/** The platform's form of a reply. */
export type Carrier = {
  fail(fault: Extract<Fault, { kind: "status" }>): Answer;
  stream(message: RenderedMessage, reply: Reply): Answer;
  whole(message: RenderedMessage, reply: Reply): Answer;
};

/** The Messages API without HTTP: the part that all platforms share. */
export class MessagesModel {
  readonly #options: MessagesOptions;
  readonly #sent: SentReplies;
  readonly #cache = new PromptCache();
  #ids = 0;

  /** @param sent Shared by the platforms of one server, so that each accepts thinking that another one sent. */
  constructor(options: MessagesOptions = {}, sent = new SentReplies()) {
    this.#options = options;
    this.#sent = sent;
  }

  /** Judges a parsed body and its size. */
  judge(body: unknown, { endpoint, betas }: JudgeContext): Rejection | { readonly request: MessagesRequest } {
    const validated = validate(body, { endpoint, betas, sent: this.#sent });
    if ("problems" in validated) {
      const [first] = validated.problems;
      return { status: 400, message: first ? explain(first) : errorMessage(400), problems: validated.problems };
    }
    return this.#judgeLimits(validated.request, endpoint) ?? validated;
  }

  #judgeLimits(request: MessagesRequest, endpoint: Endpoint): Rejection | undefined {
    const { models, contextWindowTokens: window } = this.#options;
    if (models && !models.includes(request.model)) return { status: 404, message: `model: ${request.model}` };
    const tokens = window === undefined || endpoint === "count_tokens" ? 0 : requestTokens(request);
    if (window === undefined || tokens <= window) return undefined;
    return { status: 400, message: `prompt is too long: ${tokens} tokens > ${window} maximum` };
  }

  /** Turns a reply into an answer of a platform. */
  answer(request: MessagesRequest, context: AnswerContext, carrier: Carrier): Answer | Refusal {
    const { reply } = context;
    const none = withoutAnswer(reply);
    if (none) return none;
    if (reply.fault?.kind === "status") return carrier.fail(reply.fault);
    const message = this.#render(request, context);
    return request.stream ? carrier.stream(message, reply) : carrier.whole(message, reply);
  }

  /** Turns a reply into a message, and remembers the message to judge the parts that come back. */
  #render(request: MessagesRequest, { reply, bodyText, messageId }: AnswerContext): RenderedMessage {
    const nextId = () => ++this.#ids;
    const cached = this.#options.promptCache ? this.#cache.use(request) : NO_CACHE_USE;
    const message = renderMessage(reply, { request, bodyText, messageId, nextId, cached });
    this.#sent.remember(message.blocks.flatMap(({ block }) => (isSearchBlock(block) ? [] : [block])));
    return message;
  }
}
