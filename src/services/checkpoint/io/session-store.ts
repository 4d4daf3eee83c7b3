import { join } from "node:path";
import { orAborted } from "@quoll/async/or-aborted";
import type {
  CheckpointStore,
  RecordedChanges,
  StoredChange,
  StoredCopies,
  StoredState,
} from "../../../contracts/checkpoint.ts";
import { errorCode, errorMessage } from "../../../contracts/errors.ts";
import type { Clock, Ids } from "../../../contracts/ports.ts";
import { isInside, statsAt } from "../../../platform/paths.ts";
import { type BegunRecord, changesRecord, isSameEntry } from "../checkpoint-record.ts";
import { unsettledCalls } from "../record-view.ts";
import type { FileCopies } from "./file-copies.ts";
import { begunRecord, changesSinceBegun } from "./interrupted-calls.ts";
import type { SessionRecords } from "./record-file.ts";
import { rootChanges } from "./root-changes.ts";
import { type RootState, RootTooLargeError, type RootTree } from "./root-tree.ts";
import type { Trees } from "./trees.ts";
import { isTooWide, keyOf, locate, locateNested, openRoot, type RootDeps } from "./work-roots.ts";

/** How long a state waits for the first state of a root; until then only named files of the root are kept. */
const FIRST_WAIT_MS = 5_000;
const MAX_NESTED = 50;
const MAX_COVERED = 5_000;
const MAX_TIMED = 200;
/** The time of a file is that of the kernel's last tick. A time in the future is that of another machine. */
const CLOCK_SLACK_MS = 5;

export type StoreParts = {
  readonly folder: string;
  readonly home: string;
  readonly records: SessionRecords;
  readonly copies: FileCopies;
  readonly trees: Trees;
  /** Undefined without git: only named files are kept. */
  readonly roots: RootDeps | undefined;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly firstWaitMs?: number;
};

/** The content behind a `StoredState` of this process. */
type Content = { readonly roots: ReadonlyMap<string, RootState>; readonly copies: StoredCopies };

/** `tree`: undefined while it opens. `tooLarge`: the reason why only named files are kept. `isReady`: it has a state. */
type OpenRoot = {
  state(signal: AbortSignal): Promise<RootState>;
  /** Takes the first state if the root is small. */
  prepare(signal: AbortSignal): Promise<void>;
  tree?: RootTree;
  tooLarge?: string;
  isReady: boolean;
  /** True once a state did not wait for the first state of this root. */
  isSlow?: boolean;
};

type StateRequest = Parameters<CheckpointStore["takeState"]>[0];

/** The store of one session over the shadow repository. */
export class SessionStore implements CheckpointStore {
  readonly #parts: StoreParts;
  readonly #contents = new WeakMap<StoredState, Content>();
  readonly #roots = new Map<string, OpenRoot>();
  readonly #covered = new Set<string>();
  readonly #life = new AbortController();
  readonly #notices: string[] = [];
  readonly #notified = new Set<string>();
  #running: Promise<unknown> = Promise.resolve();
  #next: { readonly key: string; readonly taken: Promise<Content & { notHeld: readonly string[] }> } | undefined;

  constructor(parts: StoreParts) {
    this.#parts = parts;
  }

