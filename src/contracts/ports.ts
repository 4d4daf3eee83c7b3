import type { Usage } from "./message.ts";
import type { ModelCapabilities } from "./provider.ts";
import type { Hazard, OpenedNetwork } from "./subject.ts";

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds since an arbitrary start; never decreases. */
  monotonicMs(): number;
  /** Rejects with the abort reason when `signal` aborts first. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export interface Ids {
  /** A new UUID. */
  next(): string;
}

/** A session's folder for output that is too large for the context; the model may read there without a question. */
export interface ArtifactStore {
  /** The folder's absolute path, symlinks resolved; created (0700) on first use. */
  readonly directory: string;
  /** @returns the absolute path of the new file. */
  save(name: string, content: string | Uint8Array): Promise<string>;
}

/** The known facts about models: capabilities and prices, as data. */
export interface ModelCatalog {
  /** Resolves an alias (`default`, `fast`, `best`, a family name) to a model id; other names pass through. */
  resolve(name: string): string;
  capabilities(model: string): ModelCapabilities;
  /** US dollars, or undefined when the price is unknown. */
  cost(model: string, usage: Usage): Promise<number | undefined>;
  /** Lists aliases first, then model ids, for `/model` and `quoll models`. */
  list(): readonly string[];
  /**
   * Loads facts about a chosen model that the tables lack, so that `capabilities` and `cost` become as exact as
   * possible. A first request never needs the loaded facts, and the method never rejects for an unknown model.
   * @param provider The provider that serves the model.
   */
  load?(model: string, provider?: string): Promise<void>;
  /**
   * Stores a server's description of a model: it takes precedence over the tables, and the settings take precedence
   * over it.
   */
  learn?(model: string, limits: ModelLimits): void;
  /** Waits for a running request for a model's description. Never rejects. */
  ready?(model: string): Promise<void>;
}

/** Limits in tokens; undefined if the server does not state them. */
export type ModelLimits = {
  readonly contextWindow?: number;
  readonly maxOutputTokens?: number;
  /** True if the model could take more, but the server has loaded it with this window. */
  readonly isLoaded?: true;
};

/** The folders a session works in. */
export interface Workspace {
  /**
   * The roots as absolute paths, symlinks resolved; the first is the starting folder. The same array is used for the
   * whole session: it grows in place.
   */
  readonly roots: readonly string[];
  /** The nearest ancestor with `.quoll` or `.git`, or the starting folder. */
  readonly projectRoot: string;
  /** True if the workspace is `/`, the home folder or a parent of it: Quoll then asks before reading too. */
  readonly isBroad: boolean;
  /** The current folder of commands; always inside a root. */
  readonly cwd: string;
  /** Moves `cwd`. @returns false, changing nothing, when `path` (resolved) lies outside every root. */
  moveTo(path: string): boolean;
  /** True if a resolved absolute path lies inside a root. */
  contains(path: string): boolean;
  /**
   * Adds a root until the session ends. Absent for agents, because only the person adds folders.
   * @param folder Absolute, or relative to `cwd`.
   * @returns its real path; `isNew`: false if a root contains it.
   * @throws {UserFacingError} (exit 2) the folder is missing or unreadable; nothing is changed.
   */
  add?(folder: string): { readonly path: string; readonly isNew: boolean };
}

export type SandboxKind = "bubblewrap" | "sandbox-exec" | "landlock";

/** The session's folder for temporary files, which confined commands see under another name. */
export type SessionTemporary = {
  /** Absolute, without links; it may not exist yet. */
  readonly folder: string;
  /** Its name inside the sandbox: `/tmp` if the folder is mounted there, else `folder`. */
  readonly inside: string;
  /** Places below `inside` that are the machine's own inside the sandbox too, such as the workspace. */
  readonly kept: readonly string[];
  /** Those that commands may change. */
  readonly writable: readonly string[];
};

/** The confinement available on this machine; constant for the session. */
export type SandboxState =
  | {
      readonly kind: SandboxKind;
      /** `weak` (landlock): new top-level names and `.git` are not writable. */
      readonly strength: "full" | "weak";
      /** True if an allow list of domains makes a part of the network reachable from the sandbox. */
      readonly hasNetwork: boolean;
      /** For a weak sandbox: the reason why no stronger one works, as a phrase ("bubblewrap (bwrap) is not installed"). */
      readonly whyWeak?: string;
      /** Absent if only the running command knows its folder for temporary files. */
      readonly temporary?: SessionTemporary;
    }
  | {
      readonly kind: undefined;
      /** One line: why there is no sandbox and how to fix that; undefined if the sandbox is switched off. */
      readonly reason: string | undefined;
    };

export type ProgramStart = {
  /** Absolute. */
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Existing files of Quoll outside the workspace that this run must be able to write (absolute, no links). */
  readonly writableFiles?: readonly string[];
  /** True for a background program: no caller waits for its end. */
  readonly isBackground?: boolean;
  /** The paths that the command names and is allowed to read or change: ask rules don't block them. */
  readonly named?: readonly NamedPath[];
  /** The running command in one printable line, for messages about later commands while this command runs. */
  readonly command?: string;
  /** Absolute paths of files and folders that this run may not read. */
  readonly hidden?: readonly string[];
  /**
   * The network of this run alone. The run can't read the workspace's files that look like secrets, except for the
   * settings files that this names.
   */
  readonly opened?: OpenedNetwork;
};

