import { errorMessage, ProviderError, SpendLimitError, UserFacingError } from "../../contracts/errors.ts";
import { type AssistantMessage, textOf } from "../../contracts/message.ts";
import type { ModelCatalog } from "../../contracts/ports.ts";
import type { ProviderSearch } from "../../contracts/provider.ts";
import { askAside } from "../../engine/ask-model.ts";
import { aliasOf } from "../../services/provider/model-reference.ts";
import type { AgentParts } from "./agent-parts.ts";

/** Enough for the answer to one question about a page. */
const MAX_ANSWER_TOKENS = 4_000;

/** The agent that asks. */
export type WebAsker = Pick<AgentParts, "session" | "state" | "spend">;

/** @property text A question, as data: credentials are already hidden. */
export type WebQuestion = { readonly system: string; readonly text: string };

/** A question that the model answers with its provider's own search. */
export type SearchingQuestion = WebQuestion & {
  readonly webSearch: ProviderSearch;
  readonly maxTokens: number;
  /** The most searches that are paid for. */
  readonly searches: number;
  /** The tokens that the results add to the input. */
  readonly inputTokens: number;
};

/** Asks a model about a page. @throws as `askWebModel`. */
export async function askAboutPage(agent: WebAsker, question: WebQuestion, signal: AbortSignal): Promise<string> {
  const answer = await askWebModel(agent, { ...question, maxTokens: MAX_ANSWER_TOKENS }, signal);
  return textOf(answer.content);
}

/**
 * Asks the provider's fast model, outside the conversation and without tools; the conversation's own model if there is no
 * fast one, or if it can't be had. Counted as `web`.
 * @throws {UserFacingError} there is no model, or it did not answer.
 * @throws {SpendLimitError} a cap leaves no room.
 */
export async function askWebModel(
  { session: { app, catalog, watch }, state, spend }: WebAsker,
  asked: SearchingQuestion | (WebQuestion & { readonly maxTokens: number }),
  signal: AbortSignal,
): Promise<AssistantMessage> {
  const { system, text, maxTokens } = asked;
  const { provider, model } = state.model;
  if (provider.name === "offline") throw new UserFacingError("No model is configured that could be asked.");
  const search = "webSearch" in asked ? asked : undefined;
  const ask = (name: string) => {
    const asking = { provider: watch.provider(provider, "web"), model: name, source: "web", search } as const;
    return askAside({ ...asking, system, text, maxTokens }, { catalog, spend, ids: app.ids }, signal);
  };
  const fast = fastModel(provider.name, catalog, search !== undefined) ?? model;
  try {
    return await ask(fast);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof SpendLimitError) throw error;
    if (fast !== model && error instanceof ProviderError) return ask(model);
    throw new UserFacingError(`The model could not be asked: ${errorMessage(error)}`, 1, { cause: error });
  }
}

/** The provider's own fast model; undefined for an endpoint whose models have no such name. */
function fastModel(provider: string, catalog: ModelCatalog, searches: boolean): string | undefined {
  // xAI's fast model writes code, and does not search.
  if (searches && provider === "xai") return undefined;
  const name = provider === "anthropic" ? catalog.resolve("fast") : aliasOf(provider, "fast");
  return name === "fast" ? undefined : name;
}
