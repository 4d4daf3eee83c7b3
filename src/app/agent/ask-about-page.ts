import { errorMessage, ProviderError, SpendLimitError, UserFacingError } from "../../contracts/errors.ts";
import { type Message, textOf } from "../../contracts/message.ts";
import type { Ids, ModelCatalog } from "../../contracts/ports.ts";
import { askModel } from "../../engine/ask-model.ts";
import type { ModelTools } from "../../engine/model-tools.ts";
import type { SessionState } from "../../engine/session-state.ts";
import { aliasOf } from "../../services/provider/model-reference.ts";
import type { SessionWatch } from "../session/notices/watch-session.ts";
import type { LazySpend } from "../session/records/lazy-spend.ts";

/** Enough for the answer to one question. */
const MAX_ANSWER_TOKENS = 4_000;

export type PageQuestionParts = {
  readonly app: { readonly ids: Ids };
  readonly state: Pick<SessionState, "model">;
  readonly registry: ModelTools;
  readonly catalog: ModelCatalog;
  readonly spend: LazySpend;
  readonly watch: Pick<SessionWatch, "provider">;
};

/** @property text The page and the question, as data: credentials are already hidden. */
type PageQuestion = { readonly system: string; readonly text: string };

/**
 * Asks the provider's fast model about a page, outside the conversation and without tools; the conversation's own model
 * if there is no fast one, or if it can't be had. Counted as `web`.
 * @throws {UserFacingError} there is no model, or it did not answer.
 * @throws {SpendLimitError} a cap leaves no room.
 */
export async function askAboutPage(
  { app, state, registry, catalog, spend, watch }: PageQuestionParts,
  { system, text }: PageQuestion,
  signal: AbortSignal,
): Promise<string> {
  const { provider, model } = state.model;
  if (provider.name === "offline") throw new UserFacingError("No model is configured that could be asked.");
  const ask = async (asked: string) => {
    const message: Message = { role: "user", id: app.ids.next(), content: [{ type: "text", text }] };
    const asking = { provider: watch.provider(provider, "web"), model: asked, system, source: "web" } as const;
    const deps = { catalog, spend, ids: app.ids, tools: registry };
    const question = { messages: [message], maxTokens: MAX_ANSWER_TOKENS, system };
    return textOf((await askModel(question, asking, deps, signal)).content);
  };
  const fast = fastModel(provider.name, catalog) ?? model;
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
function fastModel(provider: string, catalog: ModelCatalog): string | undefined {
  const name = provider === "anthropic" ? catalog.resolve("fast") : aliasOf(provider, "fast");
  return name === "fast" ? undefined : name;
}
