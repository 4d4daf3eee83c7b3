import type { Usage } from "./message.ts";
import type { ModelCapabilities } from "./provider.ts";

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds from an arbitrary start; never goes back. */
  monotonicMs(): number;
  /** Rejects with the abort reason when `signal` aborts first. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export interface Ids {
  /** A new UUID. */
  next(): string;
}

/** A session's folder for what is too large for the context; the model may read there freely. */
export interface ArtifactStore {
  /** Absolute, symlinks resolved; made (0700) on first use. */
  readonly directory: string;
  /** @returns the absolute path of the new file. */
  save(name: string, text: string): Promise<string>;
}

/** What the program knows of models: capabilities and prices, as data. */
export interface ModelCatalog {
  /** Resolves an alias (`default`, `fast`, `best`, a family name) to a model id; other names pass through. */
  resolve(name: string): string;
  capabilities(model: string): ModelCapabilities;
  /** US dollars, or undefined when the price is unknown. */
  cost(model: string, usage: Usage): Promise<number | undefined>;
  /** Aliases first, then model ids: what `/model` and `quoll models` show. */
  list(): readonly string[];
}

/** The folders a session works in. */
export interface Workspace {
  /** Absolute, symlinks resolved; the first is the starting folder. */
  readonly roots: readonly string[];
  /** The nearest ancestor with `.quoll` or `.git`, or the starting folder. */
  readonly projectRoot: string;
  /** True when the workspace is `/`, the home folder or above it: then reads ask too. */
  readonly isBroad: boolean;
  /** Where commands run now; always inside a root. */
  readonly cwd: string;
  /** Moves `cwd`. @returns false, changing nothing, when `path` (resolved) lies outside every root. */
  moveTo(path: string): boolean;
  /** Whether a resolved absolute path lies inside a root. */
  contains(path: string): boolean;
}
