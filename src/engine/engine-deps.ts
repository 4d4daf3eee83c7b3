import type { AgentSource } from "../contracts/agent.ts";
import type { Questions } from "../contracts/question.ts";
import type { RestoredSession, SessionLog } from "../contracts/session.ts";
import type { Charge } from "../contracts/spend.ts";
import type { OutputShape } from "./structured-output.ts";
import type { TurnDeps } from "./turn.ts";
import type { UserMessagesDeps } from "./user-messages.ts";

/** What an engine works with. */
export type EngineDeps = Omit<TurnDeps, "conversation" | "hookCommon" | "endTurn"> &
  Pick<UserMessagesDeps, "describeSession"> & {
    readonly log: SessionLog;
    readonly agent: AgentSource;
    readonly questions: Questions;
    readonly system: string;
    /** Where the conversation is written; empty where nothing is kept. */
    readonly transcriptPath: string;
    /** Called when the conversation starts anew, or goes on from an earlier place. */
    forgetFiles(): void;
    /** Ends what runs in the background. @returns one phrase for each thing that it ended. */
    endBackgroundWork(): Promise<readonly string[]>;
  };

export type EngineOptions = {
  readonly restored?: Pick<RestoredSession, "entries" | "lastId">;
  /** What the session has spent before this process. */
  readonly earlierCharges?: readonly Charge[];
  readonly maxSteps?: number;
  /** Asked in turn when a model is overloaded: names or aliases. */
  readonly fallbackModels?: readonly string[];
  /** The shape that each turn's answer must have. */
  readonly shape?: OutputShape;
};
