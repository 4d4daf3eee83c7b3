/** The source of a batch's inputs: the files of a glob, the lines of a file, or the objects of a JSONL file. */
export type BatchSource = { readonly kind: "files" | "lines" | "jsonl"; readonly value: string };

/** A limit for all agents of a batch together: US dollars, or tokens of input and output. */
export type BatchLimit = { readonly unit: "usd" | "tokens"; readonly limit: number };

/** The contract of each agent, with names in braces as in the prompt. `schemaFile`: a JSON schema of the answer. */
export type BatchExpect = {
  readonly files?: readonly string[];
  readonly command?: string;
  readonly schemaFile?: string;
};

/** A batch as a person asks for it. */
export type BatchRequest = {
  readonly source: BatchSource;
  /** The prompt, with `{input}`, and for JSONL also the names of fields in braces. */
  readonly template: string;
  /** The type of the agents; general-purpose if absent. */
  readonly agent?: string;
  readonly model?: string;
  readonly budget?: BatchLimit;
  /** How many agents work at the same time. */
  readonly parallel?: number;
  /** True if each agent has its own worktree. */
  readonly isIsolated?: boolean;
  readonly expect?: BatchExpect;
  /** A new file for the results, relative to the working folder. */
  readonly out?: string;
};

/** A batch whose inputs were read and saved; no agent has run yet. */
export type BatchPlan = {
  /** The batch's number, counted from 1 in each project. */
  readonly id: number;
  readonly count: number;
  readonly firstPrompt: string;
  readonly agent: string;
  readonly parallel: number;
  readonly isIsolated: boolean;
  /** The checks when the first agent ends, one phrase each. */
  readonly firstChecks: readonly string[];
  readonly budget: BatchLimit | undefined;
  /** Absolute. */
  readonly resultsFile: string;
};

/** `left`: the agent of the input was not started, or was stopped before it ended. */
export type InputStatus = "left" | "running" | "done" | "failed";

/** The state of a batch. */
export type BatchSummary = {
  readonly id: number;
  /** The first line of the prompt. */
  readonly title: string;
  readonly count: number;
  readonly done: number;
  readonly failed: number;
  readonly running: number;
  readonly left: number;
  readonly usd: number;
  readonly tokens: number;
  /** True if the price of some requests is unknown. */
  readonly isUnpriced: boolean;
  readonly budget: BatchLimit | undefined;
  readonly resultsFile: string;
  /** The first failed inputs, with the reason, and the first remaining inputs; one printable line each. */
  readonly failures: readonly { readonly input: string; readonly error: string }[];
  readonly leftInputs: readonly string[];
  /** The number of worktrees that are kept because they contain work of the agents. */
  readonly keptWorktrees: number;
};

export type BatchEnd = {
  readonly summary: BatchSummary;
  /** Why inputs remain, in one sentence; undefined if none remain. */
  readonly why: string | undefined;
};

/** The batches of a project: one prompt for many inputs, each in a separate agent. */
export interface Batches {
  /**
   * Reads and saves the inputs of a batch.
   * @throws {UserFacingError} the source, the prompt or an option can't be used.
   */
  plan(request: BatchRequest, signal: AbortSignal): Promise<BatchPlan>;
  /**
   * Runs the remaining inputs, including those of an interrupted run. After an interrupt, the remaining inputs wait for
   * the next run.
   * @throws {UserFacingError} if there is no such batch, it runs already, or its agents can't start.
   */
  run(id: number, options: BatchRunOptions): Promise<BatchEnd>;
  /** The newest first. */
  list(): Promise<readonly BatchSummary[]>;
  /** @throws {UserFacingError} if there is no such batch, or its file can't be read. */
  show(id: number): Promise<BatchSummary>;
}

export type BatchRunOptions = {
  /** True: inputs that failed run again. */
  readonly retriesFailed: boolean;
  /** A limit that replaces the batch's own; earlier spending of the batch counts towards it. */
  readonly budget: BatchLimit | undefined;
  /** `done` and `total` count inputs; failed inputs count as done. */
  report(progress: { readonly text: string; readonly done: number; readonly total: number }): void;
  readonly signal: AbortSignal;
};
