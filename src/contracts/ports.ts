import type { Usage } from "./message.ts";
import type { ModelCapabilities } from "./provider.ts";
import type { Hazard } from "./subject.ts";

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

/** The known facts about models: capabilities and prices, as data. */
export interface ModelCatalog {
  /** Resolves an alias (`default`, `fast`, `best`, a family name) to a model id; other names pass through. */
  resolve(name: string): string;
  capabilities(model: string): ModelCapabilities;
  /** US dollars, or undefined when the price is unknown. */
  cost(model: string, usage: Usage): Promise<number | undefined>;
  /** Aliases first, then model ids: what `/model` and `quoll models` show. */
  list(): readonly string[];
  /**
   * Finds out what the tables don't hold, when a model is chosen: from then on `capabilities` and `cost` are as right as
   * they can be. Never needed for a first request, and never rejects for an unknown model.
   * @param provider who serves it.
   */
  load?(model: string, provider?: string): Promise<void>;
  /** Takes over what a server says of a model: it goes before the tables, and behind the settings. */
  learn?(model: string, limits: ModelLimits): void;
  /** Waits for what a server is being asked of a model. Never rejects. */
  ready?(model: string): Promise<void>;
}

/** In tokens; undefined for what is not told. */
export type ModelLimits = { readonly contextWindow?: number; readonly maxOutputTokens?: number };

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
  /** True if a resolved absolute path lies inside a root. */
  contains(path: string): boolean;
}

export type SandboxKind = "bubblewrap" | "sandbox-exec" | "landlock";

/** The confinement that is available on this machine; constant for the session. */
export type SandboxState =
  | {
      readonly kind: SandboxKind;
      /** `weak` (landlock): new top-level names and `.git` are not writable. */
      readonly strength: "full" | "weak";
      /** True if some network is reachable from inside: an allow-list of domains is set. */
      readonly hasNetwork: boolean;
      /** For a weak sandbox: the reason why no stronger one works, as a phrase ("bubblewrap (bwrap) is not installed"). */
      readonly whyWeak?: string;
    }
  | {
      readonly kind: undefined;
      /** One line: what is missing and how to fix it; undefined when it is switched off. */
      readonly reason: string | undefined;
    };

export type ProgramStart = {
  /** Absolute. */
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Existing files of ours, elsewhere, that this very run must be able to write to (absolute, no links). */
  readonly writableFiles?: readonly string[];
  /** True where nobody waits for its end. */
  readonly isBackground?: boolean;
  /** The paths that its words name, and that it was allowed to read or change: ask rules don't close them. */
  readonly named?: readonly NamedPath[];
  /** Files and folders that this very run may not read. Absolute. */
  readonly hidden?: readonly string[];
};

/** @property path Absolute. */
export type NamedPath = { readonly action: "read" | "write"; readonly path: string };

/** Something of ours that is not confined, while confined programs may run. */
export type OutsideWork = {
  /** Absolute paths that it was allowed to make or change. */
  readonly makes: readonly string[];
  /** True for a command, which may make more than its words name. */
  readonly mayMakeMore: boolean;
};

export type OutsideStart = {
  /** Names created by confined programs that no result has reported yet: for the model, a line each. */
  readonly lines: readonly string[];
  /** To be called when it has ended. */
  end(): void;
};

/** Confines programs by the operating system. */
export interface Sandbox {
  /** Probes once, at the first call. Never throws. */
  state(): Promise<SandboxState>;
  /**
   * A start that runs the same program confined: it writes only to the workspace and a private temporary folder, reads
   * everything but secrets, and has no network but the allowed domains.
   * @throws {ToolFailedError} the command can't be confined; nothing was started.
   */
  confine(start: ProgramStart, signal: AbortSignal): Promise<ConfinedStart>;
  /**
   * To be awaited before something of ours starts that is not confined: what a confined program has put where others obey it
   * is moved aside first, or a person is asked.
   */
  beginOutside(work: OutsideWork, signal: AbortSignal): Promise<OutsideStart>;
  /**
   * One line when the sandbox looks like the cause of a failed run; undefined otherwise.
   * @param ranMs How long the run took, ended just now: connections that were refused meanwhile count.
   */
  explainFailure(output: string, ranMs?: number): string | undefined;
  /** Leads a person to servers that confined commands run; undefined where that is not possible, or not needed. */
  portOpener(): Promise<PortOpener | undefined>;
  /** Ends proxies and removes what was made. */
  close(): Promise<void>;
}

/** A port of a confined server that a person reaches. */
export type ServerPort = {
  readonly port: number;
  /** `127.0.0.1:5173`; another port where that one is taken. */
  readonly address: string;
  /** The background task that listens. */
  readonly taskId: string;
  readonly command: string;
};

export interface PortOpener {
  /**
   * Leads from 127.0.0.1 to a port on which a confined command listens.
   * @throws {Error} it can't be opened.
   */
  open(port: number): Promise<OpenPort>;
}

export type OpenPort = {
  /** `127.0.0.1:5173`; another port where that one is taken. */
  readonly address: string;
  /** Ends it and all its connections. Never rejects. */
  close(): Promise<void>;
};

export type ConfinedStart = ProgramStart & {
  /**
   * True when the process that is started is not the program but the sandbox's own, which ends everything inside at any
   * signal: one that the program is to hear goes to the other processes of its family only.
   */
  readonly isWrapped: boolean;
  /** Removes mount points that had to be made, when the program has ended. Never rejects. */
  dispose(): Promise<void>;
  /** Changes that could not be prevented: for the model and the person, a line each. Complete after disposal. */
  changes?(): readonly string[];
};

/** Says how the data that a call destroys can be restored, if at all. */
export type Backup =
  | {
      readonly kind: "possible" /** Makes it, before the call runs. @returns one line each, for the model and the person. */;
      make(signal: AbortSignal): Promise<readonly string[]>;
    }
  | { readonly kind: "impossible" /** One phrase: why. */; readonly why: string };

/** Keeps a way back from what destroys. */
export interface DestructiveGuard {
  /** Looks, changes nothing. @returns undefined when nothing of worth would be lost. */
  assess(hazards: readonly Hazard[], signal: AbortSignal): Promise<Backup | undefined>;
}

/** Hides credentials from the model, the log and the screen, and puts them back into the file that they came from. */
export interface Redactor {
  /** The text with each credential replaced by its placeholder; the same object when there is none. */
  redact(text: string): string;
  /**
   * The text with each placeholder replaced by the value that stands in `path` now.
   * @param path Absolute, symlinks resolved.
   * @throws {InvalidInputError} a placeholder's value does not stand in that file.
   */
  restore(text: string, path: string): Promise<string>;
  /** The placeholders in a text, each once. */
  placeholdersIn(text: string): readonly string[];
}