  async takeState({ cause, roots, named = [] }: StateRequest, signal: AbortSignal): Promise<StoredState> {
    this.#cover(named);
    const time = this.#parts.clock.now();
    const { notHeld, ...content } = await orAborted(this.#shared(roots), signal);
    const state: StoredState = { id: this.#parts.ids.next(), time, cause, notHeld };
    this.#contents.set(state, content);
    if (cause.kind === "prompt") await this.#recordPrompt(state, cause.messageId, content);
    return state;
  }

  prepare(roots: readonly string[]): Promise<void> {
    const { home, roots: deps } = this.#parts;
    const work = async () => {
      for (const root of roots) {
        if (!deps || isTooWide(root, home)) continue;
        const located = locate(root, home);
        const key = keyOf(located);
        await (this.#roots.get(key) ?? this.#open(key, located, deps)).prepare(this.#life.signal);
      }
    };
    // A failure comes again when a state is taken, and is told then.
    this.#running = this.#running.then(work).catch(() => undefined);
    return this.#running.then(() => undefined);
  }

  async keepCopies(paths: readonly string[], signal: AbortSignal): Promise<StoredCopies> {
    this.#cover(paths);
    const { copies, problems } = await this.#parts.copies.keep(paths, signal);
    this.#cover(missingIn(copies));
    for (const problem of problems) this.#notice(`A rewind will not bring it back: ${problem}.`);
    return copies;
  }

  async changesSince(before: StoredCopies, signal: AbortSignal): Promise<readonly StoredChange[]> {
    const { copies } = await this.#parts.copies.keep(before.keys(), signal);
    return copyChanges(before, copies);
  }

  async changesBetween(before: StoredState, after: StoredState, signal: AbortSignal): Promise<readonly StoredChange[]> {
    const [a, b] = [this.#contents.get(before), this.#contents.get(after)];
    if (!a || !b) return [];
    const found = new Map<string, StoredChange>();
    for (const change of copyChanges(a.copies, b.copies)) found.set(change.path, change);
    try {
      for (const key of new Set([...a.roots.keys(), ...b.roots.keys()]))
        for (const change of await this.#changesOf(key, a, b, signal)) found.set(change.path, change);
    } catch (error) {
      signal.throwIfAborted();
      this.#notice(`The changes of a call are not known to a rewind: ${errorMessage(error)}.`);
    }
    return [...found.values()];
  }

  changedAfter(paths: readonly string[], time: number): ReadonlySet<string> {
    // A command that changed more is a program such as git, and so is what follows it.
    if (paths.length > MAX_TIMED) return new Set();
    const untilMs = Date.now() + CLOCK_SLACK_MS;
    const isLate = (path: string) => {
      const ctimeMs = changeTimeOf(path);
      return ctimeMs !== undefined && ctimeMs > time + CLOCK_SLACK_MS && ctimeMs <= untilMs;
    };
    return new Set(paths.filter(isLate));
  }

  begun(calls: Omit<RecordedChanges, "files">, before: StoredState | StoredCopies, begun?: string): string {
    const { clock, ids, records } = this.#parts;
    const id = begun ?? ids.next();
    const content = before instanceof Map ? undefined : this.#contents.get(before as StoredState);
    const copies = before instanceof Map ? before : (content?.copies ?? new Map());
    const roots = [...(content?.roots.values() ?? [])];
    this.#append(() => records.append(begunRecord(id, clock.now(), calls, { roots, copies })));
    return id;
  }

  async record(changes: RecordedChanges, begun?: string): Promise<void> {
    const { files, commands, outside } = changes;
    if (files.length + commands.length + outside.length === 0 && begun === undefined) return;
    await this.#write(() => this.#parts.records.append(changesRecord(changes, this.#parts.clock.now(), begun)));
  }

  async recover(roots: readonly string[], signal: AbortSignal): Promise<readonly string[]> {
    const { records, trees } = this.#parts;
    const notes: BegunRecord[] = [];
    this.#append(() => void notes.push(...unsettledCalls(records.all())));
    for (const note of notes) {
      this.#cover(note.files.map(({ path }) => path));
      const { roots: states, copies } = await orAborted(this.#shared(roots), signal);
      const now = { roots: [...states.values()], copies };
      const files = await changesSinceBegun(note, now, trees, signal).catch(() => []);
      await this.record({ ...note, files }, note.id);
    }
    return notes.flatMap(({ commands }) => commands);
  }

  takeNotices(): readonly string[] {
    return this.#notices.splice(0);
  }

  async close(): Promise<void> {
    this.#life.abort();
    await this.#running.catch(() => undefined);
    this.#parts.records.close();
  }

  /** Adds one line for the person, once. @param cause The same for lines of which one is enough. */
  #notice(line: string, cause = line): void {
    if (this.#notified.has(cause)) return;
    this.#notified.add(cause);
    this.#notices.push(line);
  }

  #cover(paths: readonly string[]): void {
    for (const path of paths) if (this.#covered.size < MAX_COVERED) this.#covered.add(path);
  }

  /** One pass at a time; requests that wait share the next one. */
  #shared(roots: readonly string[]) {
    const key = roots.join("\0");
    if (this.#next?.key === key) return this.#next.taken;
    const taken = this.#running.then(() => {
      if (this.#next?.taken === taken) this.#next = undefined;
      return this.#take(roots);
    });
    this.#next = { key, taken };
    this.#running = taken.catch(() => undefined);
    return taken;
  }

  async #take(roots: readonly string[]): Promise<Content & { notHeld: readonly string[] }> {
    const signal = this.#life.signal;
    const states = new Map<string, RootState>();
    const notHeld: string[] = [];
    const [{ copies, problems }] = await Promise.all([
      this.#parts.copies.keep(this.#covered, signal),
      this.#takeRoots(roots, states, notHeld),
    ]);
    this.#cover(missingIn(copies));
    return { roots: states, copies, notHeld: [...notHeld, ...problems] };
  }

  async #takeRoots(roots: readonly string[], states: Map<string, RootState>, notHeld: string[]): Promise<void> {
    const { home, roots: deps } = this.#parts;
    if (!deps) {
      notHeld.push("without git, only files that Edit and Write name are kept");
      return;
    }
    const waiting = [];
    for (const root of roots) {
      if (isTooWide(root, home)) notHeld.push(`${root} is too wide: only files that are named are kept`);
      else waiting.push(locate(root, home));
    }
    const nested = new Set<string>();
    for (let at = waiting.shift(); at !== undefined; at = waiting.shift()) {
      const located = at;
      const key = keyOf(located);
      if (states.has(key) || [...states.values()].some((one) => isWithin(located, one))) continue;
      const state = await this.#takeRoot(key, located, deps, notHeld);
      if (!state) continue;
      states.set(key, state);
      notHeld.push(...state.notHeld);
      for (const path of state.nested) nested.add(path);
      if (nested.size > MAX_NESTED) notHeld.push(`${located.top} has more than ${MAX_NESTED} repositories inside`);
      else waiting.push(...state.nested.flatMap((path) => locateNested(path) ?? []));
    }
  }

  async #takeRoot(
    key: string,
    located: ReturnType<typeof locate>,
    deps: RootDeps,
    notHeld: string[],
  ): Promise<RootState | undefined> {
    const root = join(located.top, located.prefix);
    const open = this.#roots.get(key) ?? this.#open(key, located, deps);
    if (open.tooLarge !== undefined) {
      notHeld.push(`${root} is not kept as a whole: ${open.tooLarge}`);
      return undefined;
    }
    try {
      const taken = open.state(this.#life.signal);
      if (open.isReady) return await taken;
      const first = await withinMs(taken, open.isSlow ? 0 : (this.#parts.firstWaitMs ?? FIRST_WAIT_MS));
      open.isSlow = !first;
      if (!first) notHeld.push(`${root} was not stored yet: its first state takes long`);
      return first;
    } catch (error) {
      this.#life.signal.throwIfAborted();
      if (error instanceof RootTooLargeError) open.tooLarge = error.message;
      notHeld.push(`${root} could not be stored: ${reasonOf(error)}`);
      if (!(error instanceof RootTooLargeError)) this.#notice(cannotKeep(this.#parts.folder, error), "cannot keep");
      return undefined;
    }
  }

  #open(key: string, located: ReturnType<typeof locate>, deps: RootDeps): OpenRoot {
    this.#append(() => this.#parts.records.hold());
    let first: Promise<RootState> | undefined;
    const open: OpenRoot = {
      isReady: false,
      prepare: async (signal) => {
        if (first || open.isReady) return;
        open.tree ??= await openRoot(located, deps, signal);
        open.isReady = await open.tree.prepare(signal);
      },
      state: async (signal) => {
        if (open.isReady && open.tree) return open.tree.state(signal);
        first ??= (async () => {
          open.tree ??= await openRoot(located, deps, signal);
          const state = await open.tree.state(signal);
          open.isReady = true;
          return state;
        })();
        const current = first;
        return current.finally(() => {
          if (first === current) first = undefined;
        });
      },
    };
    this.#roots.set(key, open);
    return open;
  }

  async #changesOf(key: string, a: Content, b: Content, signal: AbortSignal): Promise<readonly StoredChange[]> {
    const [before, after] = [a.roots.get(key), b.roots.get(key)];
    if (before === after) return [];
    // A root that was not stored yet says nothing; a repository that a call created or deleted does.
    const isKnownMissing = (content: Content, root: RootState) =>
      root.prefix === "" &&
      [...content.roots.values()].some((one) => one.top !== root.top && isInside(join(one.top, one.prefix), root.top));
    if (!before && !(after && isKnownMissing(a, after))) return [];
    if (!after && !(before && isKnownMissing(b, before))) return [];
    if (before && !after) this.#notice(`A rewind does not bring back ${before.top}/.git, which a call deleted.`);
    const changes = await rootChanges(this.#parts.trees, before, after, signal);
    const tree = this.#roots.get(key)?.tree;
    const [from, until] = [before?.step ?? 0, after?.step ?? 0];
    return changes.map((change) => {
      const path = change.path.slice((after ?? before)?.top === "/" ? 1 : ((after ?? before)?.top.length ?? 0) + 1);
      const isReplaced = change.before?.kind === "file" && tree?.wasReplaced(path, from, until) === true;
      return isReplaced ? { ...change, isReplaced: true } : change;
    });
  }

  async #recordPrompt(state: StoredState, messageId: string, { roots }: Content): Promise<void> {
    const trees = [...roots.values()].map(({ top, prefix, tree }) => ({ top, prefix, tree }));
    const { id, time, notHeld } = state;
    await this.#write(() =>
      this.#parts.records.append({ kind: "prompt", id, messageId, time, roots: trees, notHeld: [...notHeld] }),
    );
  }

  /** @returns false if the records can't be read or written; the person is told. */
  #append(work: () => void): boolean {
    try {
      work();
      return true;
    } catch (error) {
      this.#notice(cannotKeep(this.#parts.folder, error), "cannot keep");
      return false;
    }
  }

  async #write(append: () => void): Promise<void> {
    if (!this.#append(append)) return;
    try {
      await this.#parts.records.sync();
    } catch (error) {
      this.#notice(cannotKeep(this.#parts.folder, error), "cannot keep");
    }
  }
}

/** Missing folders above a file may come with it. */
function missingIn(copies: StoredCopies): readonly string[] {
  return [...copies].flatMap(([path, entry]) => (entry === null ? [path] : []));
}

function copyChanges(before: StoredCopies, after: StoredCopies): readonly StoredChange[] {
  return [...before].flatMap(([path, entry]) => {
    const now = after.get(path);
    return now === undefined || isSameEntry(entry, now) ? [] : [{ path, before: entry, after: now }];
  });
}

/** Nobody can set this time, unlike that of the last write. @returns undefined if there is no such file. */
function changeTimeOf(path: string): number | undefined {
  return statsAt(path)?.ctimeMs;
}

/** True if a root is a part of another root in the same work tree. */
function isWithin(root: Pick<RootState, "top" | "prefix">, other: RootState): boolean {
  return root.top === other.top && isInside(join(other.top, other.prefix), join(root.top, root.prefix));
}

function cannotKeep(folder: string, error: unknown): string {
  return `Checkpoints can't be kept in ${folder}: ${reasonOf(error)}. A rewind will not undo what changes now.`;
}

function reasonOf(error: unknown): string {
  const text = errorMessage(error);
  if (errorCode(error) === "ENOSPC" || errorCode(error) === "EDQUOT" || /No space left|quota exceeded/i.test(text))
    return "the disk is full";
  if (errorCode(error) === "EROFS" || /Read-only file system/.test(text)) return "the file system is read-only";
  if (errorCode(error) === "EACCES" || errorCode(error) === "EPERM") return "its permissions don't allow it";
  return text;
}

/** @returns undefined if the work takes longer; it goes on. */
function withinMs<Value>(work: Promise<Value>, ms: number): Promise<Value | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), ms);
  work.catch(() => undefined);
  return Promise.race([work, promise]).finally(() => clearTimeout(timer));
}
