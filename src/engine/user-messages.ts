import { typedWords, type UserInput } from "../contracts/engine.ts";
import type { Message, UserBlock, UserMessage } from "../contracts/message.ts";
import type { PermissionMode } from "../contracts/permission-mode.ts";
import type { Ids } from "../contracts/ports.ts";
import type { Conversation } from "./conversation.ts";
import type { EventHub } from "./event-hub.ts";
import type { InputQueue } from "./input-queue.ts";
import type { ModelTools } from "./model-tools.ts";
import type { SessionState } from "./session-state.ts";

const PLAN_NOTE = "Plan mode is on: look at whatever you need, change nothing, and";

export type UserMessagesDeps = {
  readonly conversation: Conversation;
  readonly inputs: InputQueue;
  readonly events: Pick<EventHub, "holdNotices">;
  readonly ids: Ids;
  readonly permissions: { readonly mode: PermissionMode };
  readonly tools: Pick<ModelTools, "names">;
  readonly state: Pick<SessionState, "addPrompt" | "keepPrompts">;
  /** Text for the first message: working folder, platform, date, branch and instruction file. */
  describeSession(): Promise<string>;
  /** Notes of the project's memory that are relevant to a prompt. @param messages The messages of the next request. */
  recallNotes?(prompt: string, messages: readonly Message[], signal: AbortSignal): Promise<readonly string[]>;
  /** Loads the content that a person's text names, such as a resource of a server. Never rejects. */
  attach?(words: string, signal: AbortSignal): Promise<readonly UserBlock[]>;
  /** Applies the rules, the model and the effort of a skill until the turn ends. Never rejects. */
  startSkill?(name: string): Promise<void>;
};

/** Makes messages from the person's inputs and actions. */
export class UserMessages {
  readonly #deps: UserMessagesDeps;
  #notes: string[] = [];

  constructor(deps: UserMessagesDeps) {
    this.#deps = deps;
  }

  /** Adds a note for the model to the next input: a command that the person ran, or a task that ended. */
  addNote(note: string): void {
    this.#notes.push(note);
  }

  /** Drops the notes of another conversation, and prompts that are not part of the current one. */
  forgetOthers(): void {
    this.#deps.state.keepPrompts((messageId) => this.#deps.conversation.has(messageId));
    this.#notes = [];
    this.#deps.inputs.forgetNotes();
  }

  /**
   * Adds the message that begins a turn to the conversation.
   * @throws {Error} the message could not be written; its notes go with the next message.
   */
  async open(input: UserInput, hookNotes: readonly string[], signal: AbortSignal): Promise<UserMessage> {
    const { conversation, inputs, recallNotes } = this.#deps;
    const recalled = (await recallNotes?.(typedWords(input), conversation.messages, signal)) ?? [];
    const attached = await this.#attached(input, signal);
    const shown = await this.preview();
    // The notes are read after the last wait, because a note may be replaced in the meantime.
    const { notes } = inputs;
    const earlier = [...hookNotes, ...notes.map(({ text }) => text)];
    const message = this.#message(attached, [...earlier, ...shown, ...recalled]);
    const announced = notes.flatMap((note) => note.announced ?? []);
    const prompt = typedWords(input);
    conversation.append({ kind: "user", message, prompt, ...(announced.length > 0 && { announced }) });
    this.#notes = [];
    for (const note of notes) inputs.noteSent(note);
    return message;
  }

  /** Makes a message that starts no turn. Pending notes wait for the next message. */
  async whole(input: UserInput): Promise<UserMessage> {
    const isFirst = this.#deps.conversation.messages.length === 0;
    return this.#message(input, isFirst ? [await this.#deps.describeSession()] : []);
  }

  /** The texts before the user's words in the message that begins the next turn. Nothing is recorded. */
  async preview(): Promise<readonly string[]> {
    const notes: string[] = [];
    if (this.#deps.conversation.messages.length === 0) notes.push(await this.#deps.describeSession());
    notes.push(...this.#notes);
    if (this.#deps.permissions.mode === "plan") notes.push(this.#planNote());
    return notes;
  }

  #planNote(): string {
    const canHandOver = this.#deps.tools.names.includes("ExitPlanMode");
    return `${PLAN_NOTE} ${canHandOver ? "hand the plan over with ExitPlanMode." : "answer with the plan."}`;
  }

  /** Makes the message of an input that arrives during a turn. */
  async steering(input: UserInput, hookNote: string | undefined, signal: AbortSignal): Promise<UserMessage> {
    return this.#message(await this.#attached(input, signal), hookNote === undefined ? [] : [hookNote]);
  }

  /** Adds the content that the input's text names. */
  async #attached(input: UserInput, signal: AbortSignal): Promise<UserInput> {
    if (input.skill !== undefined) await this.#deps.startSkill?.(input.skill);
    this.#deps.events.holdNotices();
    const named = (await this.#deps.attach?.(typedWords(input), signal)) ?? [];
    return named.length === 0 ? input : { ...input, attachments: [...(input.attachments ?? []), ...named] };
  }

  #message(input: UserInput, notes: readonly string[]): UserMessage {
    const { prompt, attachments = [], id } = input;
    const context: UserBlock[] = notes.filter((note) => note !== "").map((text) => ({ type: "text", text }));
    // The person's text comes last: the offline engine and every reader of the log expect it there.
    const content: UserBlock[] = [...context, ...attachments, { type: "text", text: prompt }];
    // A program may repeat an id, but each message needs a unique id.
    const isFree = id !== undefined && !this.#deps.conversation.has(id);
    const messageId = isFree ? id : this.#deps.ids.next();
    this.#deps.state.addPrompt(typedWords(input), messageId);
    return { role: "user", id: messageId, content };
  }
}
