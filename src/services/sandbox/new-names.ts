import { dirname, join, relative } from "node:path";
import type { Asker, PathRule } from "../../contracts/permission.ts";
import type { OutsideStart, OutsideWork } from "../../contracts/ports.ts";
import { entryExists, isInside } from "../../platform/paths.ts";
import { listFolderSync } from "../../platform/sandbox/list-folder-sync.ts";
import { setAside } from "../../platform/sandbox/set-aside.ts";
import { watchFolder } from "../../platform/sandbox/watch-folder.ts";
import { shellQuoted } from "../../platform/shell-quoted.ts";
import { isRepository } from "./git-places.ts";
import { keepQuestion } from "./keep-question.ts";
import { isMovedWhenNew, KNOWN_NAMES } from "./known-names.ts";
import { plainName } from "./plain-name.ts";

/** How often one name is moved aside while programs run; after that, once more when the last of them has ended. */
const MAX_MOVES = 3;
const AT_HOME_BELOW = KNOWN_NAMES.filter(({ name, onlyAtHome }) => onlyAtHome && name.includes("/"));

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
  readonly #runs = new Set<ConfinedRun>();
  /** What Quoll's own tools, and commands outside, are making by leave. */
  readonly #ownWork = new Set<readonly string[]>();
  readonly #moves = new Map<string, number>();
  readonly #refused = new Set<string>();
  readonly #closing = new AbortController();
  #outside = 0;
  #known: ReadonlySet<string> = new Set();
  /** Of what rules concern: looked for only before results and starts. */
  #ruled: ReadonlySet<string> = new Set();
  /** For the model; a result takes them. */
  #lines: string[] = [];
  #asking: Promise<void> = Promise.resolve();
  #watches: readonly (() => void)[] | undefined;

  constructor(deps: NewNamesDeps) {
    this.#deps = deps;
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
    this.#known = this.#runs.size > 1 ? this.#known.union(new Set(run.absent.filter(entryExists))) : this.#look();
    this.#ruled = this.#lookForRuled();
    this.#watches ??= this.#tops.map((top) => watchFolder(top, (name) => this.#stirred(top, name)));
    return () => {
      this.#compareAll(true);
      this.#runs.delete(run);
      if (this.#runs.size === 0) this.#moves.clear();
      return this.#takeLines();
    };
  }

  /**
   * To be awaited before something of ours starts that is not confined; waits for a person where one is asked.
   * @returns the lines that no result has told, and what is to be called at its end.
   */
  async beginOutside({ makes, mayMakeMore }: OutsideWork, signal: AbortSignal): Promise<OutsideStart> {
    if (this.#runs.size > 0) this.#compareAll();
    await this.#answered(signal);
    if (mayMakeMore) this.#outside += 1;
    this.#ownWork.add(makes);
    return {
      lines: this.#takeLines(),
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
    this.#ruled = this.#lookForRuled();
    this.#settle(
      [...this.#ruled].filter((path) => !before.has(path) && !this.#known.has(path)),
      isLast,
    );
  }

  #compare(isLast = false): void {
    const before = this.#known;
    this.#known = this.#look();
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
    const asked = isQuiet || this.#outside > 0 ? fresh.filter((path) => !this.#refused.has(path)) : [];
    for (const path of fresh) if (!asked.includes(path)) this.#moveAside(path, isLast);
    if (asked.length > 0) this.#ask(asked);
  }

  #look(): ReadonlySet<string> {
    const found = this.#tops.flatMap((top) => {
      const isHome = this.#deps.homes.includes(top);
      const names = listFolderSync(top).map(({ name }) => name);
      const below = isHome ? AT_HOME_BELOW.filter(({ name }) => entryExists(join(top, name))) : [];
      // Beside these a folder is a repository by itself, and git obeys the settings in it.
      const isBare = names.includes("HEAD") && !names.includes(".git") && isRepository(top);
      const wanted = names.filter((name) => isMovedWhenNew(name, isHome));
      return [...wanted, ...below.map(({ name }) => name), ...(isBare ? ["HEAD"] : [])].map((name) => join(top, name));
    });
    const absent = [...this.#runs].flatMap((run) => run.absent).filter(entryExists);
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
        else this.#say(`${this.#shown(path)} appeared while commands ran, in the sandbox and outside: look at it.`);
      }
      return;
    }
    this.#asking = this.#asking.then(async () => {
      const { decision } = await asker.ask(keepQuestion(paths.map((path) => this.#shown(path))), this.#closing.signal);
      if (decision !== "reject") return;
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
        this.#say(
          `${this.#shown(path)} appeared while a confined command ran, and could not be moved aside (${done.why}): look at it.`,
        );
      }
      if (done.outcome === "moved") {
        const [from, to] = [done.from, done.to].map((at) => shellQuoted(this.#shown(at)));
        this.#say(
          `${from} appeared while a confined command ran, and was moved aside: ${this.#reason(path)}. To put it back: mv ${to} ${from}`,
        );
      }
    }
    this.#known = known;
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

  #say(line: string): void {
    this.#lines.push(line);
    this.#deps.warn?.(line);
  }

  #takeLines(): readonly string[] {
    return this.#lines.splice(0);
  }
}
