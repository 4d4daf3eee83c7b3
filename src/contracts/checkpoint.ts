import type { BackupReader, BackupRecord, SavedState } from "./backup.ts";
import type { ChangedFile, ChangeRange, FilePart, PartedFile, TreeChanges } from "./session-changes.ts";

/**
 * Keeps the state of the workspace around calls that may write. The engine calls this port; nothing here waits for a
 * state on the way of a request, and no failure of a checkpoint fails a call.
 */
export interface Checkpoints {
  /**
   * A prompt of the person was sent: the state before it is stored in the background, while the model answers.
   * @param messageId The id of the prompt's message, which a rewind names.
   */
  promptSent(messageId: string): void;
  /** An answer has begun to arrive: its request no longer competes with work in the background. */
  answerBegan(): void;
  /** The answer names a tool that may write: what its first call needs is loaded. */
  makeReady(): void;
  /** A call that may write is about to be checked: a fresh state is stored meanwhile. Costs nothing. */
  expectWrite(): void;
  /**
   * Waits for the state before a call that may write. Calls that only read must not come here.
   * @throws the abort reason if `signal` aborts; nothing else.
   */
  beginCall(call: WritingCall, signal: AbortSignal): Promise<OpenCall>;
  /**
   * Hooks run after a call that has ended, such as formatters: what they change in its `paths` counts as its own.
   * No other call waits for them.
   */
  hooksBegin(call: WritingCall): Promise<OpenCall>;
}

/** A call that may change files. All paths are absolute. */
export type WritingCall = {
  readonly toolUseId: string;
  readonly agentId: string;
  /** `write`: the call changes only `paths`. `execute`: it may change anything. */
  readonly level: "write" | "execute";
  /** The folder that the call works in. */
  readonly folder: string;
  /** The call in one line, for the person. */
  readonly title: string;
  /** The source of a shell command. */
  readonly command?: string;
  /** The files that the call's words name to be written. */
  readonly paths: readonly string[];
  /** The programs of a shell command, as written. */
  readonly programs?: readonly string[];
  /** Effects of the call that no rewind undoes, one printable phrase each: `git push`, `npm publish`, `~/x.txt`. */
  readonly outside?: readonly string[];
};

/** `end` returns at once, and a second call does nothing; the state after the call is stored in the background. */
export type OpenCall = { end(): void };

/** A file, link or folder in a state. `mode`: all permission bits of a file or folder; 0 for a link. */
export type StoredEntry =
  /** `oid`: the name of the content in the store, hexadecimal. */
  | { readonly kind: "file" | "link"; readonly oid: string; readonly mode: number }
  /** A folder, with or without files. */
  | { readonly kind: "folder"; readonly mode: number };

/** Entries by absolute path; null: there is no such file. */
export type StoredCopies = ReadonlyMap<string, StoredEntry | null>;

/**
 * The change of one path between two states; null: the path does not exist. A folder that appears or goes is a change of
 * its own, besides the changes of its files.
 */
export type StoredChange = {
  /** Absolute. */
  readonly path: string;
  readonly before: StoredEntry | null;
  readonly after: StoredEntry | null;
  /**
   * True if another file was renamed over the path, as editors save. Recorded with this mark, the change is a conflict:
   * whoever records it removes the mark if the command names the file or replaces files itself.
   */
  readonly isReplaced?: true;
  /** True if the process ended while the call ran. Anyone may have changed the path since, so `isReplaced` is set too. */
  readonly isInterrupted?: true;
  /** True if the path changed after the call had ended, so by another hand; `isReplaced` is set too. */
  readonly isLate?: true;
};

/** `prompt`: before a prompt. `before`, `after`: around calls. `rewind`: before the files change. */
export type StateCause =
  | { readonly kind: "prompt"; readonly messageId: string }
  | { readonly kind: "before" | "after" | "rewind" };

/** The content of the work roots at one moment, kept until it is pruned. */
export type StoredState = {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly cause: StateCause;
  /** The files that this state could not hold, with the reason: one printable line each. */
  readonly notHeld: readonly string[];
};

