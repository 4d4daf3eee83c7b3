import { dirname, join } from "node:path";
import { z } from "zod";
import type { JsonObject } from "../../../contracts/message.ts";
import { parsedObject } from "../../../contracts/parsed-json.ts";
import { isOpenTask, type TaskInfo } from "../../../contracts/task.ts";
import { namesIn } from "../../../platform/files/list-folder.ts";
import { type HeldLock, tryLock } from "../../../platform/lock-file.ts";
import {
  makePrivateFolder,
  readSmallText,
  replacePrivateFile,
  replaceUnflushed,
} from "../../../platform/private-file.ts";

const MAX_MANIFEST_BYTES = 64 * 1024;
const MANIFEST = /^a(\d+)\.json$/;
const recordSchema = z.object({
  id: z.string(),
  agentId: z.string(),
  type: z.string(),
  description: z.string(),
  model: z.string().nullable(),
  worktree: z.string().optional(),
  narrowed: z.object({ tools: z.array(z.string()).optional(), deny: z.array(z.string()).optional() }).optional(),
});
const INTERRUPTED = "failed: interrupted";

export type AgentRecordsDeps = {
  /** The lock that shows that a process still has agents of this session. */
  readonly lockFile: string;
  /** The file of the conversation; empty if the conversation is not saved. */
  readonly transcript: string;
  /** A folder inside a repository that git is to leave out. */
  readonly ignoredIn?: string;
  /** Called once if the records can't be written. */
  fault(error: unknown): void;
};

/**
 * The manifests of a session's agents: a file `a1.json` (0600) next to each agent's output, replaced as a whole at each
 * change of the agent's state. An error ends the records, never an agent.
 */
export class AgentRecords {
  readonly #deps: AgentRecordsDeps;
  #lock: HeldLock | undefined;
  #isBroken = false;
  /** The recorded state of each agent. */
  readonly #written = new Map<string, string>();

  constructor(deps: AgentRecordsDeps) {
    this.#deps = deps;
  }

