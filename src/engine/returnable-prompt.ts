import type { UserInput } from "../contracts/engine.ts";
import type { EngineEvent, Outcome } from "../contracts/event.ts";
import { type AssistantMessage, textOf, toolUses } from "../contracts/message.ts";

/** The place of a prompt in the conversation, and the notes that only its message holds. */
export type OpenedPrompt = {
  readonly messageId: string;
  /** The entry that the prompt's entry follows; null at the beginning of the conversation. */
  readonly beforeId: string | null;
  /** The texts that hooks added at the start of the session. */
  readonly startNotes: readonly string[];
  /** The notes that the prompt took along. */
  readonly pendingNotes: readonly string[];
};

export type TakenPrompt = {
  readonly input: UserInput;
  /** Undefined if the turn ended before its prompt was part of the conversation. */
  readonly opened: OpenedPrompt | undefined;
  /** True if a compaction followed the prompt. */
  readonly isCompacted: boolean;
};

/**
 * The prompt of the newest turn, as long as it can leave the conversation: the turn ended early, and the model said
 * nothing and made no call. Thinking counts as nothing.
 */
export class ReturnablePrompt {
  #input: UserInput | undefined;
  #opened: OpenedPrompt | undefined;
  /** True if the conversation holds an answer, or a further message of the person. */
  #isAnswered = false;
  /** True while an answer with text or a call streams. */
  #isAnswering = false;
  #isCompacted = false;
  #hasEndedEarly = false;

  /** A turn begins. */
  begin(input: UserInput): void {
    const { typed, attachments = [] } = input;
    // An editor can hold the typed words alone. Attachments of a command come back with the command.
    const canReturn = typed === undefined ? attachments.length === 0 : typed !== "";
    this.#input = canReturn ? input : undefined;
    this.#opened = undefined;
    this.#isAnswered = false;
    this.#isAnswering = false;
    this.#isCompacted = false;
    this.#hasEndedEarly = false;
  }

  opened(opened: OpenedPrompt): void {
    this.#opened = opened;
  }

  ended({ reason }: Outcome): void {
    this.#hasEndedEarly = reason !== "completed" && reason !== "step_limit";
  }

  note(event: EngineEvent): void {
    switch (event.type) {
      case "text_delta":
        this.#isAnswering ||= event.text.trim() !== "";
        return;
      case "tool_input_delta":
      case "tool_started":
        this.#isAnswering = true;
        return;
      case "restarted":
        this.#isAnswering = false;
        return;
      case "assistant_message":
        this.#isAnswering = false;
        this.#isAnswered ||= hasOutput(event.message);
        return;
      case "words_added":
        this.#isAnswered ||= event.by === "user";
        return;
      case "compacted":
        this.#isCompacted = true;
        return;
      default:
        return;
    }
  }

  /** The place of the prompt, if it was not answered. The place can be left once; the prompt can still be taken after. */
  leave(): Pick<TakenPrompt, "opened" | "isCompacted"> {
    const opened = this.#isAnswered || this.#isAnswering ? undefined : this.#opened;
    if (opened) this.#opened = undefined;
    return { opened, isCompacted: this.#isCompacted };
  }

  /** The prompt can be taken once. */
  take(): TakenPrompt | undefined {
    const input = this.#input;
    if (!input || !this.#hasEndedEarly || this.#isAnswered || this.#isAnswering) return undefined;
    this.#input = undefined;
    return { input, opened: this.#opened, isCompacted: this.#isCompacted };
  }
}

function hasOutput(message: AssistantMessage): boolean {
  return textOf(message.content).trim() !== "" || toolUses(message).length > 0;
}