/** @property path Absolute. */
export type NamedPath = { readonly action: "read" | "write"; readonly path: string };

/** An unconfined program or tool of Quoll that runs while confined programs may run. */
export type UnconfinedWork = {
  /** Absolute paths that the program or tool was allowed to create or change. */
  readonly makes: readonly string[];
  /** True for a command, which may create more files than its words name. */
  readonly mayMakeMore: boolean;
};

export type UnconfinedStart = {
  /** Lines for the model about names that confined programs created and that no result has reported yet. */
  readonly lines: readonly string[];
  /** Call this when the unconfined program or tool has ended. */
  end(): void;
};

/** A command that has failed. */
export type FailedRun = {
  readonly command: string;
  /** Undefined for a command that was ended, such as at its timeout. */
  readonly exitCode: number | undefined;
};

/** Confines programs by the operating system. */
export interface Sandbox {
  /** Probes once, at the first call. Never throws. */
  state(): Promise<SandboxState>;
  /**
   * Converts a start so that the same program runs confined: it writes only to the workspace and a private temporary
   * folder, reads everything except secrets, and has no network except the allowed domains.
   * @throws {ToolFailedError} the command can't be confined; nothing was started.
   */
  confine(start: ProgramStart, signal: AbortSignal): Promise<ConfinedStart>;
  /**
   * Await this before an unconfined program or tool of Quoll starts: Quoll first moves aside entries that a confined
   * program created and that other programs obey, or asks a person.
   */
  beginUnconfined(work: UnconfinedWork, signal: AbortSignal): Promise<UnconfinedStart>;
  /**
   * One line if the sandbox is the likely cause of a failed run; otherwise undefined.
   * @param ranMs The duration of the run, which has just ended: connections refused during this time are included.
   * @param run For programs that say nothing.
   */
  explainFailure(output: string, ranMs?: number, run?: FailedRun): string | undefined;
  /** Opens ports of confined servers to a person; undefined if that is impossible or not needed. */
  portOpener(): Promise<PortOpener | undefined>;
  /** The results of `quoll sandbox doctor`, the verdict first. */
  findings(): Promise<readonly SandboxFinding[]>;
  /** Ends the proxies and removes the files that the sandbox created. */
  close(): Promise<void>;
}

/** One result of a check of the sandbox. */
export type SandboxFinding = {
  readonly level: "ok" | "note" | "problem";
  /** One line. */
  readonly text: string;
  /** The fix: a command, or a short phrase. */
  readonly fix?: string;
};

/** A port of a confined server that is open to a person. */
export type ServerPort = {
  readonly port: number;
  /** The address, such as `127.0.0.1:5173`, or another port if that port is in use. */
  readonly address: string;
  /** The background task that listens. */
  readonly taskId: string;
  readonly command: string;
};

export interface PortOpener {
  /**
   * Opens a port on which a confined command listens at 127.0.0.1.
   * @throws {Error} the port can't be opened.
   */
  open(port: number): Promise<OpenPort>;
}

export type OpenPort = {
  /** The address, such as `127.0.0.1:5173`, or another port if that port is in use. */
  readonly address: string;
  /** Closes the port and all its connections. Never rejects. */
  close(): Promise<void>;
};

export type ConfinedStart = ProgramStart & {
  /**
   * True if the started process is not the program but the sandbox's own process, which ends everything inside at any
   * signal: send a signal for the program only to the other processes of its family.
   */
  readonly isWrapped: boolean;
  /** Arguments with which the sandbox also says on descriptor 3 how the program ended; nothing if the program never began. */
  readonly reportingArgs?: readonly string[];
  /**
   * Removes mount points that had to be made, when the program has ended. Never rejects.
   * @returns true if certainly none of its processes is left.
   */
  dispose(): Promise<boolean>;
  /** The workspace's files that were hidden because the run has a network: absolute. */
  readonly hiddenSecrets?: readonly string[];
  /** Changes that could not be prevented: for the model and the person, a line each. Complete after disposal. */
  changes?(): readonly string[];
  /** From now on, the program runs while a person works: new entries may be the person's own. */
  movedToBackground?(): void;
};

/** How the data that a call destroys can be restored, if at all. */
export type Backup =
  | {
      readonly kind: "possible" /** Makes it, before the call runs. @returns one line each, for the model and the person. */;
      make(signal: AbortSignal): Promise<readonly string[]>;
    }
  | {
      readonly kind: "impossible" /** One phrase: why. */;
      readonly why: string /** The only cause among the hazards; absent if the reason concerns all of them. */;
      readonly hazard?: Hazard;
    };

/** Makes backups before destructive calls. */
export interface DestructiveGuard {
  /** Checks a call and changes nothing. @returns undefined if the call destroys nothing that needs a backup. */
  assess(hazards: readonly Hazard[], signal: AbortSignal): Promise<Backup | undefined>;
}

/** Hides credentials from the model, the log and the screen, and puts them back into the file that they came from. */
export interface Redactor {
  /** Replaces each credential in the text by its placeholder; returns the same object if there is none. */
  redact(text: string): string;
  /**
   * Replaces each placeholder in the text by its value, which the file `path` must currently contain.
   * @param path Absolute, symlinks resolved.
   * @throws {InvalidInputError} the file does not contain the value of a placeholder.
   */
  restore(text: string, path: string): Promise<string>;
  /** The placeholders in a text, without duplicates. */
  placeholdersIn(text: string): readonly string[];
}
