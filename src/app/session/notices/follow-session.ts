import { isAbsolute, join } from "node:path";
import { afterSleep } from "../../../contracts/after-sleep.ts";
import type { EventEnvelope, TurnReport } from "../../../contracts/event.ts";
import type { FireHook, HookInput, Hooks } from "../../../contracts/hook.ts";
import type { Clock, Workspace } from "../../../contracts/ports.ts";
import { FileWatch, namedFiles } from "../../../services/hooks/io/file-watch.ts";
import type { SessionAgents } from "../../agent/session-agents.ts";
import type { AgentInstructions } from "../../agent/wire-instructions.ts";

/** After this time without a new prompt, the person is notified that Quoll waits. */
const IDLE_MS = 60_000;
/** How long the end of a session waits for running notification hooks. */
const CLOSE_MS = 1_500;
const NEVER = new AbortController().signal;

type MemoryType = Extract<HookInput, { readonly event: "InstructionsLoaded" }>["memoryType"];
const MEMORY_TYPES = {
  managed: "Managed",
  user: "User",
  above: "Project",
  project: "Project",
  local: "Local",
} as const satisfies Readonly<Record<string, MemoryType>>;

export type FollowParts = {
  readonly hooks: Hooks;
  readonly fire: FireHook;
  readonly agents: Pick<SessionAgents, "subscribe">;
  readonly workspace: Pick<Workspace, "cwd">;
  readonly instructions: Pick<AgentInstructions, "list">;
  readonly clock: Clock;
  /** The matchers of hooks for changed files. */
  fileMatchers(): readonly string[];
};

/** Notifies hooks of session events that they can't block: questions, folders, files, failed turns. */
export class SessionFollower {
  readonly #parts: FollowParts;
  readonly #unsubscribe: () => void;
  readonly #pending = new Set<Promise<unknown>>();
  readonly #loaded = new Set<string>();
  #files: FileWatch | undefined;
  #cwd: string;
  #idle: AbortController | undefined;

  constructor(parts: FollowParts) {
    this.#parts = parts;
    this.#cwd = parts.workspace.cwd;
    this.#unsubscribe = parts.agents.subscribe((envelope) => this.#take(envelope));
    this.watchNamed();
  }

  /** Watches files that a hook asked to watch. @param paths Relative to the working folder, or absolute. */
  watchFiles(paths: readonly string[]): void {
    if (!this.#parts.hooks.wants("FileChanged")) return;
    this.#files ??= new FileWatch((filePath, change) => this.#fire({ event: "FileChanged", filePath, change }));
    this.#files.add(paths.map((path) => (isAbsolute(path) ? path : join(this.#parts.workspace.cwd, path))));
  }

  async close(): Promise<void> {
    this.#unsubscribe();
    this.#idle?.abort();
    this.#files?.close();
    if (this.#pending.size === 0) return;
    const over = new AbortController();
    const wait = this.#parts.clock.sleep(CLOSE_MS, over.signal).catch(() => undefined);
    await Promise.race([Promise.allSettled(this.#pending), wait]);
    over.abort();
  }

  #take({ agentId, event }: EventEnvelope): void {
    const isMain = agentId === "main";
    switch (event.type) {
      case "turn_started":
        this.#idle?.abort();
        if (isMain) this.#noteInstructions("session_start");
        return;
      case "tool_results":
        this.#noteFolder();
        if (isMain) this.#noteInstructions("nested_traversal");
        return;
      case "question_asked": {
        const { title, body } = event.question;
        const type = body.kind === "permission" ? "permission_prompt" : "elicitation_dialog";
        this.#fire({ event: "Notification", kind: type, message: title, title: "Quoll asks" });
        return;
      }
      case "turn_finished":
        if (isMain) this.#finished(event.report);
        return;
      default:
        return;
    }
  }

  #finished({ outcome, text }: TurnReport): void {
    if (outcome.reason === "failed") {
      const details = outcome.message;
      this.#fire({ event: "StopFailure", error: failureKind(outcome.status, details), details, lastText: text });
    }
    if (!this.#parts.hooks.wants("Notification", "idle_prompt")) return;
    this.#idle = new AbortController();
    afterSleep(this.#parts.clock.sleep(IDLE_MS, this.#idle.signal), () =>
      this.#fire({ event: "Notification", kind: "idle_prompt", message: "Quoll waits for your input." }),
    );
  }

  #noteFolder(): void {
    const { cwd } = this.#parts.workspace;
    if (cwd === this.#cwd) return;
    const oldCwd = this.#cwd;
    this.#cwd = cwd;
    this.watchNamed();
    this.#fire({ event: "CwdChanged", oldCwd, newCwd: cwd });
  }

  /** A matcher such as `.env|.envrc` names files of the working folder. */
  watchNamed(): void {
    const names = this.#parts.fileMatchers().flatMap(namedFiles);
    if (names.length > 0) this.watchFiles(names);
  }

  #noteInstructions(reason: "session_start" | "nested_traversal"): void {
    const { hooks, instructions } = this.#parts;
    if (!hooks.wants("InstructionsLoaded")) return;
    const told = instructions.list(NEVER).then((files) => {
      for (const { path, state, origin } of files) {
        if (state !== "active" || this.#loaded.has(path)) continue;
        this.#loaded.add(path);
        this.#fire({ event: "InstructionsLoaded", filePath: path, memoryType: MEMORY_TYPES[origin], reason });
      }
    });
    this.#track(told);
  }

  #fire(input: HookInput): void {
    if (!this.#parts.hooks.wants(input.event)) return;
    this.#track(this.#parts.fire(input));
  }

  #track(work: Promise<unknown>): void {
    const tracked = work.catch(() => undefined).finally(() => this.#pending.delete(tracked));
    this.#pending.add(tracked);
  }
}

/** One word for the cause of a failed turn, in the terms that hooks of this ecosystem use. */
function failureKind(status: number | undefined, message: string): string {
  if (/billing|credit|quota/i.test(message)) return "billing_error";
  if (status === undefined) return "unknown";
  if (status === 401 || status === 403) return "authentication_failed";
  if (status === 429 || status === 529) return "rate_limit";
  return status < 500 ? "invalid_request" : "server_error";
}
