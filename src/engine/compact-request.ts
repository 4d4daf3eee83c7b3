import type { CompactedPart, CompactionReason } from "../contracts/compaction.ts";
import type { CompactionStage } from "../contracts/compactor.ts";
import type { NoteFault } from "../contracts/debug.ts";
import type { CountLimit } from "../contracts/errors.ts";
import type { Message } from "../contracts/message.ts";
import type { Effort, Thinking } from "../contracts/provider.ts";
import type { Tasks } from "../contracts/task.ts";
import type { HookDeps } from "./ask-hooks.ts";
import type { AskDeps } from "./ask-model.ts";
import type { ChosenModel } from "./model-fallback.ts";
import type { SizeDeps } from "./request-size.ts";

export type CompactDeps = SizeDeps &
  AskDeps &
  HookDeps & {
    readonly compactor: readonly CompactionStage[];
    readonly breaker: CompactionBreaker;
    readonly noteFault?: NoteFault | undefined;
    readonly toolPorts: { readonly tasks: Pick<Tasks, "list"> };
    /** Called when the model no longer sees the results of these calls. */
    forgetResults(toolUseIds: ReadonlySet<string>): void;
    describeSession(): Promise<string>;
    /** Loads the texts of skills in `messages` that are not part of `kept`. */
    readonly skills?: { inUse(messages: readonly Message[], kept: readonly Message[]): Promise<string> } | undefined;
    /**
     * The model that writes summaries; if undefined, the conversation's own model does.
     * @throws {UserFacingError} the model can't be used.
     */
    readonly summaryModel?: (() => Promise<ChosenModel | undefined>) | undefined;
  };

export type CompactRequest = ChosenModel & {
  readonly system: string;
  readonly why: CompactionReason;
  readonly effort: Effort | undefined;
  readonly thinking: Thinking | undefined;
  /** With `image_too_large`, if the provider refused the number of images and documents. */
  readonly countLimit?: CountLimit | undefined;
  /** With `manual`. */
  readonly instructions?: string | undefined;
  /** With `manual`. */
  readonly part?: CompactedPart | undefined;
  /** With `manual`: receives a line for the person about each stage that failed, in place of a notice. */
  onFailure?(line: string): void;
  /** True if earlier compactions freed too little: the last resort runs too. */
  readonly isLastResort?: boolean;
};

/** The number of failures in a row after which Quoll writes no more automatic summaries of a conversation. */
const MAX_FAILURES = 3;

/** Stops automatic compaction after several failures in a row, and delays it after the person undid a compaction. */
export class CompactionBreaker {
  #failures = 0;
  #isHeld = false;
  #lacksRoom = false;

  /** True if only the person can start a summary. */
  get isOpen(): boolean {
    return this.#failures >= MAX_FAILURES;
  }

  /** True after the person undid a compaction: the next automatic compaction is delayed as long as possible. */
  get isHeld(): boolean {
    return this.#isHeld;
  }

  /** True after a request was not sent because the window was full, until room was made. */
  get lacksRoom(): boolean {
    return this.#lacksRoom;
  }

  noteFull(): void {
    this.#lacksRoom = true;
  }

  madeRoom(): void {
    this.#lacksRoom = false;
  }

  hold(): void {
    this.#isHeld = true;
  }

  succeeded(): void {
    this.#failures = 0;
    this.#isHeld = false;
  }

  /** @returns one line for the person when this failure opens the breaker; undefined otherwise. */
  failed(): string | undefined {
    this.#failures += 1;
    if (this.#failures !== MAX_FAILURES) return undefined;
    return `Compaction failed ${MAX_FAILURES} times in a row and no longer runs on its own in this session; /compact tries again.`;
  }
}
