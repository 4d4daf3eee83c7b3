import { orAborted } from "@quoll/async/or-aborted";
import type {
  CheckpointStore,
  OpenCall,
  StateCause,
  StoredChange,
  StoredState,
  WritingCall,
} from "../../../contracts/checkpoint.ts";
import type { Clock } from "../../../contracts/ports.ts";
import { certain, describeCalls, doubtful, lateChange, namesItsFiles, withoutDoubt } from "./call-changes.ts";
import { KeyedQueue } from "./keyed-queue.ts";

/** A state that was begun while a call arrived still counts as the state before the call for this time. */
const FRESH_MS = 150;
/** A state that took longer is taken anew, which is fast then: people edit files while they wait. */
const MAX_SHARED_MS = 1_000;

/** The state after a call is stored this much later: the runs of git would delay the request with its result. */
const REQUEST_MS = 10;

export type SessionCheckpointsDeps = {
  readonly store: CheckpointStore;
  readonly clock: Pick<Clock, "monotonicMs" | "now">;
  /** The id of the person's newest prompt. */
  newestPrompt(): string;
  /** The titles of commands that run in the background. */
  background(): readonly string[];
  /** Tells the person one line. */
  notify(line: string): void;
};

/** The calls that write in the same folders at the same time. */
type Interval = {
  readonly roots: readonly string[];
  /** Resolves when `since` is set. */
  readonly begun: Promise<void>;
  /** The state before the first call, or at the last prompt. */
  since?: StoredState;
  messageId: string;
  readonly open: Set<WritingCall>;
  /** The calls that ran since the state. */
  calls: readonly WritingCall[];
  /** The id of the note that they run, which outlives a kill of this process. */
  note?: string | undefined;
};

/** The time in which commands run in the background and no call does. `since`: the state at its beginning. */
type Gap = {
  readonly roots: readonly string[];
  readonly commands: readonly string[];
  readonly messageId: string;
  readonly since: StoredState;
};

type Recorded = {
  readonly calls: readonly WritingCall[];
  readonly messageId: string;
  readonly note: string | undefined;
};

/**
 * A state that may serve as the one before a call. `startedAt`: when it was asked for, and then when it was begun.
 * `isForCall`: a call was expected before it was taken.
 */
type Fresh = { startedAt: number; isForCall: boolean; isTaken: boolean; state?: StoredState };

type Taking = [cause: StateCause, roots: readonly string[], named?: readonly string[]];

/** `endedMs`: milliseconds since the epoch. */
type IntervalEnd = { readonly endedMs: number; readonly fresh: Fresh };

const NEVER = new AbortController().signal;

/**
 * Keeps the state of the files before and after each call that may write, for all agents of a session. What changes
 * between both states counts as the agent's; calls that overlap share one interval. All work for the same folders is
 * done in order, so that no change is recorded twice.
 */
export class SessionCheckpoints {
  readonly #deps: SessionCheckpointsDeps;
  readonly #queue = new KeyedQueue();
  readonly #intervals = new Map<string, Interval>();
  readonly #gaps = new Map<string, Gap>();
  readonly #fresh = new Map<string, Fresh>();
  /** Ends the waiting for calls that only write named files. */
  readonly #namedCalls = new Set<() => void>();
  /** Ends the wait for the request after a call. */
  #hurry: () => void = () => undefined;

  constructor(deps: SessionCheckpointsDeps) {
    this.#deps = deps;
  }

