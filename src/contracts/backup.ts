/** The name of a backup: `20261121T085133Z-1a2b3c`. Names sort by time. */
export const BACKUP_ID = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z-[0-9a-f]{6}$/;

/** A place that holds a part of a backup. All paths are absolute. `repository`: the folder with objects and references. */
export type BackupPart =
  /** A commit outside all branches. `names`: the paths that a restore brings back, relative to `top`; `gone`: those that it deletes again. */
  | {
      readonly kind: "commit";
      readonly top: string;
      readonly repository: string;
      readonly ref: string;
      readonly names: readonly string[];
      readonly gone: readonly string[];
    }
  /** A folder with copies and a manifest. `rights`: how many paths have only their permissions noted. */
  | { readonly kind: "folder"; readonly folder: string; readonly paths: readonly string[]; readonly rights: number }
  /** Branches, tags and stashes, by references below `root`. */
  | {
      readonly kind: "references";
      readonly top: string;
      readonly repository: string;
      readonly root: string;
      readonly count: number;
    };

/** A backup that was made before a command. */
export type BackupRecord = {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly time: number;
  /** The effects of the command, in words for people. */
  readonly cause: string;
  readonly parts: readonly BackupPart[];
  /** The lines that were printed, with the commands that restore; none for a backup that was found without the index. */
  readonly lines: readonly string[];
};

/** Notes the backups of a project. */
export interface BackupLog {
  /** @throws {Error} (as a rejection) a system error. The backup itself is complete, so nothing is lost. */
  add(records: readonly BackupRecord[]): Promise<void>;
}

/** Where a content is: an object of a repository, or a copy (for a link: the link itself). `size` in bytes. */
export type BackedUpContent =
  | { readonly repository: string; readonly oid: string; readonly size: number }
  | { readonly copy: string; readonly size: number };

/** An entry that a restore writes. `mode`: permission bits; undefined if the backup knows only whether the owner may run the file. */
export type BackedUpEntry = { readonly path: string } & (
  | {
      readonly kind: "file";
      readonly mode: number | undefined;
      readonly isExecutable: boolean;
      readonly from: BackedUpContent;
    }
  | { readonly kind: "link"; readonly from: BackedUpContent }
  | { readonly kind: "folder"; readonly mode: number }
  /** The restore deletes the file. */
  | { readonly kind: "gone" }
);

/** A repository that may hold backups. Both paths are absolute. */
export type BackupPlace = { readonly top: string; readonly repository: string };

/** Reads backups, wherever they are. Changes nothing. */
export interface BackupReader {
  /**
   * The backups that are there now, oldest first: in the project's folder, in its repository with the submodules, and in
   * further repositories. Those whose commit is gone are left out.
   */
  find(places: readonly BackupPlace[], signal: AbortSignal): Promise<readonly BackupRecord[]>;
  /**
   * The files and folders that a restore of the backup writes or deletes.
   * @throws {UserFacingError} (as a rejection) the backup is gone or can't be read.
   */
  entries(record: BackupRecord, signal: AbortSignal): Promise<readonly BackedUpEntry[]>;
  /** Contents of a repository's objects, by their names; a missing one is left out. */
  objects(repository: string, oids: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, Buffer>>;
}

/** An earlier state of files that can come back. `cause`: in words for people. `paths`: absolute, what it brings back. */
export type SavedState = {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly cause: string;
  readonly paths: readonly string[];
} & (
  | { readonly kind: "backup"; readonly record: BackupRecord }
  /** The state before a prompt of a session. */
  | { readonly kind: "checkpoint"; readonly sessionId: string }
);
