import type { CompactedPart, CompactionReason } from "../contracts/compaction.ts";
import type { CompactionStage } from "../contracts/compactor.ts";
import type { NoteFault } from "../contracts/debug.ts";
import type { CountLimit } from "../contracts/errors.ts";
import type { Message } from "../contracts/message.ts";
import type { Effort, Thinking } from "../contracts/provider.ts";
import type { Tasks } from "../contracts/task.ts";
import type { HookDeps } from "./ask-hooks.ts";
import type { AskDeps } from "./ask-model.ts";
import type { CompactionBreaker } from "./compaction-breaker.ts";
import type { ChosenModel } from "./model-fallback.ts";
import type { SizeDeps } from "./request-size.ts";

export type CompactDeps = SizeDeps &
  AskDeps &
  HookDeps & {
    readonly compactor: readonly CompactionStage[];
    readonly breaker: CompactionBreaker;
    readonly noteFault?: NoteFault;
    readonly toolPorts: { readonly tasks: Pick<Tasks, "list"> };
    /** Called when the model no longer sees the results of these calls. */
    forgetResults(toolUseIds: ReadonlySet<string>): void;
    describeSession(): Promise<string>;
    /** Loads the texts of skills in `messages` that are not part of `kept`. */
    skillsInUse?(messages: readonly Message[], kept: readonly Message[]): Promise<string>;
    /**
     * The model that writes summaries; if undefined, the conversation's own model does.
     * @throws {UserFacingError} the model can't be used.
     */
    summaryModel?(): Promise<ChosenModel | undefined>;
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
  tellFailure?(line: string): void;
  /** True if earlier compactions freed too little: the last resort runs too. */
  readonly isLastResort?: boolean;
};
