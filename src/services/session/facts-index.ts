import { join } from "node:path";
import { isJsonObject } from "../../contracts/message.ts";
import { parsedObject } from "../../contracts/parsed-json.ts";
import { replaceUnflushed } from "../../platform/private-file.ts";
import { readSmallFile } from "../../platform/read-small-file.ts";
import type { EndedFacts, LogFacts } from "./log-facts.ts";

/** No session's folder or file has this name, because a session's id has no dot. */
const NAME = "session-index.json";
const FORMAT = 3;
/** The newest sessions are kept; those of more are read at each list. */
const MOST_SESSIONS = 20_000;
const MAX_BYTES = 64 * 1024 * 1024;

/** The facts of a log as it was at this size and time. */
export type KnownLog = {
  readonly bytes: number;
  /** Milliseconds since the epoch. */
  readonly modifiedAt: number;
  readonly facts: LogFacts;
};

/**
 * The facts of a project's sessions by id, as they were last read. The file is only a cache: it can be deleted at any
 * time, and a damaged one counts as empty.
 */
export function readIndex(folder: string): KnownLogs {
  const { format, sessions } = parsedObject(readSmallFile(join(folder, NAME), MAX_BYTES) ?? "") ?? {};
  return new KnownLogs(format === FORMAT && isJsonObject(sessions) ? sessions : {});
}

/** The logs of an index. Each is checked when it is asked for, because a damaged file may hold anything. */
export class KnownLogs {
  readonly #sessions: Readonly<Record<string, unknown>>;

  constructor(sessions: Readonly<Record<string, unknown>>) {
    this.#sessions = sessions;
  }

  get size(): number {
    return Object.keys(this.#sessions).length;
  }

  get(sessionId: string): KnownLog | undefined {
    const found = Object.hasOwn(this.#sessions, sessionId) ? this.#sessions[sessionId] : undefined;
    return isKnownLog(found) ? found : undefined;
  }
}

/** Never throws: without the file, the next list reads the logs again. */
export function writeIndex(folder: string, sessions: readonly (readonly [id: string, KnownLog])[]): void {
  try {
    const kept = sessions.toSorted(([, a], [, b]) => b.modifiedAt - a.modifiedAt).slice(0, MOST_SESSIONS);
    replaceUnflushed(join(folder, NAME), JSON.stringify({ format: FORMAT, sessions: Object.fromEntries(kept) }));
  } catch {
    // A full disk, or a folder without permission to write.
  }
}

const TEXTS = [
  "firstId",
  "begins",
  "prompt",
  "name",
  "title",
  "folder",
  "branch",
  "worktree",
  "rootId",
  "lastPrompt",
  "lastAnswer",
] as const satisfies readonly (keyof LogFacts)[];
const FLAGS = [
  "isPinned",
  "isArchived",
  "isHeadless",
  "isCleared",
  "isRewound",
] as const satisfies readonly (keyof LogFacts)[];

function isKnownLog(value: unknown): value is KnownLog {
  if (typeof value !== "object" || value === null) return false;
  const { bytes, modifiedAt, facts } = value as Partial<Record<string, unknown>>;
  if (typeof bytes !== "number" || typeof modifiedAt !== "number" || typeof facts !== "object" || !facts) return false;
  const fields = facts as Readonly<Record<string, unknown>>;
  const { read, prompts, costUsd, ended = [] } = fields as Partial<Record<string, unknown>>;
  return (
    typeof read === "number" &&
    typeof prompts === "number" &&
    (costUsd === null || typeof costUsd === "number") &&
    TEXTS.every((name) => fields[name] === undefined || typeof fields[name] === "string") &&
    FLAGS.every((name) => fields[name] === undefined || typeof fields[name] === "boolean") &&
    Array.isArray(ended) &&
    ended.every(isEnded)
  );
}

const ENDED_TEXTS = ["prompt", "title", "lastPrompt"] as const satisfies readonly (keyof EndedFacts)[];

function isEnded(value: unknown): value is EndedFacts {
  if (!isJsonObject(value)) return false;
  const { id, endedAt, prompts } = value;
  return (
    typeof id === "string" &&
    typeof endedAt === "number" &&
    typeof prompts === "number" &&
    ENDED_TEXTS.every((name) => value[name] === undefined || typeof value[name] === "string")
  );
}
