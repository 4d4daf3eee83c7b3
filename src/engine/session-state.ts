import type { PermissionMode } from "../contracts/permission-mode.ts";
import type { Workspace } from "../contracts/ports.ts";
import type { Effort, Thinking } from "../contracts/provider.ts";
import type { ChosenModel } from "./model-fallback.ts";

const MAX_PROMPTS = 20;

type Values = {
  readonly mode: PermissionMode;
  readonly model: ChosenModel;
  readonly effort?: Effort | undefined;
  readonly thinking?: Thinking | undefined;
};

/** A part of the state that changed. */
export type StateChange = keyof Values | "prompts";

type Prompt = { readonly text: string; readonly messageId: string };

/**
 * The state of an agent that changes while the session runs: the values that a person, a program or a tool sets, and
 * the prompts. The state is created before the agent's permissions, tools and engine, which all share it. A child agent
 * has separate state.
 */
export class SessionState {
  /** The effort that an active skill sets; it takes precedence over the session's. */
  skillEffort: Effort | undefined;
  readonly #workspace: Pick<Workspace, "cwd">;
  readonly #listeners = new Set<(change: StateChange) => void>();
  #values: Values;
  #isFallback = false;
  #modeBeforePlan: PermissionMode;
  #prompts: readonly Prompt[] = [];

  /** Identifies the newest prompt, for hooks; undefined before the first prompt. */
  promptId: string | undefined;

  constructor({ workspace, ...values }: Values & { readonly workspace: Pick<Workspace, "cwd"> }) {
    this.#workspace = workspace;
    this.#values = values;
    this.#modeBeforePlan = values.mode;
  }

  /** The mode that was set last. The permission engine limits a child agent to its parent's mode. */
  get mode(): PermissionMode {
    return this.#values.mode;
  }

  /** Set the mode through the permission engine, which refuses forbidden modes. */
  set mode(mode: PermissionMode) {
    if (this.mode !== "plan") this.#modeBeforePlan = this.mode;
    this.#set("mode", { mode });
  }

  /** The mode before plan mode; the first mode of the session if plan mode was never entered. */
  get modeBeforePlan(): PermissionMode {
    return this.#modeBeforePlan;
  }

  get model(): ChosenModel {
    return this.#values.model;
  }

  set model(model: ChosenModel) {
    this.#isFallback = false;
    this.#set("model", { model });
  }

  /** True while a fallback model stands in for the chosen one, until a model is chosen again. */
  get isFallback(): boolean {
    return this.#isFallback;
  }

  /** A fallback model takes over from the chosen one. */
  fallBack(model: ChosenModel): void {
    this.#isFallback = true;
    this.#set("model", { model });
  }

  /** The effort of the requests; undefined for the model's default. */
  get effort(): Effort | undefined {
    return this.#values.effort;
  }

  set effort(effort: Effort | undefined) {
    this.#set("effort", { effort });
  }

  /** The thinking of the requests; undefined for the model's default. */
  get thinking(): Thinking | undefined {
    return this.#values.thinking;
  }

  set thinking(thinking: Thinking | undefined) {
    this.#set("thinking", { thinking });
  }

  /** The working folder now. */
  get cwd(): string {
    return this.#workspace.cwd;
  }

  /** The prompts of the conversation, oldest first: at most the last 20. */
  get prompts(): readonly string[] {
    return this.#prompts.map(({ text }) => text);
  }

  /** @param messageId The id of the message that the prompt became. */
  addPrompt(text: string, messageId: string): void {
    this.#prompts = [...this.#prompts, { text, messageId }].slice(-MAX_PROMPTS);
    this.#notify("prompts");
  }

  /** Forgets the prompts whose messages are no longer part of the conversation. */
  keepPrompts(isKept: (messageId: string) => boolean): void {
    this.#prompts = this.#prompts.filter(({ messageId }) => isKept(messageId));
    this.#notify("prompts");
  }

  /** Calls `listener` after each change. @returns the function that removes the listener. */
  onChanged(listener: (change: StateChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #set(change: keyof Values, value: Partial<Values>): void {
    this.#values = { ...this.#values, ...value };
    this.#notify(change);
  }

  #notify(change: StateChange): void {
    for (const listener of this.#listeners) listener(change);
  }
}
