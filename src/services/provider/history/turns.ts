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
  /** The block to send of an assistant message; undefined for a block that the provider does not take back. */
  keep(block: AssistantBlock, isOwn: boolean): AssistantBlock | undefined;
  /** A source of ids for one history. It is called for each call in order, and returns the id to send. */
  ids(): (given: string) => string;
};

/**
 * The user message after an assistant text that was cut off: some models reject a conversation that ends with an
 * assistant message.
 */
export const RESUME_PROMPT = "Go on where you stopped.";
export const NO_RESULT = "There is no record of how this call ended.";

/**
 * Converts a history from any source into turns that every vendor accepts.
 *
 * Neighbouring user messages become one, with results first. Invalid parts are left out: empty messages, results
 * without a call, assistant text before the first user message, blocks that the rules don't keep. A call without a
 * result gets a note.
 */
export function neutralTurns(messages: readonly Message[], rules: TurnRules): readonly Turn[] {
  const builder = new TurnBuilder(rules);
  builder.add(messages, rules);
  return builder.turns();
}

type OpenCall = { readonly given: string; readonly sent: string; readonly toolName: string };

class TurnBuilder {
  /** Complete turns. */
  readonly #turns: Turn[] = [];
  readonly #nextId: (given: string) => string;
  /** The calls of the last assistant turn that have no result yet. */
  #calls: OpenCall[] = [];
  #answers: CallAnswer[] = [];
  #words: UserTurn["words"][number][] = [];

  constructor({ ids }: TurnRules) {
    this.#nextId = ids();
  }

  add(messages: readonly Message[], rules: TurnRules): void {
    for (const message of messages) {
      if (message.role === "user") this.#addUser(message);
      else this.#addAssistant(message, rules);
    }
  }

  /** All turns so far, with the open user turn treated as complete. */
  turns(): readonly Turn[] {
    const last = this.#userTurn();
    return last ? [...this.#turns, last] : [...this.#turns];
  }

  #addUser({ content }: UserMessage): void {
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

  #addAssistant(message: AssistantMessage, { isOwn: ownership, keep }: TurnRules): void {
    const isOwn = ownership(message);
    const kept = message.content.flatMap((block) => keep(block, isOwn) ?? []);
    // A message that ends with thinking is rejected.
    const content = kept.slice(0, kept.findLastIndex(({ type }) => !THINKING.has(type)) + 1);
    if (content.length === 0) return;
    this.#closeUserTurn();
    if (this.#turns.length === 0) return;
    const calls: OpenCall[] = [];
    const sent = content.map((block) => {
      if (block.type !== "tool_use") return block;
      const id = this.#nextId(block.id);
      calls.push({ given: block.id, sent: id, toolName: block.name });
      return { ...block, id };
    });
    this.#turns.push({ role: "assistant", isOwn, content: sent });
    this.#calls = calls;
  }

  #closeUserTurn(): void {
    const turn = this.#userTurn();
    if (turn) this.#turns.push(turn);
    this.#calls = [];
    this.#answers = [];
    this.#words = [];
  }

  /** Undefined if there is no user content and none is required. */
  #userTurn(): UserTurn | undefined {
    const answers = [...this.#answers, ...this.#calls.map((call) => answerTo(call, NO_RESULT, true))];
    const words = [...this.#words];
    const isAfterAssistant = this.#turns.at(-1)?.role === "assistant";
    if (answers.length === 0 && words.length === 0 && isAfterAssistant)
      words.push({ type: "text", text: RESUME_PROMPT });
    return answers.length === 0 && words.length === 0 ? undefined : { role: "user", answers, words };
  }
}

const THINKING: ReadonlySet<string> = new Set(["thinking", "redacted_thinking"]);

function answerTo({ sent, toolName }: OpenCall, content: ToolResultContent, isError: boolean): CallAnswer {
  return { callId: sent, toolName, content, isError };
}

/** Keeps the blocks that any vendor's model understands, and the thinking and signatures of the model itself. */
export function keepNeutral(block: AssistantBlock, isOwn: boolean): AssistantBlock | undefined {
  switch (block.type) {
    case "text": {
      if (block.text.trim() === "") return undefined;
      return isOwn ? block : { type: "text", text: block.text };
    }
    case "thinking":
      return isOwn ? block : undefined;
    case "redacted_thinking":
    case "opaque":
      return undefined;
    case "tool_use": {
      const { type, id, name, malformed } = block;
      const input = malformed ? {} : block.input;
      return { type, id, name, input, ...(isOwn && block.signature !== undefined && { signature: block.signature }) };
    }
  }
}

/** For a provider that takes one call in a message: several calls become several messages, each with its answer. */
export function oneCallEach(turns: readonly Turn[]): readonly Turn[] {
  return turns.flatMap((turn, index) => oneByOne(turn, turns[index - 1], turns[index + 1]));
}

/** The calls of one message, each with its answer, as if the model had made them one after another. */
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