  /** Records an agent if its state has changed. */
  note(task: TaskInfo): void {
    if (this.#isBroken) return;
    const key = [task.status, task.isBackground, task.agent?.agentId].join();
    if (this.#written.get(task.id) === key) return;
    this.#written.set(task.id, key);
    try {
      this.#takeLock();
      const folder = dirname(task.outputFile);
      makePrivateFolder(folder);
      const { ignoredIn } = this.#deps;
      if (ignoredIn !== undefined) replaceUnflushed(join(ignoredIn, ".gitignore"), "*\n");
      const manifest = manifestOf(task, this.#deps.transcript);
      replaceUnflushed(join(folder, `${task.id}.json`), `${JSON.stringify(manifest, null, 2)}\n`);
    } catch (error) {
      this.#isBroken = true;
      this.#deps.fault(error);
    }
    if (!isOpenTask(task)) this.#written.delete(task.id);
  }

  /** Called when no agent of the session runs any more. */
  close(): void {
    this.#lock?.release();
    this.#lock = undefined;
  }

  #takeLock(): void {
    if (this.#lock) return;
    const attempt = tryLock(this.#deps.lockFile);
    if ("lock" in attempt) this.#lock = attempt.lock;
  }
}

function manifestOf(task: TaskInfo, transcript: string) {
  const { id, agent, title, description, status, state, isBackground, startedAt, endedAt, outputFile } = task;
  return {
    id,
    ...(agent?.name !== undefined && { name: agent.name }),
    type: agent?.type,
    model: agent?.model ?? null,
    agentId: agent?.agentId ?? null,
    ...(agent?.worktree !== undefined && { worktree: agent.worktree }),
    ...(agent?.narrowed && { narrowed: agent.narrowed }),
    title,
    description,
    status,
    state,
    isBackground,
    startedAt: new Date(startedAt).toISOString(),
    endedAt: endedAt === undefined ? null : new Date(endedAt).toISOString(),
    usage: {
      contextTokens: agent?.tokens ?? 0,
      toolCalls: agent?.calls ?? 0,
      durationMs: endedAt === undefined ? null : endedAt - startedAt,
    },
    // US dollars; null if nothing is known.
    cost: agent?.costUsd ?? null,
    output: outputFile,
    transcript: transcript === "" ? null : transcript,
    error: status === "failed" ? state : null,
  };
}

/** The highest number of the agents in a folder of records; 0 if there are none. */
export function lastAgentNumber(folder: string): number {
  const numbers = (namesIn(folder) ?? []).map((name) => Number(MANIFEST.exec(name)?.[1] ?? 0));
  return Math.max(0, ...numbers);
}

/** An agent of an earlier process, as far as it is needed to continue the agent. */
export type RecordedAgent = {
  readonly id: string;
  readonly agentId: string;
  readonly type: string;
  readonly description: string;
  readonly model: string | undefined;
  readonly worktree: string | undefined;
  readonly tools: readonly string[] | undefined;
  readonly deny: readonly string[] | undefined;
};

/** The agent with this id or name; of several agents with one name, the last. Undefined if none has ever worked. */
export async function recordedAgent(folder: string, idOrName: string): Promise<RecordedAgent | undefined> {
  const ids = (namesIn(folder) ?? [])
    .flatMap((name) => MANIFEST.exec(name)?.[1] ?? [])
    .sort((one, other) => Number(other) - Number(one));
  for (const number of ids) {
    const manifest = await readManifest(join(folder, `a${number}.json`));
    if (manifest["id"] !== idOrName && manifest["name"] !== idOrName) continue;
    const found = recordSchema.safeParse(manifest);
    if (found.success) {
      const { narrowed, model, ...about } = found.data;
      return {
        ...about,
        model: model ?? undefined,
        worktree: about.worktree,
        tools: narrowed?.tools,
        deny: narrowed?.deny,
      };
    }
  }
  return undefined;
}

/** Agents of a process that died. */
export type InterruptedAgents = {
  readonly sessionId: string;
  readonly folder: string;
  /** One phrase for each: `a1 (Explore: look around)`. */
  readonly agents: readonly string[];
};

/**
 * Finds the agents whose process no longer exists and records them as failed, so that they are found once. The
 * interrupted agents are not restarted.
 * @param lockFolder The folder of the locks of one project, in which each lock is named after its session.
 * @throws {Error} a system error.
 */
export async function takeInterrupted(
  lockFolder: string,
  folderOf: (sessionId: string) => string,
): Promise<readonly InterruptedAgents[]> {
  const found: InterruptedAgents[] = [];
  for (const entry of namesIn(lockFolder) ?? []) {
    if (!entry.endsWith(".lock")) continue;
    const attempt = tryLock(join(lockFolder, entry));
    if (!("lock" in attempt)) continue;
    using _lock = attempt.lock;
    const sessionId = entry.slice(0, -".lock".length);
    const folder = folderOf(sessionId);
    const agents = await interruptedIn(folder);
    if (agents.length > 0) found.push({ sessionId, folder, agents });
  }
  return found;
}

async function interruptedIn(folder: string): Promise<readonly string[]> {
  const phrases: string[] = [];
  for (const name of namesIn(folder) ?? []) {
    if (!MANIFEST.test(name)) continue;
    const path = join(folder, name);
    const manifest = await readManifest(path);
    const { status, title } = manifest;
    if (status !== "queued" && status !== "running") continue;
    const end = { status: "failed", state: INTERRUPTED, error: INTERRUPTED, endedAt: new Date().toISOString() };
    replacePrivateFile(path, `${JSON.stringify({ ...manifest, ...end }, null, 2)}\n`);
    phrases.push(`${name.slice(0, -".json".length)} (${String(title)})`);
  }
  return phrases.sort((one, other) => Number(/\d+/.exec(one)?.[0]) - Number(/\d+/.exec(other)?.[0]));
}

/** An unreadable file counts as the manifest of an agent that has ended. */
async function readManifest(path: string): Promise<JsonObject> {
  return parsedObject((await readSmallText(path, MAX_MANIFEST_BYTES).catch(() => undefined)) ?? "") ?? {};
}
