import type { Conversation } from "./conversation.ts";
import type { EventHub } from "./event-hub.ts";
import type { UserMessages } from "./user-messages.ts";

type MovesDeps = {
  readonly conversation: Conversation;
  readonly userMessages: Pick<UserMessages, "forgetOthers">;
  readonly events: Pick<EventHub, "emit">;
  forgetFiles(): void;
  /** @throws {UserFacingError} a turn runs. `then`: the words for what the person wanted. */
  assertRest(then: string): void;
};

/** The moves of a resting conversation to other entries of its log. Each throws {UserFacingError} while a turn runs. */
export class ConversationMoves {
  readonly #deps: MovesDeps;

  constructor(deps: MovesDeps) {
    this.#deps = deps;
  }

  /** Begins again with an empty conversation. @returns the entry that ends the old one. */
  clear(): string {
    this.#deps.assertRest("clear");
    const clearedId = this.#deps.conversation.append({ kind: "cleared" });
    this.#moved("clear");
    return clearedId;
  }

  /**
   * @param by `redo`: takes the newest `moveBefore` back; `entryId` is the end of the branch that the conversation left.
   * @throws {UserFacingError} the conversation cannot continue from that entry.
   */
  moveTo(entryId: string, by?: "redo"): void {
    this.#deps.assertRest("go back");
    this.#deps.conversation.moveTo(entryId, by);
    this.#moved("move");
  }

  /**
   * Moves to the moment before a prompt of the person.
   * @returns the prompt's typed words.
   * @throws {UserFacingError} there is no such prompt since the last `/clear`.
   */
  moveBefore(messageId: string): string {
    this.#deps.assertRest("go back");
    const prompt = this.#deps.conversation.moveBefore(messageId);
    this.#moved("move");
    return prompt;
  }

  #moved(by: "clear" | "move"): void {
    this.#deps.userMessages.forgetOthers();
    this.#deps.forgetFiles();
    this.#deps.events.emit({ type: "conversation_changed", by });
  }
}
