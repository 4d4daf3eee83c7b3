import { dirname, join, relative } from "node:path";
import { orAborted } from "@quoll/async/or-aborted";
import type { PathRule } from "../../contracts/permission.ts";
import type { UnconfinedStart, UnconfinedWork } from "../../contracts/ports.ts";
import type { Asker, NewQuestion } from "../../contracts/question.ts";
import { firstFew } from "../../contracts/words.ts";
import { isMissing, namesIn } from "../../platform/files/list-folder.ts";
import { isInside } from "../../platform/paths.ts";
import { shellQuoted } from "../../platform/shell-quoted.ts";
import { isRepository } from "./git-paths.ts";
import { setAside, watchFolder } from "./io/new-entries.ts";
import { Notices, printableName } from "./notices.ts";
import { isMovedWhenNew, SANDBOX_NAMES } from "./protected-paths.ts";
import { TrackedPaths } from "./tracked-mounts.ts";

const AT_TOP = SANDBOX_NAMES.filter(({ name }) => !name.includes("/")).map(({ name }) => name);
const AT_HOME_BELOW = SANDBOX_NAMES.filter(({ name, onlyAtHome }) => onlyAtHome && name.includes("/"));

const MAX_NAMED = 10;

/**
 * How often one name is moved aside while programs run; afterwards it is moved once more when the last one has ended.
 */
const MAX_MOVES = 3;
/** After this many rejected questions, further entries are moved aside without a question. */
const MAX_REFUSALS = 3;

export type NewEntryGuardDeps = {
  /** Writable folders; absolute, without links. */
  readonly roots: readonly string[];
  /** Home folders; those that are writable count as roots. */
  readonly homes: readonly string[];
  /** The permission rules for paths. */
  rules?(): readonly PathRule[];
  /** Existing paths that these rules protect from changes, found by name. */
  ruledNow?(rules: readonly PathRule[]): readonly string[];
  /** Without an asker, no question is asked. */
  readonly asker?: Asker | undefined;
  /** Shows the person one line. */
  readonly onNotice?: ((line: string) => void) | undefined;
};

type ConfinedRun = {
  /** Becomes true when the command is moved to the background. */
  isBackground: boolean;
  /** Further paths that must stay missing, each with its writable folder. */
  readonly absent: readonly string[];
  /** Data folders of repositories, mapped to their work trees. */
  readonly repositories?: ReadonlyMap<string, string>;
  /** Ask rules that don't apply to this command, because a person allowed the paths that it names. */
  readonly opened?: ReadonlySet<PathRule>;
};

/**
 * Watches for new entries with protected names (settings, instructions, hooks) at the top of writable folders. No mount
 * can protect a missing name, so an entry that appears while confined programs run is moved aside: at once if the
 * system reports it, and at the latest before a result is returned or before Quoll starts an unconfined program. When
 * the entry may be the person's own work, the person is asked.
 */
export class NewEntryGuard {
  readonly #deps: NewEntryGuardDeps;
  readonly #tops: readonly string[];
  readonly #notices: Notices;
  readonly #runs = new Set<ConfinedRun>();
  /** Paths that Quoll's own tools and unconfined commands may create. */
  readonly #ownWork = new Set<readonly string[]>();
  readonly #moves = new Map<string, number>();
  /** Entries moved aside but not yet looked up in git's index, which git writes last. */
  readonly #unsettled = new Set<string>();
  readonly #tracked = new TrackedPaths();
  readonly #refused = new Set<string>();
  readonly #closing = new AbortController();
  #refusals = 0;
  #outside = 0;
  #known: ReadonlySet<string> = new Set();
  /** Paths protected by rules, searched only before results and starts. */
  #ruled: ReadonlySet<string> = new Set();
  #asking: Promise<void> = Promise.resolve();
  #watches: readonly (() => void)[] | undefined;

  constructor(deps: NewEntryGuardDeps) {
    this.#deps = deps;
    this.#notices = new Notices(deps.onNotice);
    const homes = deps.homes.filter((home) => deps.roots.some((root) => isInside(root, home)));
    this.#tops = [...new Set([...deps.roots, ...homes])];
  }

