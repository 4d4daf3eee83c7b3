import type { AgentSource } from "../contracts/agent.ts";
import type { Questions } from "../contracts/question.ts";
import type { SessionLog } from "../contracts/session.ts";
import type { Charge } from "../contracts/spend.ts";
import type { CacheTtl } from "./cache-warmth.ts";
import type { ConversationStart } from "./conversation.ts";
import type { OutputShape } from "./structured-output.ts";
import type { TurnDeps } from "./turn.ts";
import type { UserMessagesDeps } from "./user-messages.ts";

/** The parts that an engine makes itself, for its turns. */
type OwnParts = Pick<TurnDeps, "conversation" | "hookCommon" | "endTurn" | "cache" | "cacheWatch" | "breaker">;

/** The services of an engine. */
export type EngineDeps = Omit<TurnDeps, keyof OwnParts> &
  Pick<UserMessagesDeps, "describeSession" | "recallNotes" | "forgetOffers" | "attach" | "skills"> & {
    readonly log: SessionLog;
    readonly agent: AgentSource;
    readonly questions: Questions;
    readonly system: string;
    /** The file of the conversation; empty when sessions are not saved. */
    readonly transcriptPath: string;
    readonly cacheTtlMs?: CacheTtl;
    /** True if the model answers the output of the person's commands (`!`) at once. */
    respondsToShell?(): boolean;
    /** Called with the text of a turn's prompt before its tools are fixed. */
    readonly notePrompt?: (words: string) => void;
    /** Called when the conversation is cleared, or continues from an earlier entry. */
    forgetFiles(): void;
    /** Ends all background work. @returns one phrase for each task that it ended. */
    endBackgroundWork(): Promise<readonly string[]>;
  };

export type EngineOptions = {
  readonly restored?: ConversationStart;
  /** The session's spending in earlier processes. */
  readonly earlierCharges?: readonly Charge[];
  readonly maxSteps?: number;
  /** Names or aliases of the fallback models, in the order of use. */
  readonly fallbackModels?: readonly string[];
  /** The token budget of each turn whose prompt names no budget. */
  readonly turnBudgetTokens?: number;
  /** The schema for the answer of each turn. */
  readonly shape?: OutputShape;
};

/** All keys must be named, so that no service of a turn is left out; an absent one is undefined. */
type Complete<Parts> = { readonly [Key in keyof Required<Parts>]: Parts[Key] };

/** The services of a turn: those of the engine, and the engine's own parts. */
export function turnDeps(deps: EngineDeps, own: OwnParts): Complete<TurnDeps> {
  const { catalog, clock, ids, agent, noteFault, state, permissions, tools, toolPorts, artifacts, redactor, cwd } =
    deps;
  const { windowSettings, spend, hooks, asker, compactor, summaryModel, describeSession, skills } = deps;
  const { checkpoints, stepBegins, beforeRequest, touched, followWrites, selectModel, forgetResults } = deps;
  const { conversation, cache, cacheWatch, breaker, hookCommon, endTurn } = own;
  return {
    catalog,
    clock,
    ids,
    agent,
    noteFault,
    state,
    permissions,
    tools,
    toolPorts,
    artifacts,
    redactor,
    cwd,
    windowSettings,
    spend,
    hooks,
    asker,
    compactor,
    summaryModel,
    describeSession,
    skills,
    checkpoints,
    stepBegins,
    beforeRequest,
    touched,
    followWrites,
    selectModel,
    forgetResults,
    conversation,
    cache,
    cacheWatch,
    breaker,
    hookCommon,
    endTurn,
  };
}
