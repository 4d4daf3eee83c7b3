import type {
  CheckpointStore,
  OpenCall,
  RecordedChanges,
  StateCause,
  StoredChange,
  StoredState,
  WritingCall,
} from "../../../contracts/checkpoint.ts";
import type { Clock } from "../../../contracts/ports.ts";
import { replacesFiles } from "./file-replacers.ts";

/** A state that was begun while a call arrived still counts as the state before the call for this time. */
const FRESH_MS = 150;

export type SessionCheckpointsDeps = {
  readonly store: CheckpointStore;
  readonly clock: Pick<Clock, "monotonicMs">;
  /** The id of the person's newest prompt. */
  newestPrompt(): string;
  /** The titles of commands that run in the background. */
  background(): readonly string[];
  /** Tells the person one line. */
  tell(line: string): void;
};

/** The calls that write in the same folders at the same time, and the state before the first of them. */
type Interval = {
  readonly key: string;
  readonly roots: readonly string[];
  readonly before: Promise<StoredState>;
  readonly open: Set<WritingCall>;
  readonly calls: WritingCall[];
};

/** A state while commands run in the background and no call does. */
type Gap = { readonly roots: readonly string[]; readonly since: StoredState; readonly commands: readonly string[] };

const NEVER = new AbortController().signal;

/**
 * Keeps the state of the files before and after each call that may write, for all agents of a session. What changes
 * between both states counts as the agent's; calls that overlap share one interval.
 */
export class SessionCheckpoints {
  readonly #deps: SessionCheckpointsDeps;
  readonly #intervals = new Map<string, Interval>();
  readonly #gaps = new Map<string, Gap>();
  /** The newest work on each key; the next state of the key follows it. */
  readonly #settling = new Map<string, Promise<void>>();
  readonly #fresh = new Map<string, { readonly startedAt: number; readonly state: Promise<StoredState> }>();

  constructor(deps: SessionCheckpointsDeps) {
    this.#deps = deps;
  }

  /** Stores the state before a prompt. */
  async takePrompt(messageId: string, roots: readonly string[]): Promise<void> {
    await this.#take({ kind: "prompt", messageId }, roots);
    this.#tellNotices();
  }

