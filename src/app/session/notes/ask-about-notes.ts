import { errorMessage, SpendLimitError, UserFacingError } from "../../../contracts/errors.ts";
import { textOf } from "../../../contracts/message.ts";
import { askAside } from "../../../engine/ask-model.ts";
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
  const asking = { provider: watch.provider(provider, "memory"), model, source: "memory" } as const;
  try {
    const aside = { ...asking, system, text, maxTokens };
    const { content } = await askAside(aside, { catalog, spend, ids: app.ids }, signal);
    return textOf(content);
  } catch (error) {
    if (signal.aborted || error instanceof SpendLimitError) throw error;
    throw new UserFacingError(`The model could not be asked: ${errorMessage(error)}`, 1, { cause: error });
  }
}
