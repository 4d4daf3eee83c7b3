import { errorMessage, SpendLimitError, UserFacingError } from "../../../contracts/errors.ts";
import { type Message, textOf } from "../../../contracts/message.ts";
import { askModel } from "../../../engine/ask-model.ts";
import type { OpenedSession } from "../opened-session.ts";

export type NoteQuestionParts = Pick<OpenedSession, "app" | "main" | "catalog" | "spend" | "watch">;

/** @param text The question, as data: credentials are already hidden. */
export type NoteQuestion = { readonly system: string; readonly text: string; readonly maxTokens: number };

/**
 * Asks the session's model about notes, outside the conversation and without tools. Counted as `memory`.
 * @throws {UserFacingError} if there is no model, or the model did not answer.
 * @throws {SpendLimitError} a cap leaves no room.
 */
export async function askAboutNotes(
  { app, main, catalog, spend, watch }: NoteQuestionParts,
  { system, text, maxTokens }: NoteQuestion,
  signal: AbortSignal,
): Promise<string> {
  const { provider, model } = main.state.model;
  if (provider.name === "offline") throw new UserFacingError("No model is configured that could be asked.");
  const message: Message = { role: "user", id: app.ids.next(), content: [{ type: "text", text }] };
  const asking = { provider: watch.provider(provider, "memory"), model, system, source: "memory" } as const;
  const deps = { catalog, spend, ids: app.ids, tools: main.registry };
  try {
    const { content } = await askModel({ messages: [message], maxTokens, system }, asking, deps, signal);
    return textOf(content);
  } catch (error) {
    if (signal.aborted || error instanceof SpendLimitError) throw error;
    throw new UserFacingError(`The model could not be asked: ${errorMessage(error)}`, 1, { cause: error });
  }
}
