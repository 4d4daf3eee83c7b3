import { errorMessage } from "../../../contracts/errors.ts";
import { textOf } from "../../../contracts/message.ts";
import { askAside } from "../../../engine/ask-model.ts";
import { modelNamed } from "../../choose-model.ts";
import type { OpenedSession } from "../opened-session.ts";
import words from "./session-title.md" with { type: "text" };

const SYSTEM = words.trim();
const MAX_TOKENS = 1_000;
const MAX_PROMPT_CHARS = 2_000;
const MAX_ANSWER_CHARS = 1_000;

type UsedPart = "app" | "main" | "conversation" | "access" | "catalog" | "spend" | "watch" | "closers" | "redactor";
type Parts = Pick<OpenedSession, UsedPart>;

/**
 * Has a model write the title of a new session after its first turn, by one request outside the conversation. A session
 * that has a name by then needs none.
 * @param modelName The name or alias of the model.
 */
export function titleSession(parts: Parts, modelName: string): void {
  const { main, conversation, closers } = parts;
  const closing = new AbortController();
  const stop = main.engine.subscribe(({ event }) => {
    if (event.type !== "turn_finished") return;
    stop();
    if (conversation.log.name !== undefined) return;
    writeTitle(parts, modelName, closing.signal).catch((error: unknown) => {
      if (!closing.signal.aborted) main.engine.notify(`The session got no title: ${errorMessage(error)}`);
    });
  });
  closers.defer(() => {
    closing.abort(new Error("The session ends."));
    stop();
  });
}

async function writeTitle(parts: Parts, modelName: string, signal: AbortSignal): Promise<void> {
  const { app, main, conversation, access, catalog, spend, watch } = parts;
  const history = main.engine.conversation.history();
  const first = history.find((entry) => entry.kind === "user" && entry.by === undefined);
  if (first?.kind !== "user") return;
  const { redact } = await parts.redactor();
  const answer = history.findLast(({ kind }) => kind === "assistant");
  const said = answer?.kind === "assistant" ? textOf(answer.message.content) : "";
  const data = {
    message: redact(first.prompt).slice(0, MAX_PROMPT_CHARS),
    answer: redact(said).slice(0, MAX_ANSWER_CHARS),
  };
  const { provider, model } = await modelNamed(modelName, access, catalog);
  const asking = { provider: watch.provider(provider, "main"), model, source: "main" } as const;
  const aside = { ...asking, system: SYSTEM, text: JSON.stringify(data), maxTokens: MAX_TOKENS };
  const { content } = await askAside(aside, { catalog, spend, ids: app.ids }, signal);
  const title = redact(textOf(content)).trim();
  if (title !== "" && conversation.log.name === undefined) conversation.log.label({ title });
}
