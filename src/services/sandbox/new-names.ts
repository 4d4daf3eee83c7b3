import { dirname, relative } from "node:path";
import type { Asker, PathRule } from "../../contracts/permission.ts";
import type { OutsideStart, OutsideWork } from "../../contracts/ports.ts";
import { isInside } from "../../platform/paths.ts";
import { isMissing } from "../../platform/sandbox/list-folder-sync.ts";
import { setAside } from "../../platform/sandbox/set-aside.ts";
import { watchFolder } from "../../platform/sandbox/watch-folder.ts";
import { shellQuoted } from "../../platform/shell-quoted.ts";
import { keepQuestion } from "./keep-question.ts";
import { isMovedWhenNew } from "./known-names.ts";
import { plainName } from "./plain-name.ts";
import { standingNames } from "./standing-names.ts";
import { ToldLines } from "./told-lines.ts";
import { TrackedPaths } from "./tracked-paths.ts";

/** How often one name is moved aside while programs run; after that, once more when the last of them has ended. */
const MAX_MOVES = 3;
/** After so many questions that were answered with no, the rest is moved aside without one. */
const MAX_REFUSALS = 3;

export type NewNamesDeps = {
  /** Writable folders; absolute, without links. */
  readonly roots: readonly string[];
  /** Home folders; those that are writable count as roots. */
  readonly homes: readonly string[];
  /** Rules of permissions. */
  rules?(): readonly PathRule[];
  /** What is there now, of all that some of them keep from being changed; found by name. */
  ruledNow?(rules: readonly PathRule[]): readonly string[];
  /** Nobody is asked where it is left out. */
  readonly asker?: Asker | undefined;
  /** Tells the person one line. */
  readonly warn?: ((line: string) => void) | undefined;
};

type ConfinedRun = {
  readonly isBackground: boolean;
  /** Further paths that must stay missing, and the writable folder that each lies in. */
  readonly absent: readonly string[];
  /** Where the data of repositories lies, and their work trees. */
  readonly repositories?: ReadonlyMap<string, string>;
  /** Ask rules that do not concern this command: a person has allowed what it names. */
  readonly opened?: ReadonlySet<PathRule>;
};

/**
 * Names at the top of writable folders that others obey (settings, instructions, hooks), and that are missing: no mount can keep
 * a missing name, so what appears under one while confined programs run is moved aside, at once where the system tells of it, and
 * in any case before a result is given and before a program of ours starts that is not confined. Where it may be the
 * person's own work, the person is asked.
 */
export class NewNames {
  readonly #deps: NewNamesDeps;
  readonly #tops: readonly string[];
  readonly #told: ToldLines;
  readonly #runs = new Set<ConfinedRun>();
  /** What Quoll's own tools, and commands outside, are allowed to make. */
  readonly #ownWork = new Set<readonly string[]>();
  readonly #moves = new Map<string, number>();
  /** Moved aside, and not looked for in git's indexes since: git writes its index last. */
  readonly #unsettled = new Set<string>();
  readonly #tracked = new TrackedPaths();
  readonly #refused = new Set<string>();
  readonly #closing = new AbortController();
  #refusals = 0;
  #outside = 0;
  #known: ReadonlySet<string> = new Set();
  /** Of what rules concern: looked for only before results and starts. */
  #ruled: ReadonlySet<string> = new Set();
  #asking: Promise<void> = Promise.resolve();
  #watches: readonly (() => void)[] | undefined;

  constructor(deps: NewNamesDeps) {
    this.#deps = deps;
    this.#told = new ToldLines(deps.warn);
    const homes = deps.homes.filter((home) => deps.roots.some((root) => isInside(root, home)));
    this.#tops = [...new Set([...deps.roots, ...homes])];
  }