  /** Begins to store a state, for a call that is about to run. */
  expectWrite(roots: readonly string[]): void {
    const key = keyOf(roots);
    if (this.#intervals.has(key)) return;
    const state = this.#take({ kind: "before" }, roots);
    state.catch(() => undefined);
    this.#fresh.set(key, { startedAt: this.#deps.clock.monotonicMs(), state });
  }

  /** Waits for the state before a call. @throws the abort reason if `signal` aborts. */
  async begin(call: WritingCall, roots: readonly string[], signal: AbortSignal): Promise<OpenCall> {
    const running = this.#intervals.get(keyOf(roots));
    if (call.level === "write" && !running) return this.#keepCopies(call, signal);
    const interval = running ?? this.#openInterval(roots);
    interval.open.add(call);
    interval.calls.push(call);
    try {
      await orAborted(interval.before, signal);
    } catch (error) {
      this.#end(call, interval);
      throw error;
    }
    return { end: () => this.#end(call, interval) };
  }

  /** Waits until everything that ended is recorded. */
  async settled(): Promise<void> {
    for (const gap of [...this.#gaps.keys()]) this.#follow(gap, () => this.#endGap(gap));
    await Promise.all(this.#settling.values());
  }

  async close(): Promise<void> {
    for (const interval of [...this.#intervals.values()]) this.#finish(interval);
    await this.settled();
    await this.#deps.store.close();
  }

  /** An editing tool writes only the files that it names. */
  async #keepCopies(call: WritingCall, signal: AbortSignal): Promise<OpenCall> {
    const { store } = this.#deps;
    const before = await store.keepCopies(call.paths, signal);
    signal.throwIfAborted();
    const messageId = this.#deps.newestPrompt();
    let isOpen = true;
    return {
      end: () => {
        if (!isOpen) return;
        isOpen = false;
        this.#follow(`copies:${call.toolUseId}`, async () => {
          const files = await store.changesSince(before, NEVER);
          await this.#record(files.map(certain), [call], messageId);
        });
      },
    };
  }

  #openInterval(roots: readonly string[]): Interval {
    const key = keyOf(roots);
    const before = this.#before(key, roots);
    const interval: Interval = { key, roots: [...roots], before, open: new Set(), calls: [] };
    this.#intervals.set(key, interval);
    return interval;
  }

  async #before(key: string, roots: readonly string[]): Promise<StoredState> {
    const fresh = this.#fresh.get(key);
    this.#fresh.delete(key);
    const isFresh = fresh && this.#deps.clock.monotonicMs() - fresh.startedAt <= FRESH_MS;
    const state = await (isFresh ? fresh.state : this.#take({ kind: "before" }, roots));
    if (this.#gaps.has(key)) await this.#endGap(key, state);
    return state;
  }

  #end(call: WritingCall, interval: Interval): void {
    if (interval.open.delete(call) && interval.open.size === 0) this.#finish(interval);
  }

  #finish(interval: Interval): void {
    const { key, roots, calls } = interval;
    if (this.#intervals.get(key) !== interval) return;
    this.#intervals.delete(key);
    const messageId = this.#deps.newestPrompt();
    const background = this.#deps.background();
    this.#follow(key, async () => {
      const { store } = this.#deps;
      const before = await interval.before;
      const named = calls.flatMap(({ paths }) => paths);
      const after = await store.takeState({ cause: { kind: "after" }, roots, named }, NEVER);
      const files = await store.changesBetween(before, after, NEVER);
      await this.#record(files.map(withoutDoubt(calls)), calls, messageId);
      if (background.length > 0) this.#gaps.set(key, { roots, since: after, commands: background });
    });
  }

  /** What changed while only commands in the background ran may be theirs or the person's. */
  async #endGap(key: string, now?: StoredState): Promise<void> {
    const gap = this.#gaps.get(key);
    this.#gaps.delete(key);
    if (!gap) return;
    const { store } = this.#deps;
    const state = now ?? (await store.takeState({ cause: { kind: "after" }, roots: gap.roots }, NEVER));
    const files = await store.changesBetween(gap.since, state, NEVER);
    if (files.length === 0) return;
    const changes = { files: files.map(doubtful), commands: gap.commands, outside: [] };
    await store.record({ messageId: this.#deps.newestPrompt(), toolUseIds: [], agentIds: [], ...changes });
  }

  async #record(files: readonly StoredChange[], calls: readonly WritingCall[], messageId: string): Promise<void> {
    const outside = [...new Set(calls.flatMap((call) => call.outside ?? []))];
    if (files.length > 0 || outside.length > 0) {
      const changes: RecordedChanges = {
        messageId,
        toolUseIds: calls.map(({ toolUseId }) => toolUseId),
        agentIds: [...new Set(calls.map(({ agentId }) => agentId))],
        files,
        commands: calls.flatMap(({ command, level, title }) => (level === "execute" ? [command ?? title] : [])),
        outside,
      };
      await this.#deps.store.record(changes);
    }
    this.#tellNotices();
  }

  #tellNotices(): void {
    for (const line of this.#deps.store.takeNotices()) this.#deps.tell(line);
  }

  async #take(cause: StateCause, roots: readonly string[]): Promise<StoredState> {
    await this.#settling.get(keyOf(roots));
    return this.#deps.store.takeState({ cause, roots: [...roots] }, NEVER);
  }

  /** Runs work after the earlier work of the same key. */
  #follow(key: string, work: () => Promise<void>): void {
    const before = this.#settling.get(key) ?? Promise.resolve();
    const next: Promise<void> = before.then(work).catch(() => undefined);
    this.#settling.set(key, next);
    void next.then(() => {
      if (this.#settling.get(key) === next) this.#settling.delete(key);
    });
  }
}

function keyOf(roots: readonly string[]): string {
  return roots.join("\0");
}

/** Another file was renamed over these paths by the call itself, if it names them or replaces files by its nature. */
function withoutDoubt(calls: readonly WritingCall[]): (change: StoredChange) => StoredChange {
  const named = new Set(calls.flatMap(({ paths }) => paths));
  const replaces = calls.some(replacesFiles);
  return (change) => (replaces || named.has(change.path) ? certain(change) : change);
}

function certain({ isReplaced: _, ...change }: StoredChange): StoredChange {
  return change;
}

function doubtful(change: StoredChange): StoredChange {
  return { ...change, isReplaced: true };
}

/** @throws the abort reason if `signal` aborts first. */
async function orAborted(work: Promise<unknown>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  try {
    await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
