import type { UserInput } from "../contracts/engine.ts";
import type { UserBlock, UserMessage } from "../contracts/message.ts";
import type { PermissionMode } from "../contracts/permission-mode.ts";
import type { Ids } from "../contracts/ports.ts";
import type { Conversation } from "./conversation.ts";
import type { InputQueue } from "./input-queue.ts";
import type { SessionState } from "./session-state.ts";

const PLAN_NOTE = "Plan mode is on: look at whatever you need, change nothing, and answer with a plan.";

export type UserMessagesDeps = {
  readonly conversation: Conversation;
  readonly inputs: InputQueue;
  readonly ids: Ids;
  readonly permissions: { readonly mode: PermissionMode };
  readonly state: Pick<SessionState, "addPrompt" | "keepPrompts">;
  /** Working folder, platform, date, branch and instruction file, as text for the first message. */
  describeSession(): Promise<string>;
};

/** Makes messages of what the person says and does. */
export class UserMessages {
  readonly #deps: UserMessagesDeps;
  #notes: string[] = [];

  constructor(deps: UserMessagesDeps) {
    this.#deps = deps;
  }

  /** What the model is told with the next input: commands that the person ran, tasks that ended. */
  addNote(note: string): void {
    this.#notes.push(note);
  }

  /** The conversation is another one: notes, and prompts that are not part of it, count no more. */
  forgetOthers(): void {
    this.#deps.state.keepPrompts((messageId) => this.#deps.conversation.has(messageId));
    this.#notes = [];
    this.#deps.inputs.forgetNotes();
  }

  /**
   * Adds the message that begins a turn to the conversation.
   * @throws {Error} it could not be written: the notes go with the next one.
   */
  async open(input: UserInput, hookNotes: readonly string[]): Promise<UserMessage> {
    const { conversation, inputs } = this.#deps;
    const { notes } = inputs;
    const message = await this.#opening(input, [...hookNotes, ...notes.map(({ text }) => text)]);
    conversation.append({ kind: "user", message, prompt: input.prompt });
    this.#notes = [];
    for (const { id } of notes) inputs.withdrawNote(id);
    return message;
  }

  async #opening(input: UserInput, earlier: readonly string[]): Promise<UserMessage> {
    const notes: string[] = [...earlier];
    if (this.#deps.conversation.messages.length === 0) notes.push(await this.#deps.describeSession());
    notes.push(...this.#notes);
    if (this.#deps.permissions.mode === "plan") notes.push(PLAN_NOTE);
    return this.#message(input, notes);
  }

  /** The message of words that come in the middle of a turn. */
  steering(input: UserInput, hookNote: string | undefined): UserMessage {
    return this.#message(input, hookNote === undefined ? [] : [hookNote]);
  }

  #message({ prompt, attachments = [], id }: UserInput, notes: readonly string[]): UserMessage {
    const context: UserBlock[] = notes.filter((note) => note !== "").map((text) => ({ type: "text", text }));
    // The person's own words come last: the offline engine and every reader of the log find them there.
    const content: UserBlock[] = [...context, ...attachments, { type: "text", text: prompt }];
    // A program may use an id twice; a message counts once.
    const isFree = id !== undefined && !this.#deps.conversation.has(id);
    const messageId = isFree ? id : this.#deps.ids.next();
    this.#deps.state.addPrompt(prompt, messageId);
    return { role: "user", id: messageId, content };
  }
}
