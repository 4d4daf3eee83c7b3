import type { AgentSource } from "../contracts/agent.ts";
import type { NoteFault } from "../contracts/debug.ts";
import { typedWords, type UserInput } from "../contracts/engine.ts";
import type { Message, UserBlock, UserMessage } from "../contracts/message.ts";
import type { PermissionMode } from "../contracts/permission-mode.ts";
import type { Ids } from "../contracts/ports.ts";
import type { Asker } from "../contracts/question.ts";
import type { Conversation } from "./conversation.ts";
import type { EventHub } from "./event-hub.ts";
import type { HookNotes } from "./input-hooks.ts";
import type { InputQueue } from "./input-queue.ts";
import type { ModelTools } from "./model-tools.ts";
import { ReturnablePrompt, type TakenPrompt } from "./returnable-prompt.ts";
import type { SessionState } from "./session-state.ts";
import { turnUnfinished } from "./system-reminders.ts";

const PLAN_NOTE = "Plan mode is on: look at whatever you need, change nothing, and";

/** The engine's own parts that the messages use. */
type OwnParts = {
  readonly conversation: Conversation;
  readonly inputs: InputQueue;
  readonly events: Pick<EventHub, "holdNotices" | "emit">;
};

export type UserMessagesDeps = {
  readonly agent: Pick<AgentSource, "parentAgentId">;
  readonly ids: Ids;
  readonly permissions: { readonly mode: PermissionMode };
  readonly tools: Pick<ModelTools, "names">;
  readonly asker: Pick<Asker, "canAsk">;
  readonly state: Pick<SessionState, "addPrompt" | "keepPrompts">;
  /** Text for the first message: working folder, platform, date, branch and instruction file. */
  describeSession(): Promise<string>;
  /** Notes of the project's memory that are relevant to a prompt. @param messages The messages of the next request. */
  recallNotes?(prompt: string, messages: readonly Message[], signal: AbortSignal): Promise<readonly string[]>;
  /** Loads the content that a person's text names, such as a resource of a server. Never rejects. */
  attach?(words: string, signal: AbortSignal): Promise<readonly UserBlock[]>;
  /** Called when the newest prompt left the conversation: notes of the project that it carried may be sent again. */
  forgetOffers?(): void;
  readonly skills?: {
    /** Applies the rules, the model and the effort of a skill until the turn ends. Never rejects. */
    startNamed(name: string): Promise<void>;
  };
};

/** Makes messages from the person's inputs and actions. */
export class UserMessages {
  readonly #deps: UserMessagesDeps;
  readonly #own: OwnParts;
  /** The prompt of the newest turn. */
  readonly prompt = new ReturnablePrompt();

  constructor(deps: UserMessagesDeps, own: OwnParts) {
    this.#deps = deps;
    this.#own = own;
  }

  /**
   * Adds a note for the model to the next input, also after the session is resumed: a command that the person ran.
   * @throws {Error} the log can't be written.
   */
  addNote(text: string): void {
    this.#own.conversation.append({ kind: "note", optional: true, text });
  }

  /** Drops the notes of another conversation, and prompts that are not part of the current one. */
  forgetOthers(): void {
    this.#forgetPrompts();
    this.#own.inputs.forgetNotes();
  }

  /**
   * Takes the prompt of the newest turn out of the conversation, if that is possible. The notes of its message go with
   * the next message.
   * @throws {Error} the log can't be read or written: the prompt stays.
   */
  takeBack(): UserInput | undefined {
    const taken = this.prompt.take();
    if (taken) this.#leave(taken);
    return taken?.input;
  }

  /**
   * Removes the prompt of the newest turn from the conversation because the model can never get it. The prompt can
   * still be taken back. If the log can't be read or written, the prompt stays, and a later compaction shortens it.
   */
  dropRefused(noteFault?: NoteFault): void {
    try {
      this.#leave(this.prompt.leave());
    } catch (error) {
      noteFault?.(error);
    }
  }