  /**
   * To be called before a confined program starts.
   * @returns to be called when it has ended; gives a line for each name that appeared and has not been told of.
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
      this.#tellDeleted();
      this.#runs.delete(run);
      // What an ask rule let this one make is not new to the others.
      if (run.opened?.size) this.#ruled = new Set([...this.#ruled, ...this.#lookForRuled()]);
      if (this.#runs.size === 0) this.#forget();
      return this.#told.take();
    };
  }

  /**
   * To be awaited before something of ours starts that is not confined; waits for a person where one is asked.
   * @returns the lines that no result has told, and what is to be called at its end.
   */
  async beginOutside({ makes, mayMakeMore }: OutsideWork, signal: AbortSignal): Promise<OutsideStart> {
    if (this.#runs.size > 0) this.#compareAll();
    await this.#answered(signal);
    this.#tellDeleted();
    if (mayMakeMore) this.#outside += 1;
    this.#ownWork.add(makes);
    return {
      lines: this.#told.take(),
      end: () => {
        if (this.#runs.size > 0) this.#compareAll();
        if (mayMakeMore) this.#outside -= 1;
        this.#ownWork.delete(makes);
      },
    };
  }

  /** Ends what was begun. An open question counts as answered with no. */
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

  /** @param isLast Whether a program has just ended. */
  #compareAll(isLast = false): void {
    this.#compare(isLast);
    const before = this.#ruled;
    this.#ruled = withStanding(this.#lookForRuled(), before);
    this.#settle(
      [...this.#ruled].filter((path) => !before.has(path) && !this.#known.has(path)),
      isLast,
    );
  }

  #compare(isLast = false): void {
    const before = this.#known;
    this.#known = withStanding(this.#look(), before);
    this.#settle(
      [...this.#known].filter((path) => !before.has(path)),
      isLast,
    );
  }

  /** @param appeared What is new. */
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
    const found = standingNames(this.#tops, this.#deps.homes);
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

  /** It may be the work of a person, or of a command that was allowed to do it. */
  #ask(paths: readonly string[]): void {
    const { asker } = this.#deps;
    if (!asker?.canAsk) {
      for (const path of paths) {
        if (this.#outside === 0) this.#moveAside(path, false);
        else
          this.#told.say(`${this.#shown(path)} appeared while commands ran, in the sandbox and outside: look at it.`);
      }
      return;
    }
    this.#asking = this.#asking.then(async () => {
      const { decision } = await asker.ask(keepQuestion(paths.map((path) => this.#shown(path))), this.#closing.signal);
      if (decision !== "reject") return;
      this.#refusals += 1;
      for (const path of paths) {
        this.#refused.add(path);
        this.#moveAside(path, true);
      }
    });
  }

  async #answered(signal: AbortSignal): Promise<void> {
    const { promise: aborted, resolve } = Promise.withResolvers<void>();
    const abort = () => resolve();
    signal.addEventListener("abort", abort, { once: true });
    await Promise.race([this.#asking, aborted]);
    signal.removeEventListener("abort", abort);
    signal.throwIfAborted();
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
        this.#told.say(
          `${this.#shown(path)} appeared while a confined command ran, and could not be moved aside (${done.why}): look at it.`,
        );
      }
      if (done.outcome === "moved") {
        this.#unsettled.add(path);
        const [from, to] = [done.from, done.to].map((at) => shellQuoted(this.#shown(at)));
        this.#told.say(
          `${from} appeared while a confined command ran, and was moved aside: ${this.#reason(path)}. To put it back: mv ${to} ${from}`,
        );
      }
    }
    this.#known = known;
  }

  /** The next commit would delete what git has checked out and was moved aside. */
  #tellDeleted(): void {
    if (this.#unsettled.size === 0) return;
    const moved = [...this.#unsettled].filter(isMissing);
    this.#unsettled.clear();
    const repositories = new Map([...this.#runs].flatMap((run) => [...(run.repositories ?? [])]));
    const tracked = [...this.#tracked.among(moved, repositories)].map((path) => this.#shown(path));
    if (tracked.length === 0) return;
    const [them, were] = tracked.length === 1 ? ["it", "was"] : ["them", "were"];
    this.#told.say(
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

  /** Below the workspace's first folder as it is seen from there. */
  #shown(path: string): string {
    const [root = "/"] = this.#deps.roots;
    return plainName(isInside(root, path) ? relative(root, path) : path);
  }

  #forget(): void {
    this.#told.conclude();
    this.#moves.clear();
    this.#refused.clear();
    this.#refusals = 0;
  }
}

/** What is there, and what was there and is not gone for sure: its folder may be closed to us, or away for a moment. */
function withStanding(now: ReadonlySet<string>, before: ReadonlySet<string>): ReadonlySet<string> {
  const isGone = (path: string) => isMissing(path) && !isMissing(dirname(path));
  return new Set([...now, ...[...before].filter((path) => !now.has(path) && !isGone(path))]);
}
