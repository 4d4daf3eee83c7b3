import { errorMessage, SpendLimitError, UserFacingError } from "../../../contracts/errors.ts";
import { type Message, textOf, totalInputTokens } from "../../../contracts/message.ts";
import type { SideAnswer, SideQuestions } from "../../../contracts/session-actions.ts";
import { askAside, askModel } from "../../../engine/ask-model.ts";
import { forkPoint } from "../../../engine/fork-point.ts";
import { project } from "../../../engine/project.ts";
import type { Agent } from "../../agent/open-agent.ts";
import type { OpenedSession } from "../opened-session.ts";
import sideQuestion from "./side-question.md" with { type: "text" };
import recap from "./side-recap.md" with { type: "text" };

/** With room for thinking. */
const MAX_TOKENS = 16_000;
/** For a word or two. */
const FIRST_TOKENS = 1_000;
const FIRST_SYSTEM = "You are in a terminal.";
const FIRST_QUESTION = "Say hello in at most five words.";

export type SideQuestionParts = Pick<OpenedSession, "app" | "main" | "conversation" | "catalog" | "spend">;

/**
 * Sends the question after the messages of the conversation's last request, with its system prompt and its tools, so
 * that the provider reads all of them from its cache.
 */
export function sideQuestions(parts: SideQuestionParts): SideQuestions {
  return {
    ask: (question, signal) => ask(parts, sideQuestion.replace("{{question}}", () => question).trim(), signal),
    recap: (signal) => ask(parts, recap.trim(), signal),
    tryOut: (signal) => tryOut(parts, signal),
  };
}

async function ask(parts: SideQuestionParts, text: string, signal: AbortSignal): Promise<SideAnswer> {
  const { app, main, catalog, spend } = parts;
  const { state, engine, registry } = main;
  const { provider, model } = configured(parts);
  const sent = sentMessages(parts);
  if (sent.length === 0) throw new UserFacingError("The conversation is still empty: ask without a command.");
  const question: Message = { role: "user", id: app.ids.next(), content: [{ type: "text", text }] };
  const { effort, thinking } = state;
  const asking = { provider, model, effort, thinking, system: engine.system, source: "main" } as const;
  const deps = { catalog, spend, ids: app.ids, tools: registry };
  try {
    const answer = await askModel({ messages: [...sent, question], maxTokens: MAX_TOKENS }, asking, deps, signal);
    const said = textOf(answer.content).trim();
    if (said === "") throw new Error("it answered without words; ask it in the conversation, where it has its tools");
    const tokens = totalInputTokens(answer.usage) + answer.usage.outputTokens;
    return { text: said, tokens, costUsd: await catalog.cost(model, answer.usage) };
  } catch (error) {
    if (signal.aborted || error instanceof SpendLimitError) throw error;
    throw new UserFacingError(`The model could not be asked: ${errorMessage(error)}`, 1, { cause: error });
  }
}

/** @throws {UserFacingError} no model is configured. */
function configured({ main }: SideQuestionParts): Agent["state"]["model"] {
  const { model } = main.state;
  if (model.provider.name === "offline") throw new UserFacingError("No model is configured that could be asked.");
  return model;
}

async function tryOut(parts: SideQuestionParts, signal: AbortSignal): Promise<SideAnswer> {
  const { app, catalog, spend } = parts;
  const { provider, model } = configured(parts);
  const first = new AbortController();
  const failed = (message: string) => first.abort(new UserFacingError(message));
  const asking = { provider, model, source: "main", failed } as const;
  try {
    const answer = await askAside(
      { ...asking, system: FIRST_SYSTEM, text: FIRST_QUESTION, maxTokens: FIRST_TOKENS },
      { catalog, spend, ids: app.ids },
      AbortSignal.any([signal, first.signal]),
    );
    const tokens = totalInputTokens(answer.usage) + answer.usage.outputTokens;
    return { text: textOf(answer.content).trim(), tokens, costUsd: await catalog.cost(model, answer.usage) };
  } catch (error) {
    if (signal.aborted || error instanceof SpendLimitError || error instanceof UserFacingError) throw error;
    throw new UserFacingError(errorMessage(error), 1, { cause: error });
  }
}

/** The messages that the model has received: without an answer whose calls are still running. */
function sentMessages({ main, conversation }: SideQuestionParts): readonly Message[] {
  const last = forkPoint(main.engine.conversation.history());
  return last === null ? [] : project(conversation.log.pathTo(last)).messages;
}
