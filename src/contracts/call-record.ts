/** A call of an agent, in one line. */
export type AgentCall = { readonly name: string; readonly title: string; readonly isError: boolean };

/** The parts of an ended call that a screen does not hold. */
export type CallRecord = {
  /** The whole result; absent if it is not found. */
  readonly output?: string;
  /** One line each, for the person: a part that is left out, a file that no longer exists. */
  readonly notes: readonly string[];
  /** The newest calls of the agent that the call started, oldest first; absent if no such agent is known. */
  readonly calls?: readonly AgentCall[];
};

/** Reads the record of a call. @throws {UserFacingError} (as a rejection) the session's file can't be read. */
export type ReadCall = (toolUseId: string, signal: AbortSignal) => Promise<CallRecord>;
