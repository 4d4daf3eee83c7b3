import type { StageQuestion } from "../contracts/compactor.ts";
import { type AssistantMessage, addUsage, type Usage } from "../contracts/message.ts";
import type { Ids, ModelCatalog } from "../contracts/ports.ts";
import type { ProviderRequest } from "../contracts/provider.ts";
import type { SpendGuard, SpendSource } from "../contracts/spend.ts";
import { blocksTokens, CHARS_PER_TOKEN } from "../contracts/token-estimate.ts";
import type { ChosenModel } from "./model-fallback.ts";
import type { ModelTools } from "./model-tools.ts";
import { outputTokensFor } from "./output-tokens.ts";

export type AskDeps = {
  readonly catalog: ModelCatalog;
  readonly ids: Ids;
  readonly spend: SpendGuard;
  readonly tools: ModelTools;
};

export type Asking = ChosenModel & {
  /** The conversation's system prompt. */
  readonly system: string;
  readonly source: SpendSource;
};

/**
 * Asks the model one question outside the conversation: the question and its answer do not enter the history, and calls
 * in the answer do not run.
 * @throws {ProviderError} no answer came. @throws {SpendLimitError} a cap leaves no room, and nothing was sent.
 */
export async function askModel(
  { messages, maxTokens, system }: StageQuestion,
  { provider, model, system: own, source }: Asking,
  { catalog, ids, spend, tools }: AskDeps,
  signal: AbortSignal,
): Promise<AssistantMessage> {
  const asked = { model, system: system ?? own, messages, tools: system === undefined ? tools.declarations : [] };
  const staticChars = asked.system.length + (system === undefined ? tools.declarationChars : 0);
  const inputTokens = messages.reduce(
    (sum, { content }) => sum + blocksTokens(content),
    Math.ceil(staticChars / CHARS_PER_TOKEN),
  );
  const room = outputTokensFor(inputTokens, catalog.capabilities(model));
  const maxOutputTokens = Math.max(1, Math.min(maxTokens, room));
  const held = await spend.reserve({ source, model, provider: provider.name, inputTokens, maxOutputTokens }, signal);
  let used: Usage | undefined;
  let answer: AssistantMessage | undefined;
  const spent = (usage: Usage) => {
    used = used ? addUsage(used, usage) : usage;
  };
  const request: ProviderRequest = { ...asked, maxTokens: held.maxOutputTokens ?? maxOutputTokens, spent };
  try {
    for await (const event of provider.stream(request, signal))
      if (event.type === "done") answer = { provider: provider.name, ...event.message, id: ids.next() };
  } finally {
    await held.settle(used, answer?.model);
  }
  if (!answer) throw new Error("The provider's stream ended without a `done` event.");
  return answer;
}
