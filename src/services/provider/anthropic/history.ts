import type { ContentBlockParam, ToolResultBlockParam } from "@anthropic-ai/sdk/resources/messages";
import type { AssistantMessage, Message, ToolResultBlock, UserMessage } from "../../../contracts/message.ts";
import { GO_ON, NO_RESULT } from "../history/turns.ts";
import { assistantBlocks, resultBlock, type TranslationOptions, userBlocks } from "./to-blocks.ts";

/** A message in the form that the API requires: roles alternate, the first and last message are the user's, none is empty. */
export type Turn = { readonly role: "user" | "assistant"; readonly content: readonly ContentBlockParam[] };

export type HistoryOptions = TranslationOptions & {
  /** True if a message came from the requested model; the API rejects another model's thinking. */
  isOwn(message: AssistantMessage): boolean;
};

/** A call of the last assistant turn. Ids that the API would reject (duplicates, invalid characters) are renamed, in calls and results. */
type OpenCall = { readonly given: string; readonly sent: string; isAnswered: boolean };

/**
 * Converts a history into the form that the API accepts.
 *
 * Neighbouring user messages become one, with results first. Invalid parts are left out: empty messages, results
 * without a call, assistant text before the first user message. A call without a result gets a note.
 */
export function toTurns(messages: readonly Message[], options: HistoryOptions): readonly Turn[] {
  const builder = new TurnBuilder(options);
  builder.add(messages, options);
  return builder.turns();
}

/** The number of histories used in turn: the main history, and those of a judge or a helper. */
const MAX_KNOWN = 4;

/**
 * Continues from the last request of the same history, so that only new messages are translated. A history that does
 * not begin with the known messages, in the same form, is translated from scratch.
 */
export class KnownHistories {
  #builders: readonly TurnBuilder[] = [];

  turns(messages: readonly Message[], options: HistoryOptions): readonly Turn[] {
    const known = this.#builders.find((builder) => builder.isBeginningOf(messages, options));
    const builder = known ?? new TurnBuilder(options);
    // A shorter history with the same beginning is an earlier state, which is never used again.
    const others = this.#builders.filter((other) => other !== known && other.first !== messages[0]);
    this.#builders = [builder, ...others].slice(0, MAX_KNOWN);
    builder.add(messages.slice(builder.count), options);
    return builder.turns();
  }
}

class TurnBuilder {
  #options: HistoryOptions;
  readonly #messages: Message[] = [];
  /** For each assistant message, in order: whether it was treated as the model's own. */
  readonly #own: boolean[] = [];
  /** Complete turns. */
  readonly #turns: Turn[] = [];
  readonly #usedIds = new Set<string>();
  #calls: readonly OpenCall[] = [];
  #results: ToolResultBlockParam[] = [];
  #words: ContentBlockParam[] = [];

  constructor(options: HistoryOptions) {
    this.#options = options;
  }

  /** The added messages. */
  get count(): number {
    return this.#messages.length;
  }

  get first(): Message | undefined {
    return this.#messages[0];
  }

  isBeginningOf(messages: readonly Message[], { images, documents, isOwn }: HistoryOptions): boolean {
    if (images !== this.#options.images || documents !== this.#options.documents) return false;
    if (this.count > messages.length) return false;
    let answers = 0;
    return this.#messages.every((known, at) => {
      if (known !== messages[at]) return false;
      return known.role === "user" || isOwn(known) === this.#own[answers++];
    });
  }

  add(messages: readonly Message[], options: HistoryOptions): void {
    this.#options = options;
    for (const message of messages) {
      this.#messages.push(message);
      if (message.role === "user") this.#addUser(message);
      else this.#addAssistant(message);
    }
  }

  /** All turns so far, with the open user turn treated as complete. */
  turns(): readonly Turn[] {
    const last = this.#userTurn();
    return last ? [...this.#turns, last] : [...this.#turns];
  }

  #addUser({ content }: UserMessage): void {
    for (const block of content) {
      if (block.type === "tool_result") this.#addResult(block);
      else this.#words.push(...userBlocks(block, this.#options));
    }
  }

  #addAssistant(message: AssistantMessage): void {
    const isOwn = this.#options.isOwn(message);
    this.#own.push(isOwn);
    const calls: OpenCall[] = [];
    const nextId = (given: string) => {
      const sent = this.#freshId(given);
      calls.push({ given, sent, isAnswered: false });
      return sent;
    };
    const content = assistantBlocks(message, isOwn, nextId);
    if (content.length === 0) return;
    this.#closeUserTurn();
    if (this.#turns.length === 0) return;
    this.#turns.push({ role: "assistant", content });
    this.#calls = calls;
  }

  #addResult(block: ToolResultBlock): void {
    const call = this.#calls.find(({ given, isAnswered }) => given === block.toolUseId && !isAnswered);
    if (!call) return;
    call.isAnswered = true;
    this.#results.push(resultBlock(block, call.sent, this.#options));
  }

  #closeUserTurn(): void {
    const turn = this.#userTurn();
    if (turn) this.#turns.push(turn);
    this.#calls = [];
    this.#results = [];
    this.#words = [];
  }

  /** Undefined if there is no user content and none is required. */
  #userTurn(): Turn | undefined {
    const missing = this.#calls.filter(({ isAnswered }) => !isAnswered).map(({ sent }) => unanswered(sent));
    const content = [...this.#results, ...missing, ...this.#words];
    const isAfterAssistant = this.#turns.at(-1)?.role === "assistant";
    if (content.length === 0 && isAfterAssistant) content.push({ type: "text", text: GO_ON });
    return content.length === 0 ? undefined : { role: "user", content };
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