  #leave({ opened, isCompacted }: Pick<TakenPrompt, "opened" | "isCompacted">): void {
    if (!opened) return;
    const { conversation, inputs, events } = this.#own;
    conversation.takeBack(opened, isCompacted);
    this.#forgetPrompts();
    const { startNotes, pendingNotes } = opened;
    // A branch has its own pending notes.
    for (const note of isCompacted ? [...startNotes, ...pendingNotes] : startNotes) this.addNote(note);
    inputs.returnNotes();
    this.#deps.forgetOffers?.();
    events.emit({ type: "conversation_changed", by: "take_back" });
    // The entry counts once the kernel has it; a disk that can't be written is reported at the next turn.
    conversation.sync().catch(() => undefined);
  }

  #forgetPrompts(): void {
    this.#deps.state.keepPrompts((messageId) => this.#own.conversation.has(messageId));
  }

  /**
   * Adds the message that begins a turn to the conversation.
   * @throws {Error} the message could not be written; its notes go with the next message.
   */
  async open(input: UserInput, hooked: HookNotes, signal: AbortSignal): Promise<UserMessage> {
    const { conversation, inputs } = this.#own;
    const { recallNotes } = this.#deps;
    const recalled = (await recallNotes?.(typedWords(input), conversation.messages, signal)) ?? [];
    const attached = await this.#attached(input, signal);
    const shown = await this.preview();
    // The notes are read after the last wait, because a note may be replaced in the meantime.
    const { notes } = inputs;
    const earlier = [...hooked.start, ...hooked.prompt, ...notes.map(({ text }) => text)];
    const message = this.#message(attached, [...earlier, ...shown, ...recalled]);
    const announced = notes.flatMap((note) => note.announced ?? []);
    const prompt = typedWords(input);
    const { lastId: beforeId, next } = conversation;
    const opened = { messageId: message.id, beforeId, startNotes: hooked.start, pendingNotes: next.notes };
    conversation.append({ kind: "user", message, prompt, ...(announced.length > 0 && { announced }) });
    inputs.sent(message.id);
    inputs.beginTurn();
    for (const note of notes) inputs.noteSent(note);
    this.prompt.opened(opened);
    return message;
  }

  /** Makes a message that starts no turn. Pending notes wait for the next message. */
  async whole(input: UserInput): Promise<UserMessage> {
    const isFirst = this.#own.conversation.messages.length === 0;
    return this.#message(input, isFirst ? [await this.#deps.describeSession()] : []);
  }

  /** The texts before the user's words in the message that begins the next turn. Nothing is recorded. */
  async preview(): Promise<readonly string[]> {
    const notes: string[] = [];
    if (this.#own.conversation.messages.length === 0) notes.push(await this.#deps.describeSession());
    const { next } = this.#own.conversation;
    if (next.unfinished !== undefined) notes.push(turnUnfinished(next.unfinished, this.#deps.agent));
    notes.push(...next.notes);
    if (this.#deps.permissions.mode === "plan") notes.push(this.#planNote());
    return notes;
  }

  #planNote(): string {
    const { asker, tools } = this.#deps;
    const { names } = tools;
    const canAsk = asker.canAsk && names.includes("AskUserQuestion");
    const first = canAsk ? " Ask with AskUserQuestion what only the user can decide." : "";
    const end = names.includes("ExitPlanMode") ? "hand the plan over with ExitPlanMode." : "answer with the plan.";
    return `${PLAN_NOTE} ${end}${first}`;
  }

  /** Makes the message of an input that arrives during a turn. */
  async steering(input: UserInput, hookNote: string | undefined, signal: AbortSignal): Promise<UserMessage> {
    return this.#message(await this.#attached(input, signal), hookNote === undefined ? [] : [hookNote]);
  }

  /** Adds the content that the input's text names. */
  async #attached(input: UserInput, signal: AbortSignal): Promise<UserInput> {
    if (input.skill !== undefined) await this.#deps.skills?.startNamed(input.skill);
    this.#own.events.holdNotices();
    const named = (await this.#deps.attach?.(typedWords(input), signal)) ?? [];
    return named.length === 0 ? input : { ...input, attachments: [...(input.attachments ?? []), ...named] };
  }

  #message(input: UserInput, notes: readonly string[]): UserMessage {
    const { prompt, attachments = [], id } = input;
    const context: UserBlock[] = notes.filter((note) => note !== "").map((text) => ({ type: "text", text }));
    // The person's text comes last: the offline engine and every reader of the log expect it there.
    const content: UserBlock[] = [...context, ...attachments, { type: "text", text: prompt }];
    // A program may repeat an id, but each message needs a unique id.
    const isFree = id !== undefined && !this.#own.conversation.has(id);
    const messageId = isFree ? id : this.#deps.ids.next();
    this.#deps.state.addPrompt(typedWords(input), messageId);
    return { role: "user", id: messageId, content };
  }
}