/** The changes that calls made between two states. */
export type RecordedChanges = {
  /** The newest prompt before the calls. */
  readonly messageId: string;
  readonly toolUseIds: readonly string[];
  readonly agentIds: readonly string[];
  readonly files: readonly StoredChange[];
  /** The commands of the interval that may have written, as written, in order. */
  readonly commands: readonly string[];
  /** Effects that no rewind undoes, one printable phrase each. */
  readonly outside: readonly string[];
};

/**
 * The store of one session's checkpoints. States and changes are on the disk when a promise of this store resolves.
 *
 * No failure rejects: what can't be stored is named in `notHeld`, once for each cause in `notices`.
 */
export interface CheckpointStore {
  /**
   * Stores the present content of the roots. Requests that arrive while one runs share the next run.
   * @param roots Absolute folders without links: the project, added folders, worktrees. Home, `/` and ancestors of home
   * keep only named files.
   * @param named Files that a tool writes by name; they are covered from now on, also if git ignores them or they are
   * outside the roots.
   */
  takeState(
    request: { readonly cause: StateCause; readonly roots: readonly string[]; readonly named?: readonly string[] },
    signal: AbortSignal,
  ): Promise<StoredState>;
  /** Stores the first state of small roots, so that no call waits for it; larger ones wait for `takeState`. */
  prepare(roots: readonly string[]): Promise<void>;
  /**
   * Stores only these files, without a look at any other: enough around calls that write nothing else, in milliseconds.
   * The files are covered from now on.
   * @returns the entry of each path and of the missing folders above it. A path that can't be stored is left out.
   */
  keepCopies(paths: readonly string[], signal: AbortSignal): Promise<StoredCopies>;
  /** Stores the same files again. @returns the changes since. */
  changesSince(before: StoredCopies, signal: AbortSignal): Promise<readonly StoredChange[]>;
  /** The changes between two states of this process, by path. Resolves to an empty list if nothing changed. */
  changesBetween(before: StoredState, after: StoredState, signal: AbortSignal): Promise<readonly StoredChange[]>;
  /**
   * The paths whose file changed after a time, as far as the file system says so.
   * @param time Milliseconds since the epoch.
   */
  changedAfter(paths: readonly string[], time: number): ReadonlySet<string>;
  /**
   * Notes that calls begin, so that the next process can tell what they changed if this one is killed. Returns at once.
   * @param before The files or the state that was stored before them.
   * @param begun The id of earlier calls whose note this one replaces.
   * @returns the id of the note, for `record`.
   */
  begun(calls: Omit<RecordedChanges, "files">, before: StoredState | StoredCopies, begun?: string): string;
  /**
   * Appends the changes to the session's records; on the disk when the promise resolves.
   * @param begun The id of the note that the changes settle.
   */
  record(changes: RecordedChanges, begun?: string): Promise<void>;
  /**
   * Records the changes of calls that the end of an earlier process interrupted. Someone else may have changed files since,
   * so each of these changes is a conflict for a rewind.
   * @returns the commands, as written; empty for calls of editing tools.
   */
  recover(roots: readonly string[], signal: AbortSignal): Promise<readonly string[]>;
  /** Removes the new lines for the person that this store has: an announced prune, a full disk. */
  takeNotices(): readonly string[];
  /** Ends the running work. */
  close(): Promise<void>;
}

/** A file in the list of a point or in a preview. */
export type RewindFile = {
  /** Absolute. */
  readonly path: string;
  /** The change that was made (in a point), or that the rewind makes (in a preview). */
  readonly status: "created" | "changed" | "deleted";
  /** Lines; undefined for a binary file, a link, a folder, or a change of the mode alone. */
  readonly added?: number;
  readonly removed?: number;
};

/** A prompt that a conversation's files can go back to. */
export type CheckpointPoint = {
  readonly messageId: string;
  /** Milliseconds since the epoch. */
  readonly time: number;
  /** The files that the agent's calls changed after this prompt and before the next one. */
  readonly files: readonly RewindFile[];
  /** The commands that may have written in this time, as written, in order. */
  readonly commands: readonly string[];
};

/** A prompt that a person can go back to. */
export type RewindPoint = CheckpointPoint & {
  /** The words of the prompt. */
  readonly text: string;
};

/** A file that the agent changed, and that another hand changed too. */
export type RewindConflict = RewindFile & {
  /** One phrase for the person, without the path: `it changed since`, `another program may have changed it while "npm test" ran`. */
  readonly reason: string;
};