  /** Records what calls changed that the end of an earlier process of this session interrupted. */
  recover(roots: readonly string[]): void {
    const work = async () => void (await this.#deps.store.recover(roots, NEVER));
    this.#queue.add(keyOf(roots), work).catch(() => undefined);
  }

  /** Stores the first state of small roots. */
  prepare(roots: readonly string[]): Promise<void> {
    return this.#deps.store.prepare(roots);
  }

  /** Stores the state before a prompt. */
  takePrompt(messageId: string, roots: readonly string[]): Promise<void> {
    this.#hurry();
    const key = keyOf(roots);
    const fresh = this.#intervals.has(key) ? undefined : this.#coming(key, false);
    return this.#queue.add(key, async () => {
      await this.#split(key, messageId);
      await this.#takeFresh(fresh, { kind: "prompt", messageId }, roots);
      this.#showNotices();
    });
  }

  /** Begins to store a state, for a call that is about to run. */
  expectWrite(roots: readonly string[]): void {
    this.#hurry();
    const key = keyOf(roots);
    if (this.#intervals.has(key)) return;
    const coming = this.#fresh.get(key);
    if (coming && !coming.isTaken) {
      coming.isForCall = true;
      return;
    }
    const fresh = this.#coming(key, true);
    const take = async () => {
      if (this.#fresh.get(key) === fresh) await this.#takeFresh(fresh, { kind: "before" }, roots);
    };
    this.#queue.add(key, take).catch(() => undefined);
  }

  #coming(key: string, isForCall: boolean): Fresh {
    const fresh = { startedAt: this.#deps.clock.monotonicMs(), isForCall, isTaken: false };
    this.#fresh.set(key, fresh);
    return fresh;
  }

  async #takeFresh(fresh: Fresh | undefined, ...[cause, roots, named]: Taking): Promise<StoredState> {
    if (fresh) fresh.startedAt = this.#deps.clock.monotonicMs();
    try {
      const state = await this.#take(cause, roots, named);
      if (fresh) fresh.state = state;
      return state;
    } finally {
      if (fresh) fresh.isTaken = true;
    }
  }

  /** Waits for the state before a call. @throws the abort reason if `signal` aborts. */
  async begin(call: WritingCall, roots: readonly string[], signal: AbortSignal): Promise<OpenCall> {
    this.#hurry();
    const key = keyOf(roots);
    const running = this.#intervals.get(key);
    if (!running && namesItsFiles(call) && this.#deps.background().length === 0)
      return this.#beginNamed(call, roots, signal);
    const interval = running ?? this.#openInterval(key, roots);
    interval.open.add(call);
    interval.calls = [...interval.calls, call];
    try {
      await orAborted(interval.begun, signal);
    } catch (error) {
      interval.calls = interval.calls.filter((one) => one !== call);
      this.#end(key, call, interval);
      throw error;
    }
    this.#note(interval);
    return { end: () => this.#end(key, call, interval) };
  }

  /** Hooks after a call change the files that it wrote. */
  async hooksBegin(call: WritingCall, roots: readonly string[]): Promise<OpenCall> {
    this.#hurry();
    const { store } = this.#deps;
    const key = keyOf(roots);
    const messageId = this.#deps.newestPrompt();
    const before = store.keepCopies(call.paths, NEVER);
    const end = () => {
      const work = async () => {
        this.#fresh.delete(key);
        const files = await store.changesSince(await before, NEVER);
        await this.#record(files.map(certain), { calls: [call], messageId, note: undefined });
      };
      this.#queue.add(key, work).catch(() => undefined);
    };
    await before.catch(() => undefined);
    return { end };
  }

  /** Waits until everything that ended is recorded, and what open calls and background commands changed by now. */
  async settled(): Promise<void> {
    this.#hurry();
    const messageId = this.#deps.newestPrompt();
    for (const key of new Set([...this.#intervals.keys(), ...this.#gaps.keys()]))
      this.#queue.add(key, () => this.#split(key, messageId)).catch(() => undefined);
    await this.#queue.settled();
  }

  async close(): Promise<void> {
    for (const end of [...this.#namedCalls]) end();
    for (const [key, interval] of [...this.#intervals]) this.#finish(key, interval);
    await this.settled();
    await this.#deps.store.close();
  }

  /** An editing tool writes only the files that it names. It works in milliseconds: later calls wait for it. */
  async #beginNamed(call: WritingCall, roots: readonly string[], signal: AbortSignal): Promise<OpenCall> {
    const { store } = this.#deps;
    const key = keyOf(roots);
    const begun = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    const end = () => {
      this.#namedCalls.delete(end);
      ended.resolve();
    };
    this.#namedCalls.add(end);
    const messageId = this.#deps.newestPrompt();
    const work = async () => {
      signal.throwIfAborted();
      this.#fresh.delete(key);
      if (this.#gaps.has(key)) await this.#endGap(key, await this.#take({ kind: "after" }, roots));
      const before = await store.keepCopies(call.paths, signal);
      const note = store.begun(describeCalls([call], messageId), before);
      begun.resolve();
      await ended.promise;
      const files = await store.changesSince(before, NEVER);
      await this.#record(files.map(certain), { calls: [call], messageId, note });
    };
    this.#queue.add(key, work).catch(begun.reject);
    try {
      await orAborted(begun.promise, signal);
    } catch (error) {
      end();
      throw error;
    }
    return { end };
  }

  #openInterval(key: string, roots: readonly string[]): Interval {
    const fresh = this.#fresh.get(key);
    const isRecent = (one: Fresh) => one.isForCall && this.#deps.clock.monotonicMs() - one.startedAt <= FRESH_MS;
    const isFresh = fresh && (!fresh.isTaken || isRecent(fresh));
    const begin = async () => {
      const isShort = fresh && this.#deps.clock.monotonicMs() - fresh.startedAt <= MAX_SHARED_MS;
      const isUsable = isFresh && isShort && this.#fresh.get(key) === fresh;
      this.#fresh.delete(key);
      const state = (isUsable && fresh.state) || (await this.#take({ kind: "before" }, roots));
      await this.#endGap(key, state);
      interval.since = state;
    };
    const interval: Interval = {
      roots: [...roots],
      begun: this.#queue.add(key, begin),
      messageId: this.#deps.newestPrompt(),
      open: new Set(),
      calls: [],
    };
    this.#intervals.set(key, interval);
    return interval;
  }

  #end(key: string, call: WritingCall, interval: Interval): void {
    if (interval.open.delete(call) && interval.open.size === 0) this.#finish(key, interval);
  }

  #finish(key: string, interval: Interval): void {
    if (this.#intervals.get(key) !== interval) return;
    this.#intervals.delete(key);
    const commands = this.#deps.background();
    const messageId = this.#deps.newestPrompt();
    const endedMs = this.#deps.clock.now();
    // A call that begins before this state is stored, such as the next one of the same answer, begins with it.
    const fresh = this.#coming(key, false);
    const sent = this.#requestSent();
    const work = async () => {
      await sent;
      const since = await this.#recordPart(interval, commands, { endedMs, fresh });
      // Calls that never began to run took no state.
      fresh.isTaken = true;
      if (commands.length > 0) this.#gaps.set(key, { roots: interval.roots, commands, messageId, since });
    };
    this.#queue.add(key, work).catch(() => undefined);
  }

  /** Resolves when the next request was probably sent, or when a call, a prompt or a rewind waits for the state. */
  #requestSent(): Promise<void> {
    this.#hurry();
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, REQUEST_MS);
    this.#hurry = () => {
      clearTimeout(timer);
      resolve();
    };
    return promise;
  }

  /** Records what changed up to now, so that only what follows counts for a prompt. */
  async #split(key: string, messageId: string): Promise<void> {
    const interval = this.#intervals.get(key);
    if (interval?.since) {
      interval.since = await this.#recordPart(interval, this.#deps.background());
      interval.calls = [...interval.open];
      interval.messageId = messageId;
      this.#note(interval);
    }
    const gap = this.#gaps.get(key);
    if (!gap) return;
    const commands = this.#deps.background();
    const now = await this.#take({ kind: "after" }, gap.roots);
    await this.#endGap(key, now);
    if (commands.length > 0) this.#gaps.set(key, { roots: gap.roots, commands, messageId, since: now });
  }

  /** Notes which calls run. */
  #note(interval: Interval): void {
    const { since, open, messageId, note } = interval;
    if (since && open.size > 0)
      interval.note = this.#deps.store.begun(describeCalls([...open], messageId), since, note);
  }

  /** Records what changed since the state of an interval. @param end When its last call ended. @returns the state now. */
  async #recordPart(interval: Interval, background: readonly string[], end?: IntervalEnd): Promise<StoredState> {
    const { since, roots, calls, messageId, note } = interval;
    interval.note = undefined;
    const paths = calls.flatMap((call) => call.paths);
    // No call began to run.
    if (since && calls.length === 0) return since;
    const now = await this.#takeFresh(end?.fresh, { kind: "after" }, roots, paths);
    if (!since) return now;
    const files = await this.#deps.store.changesBetween(since, now, NEVER);
    const named = new Set(paths);
    const isCalls = (change: StoredChange) => named.has(change.path) || !calls.every(namesItsFiles);
    const ofCalls = files.filter(isCalls);
    const late = this.#changedAfter(ofCalls, end?.endedMs);
    const settled = ofCalls.map(withoutDoubt(calls)).map((one) => (late.has(one.path) ? lateChange(one) : one));
    await this.#record(settled, { calls, messageId, note });
    const others = files.filter((change) => !isCalls(change));
    if (background.length > 0) await this.#recordDoubtful(others, background, messageId);
    return now;
  }

  /** A state is taken a moment after the end of the calls: what changed in that moment is not theirs. */
  #changedAfter(files: readonly StoredChange[], endedMs: number | undefined): ReadonlySet<string> {
    const paths = files.flatMap(({ path, after }) => (after?.kind === "file" ? [path] : []));
    return endedMs === undefined ? new Set() : this.#deps.store.changedAfter(paths, endedMs);
  }

  /** Changes in the time in which only commands in the background ran may be theirs or the person's. */
  async #endGap(key: string, now: StoredState): Promise<void> {
    const gap = this.#gaps.get(key);
    this.#gaps.delete(key);
    if (!gap) return;
    const files = await this.#deps.store.changesBetween(gap.since, now, NEVER);
    await this.#recordDoubtful(files, gap.commands, gap.messageId);
  }

  async #recordDoubtful(files: readonly StoredChange[], commands: readonly string[], messageId: string): Promise<void> {
    if (files.length === 0) return;
    const changes = { files: files.map(doubtful), commands, outside: [] };
    await this.#deps.store.record({ messageId, toolUseIds: [], agentIds: [], ...changes });
  }

  /** `note`: the id of the note that the calls ran. */
  async #record(files: readonly StoredChange[], { calls, messageId, note }: Recorded): Promise<void> {
    const about = describeCalls(calls, messageId);
    if (files.length > 0 || about.outside.length > 0) await this.#deps.store.record({ ...about, files }, note);
    else if (note !== undefined) await this.#deps.store.record({ ...about, commands: [], files: [] }, note);
    this.#showNotices();
  }

  #showNotices(): void {
    for (const line of this.#deps.store.takeNotices()) this.#deps.notify(line);
  }

  #take(...[cause, roots, named = []]: Taking): Promise<StoredState> {
    return this.#deps.store.takeState({ cause, roots: [...roots], named }, NEVER);
  }
}

function keyOf(roots: readonly string[]): string {
  return roots.join("\0");
}