  /**
   * Must be called before a confined program starts.
   * @returns a function to call when the program has ended; it returns a line for each new entry that was not yet
   * reported.
   */
  begin(run: ConfinedRun): () => readonly string[] {
    if (this.#runs.size > 0) this.#compareAll();
    this.#runs.add(run);
    if (this.#runs.size === 1) this.#known = this.#look();
    else this.#known = new Set([...this.#known, ...run.absent.filter((path) => !isMissing(path))]);
    this.#ruled = this.#lookForRuled();
    this.#watches ??= this.#tops.map((top) => watchFolder(top, (name) => this.#stirred(top, name)));
    return () => {
      this.#compareAll(true);
      this.#notifyOfDeleted();
      this.#runs.delete(run);
      // An entry that this command was allowed to create is not new to other commands.
      if (run.opened?.size) this.#ruled = new Set([...this.#ruled, ...this.#lookForRuled()]);
      if (this.#runs.size === 0) this.#forget();
      return this.#notices.take();
    };
  }

  /**
   * Await this before Quoll starts an unconfined program; it waits for the person's answer if there is a question.
   * @returns the lines not yet reported, and a function to call at the end.
   */
  async beginUnconfined({ makes, mayMakeMore }: UnconfinedWork, signal: AbortSignal): Promise<UnconfinedStart> {
    if (this.#runs.size > 0) this.#compareAll();
    await orAborted(this.#asking, signal);
    this.#notifyOfDeleted();
    if (mayMakeMore) this.#outside += 1;
    this.#ownWork.add(makes);
    return {
      lines: this.#notices.take(),
      end: () => {
        if (this.#runs.size > 0) this.#compareAll();
        if (mayMakeMore) this.#outside -= 1;
        this.#ownWork.delete(makes);
      },
    };
  }

  /** Stops watching. An open question counts as rejected. */
  async close(): Promise<void> {
    this.#closing.abort(new Error("The session ends."));
    await this.#asking;
    for (const end of this.#watches ?? []) end();
    this.#watches = [];
  }

  #stirred(top: string, name: string | undefined): void {
    if (this.#runs.size === 0) return;
    if (name === undefined || name === "HEAD" || isMovedWhenNew(name, this.#deps.homes.includes(top))) this.#compare();
  }

  /** @param isLast True if a program has just ended. */
  #compareAll(isLast = false): void {
    this.#compare(isLast);
    const before = this.#ruled;
    this.#ruled = withUncertain(this.#lookForRuled(), before);
    this.#settle(
      [...this.#ruled].filter((path) => !before.has(path) && !this.#known.has(path)),
      isLast,
    );
  }

  #compare(isLast = false): void {
    const before = this.#known;
    this.#known = withUncertain(this.#look(), before);
    this.#settle(
      [...this.#known].filter((path) => !before.has(path)),
      isLast,
    );
  }

  /** @param appeared The new entries. */
  #settle(appeared: readonly string[], isLast: boolean): void {
    const fresh = appeared.filter((path) => !this.#isOwnWork(path));
    if (fresh.length === 0) return;
    const isQuiet = [...this.#runs].every(({ isBackground }) => isBackground);
    const isAsked = (isQuiet || this.#outside > 0) && this.#refusals < MAX_REFUSALS;
    const asked = isAsked ? fresh.filter((path) => !this.#refused.has(path)) : [];
    for (const path of fresh) if (!asked.includes(path)) this.#moveAside(path, isLast);
    if (asked.length > 0) this.#ask(asked);
  }

  #look(): ReadonlySet<string> {
    const found = existingProtectedNames(this.#tops, this.#deps.homes);
    const absent = [...this.#runs].flatMap((run) => run.absent).filter((path) => !isMissing(path));
    return new Set([...found, ...absent]);
  }

  #lookForRuled(): ReadonlySet<string> {
    const isOpened = (rule: PathRule) => [...this.#runs].some(({ opened }) => opened?.has(rule));
    const rules = this.#deps.rules?.().filter((rule) => !isOpened(rule)) ?? [];
    return new Set(this.#deps.ruledNow?.(rules));
  }

  #isOwnWork(path: string): boolean {
    return [...this.#ownWork].flat().some((made) => isInside(path, made));
  }

  /** True if the entry may come from a person or from a command that was allowed to create it. */
  #ask(paths: readonly string[]): void {
    const { asker } = this.#deps;
    if (!asker?.canAsk) {
      for (const path of paths) {
        if (this.#outside === 0) this.#moveAside(path, false);
        else
          this.#notices.add(
            `${this.#shown(path)} appeared while commands ran inside and outside the sandbox: check it.`,
          );
      }
      return;
    }
    this.#asking = this.#asking.then(async () => {
      const { decision } = await asker.ask(
        newEntryQuestion(paths.map((path) => this.#shown(path))),
        this.#closing.signal,
      );
      if (decision !== "reject") return;
      this.#refusals += 1;
      for (const path of paths) {
        this.#refused.add(path);
        this.#moveAside(path, true);
      }
    });
  }

  #moveAside(path: string, isLast: boolean): void {
    const known = new Set(this.#known);
    known.delete(path);
    const moves = (this.#moves.get(path) ?? 0) + 1;
    if (isLast || moves <= MAX_MOVES) {
      this.#moves.set(path, moves);
      const done = setAside(path, this.#topOf(path));
      if (done.outcome === "left") {
        known.add(path);
        this.#notices.add(
          `${this.#shown(path)} appeared while a command ran in the sandbox, and could not be moved aside (${done.why}): check it.`,
        );
      }
      if (done.outcome === "moved") {
        this.#unsettled.add(path);
        const [from, to] = [done.from, done.to].map((at) => shellQuoted(this.#shown(at)));
        this.#notices.add(
          `${from} appeared while a command ran in the sandbox, and was moved aside: ${this.#reason(path)}. To put it back: mv ${to} ${from}`,
        );
      }
    }
    this.#known = known;
  }

  /** A tracked file that was moved aside would be deleted by the next commit. */
  #notifyOfDeleted(): void {
    if (this.#unsettled.size === 0) return;
    const moved = [...this.#unsettled].filter(isMissing);
    this.#unsettled.clear();
    const repositories = new Map([...this.#runs].flatMap((run) => [...(run.repositories ?? [])]));
    const tracked = [...this.#tracked.among(moved, repositories).keys()].map((path) => this.#shown(path));
    if (tracked.length === 0) return;
    const [them, were] = tracked.length === 1 ? ["it", "was"] : ["them", "were"];
    this.#notices.add(
      `Git sees ${tracked.join(", ")}, which ${were} moved aside, as deleted: put ${them} back before you commit.`,
    );
  }

  #reason(path: string): string {
    const rule = this.#deps.rules?.().find(({ action, matches }) => action === "write" && matches(path));
    if (!rule) return "agents, editors, git or other tools obey it";
    return `the rule ${rule.text} ${rule.decision === "deny" ? "forbids it" : "asks first, and the command did not name it"}`;
  }

  #topOf(path: string): string {
    return this.#tops.find((top) => isInside(top, path)) ?? dirname(path);
  }

  /** The path relative to the workspace's first folder when it lies inside. */
  #shown(path: string): string {
    const [root = "/"] = this.#deps.roots;
    return printableName(isInside(root, path) ? relative(root, path) : path);
  }

  #forget(): void {
    this.#notices.conclude();
    this.#moves.clear();
    this.#refused.clear();
    this.#refusals = 0;
  }
}

/**
 * The entries that exist, or existed and are not certainly gone: their folder may be unreadable or missing for a
 * moment.
 */
function withUncertain(now: ReadonlySet<string>, before: ReadonlySet<string>): ReadonlySet<string> {
  const isGone = (path: string) => isMissing(path) && !isMissing(dirname(path));
  return new Set([...now, ...[...before].filter((path) => !now.has(path) && !isGone(path))]);
}

/** Builds the question whether new entries with protected names may stay. @param names As shown to the person. */
function newEntryQuestion(names: readonly string[]): NewQuestion {
  return {
    title: names.length === 1 ? "Keep this new entry?" : "Keep these new entries?",
    body: {
      kind: "keep",
      preview: { kind: "text", text: firstFew(names, MAX_NAMED).join(", ") },
      reason: "A command in the sandbox may have created this.",
      hazards: ["agents, editors, git or other tools outside the sandbox obey such files"],
    },
  };
}

/** Existing entries at the top of writable folders that would be moved aside if they were new: absolute paths. */
function existingProtectedNames(tops: readonly string[], homes: readonly string[]): readonly string[] {
  return tops.flatMap((top) => {
    const isHome = homes.includes(top);
    const names = namesIn(top) ?? AT_TOP.filter((name) => !isMissing(join(top, name)));
    const below = isHome ? AT_HOME_BELOW.filter(({ name }) => !isMissing(join(top, name))) : [];
    // A folder with HEAD, objects and refs is a bare repository, and git obeys its settings.
    const isBare = names.includes("HEAD") && !names.includes(".git") && isRepository(top);
    const wanted = names.filter((name) => isMovedWhenNew(name, isHome));
    return [...wanted, ...below.map(({ name }) => name), ...(isBare ? ["HEAD"] : [])].map((name) => join(top, name));
  });
}