/** Folders without files that come back or go. Absolute paths; a folder with files is spoken for by them. */
export type FolderChanges = { readonly restored: readonly string[]; readonly deleted: readonly string[] };

/** The effects of a rewind of the files. */
export type RewindPreview = {
  readonly messageId: string;
  /** The files to write back, also deleted ones that come back. */
  readonly restores: readonly RewindFile[];
  /** The files that the agent created. */
  readonly deletes: readonly RewindFile[];
  readonly folders?: FolderChanges;
  readonly conflicts: readonly RewindConflict[];
  /** Effects that stay: one printable line each. */
  readonly notUndone: readonly string[];
  /** Files that the checkpoints don't hold: one printable line each. */
  readonly notCovered: readonly string[];
  /** Names of the running background work that the rewind ends. */
  readonly stops?: readonly string[];
};

/** `mine`: the file stays as it is. `checkpoint`: the file's state before the agent changed it comes back. */
export type ConflictChoice = "mine" | "checkpoint";

export type RewindResult = {
  /** Absolute paths, in the order of the work. */
  readonly restored: readonly string[];
  readonly deleted: readonly string[];
  readonly folders?: FolderChanges;
  /** The files that stayed as they are. `reason`: one phrase, as in a conflict. */
  readonly kept: readonly { readonly path: string; readonly reason: string }[];
  readonly notUndone: readonly string[];
  /** The prompt that returns to the editor, if the conversation went back. */
  readonly prompt?: string;
  /** Names of the background work that was ended. */
  readonly stopped?: readonly string[];
};

/** `of`: a redo that brings back one change, or takes a restore of a backup back; absent for a rewind. */
export type RedoResult = RewindResult & { readonly of?: "change" | "backup" };

export type FinishedRewind = RewindResult & { readonly request?: Pick<RewindRequest, "messageId" | "scope"> };

/** `both` is the files and the conversation. */
export type RewindScope = "both" | "files" | "conversation";

export type RewindRequest = {
  readonly messageId: string;
  /** The prompt whose checkpoint the files go back to: the same one, or the next one that has a checkpoint. */
  readonly knownFrom?: string;
  readonly scope: RewindScope;
  /** By absolute path; a conflict without a choice stays as it is (`mine`). */
  readonly choices?: Readonly<Record<string, ConflictChoice>>;
};

/** A backup to restore, and its reader. */
export type BackupRestore = { readonly record: BackupRecord; readonly reader: BackupReader };

