import type {
  AssistantBlock,
  AssistantMessage,
  DocumentBlock,
  ImageBlock,
  Message,
  TextBlock,
  ToolResultContent,
  UserMessage,
} from "../../../contracts/message.ts";

/** The result of a call, with the name of its tool. */
export type CallAnswer = {
  readonly callId: string;
  readonly toolName: string;
  readonly content: ToolResultContent;
  readonly isError: boolean;
};
export type UserTurn = {
  readonly role: "user";
  readonly answers: readonly CallAnswer[];
  readonly words: readonly (TextBlock | ImageBlock | DocumentBlock)[];
};
export type AssistantTurn = {
  readonly role: "assistant";
  /** True if the requested model wrote this turn; only then does it contain thinking and signatures. */
  readonly isOwn: boolean;
  /** Calls have the ids to send. */
  readonly content: readonly AssistantBlock[];
};
/** A message in the form that every vendor accepts: roles alternate, the first and last message are the user's, none is empty. */
export type Turn = UserTurn | AssistantTurn;

export type TurnRules = {
  /** True if this message's thinking and signatures may be returned to the provider. */
  isOwn(message: AssistantMessage): boolean;
  /** Called for each call in order; returns the id to send. */
  nextId(given: string): string;
  /** False if a message contains at most one call, so that several calls become several messages. */
  readonly parallelCalls: boolean;
};

/**
 * The user message after an assistant text that was cut off: some models reject a conversation that ends with an
 * assistant message.
 */
export const GO_ON = "Go on where you stopped.";
export const NO_RESULT = "There is no record of how this call ended.";

/**
 * Converts a history from any source into turns that every vendor accepts.
 *
 * Neighbouring user messages become one, with results first. Invalid parts are left out: empty messages, results
 * without a call, assistant text before the first user message, another model's thinking. A call without a result
 * gets a note.
 */
export function neutralTurns(messages: readonly Message[], rules: TurnRules): readonly Turn[] {
  const builder = new TurnBuilder(rules);
  for (const message of messages) {
    if (message.role === "user") builder.addUser(message);
    else builder.addAssistant(message);
  }
  const turns = builder.finish();
  return rules.parallelCalls
    ? turns
    : turns.flatMap((turn, index) => oneByOne(turn, turns[index - 1], turns[index + 1]));
}

type OpenCall = { readonly given: string; readonly sent: string; readonly toolName: string };

class TurnBuilder {
  readonly #rules: TurnRules;
  readonly #turns: Turn[] = [];
  #calls: OpenCall[] = [];
  #answers: CallAnswer[] = [];
  #words: UserTurn["words"][number][] = [];

  constructor(rules: TurnRules) {
    this.#rules = rules;
  }

  addUser({ content }: UserMessage): void {
    for (const block of content) {
      if (block.type !== "tool_result") {
        if (block.type !== "text" || block.text.trim() !== "") this.#words.push(block);
        continue;
      }
      const index = this.#calls.findIndex(({ given }) => given === block.toolUseId);
      const [call] = index === -1 ? [] : this.#calls.splice(index, 1);
      if (call) this.#answers.push(answerTo(call, block.content, block.isError));
    }
  }

  addAssistant(message: AssistantMessage): void {
    const isOwn = this.#rules.isOwn(message);
    const kept = message.content.flatMap((block) => keptBlock(block, isOwn));
    const content = kept.slice(0, kept.findLastIndex(({ type }) => type !== "thinking") + 1);
    if (content.length === 0) return;
    this.#closeUserTurn();
    if (this.#turns.length === 0) return;
    const calls: OpenCall[] = [];
    const sent = content.map((block) => {
      if (block.type !== "tool_use") return block;
      const id = this.#rules.nextId(block.id);
      calls.push({ given: block.id, sent: id, toolName: block.name });
      return { ...block, id };
    });
    this.#turns.push({ role: "assistant", isOwn, content: sent });
    this.#calls = calls;
  }

  finish(): readonly Turn[] {
    this.#closeUserTurn();
    return this.#turns;
  }

  #closeUserTurn(): void {
    const missing = this.#calls.map((call) => answerTo(call, NO_RESULT, true));
    const answers = [...this.#answers, ...missing];
    const isAfterAssistant = this.#turns.at(-1)?.role === "assistant";
    if (answers.length === 0 && this.#words.length === 0 && isAfterAssistant) {
      this.#words.push({ type: "text", text: GO_ON });
    }
    if (answers.length > 0 || this.#words.length > 0) {
      this.#turns.push({ role: "user", answers, words: this.#words });
    }
    this.#calls = [];
    this.#answers = [];
    this.#words = [];
  }
}

function answerTo({ sent, toolName }: OpenCall, content: ToolResultContent, isError: boolean): CallAnswer {
  return { callId: sent, toolName, content, isError };
}

/** Drops blocks that only their own provider understands. */
function keptBlock(block: AssistantBlock, isOwn: boolean): AssistantBlock[] {
  switch (block.type) {
    case "text": {
      if (block.text.trim() === "") return [];
      return isOwn ? [block] : [{ type: "text", text: block.text }];
    }
    case "thinking":
      return isOwn ? [block] : [];
    case "redacted_thinking":
    case "opaque":
      return [];
    case "tool_use": {
      const { type, id, name, malformed } = block;
      const input = malformed ? {} : block.input;
      return [{ type, id, name, input, ...(isOwn && block.signature !== undefined && { signature: block.signature }) }];
    }
  }
}

/** Splits several calls of one message, each with its answer, as if the model had made them one after another. */
function oneByOne(turn: Turn, before: Turn | undefined, after: Turn | undefined): Turn[] {
  if (turn.role === "user") return before && callCount(before) > 1 ? [] : [turn];
  if (callCount(turn) <= 1 || after?.role !== "user") return [turn];
  const groups = groupedByCall(turn.content);
  return groups.flatMap((content, index): Turn[] => {
    const ids = new Set(content.flatMap((block) => (block.type === "tool_use" ? [block.id] : [])));
    const answers = after.answers.filter(({ callId }) => ids.has(callId));
    const words = index === groups.length - 1 ? after.words : [];
    return [
      { ...turn, content },
      { role: "user", answers, words },
    ];
  });
}

/** Each group ends with its call; the content after the last call belongs to the last group. */
function groupedByCall(content: readonly AssistantBlock[]): readonly (readonly AssistantBlock[])[] {
  const ends = content.flatMap(({ type }, index) => (type === "tool_use" ? [index + 1] : []));
  return ends.map((end, index) => content.slice(ends[index - 1] ?? 0, index === ends.length - 1 ? undefined : end));
}

function callCount(turn: Turn): number {
  return turn.role === "user" ? 0 : turn.content.filter(({ type }) => type === "tool_use").length;
}
