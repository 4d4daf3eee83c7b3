import type { StageQuestion } from "../contracts/compactor.ts";
import { ProviderError } from "../contracts/errors.ts";
import { type AssistantMessage, addUsage, type Message, type Usage } from "../contracts/message.ts";
import type { Ids, ModelCatalog } from "../contracts/ports.ts";
import type { Effort, ProviderRequest, Thinking } from "../contracts/provider.ts";
import type { SpendGuard, SpendSource } from "../contracts/spend.ts";
import { blocksTokens, CHARS_PER_TOKEN } from "../contracts/token-estimate.ts";
import type { ChosenModel } from "./model-fallback.ts";
import type { ModelTools } from "./model-tools.ts";
import { outputTokensFor } from "./request-size.ts";

/** The minimum number of output tokens, because a shorter answer would be useless. */
const MIN_OUTPUT_TOKENS = 1_000;

export type AskDeps = {
  readonly catalog: ModelCatalog;
  readonly ids: Ids;
  readonly spend: SpendGuard;
  /** The tools of the conversation; absent for a question that is asked without them. */
  readonly tools?: ModelTools;
};

export type Asking = ChosenModel & {
  /** The conversation's system prompt. */
  readonly system: string;
  readonly source: SpendSource;
  /** The MCP server that asks. */
  readonly server?: string;
  /** The effort of the conversation's own requests: with another value the provider's cached prefix is lost. */
  readonly effort?: Effort | undefined;
  readonly thinking?: Thinking | undefined;
  /** Lets the model search the web, with what that costs at most. */
  readonly search?:
    | {
        readonly webSearch: NonNullable<ProviderRequest["webSearch"]>;
        readonly searches: number;
        readonly inputTokens: number;
      }
    | undefined;
  /** False if nobody is asked to raise a cap. */
  readonly mayAsk?: false;
  /** Estimated tokens of messages, as the model counts. */
  tokensOf?(content: Message["content"]): number;
  /** Called while the answer arrives, with its length so far in characters. */
  written?(chars: number): void;
  /** Called before the request is retried after a failure, with the failure in one line. */
  failed?(message: string): void;
};

/**
 * Asks the model one question outside the conversation: the question and its answer do not enter the history, and calls
 * in the answer do not run.
 * @throws {ProviderError} the model did not answer; `too_long`: the question alone is larger than the window, and nothing was sent.
 * @throws {SpendLimitError} a cap leaves no room, and nothing was sent.
 */
export async function askModel(
  { messages, maxTokens, system }: StageQuestion,
  asking: Asking,
  { catalog, ids, spend, tools }: AskDeps,
  signal: AbortSignal,
): Promise<AssistantMessage> {
  const { provider, model, system: own, source, server, effort, thinking, search } = asking;
  const { tokensOf = blocksTokens, written, failed, mayAsk } = asking;
  const offered = system === undefined ? tools : undefined;
  const asked = { model, system: system ?? own, messages, tools: offered?.declarations ?? [] };
  const staticChars = asked.system.length + (offered?.declarationChars ?? 0);
  const inputTokens = messages.reduce(
    (sum, { content }) => sum + tokensOf(content),
    Math.ceil(staticChars / CHARS_PER_TOKEN) + (search?.inputTokens ?? 0),
  );
  const capabilities = catalog.capabilities(model);
  if (inputTokens >= capabilities.contextWindow) throw cannotFit(model, inputTokens, capabilities.contextWindow);
  const room = outputTokensFor(inputTokens, capabilities);
  // The estimate may be too high: the provider itself says whether the question fits.
  const maxOutputTokens = Math.min(maxTokens, Math.max(room, MIN_OUTPUT_TOKENS));
  const asker = {
    source,
    ...(server !== undefined && { server }),
    ...(mayAsk === false && { mayAsk }),
    provider: provider.name,
  };
  const planned = { inputTokens, maxOutputTokens, ...(search && { webSearches: search.searches }) };
  const held = await spend.reserve({ ...asker, model, ...planned }, signal);
  let used: Usage | undefined;
  let answer: AssistantMessage | undefined;
  const spent = (usage: Usage) => {
    used = used ? addUsage(used, usage) : usage;
  };
  const request: ProviderRequest = {
    ...asked,
    maxTokens: held.maxOutputTokens ?? maxOutputTokens,
    spent,
    ...(effort !== undefined && { effort }),
    ...(thinking !== undefined && { thinking }),
    ...(search && { webSearch: search.webSearch }),
  };
  let chars = 0;
  try {
    for await (const event of provider.stream(request, signal)) {
      if (event.type === "done") answer = { provider: provider.name, ...event.message, id: ids.next() };
      if (event.type === "retry") failed?.(event.message);
      if (event.type !== "text_delta") continue;
      chars += event.text.length;
      written?.(chars);
    }
  } finally {
    await held.settle(used, answer?.model);
  }
  if (!answer) throw new Error("The provider's stream ended without a `done` event.");
  return answer;
}

/** A question about a text alone, without the messages, the system prompt and the tools of a conversation. */
export type Aside = Omit<Asking, "server" | "effort" | "thinking" | "tokensOf" | "written"> & {
  readonly text: string;
  readonly maxTokens: number;
};

/** Asks a model about a text alone. Throws like `askModel`. */
export function askAside(
  { text, maxTokens, ...asking }: Aside,
  deps: Omit<AskDeps, "tools">,
  signal: AbortSignal,
): Promise<AssistantMessage> {
  const message: Message = { role: "user", id: deps.ids.next(), content: [{ type: "text", text }] };
  return askModel({ messages: [message], maxTokens, system: asking.system }, asking, deps, signal);
}

/** A server would refuse such a request, or cut it without a word. */
function cannotFit(model: string, inputTokens: number, windowTokens: number): ProviderError {
  const [used, window] = [inputTokens, windowTokens].map((tokens) => tokens.toLocaleString("en-US"));
  const message = `The question takes about ${used} tokens, and ${model} has a window of ${window}; it was not sent.`;
  return new ProviderError(message, undefined, { kind: "too_long" });
}
