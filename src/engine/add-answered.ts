import { NO_USAGE } from "../contracts/message.ts";
import type { Ids } from "../contracts/ports.ts";
import type { QueryEngine } from "./query-engine.ts";

/** A prompt of the person that another agent has answered. */
export type Answered = {
  /** The text that the person typed. */
  readonly typed: string;
  /** The words for the model. */
  readonly prompt: string;
  readonly answer: string;
};

type Asked = Pick<QueryEngine, "conversation" | "userMessages" | "taskNews" | "state">;

/** The provider refuses an empty text. */
const NO_ANSWER = "(The agent gave no answer.)";

/**
 * Adds a prompt and its answer to the conversation without sending a request; a resumed session has both. While a turn
 * runs, the model gets both with its next request.
 * @throws {Error} an entry could not be written.
 */
export async function addAnswered({ typed, prompt, answer }: Answered, engine: Asked, ids: Ids): Promise<void> {
  const { conversation, userMessages, taskNews } = engine;
  const asked = await userMessages.whole({ prompt, typed });
  const { busy, model, providerName } = engine.state;
  if (busy) {
    taskNews.addModelNote(`answered:${ids.next()}`, `${prompt}\n${answer}`);
    return;
  }
  const content = [{ type: "text", text: answer.trim() === "" ? NO_ANSWER : answer }] as const;
  const about = { provider: providerName, model, stopReason: "end_turn", usage: NO_USAGE } as const;
  conversation.append({ kind: "user", message: asked, prompt: typed });
  conversation.append({ kind: "assistant", message: { role: "assistant", id: ids.next(), ...about, content } });
  conversation.append({ kind: "turn_finished", reason: "completed", costUsd: 0 });
  await conversation.sync();
}