/** The half of a rewind that concerns files, as the checkpoint store offers it. */
export interface FileRewinds {
  /**
   * A prompt without a checkpoint changed nothing: it ended before its state was stored. So the next prompt's checkpoint
   * stands for it.
   * @param messageIds A prompt and those after it, in order.
   * @returns the first that has a checkpoint; undefined if there is none, or if older checkpoints were deleted.
   */
  knownFrom(messageIds: readonly string[]): string | undefined;
  /** False if nothing was stored since the first of these prompts, and nothing was deleted. */
  hasSince(messageIds: readonly string[]): boolean;
  /** The points of this session and of the one that it was forked from, oldest first. */
  points(signal: AbortSignal): Promise<readonly CheckpointPoint[]>;
  /** @throws {UserFacingError} (as a rejection) there is no checkpoint for this prompt. */
  preview(messageId: string, signal: AbortSignal): Promise<RewindPreview>;
  /**
   * The change that restoring one file would make, from the present file to the checkpoint's.
   * @returns a diff, or one line for the person if it can't be shown as text.
   * @throws {UserFacingError} (as a rejection) the rewind would not change this file.
   */
  diffOf(messageId: string, path: string, signal: AbortSignal): Promise<ChangedFile | string>;
  /**
   * Stores the present state, then writes the files. An interrupted rewind is finished by `finishInterrupted`.
   * @param recorded Called when the plan is on the disk, before the first file changes.
   * @throws {UserFacingError} (as a rejection) there is no checkpoint, or the present state could not be stored: then
   * nothing has changed.
   */
  rewind(request: RewindRequest, signal: AbortSignal, recorded?: () => void): Promise<RewindResult>;
  /**
   * The changes of the agent's calls.
   * @param shown The path as a person reads it.
   * @returns undefined if nothing was recorded yet.
   * @throws {UserFacingError} (as a rejection) there is no checkpoint for the prompt.
   */
  changes(range: ChangeRange, shown: (path: string) => string, signal: AbortSignal): Promise<TreeChanges | undefined>;
  /**
   * Stores the present file, then writes it without one part. A redo takes this back.
   * @throws {UserFacingError} (as a rejection) the file does not hold the part: nothing has changed.
   */
  takeBack(file: PartedFile, part: FilePart, signal: AbortSignal): Promise<RewindResult>;
  /**
   * The changes that a restore of a backup would make.
   * @throws {UserFacingError} (as a rejection) the backup is gone or can't be read.
   */
  previewBackup(request: BackupRestore, signal: AbortSignal): Promise<RewindPreview>;
  /**
   * Stores the present files, then writes those of a backup. A redo takes this back.
   * @throws {UserFacingError} (as a rejection) the backup is gone, or the present files could not be stored: nothing has
   * changed.
   */
  restoreBackup(request: BackupRestore & Pick<RewindRequest, "choices">, signal: AbortSignal): Promise<RewindResult>;
  /** The rewind that a redo takes back. `time`: milliseconds since the epoch. */
  redoable(): { readonly scope?: RewindScope | undefined; readonly time: number } | undefined;
  /**
   * Takes the newest rewind back. Files that changed since stay, and are named. `recorded` as in `rewind`.
   * @throws {UserFacingError} (as a rejection) there is nothing to redo.
   */
  redo(choices: RewindRequest["choices"], signal: AbortSignal, recorded?: () => void): Promise<RewindResult>;
  /**
   * Finishes a rewind that the end of a process interrupted.
   * @param found Called before the first file changes; it may be called again by the next start if this process ends too.
   * @returns its result, and its request (absent for a redo); undefined if there is none.
   */
  finishInterrupted(
    signal: AbortSignal,
    found?: (request: FinishedRewind["request"]) => void,
  ): Promise<FinishedRewind | undefined>;
}

/** Goes back to the moment before a prompt: commands and faces use this. */
export interface Rewinds {
  /** The path in the form that a person reads: relative to the working folder, or with `~`. */
  shown(path: string): string;
  /** The prompts of the conversation, oldest first. */
  points(signal: AbortSignal): Promise<readonly RewindPoint[]>;
  /** @throws {UserFacingError} (as a rejection) there is no such prompt, or the rewind would be refused. */
  preview(request: Pick<RewindRequest, "messageId" | "scope">, signal: AbortSignal): Promise<RewindPreview>;
  /** As in `FileRewinds`. */
  diffOf(messageId: string, path: string, signal: AbortSignal): Promise<ChangedFile | string>;
  /**
   * Stops background work that could go on writing, then goes back.
   * @throws {UserFacingError} (as a rejection) nothing has changed.
   */
  rewind(request: RewindRequest, signal: AbortSignal): Promise<RewindResult>;
  /** As in `FileRewinds`; undefined too where no checkpoints are kept. */
  changes(range: ChangeRange, signal: AbortSignal): Promise<TreeChanges | undefined>;
  /** @throws {UserFacingError} (as a rejection) nothing has changed. */
  takeBack(file: PartedFile, part: FilePart, signal: AbortSignal): Promise<RewindResult>;
  canRedo(): Promise<boolean>;
  /** Takes the newest rewind back, files and conversation as it was made. @throws {UserFacingError} nothing to redo. */
  redo(choices: RewindRequest["choices"], signal: AbortSignal): Promise<RedoResult>;
}

/** The backups of the project, for the person of a session. */
export interface Backups {
  /** The path in the form that a person reads. */
  shown(path: string): string;
  /** Newest first, without checkpoints. */
  list(signal: AbortSignal): Promise<readonly SavedState[]>;
  /** @param id An id from `list`, or its beginning. @throws {UserFacingError} (as a rejection) there is none, or it is gone. */
  preview(id: string, signal: AbortSignal): Promise<RewindPreview>;
  /**
   * Brings the files of a backup back; `/redo` takes that back.
   * @throws {UserFacingError} (as a rejection) nothing has changed.
   */
  restore(id: string, choices: RewindRequest["choices"], signal: AbortSignal): Promise<RewindResult>;
}
