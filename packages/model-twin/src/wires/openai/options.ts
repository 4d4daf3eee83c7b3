/**
 * How an OpenAI-compatible Chat Completions server can differ from OpenAI's own. By default, the server behaves like
 * OpenAI, except that it sends reasoning, which OpenAI does not.
 */
export type ChatQuirks = {
  /**
   * The field in which thinking is sent, in deltas as in messages: `reasoning_content` (the default; DeepSeek, vLLM, llama.cpp),
   * `reasoning` (OpenRouter, Groq), or `none` (OpenAI): with `none`, reasoning is counted but not sent.
   */
  readonly reasoningField?: "reasoning_content" | "reasoning" | "none" | undefined;
  /**
   * Reasoning that comes back in messages of the assistant, under either name: `accepted` (the default), `refused` (OpenAI),
   * or `required` unchanged beside each call of an open tool loop that this server sent with reasoning (DeepSeek, Kimi).
   */
  readonly returnedReasoning?: "accepted" | "required" | "refused" | undefined;
  /** `no_developer` refuses the role developer; `no_system` the role system too. */
  readonly roles?: "all" | "no_developer" | "no_system" | undefined;
  /** False: more than one call in a message is refused, and a reply's calls are sent one at a time, the next one when the last was answered. */
  readonly parallelCalls?: boolean | undefined;
  /** False: the field stream_options is refused. */
  readonly streamOptions?: boolean | undefined;
  /** `missing`: calls are sent without ids. `nine_letters` (Mistral): ids are exactly nine letters and digits, those that come back too. */
  readonly callIds?: "sent" | "missing" | "nine_letters" | undefined;
  /** False: calls in a stream have no `index`. */
  readonly callIndex?: boolean | undefined;
  /** False: a call comes in one delta, with all of its arguments. */
  readonly argumentPieces?: boolean | undefined;
  /** True: messages of the role tool may hold images. */
  readonly imagesInResults?: boolean | undefined;
  /** True: a request whose call arguments are not JSON is refused. Servers that put arguments into a template do this (vLLM, llama.cpp). */
  readonly jsonArguments?: boolean | undefined;
  /**
   * In a stream: `on_request` (the default) in a chunk of its own without choices, if stream_options asks for it; `always` in such a chunk;
   * `with_finish` in the chunk with the finish reason (Groq, DeepSeek); `never`, in whole answers neither.
   */
  readonly usage?: "on_request" | "always" | "with_finish" | "never" | undefined;
  /** The finish reason of a reply with calls: `tool_calls`, or `stop` (Ollama). */
  readonly finishReasonOfCalls?: "tool_calls" | "stop" | undefined;
  /**
   * The form of a refusal: `content_filter` as the finish reason (the default), or the text in the field `refusal` and
   * `stop`.
   */
  readonly refusals?: "content_filter" | "refusal_field" | undefined;
  /** A fault `status` is sent with status 200: its error as a JSON body, or as the only event of a stream where one was asked for. */
  readonly errorsWithStatus200?: "json" | "event" | undefined;
  /** The server tool for web searches, which OpenRouter has: `openrouter:web_search`. */
  readonly search?: "openrouter" | undefined;
};

export type ResponsesOptions = {
  /** The form of an error in the stream: a `response.failed` (the default) or an `error` event. */
  readonly streamErrors?: "response.failed" | "error" | undefined;
  /**
   * The form of a refusal: a refusal part of a complete answer (the default), or an answer that is incomplete for
   * `content_filter`.
   */
  readonly refusals?: "refusal_part" | "content_filter" | undefined;
  /** `paragraphs`: the summary of a thought has one part for each of its paragraphs, else one. */
  readonly summaryParts?: "one" | "paragraphs" | undefined;
  /** The vendor whose form the web search has: OpenAI (the default) or xAI. */
  readonly search?: "openai" | "xai" | undefined;
};

/** Options of both of OpenAI's wires and of the list of models. */
export type OpenAiOptions = {
  /** The only key that is accepted; any if absent. */
  readonly apiKey?: string | undefined;
  /** False: no key is required, as with local servers. */
  readonly requireKey?: boolean | undefined;
  /** The models that exist; every name if absent. An unknown name gets 404. */
  readonly models?: readonly string[] | undefined;
  /**
   * Models that reason: they accept no max_tokens and no sampling; other models accept no reasoning effort.
   * Absent: nothing is known about any model.
   */
  readonly reasoningModels?: readonly string[] | undefined;
  /** Longer requests (estimated) are refused with 400, as the API does when a prompt is too long. */
  readonly contextWindowTokens?: number | undefined;
  /** False: top-level fields that the API doesn't know are ignored, not refused. */
  readonly refuseUnknownFields?: boolean | undefined;
  /** Additional top-level fields of a server, accepted with any content. */
  readonly extraFields?: readonly string[] | undefined;
  /** Top-level fields of the API that a server doesn't have: refused, or ignored, as unknown ones. */
  readonly missingFields?: readonly string[] | undefined;
  readonly chat?: ChatQuirks | undefined;
  readonly responses?: ResponsesOptions | undefined;
};
