import type { ContentBlockParam, ToolResultBlockParam } from "@anthropic-ai/sdk/resources/messages";
import type { AssistantMessage, Message, ToolResultBlock, UserMessage } from "../../../contracts/message.ts";
import { GO_ON, NO_RESULT } from "../history/turns.ts";
import { assistantBlocks, resultBlock, type TranslationOptions, userBlocks } from "./to-blocks.ts";

/** A message as the API wants it: roles alternate, the first and the last are the user's, none is empty. */
export type Turn = { readonly role: "user" | "assistant"; readonly content: readonly ContentBlockParam[] };

export type HistoryOptions = TranslationOptions & {
  /** Whether a message came from the model that is asked now: another one's thinking is not accepted back. */
  isOwn(message: AssistantMessage): boolean;
};

/** A call of the assistant's last turn. Ids that the API would refuse (doubled, odd characters) are renamed, calls and results alike. */
type OpenCall = { readonly given: string; readonly sent: string; isAnswered: boolean };

/**
 * Turns a history into what the API accepts.
 *
 * Neighbouring messages of the user become one, results first. What has no place is left out: empty messages, results
 * without a call, the assistant's words before the user's first. What is missing is said: a call without a result.
 */
export function toTurns(messages: readonly Message[], options: HistoryOptions): readonly Turn[] {
  const builder = new TurnBuilder(options);
  for (const message of messages) {
    if (message.role === "user") builder.addUser(message);
    else builder.addAssistant(message);
  }
  return builder.finish();
}

class TurnBuilder {
  readonly #options: HistoryOptions;
  readonly #turns: Turn[] = [];
  readonly #usedIds = new Set<string>();
  #calls: readonly OpenCall[] = [];
  #results: ToolResultBlockParam[] = [];
  #words: ContentBlockParam[] = [];

  constructor(options: HistoryOptions) {
    this.#options = options;
  }

  addUser({ content }: UserMessage): void {
    for (const block of content) {
      if (block.type === "tool_result") this.#addResult(block);
      else this.#words.push(...userBlocks(block, this.#options));
    }
  }

  addAssistant(message: AssistantMessage): void {
    const calls: OpenCall[] = [];
    const nextId = (given: string) => {
      const sent = this.#freshId(given);
      calls.push({ given, sent, isAnswered: false });
      return sent;
    };
    const content = assistantBlocks(message, this.#options.isOwn(message), nextId);
    if (content.length === 0) return;
    this.#closeUserTurn();
    if (this.#turns.length === 0) return;
    this.#turns.push({ role: "assistant", content });
    this.#calls = calls;
  }

  finish(): readonly Turn[] {
    this.#closeUserTurn();
    return this.#turns;
  }

  #addResult(block: ToolResultBlock): void {
    const call = this.#calls.find(({ given, isAnswered }) => given === block.toolUseId && !isAnswered);
    if (!call) return;
    call.isAnswered = true;
    this.#results.push(resultBlock(block, call.sent, this.#options));
  }

  #closeUserTurn(): void {
    const missing = this.#calls.filter(({ isAnswered }) => !isAnswered).map(({ sent }) => unanswered(sent));
    const content = [...this.#results, ...missing, ...this.#words];
    const isAfterAssistant = this.#turns.at(-1)?.role === "assistant";
    if (content.length === 0 && isAfterAssistant) content.push({ type: "text", text: GO_ON });
    if (content.length > 0) this.#turns.push({ role: "user", content });
    this.#calls = [];
    this.#results = [];
    this.#words = [];
  }

  #freshId(given: string): string {
    const plain = given.replace(/[^a-zA-Z0-9_-]/g, "_") || "call";
    let id = plain;
    for (let count = 2; this.#usedIds.has(id); count += 1) id = `${plain}_${count}`;
    this.#usedIds.add(id);
    return id;
  }
}

function unanswered(toolUseId: string): ToolResultBlockParam {
  return { type: "tool_result", tool_use_id: toolUseId, content: NO_RESULT, is_error: true };
}
