import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { UserFacingError } from "../../../contracts/errors.ts";
import { shortPath } from "../../../platform/directories.ts";
import { namesIn } from "../../../platform/files/list-folder.ts";
import {
  makePrivateFolder,
  readSmallText,
  replacePrivateFile,
  replaceUnflushed,
} from "../../../platform/private-file.ts";
import { isRunning } from "../../../platform/process-identity.ts";

const MAX_RECORD_BYTES = 64 * 1024;
const MAX_NAMED = 5;
const KEPT_MS = 7 * 24 * 60 * 60 * 1_000;
const ID = /^[0-9a-f]{8}$/;

/** `needs you`: a question waits. `failed`: the host ended unexpectedly. */
export const BACKGROUND_STATES = ["working", "needs you", "idle", "stopped", "failed"] as const;

const recordSchema = z.object({
  version: z.literal(1),
  id: z.string().regex(ID),
  sessionId: z.string(),
  /** Absolute. */
  cwd: z.string(),
  /** The folder in which the session was started, if `cwd` may be a worktree that is removed with the session. */
  startedIn: z.string().optional(),
  /** The first prompt on one line. */
  title: z.string(),
  state: z.enum(BACKGROUND_STATES),
  /** Why the session failed or ended, or why the last turn failed: one line. */
  problem: z.string().optional(),
  /** US dollars; null when a price is unknown. */
  costUsd: z.number().nullable(),
  /** ISO 8601, UTC. */
  startedAt: z.iso.datetime(),
  changedAt: z.iso.datetime(),
  /** The file of the conversation; absolute. */
  transcript: z.string(),
  /** The version of Quoll. */
  quoll: z.string(),
  host: z.object({
    pid: z.number(),
    startTime: z.string(),
    host: z.string(),
    bootId: z.string(),
    pidNamespace: z.string(),
  }),
});

/** A background session, as its host process last described it. */
export type BackgroundRecord = Readonly<z.infer<typeof recordSchema>>;

/** The files of one background session, all in a folder that only this user can enter. */
export type BackgroundFiles = {
  readonly folder: string;
  readonly socket: string;
  /** A random text with which a connection must begin. */
  readonly token: string;
  /** The command line, until the host has read it. */
  readonly request: string;
  /** The stderr of the host. */
  readonly log: string;
};

/** The records of background sessions on this machine: a folder for each. */
export class BackgroundRecords {
  readonly #folder: string;

  /** @param state Quoll's own state folder. */
  constructor(state: string) {
    this.#folder = join(state, "background");
  }

  files(id: string): BackgroundFiles {
    const folder = join(this.#folder, id);
    const file = (name: string) => join(folder, name);
    return { folder, socket: file("socket"), token: file("token"), request: file("request.json"), log: file("log") };
  }

  /** @param id Eight hexadecimal digits. @param request The command line, for `takeRequest`. */
  create(id: string, { token, request }: { readonly token: string; readonly request: object }): BackgroundFiles {
    const files = this.files(id);
    makePrivateFolder(files.folder);
    replacePrivateFile(files.token, token);
    replacePrivateFile(files.request, JSON.stringify(request));
    return files;
  }

  /**
   * Reads the command line and removes it from the disk, because a prompt may contain a secret.
   * @throws {Error} the session has no stored command line.
   */
  takeRequest(id: string): unknown {
    const text = readFileSync(this.files(id).request, "utf8");
    this.removeRequest(id);
    return JSON.parse(text);
  }

  removeRequest(id: string): void {
    rmSync(this.files(id).request, { force: true });
  }

  /** @throws {Error} the session was removed. */
  token(id: string): string {
    return readFileSync(this.files(id).token, "utf8");
  }

  remove(id: string): void {
    rmSync(this.files(id).folder, { recursive: true, force: true });
  }

  write(record: BackgroundRecord): void {
    replaceUnflushed(join(this.files(record.id).folder, "record.json"), JSON.stringify(record));
  }

  /**
   * The newest first. A host that disappeared without a message counts as failed. Records that ended a week ago are
   * removed.
   */
  async list(now: number): Promise<readonly BackgroundRecord[]> {
    const found: BackgroundRecord[] = [];
    for (const id of (namesIn(this.#folder) ?? []).filter((name) => ID.test(name))) {
      const record = await this.#read(id);
      if (!record) continue;
      if (isOver(record) && now - Date.parse(record.changedAt) > KEPT_MS) this.remove(id);
      else found.push(record);
    }
    return found.sort((a, b) => b.startedAt.localeCompare(a.startedAt));
  }

  /**
   * Finds a session by the beginning of its id, or of the id of its conversation.
   * @param wanted The session's id; undefined for the only running session.
   * @throws {UserFacingError} (exit 2) none fits, or several do.
   */
  async find(wanted: string | undefined, now: number): Promise<BackgroundRecord> {
    const all = await this.list(now);
    const fitting = all.filter((record) =>
      wanted === undefined ? !isOver(record) : record.id.startsWith(wanted) || record.sessionId.startsWith(wanted),
    );
    const [only, ...others] = fitting;
    if (only && others.length === 0) return only;
    if (only) {
      const named = fitting.slice(0, MAX_NAMED).map(({ id }) => id);
      throw new UserFacingError(
        `${fitting.length} background sessions ${wanted === undefined ? "run" : `begin with "${wanted}"`}: give one of ${named.join(", ")} (quoll ps lists them).`,
        2,
      );
    }
    throw new UserFacingError(
      wanted === undefined
        ? 'No background session runs: start one with `quoll --bg "…"`.'
        : `There is no background session "${wanted}": quoll ps lists them.`,
      2,
    );
  }

  async #read(id: string): Promise<BackgroundRecord | undefined> {
    try {
      const text = await readSmallText(join(this.files(id).folder, "record.json"), MAX_RECORD_BYTES);
      if (text === undefined) return undefined;
      const record = recordSchema.parse(JSON.parse(text));
      if (isOver(record) || isRunning(record.host) !== "no") return record;
      return { ...record, state: "failed", problem: "interrupted" };
    } catch {
      // Another version wrote the file, or it is being removed.
      return undefined;
    }
  }
}

/**
 * The command that continues the conversation after its host has ended. @param home The home folder, which shortens the
 * path to `~`.
 */
export function resumeCommand({ cwd, startedIn = cwd, sessionId }: BackgroundRecord, home: string): string {
  return `cd ${shortPath(startedIn, home)} && quoll --resume ${sessionId}`;
}

/** True if the host of the session has ended. */
export function isOver({ state }: Pick<BackgroundRecord, "state">): boolean {
  return state === "stopped" || state === "failed";
}
