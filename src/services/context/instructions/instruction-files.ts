import { dirname, join, relative } from "node:path";
import type { InstructionFile, InstructionState, InstructionText } from "../../../contracts/instructions.ts";
import type { Message } from "../../../contracts/message.ts";
import { words } from "../../../contracts/words.ts";
import { kindAt } from "../../../platform/files/kind-at.ts";
import { walkFiles } from "../../../platform/files/walk-files.ts";
import { type Trigger, triggerMatcher } from "../../../platform/globs/trigger-globs.ts";
import { isInside } from "../../../platform/paths.ts";
import {
  type Collected,
  collectInstructions,
  type InstructionAccess,
  type InstructionFolders,
  type InstructionItem,
} from "./collect-instructions.ts";
import { aboutFolder, type OwnFolder } from "./families.ts";
import { type Candidate, candidatesAbove, candidatesIn, foldersDown, ownCandidates } from "./find-candidates.ts";
import { SentInstructions } from "./sent-instructions.ts";

/** The maximum number of folders whose files are remembered; beyond this, all folders are searched again. */
const MAX_KNOWN_FOLDERS = 500;
const MAX_TOLD_PROBLEMS = 500;
/** The maximum number of project files whose names a list checks. */
const MAX_LISTED_FILES = 50_000;
/** Folders of other people's code: instructions in them are not the project's. */
const FOREIGN: ReadonlySet<string> = new Set(words(".git .venv node_modules site-packages third_party vendor venv"));

export type InstructionDeps = InstructionAccess &
  Pick<InstructionFolders, "projectRoot" | "home"> & {
    /** The working folder now. */
    cwd(): string;
    /** Folders of the administrator and of the user. */
    readonly own: readonly OwnFolder[];
    /** Folders above the project whose files the person includes, the outermost first. */
    readonly above: readonly string[];
    /** The messages of the next request. */
    messages(): readonly Message[];
    /** Tells the person one line about a file that could not be used. */
    notify(line: string): void;
    /** The lines that the person was told, which the agents of a session share; they are added. */
    readonly notified?: Set<string>;
  };

/** The instruction files of one agent: those at the start of its conversation, and those that join later. */
export class InstructionFiles {
  readonly #deps: InstructionDeps;
  readonly #sent: SentInstructions;
  readonly #notified: Set<string>;
  /** Texts that were announced but are not in the conversation yet: their paths, and the keys of equal texts. */
  readonly #announced = new Map<string, string>();
  /** The instruction files of each folder, by the folder's path. */
  readonly #folders = new Map<string, readonly InstructionItem[]>();
  #own: readonly InstructionItem[] | undefined;
  /** Compiled once for each rule. */
  readonly #matchers = new WeakMap<Trigger, (path: string) => boolean>();

  constructor(deps: InstructionDeps) {
    this.#deps = deps;
    this.#notified = deps.notified ?? new Set();
    this.#sent = new SentInstructions(() => deps.messages(), deps);
  }

  /** True if `inForce` reads files. */
  mayReadFiles(): boolean {
    return this.#candidates().length > 0 || this.#sent.paths.length > 0;
  }

  /**
   * The active texts with their current content, in order of increasing precedence (the nearest file comes last): for
   * the first message, and for the message that replaces what a compaction removed.
   */
  inForce(): readonly InstructionText[] {
    this.#reload();
    const start = this.#withNotices(this.#atStart()).items;
    const paths = new Set(start.map(({ path }) => path));
    const sent = new Set(this.#sent.paths);
    const begun = start.filter(({ path, state }) => isForAll(state) || (state === "waits" && sent.has(path)));
    return [...begun, ...this.#later(sent).filter(({ path }) => !paths.has(path))].map(textOf);
  }

  /** The texts that the model saw and that a compaction removed without attaching them again. */
  lost(): readonly InstructionText[] {
    const lost = new Set(this.#sent.lost);
    if (lost.size === 0) return [];
    const start = this.#atStart().items.filter(({ path, element }) => lost.has(path) && element !== "");
    const paths = new Set(start.map(({ path }) => path));
    return this.#announce([...start, ...this.#later(lost).filter(({ path }) => !paths.has(path))]);
  }

  /**
   * The texts that become active when a call touches these paths: files of folders between the project root and a path,
   * and rules whose globs match the path. Each text is returned once per conversation.
   * @param paths Absolute, symlinks resolved.
   */
  touched(paths: readonly string[]): readonly InstructionText[] {
    const inside = paths.filter((path) => isInside(this.#deps.projectRoot, path) && !this.#isForeign(path));
    return this.#announce(inside.flatMap((path) => this.#concerning(path)));
  }

  /**
   * Every instruction file of the project, the user and the administrator, with its state.
   * @throws the abort reason when `signal` aborts.
   */
  async list(signal: AbortSignal): Promise<readonly InstructionFile[]> {
    this.#reload();
    const start = this.#atStart().items;
    const paths = new Set(start.map(({ path }) => path));
    const below = (await this.#below(signal)).filter(({ path }) => !paths.has(path));
    return [
      ...start.map((item) =>
        item.state === "waits" && this.#isSent(item.path) ? listed(item, "active") : listed(item),
      ),
      ...below.map((item) =>
        item.state === "active" && !this.#isSent(item.path) ? listed(item, "waits") : listed(item),
      ),
    ];
  }

  /**
   * The text of a changed file, if the model does not have this text yet.
   * @param path Absolute.
   */
  changed(path: string): readonly InstructionText[] {
    this.#reload();
    const item =
      this.#atStart().items.find((one) => one.path === path) ??
      this.#inFolder(dirname(path)).find((one) => one.path === path);
    if (!item || item.element === "" || this.#sent.hasText(item.sameAs)) return [];
    return item.state === "active" || this.#isSent(path) ? [textOf(item)] : [];
  }

  /**
   * The active texts that the model does not have. After a move to another checkout, a file of the same name may have
   * another text.
   */
  unseen(): readonly InstructionText[] {
    this.#reload();
    const { items } = this.#atStart();
    return items
      .filter((item) => isForAll(item.state) && item.element !== "" && !this.#sent.hasText(item.sameAs))
      .map(textOf);
  }

  /** Called when another conversation has replaced this one. */
  forget(): void {
    this.#announced.clear();
    this.#sent.forget();
    this.#reload();
  }

  /** Called when files may have changed: they are looked up again. */
  #reload(): void {
    this.#folders.clear();
    this.#own = undefined;
  }

  /** Files of the administrator, the user, and the folders from the project root to the working folder. */
  #atStart(): Collected {
    return collectInstructions(this.#candidates(), this.#instructionFolders(), this.#deps);
  }

  #candidates(): readonly Candidate[] {
    const { own, above, projectRoot, home, cwd } = this.#deps;
    return [
      ...own.flatMap((folder) => ownCandidates(folder, projectRoot)),
      ...above.flatMap((folder) => candidatesAbove(folder, home)),
      ...(isInside(projectRoot, cwd()) ? foldersDown(projectRoot, cwd()).flatMap(candidatesIn) : []),
    ];
  }

  /** Selects the files that are in folders of the project. */
  #later(paths: ReadonlySet<string>): readonly InstructionItem[] {
    const { projectRoot } = this.#deps;
    const inside = [...paths].filter((path) => isInside(projectRoot, path));
    const folders = new Set(inside.flatMap((path) => foldersDown(projectRoot, dirname(path))));
    return this.#inFolders([...folders]).filter(({ path, element }) => paths.has(path) && element !== "");
  }

  /** The texts of these items that the model does not have, each once. */
  #announce(items: readonly InstructionItem[]): readonly InstructionText[] {
    // `#sent` has read these paths from the conversation, so `#announced` need not keep them.
    for (const path of [...this.#sent.paths, ...this.#sent.lost]) this.#announced.delete(path);
    const texts: InstructionText[] = [];
    for (const item of items) {
      if (!this.#isNew(item)) continue;
      this.#announced.set(item.path, item.sameAs);
      this.#sent.restore(item.path);
      texts.push(textOf(item));
    }
    return texts;
  }

  /** Finds files of the folders that no session begins with. */
  async #below(signal: AbortSignal): Promise<readonly InstructionItem[]> {
    const { projectRoot } = this.#deps;
    const folders = new Set<string>();
    let count = 0;
    for await (const name of walkFiles(projectRoot, { signal })) {
      count += 1;
      if (count > MAX_LISTED_FILES) break;
      const folder = aboutFolder(name);
      if (folder !== undefined && !this.#isForeign(join(projectRoot, name))) folders.add(join(projectRoot, folder));
    }
    return this.#inFolders([...folders].sort());
  }

  #concerning(path: string): readonly InstructionItem[] {
    const folder = kindAt(path) === "folder" ? path : dirname(path);
    const found = foldersDown(this.#deps.projectRoot, folder).flatMap((one) => this.#inFolder(one));
    return [...this.#ownRules(), ...found].filter(
      ({ state, trigger }) => isForAll(state) || (trigger !== undefined && this.#matches(trigger, path)),
    );
  }

  #matches(trigger: Trigger, path: string): boolean {
    const known = this.#matchers.get(trigger);
    if (known) return known(path);
    const matches = triggerMatcher(trigger);
    this.#matchers.set(trigger, matches);
    return matches(path);
  }

  #ownRules(): readonly InstructionItem[] {
    const { own, projectRoot } = this.#deps;
    this.#own ??= collectInstructions(
      own.flatMap((folder) => ownCandidates(folder, projectRoot)),
      this.#instructionFolders(),
      this.#deps,
    ).items.filter(({ trigger }) => trigger !== undefined);
    return this.#own;
  }

  /** Collects the files of several folders, each once: one folder's file may be imported in another. */
  #inFolders(folders: readonly string[]): readonly InstructionItem[] {
    const items = new Map<string, InstructionItem>();
    for (const item of folders.flatMap((folder) => this.#inFolder(folder)))
      if (!items.has(item.path)) items.set(item.path, item);
    return [...items.values()];
  }

  #inFolder(folder: string): readonly InstructionItem[] {
    const known = this.#folders.get(folder);
    if (known) return known;
    const folders = this.#instructionFolders();
    const isAbove = isInside(folder, folders.cwd);
    const isAtTop = relative(folders.projectRoot, folder) === "";
    const appliesTo = isAbove ? undefined : isAtTop ? `${folder}/` : `${relative(folders.projectRoot, folder)}/`;
    const { items } = this.#withNotices(collectInstructions(candidatesIn(folder), folders, this.#deps, appliesTo));
    if (this.#folders.size >= MAX_KNOWN_FOLDERS) this.#folders.clear();
    this.#folders.set(folder, items);
    return items;
  }

  #isNew({ path, sameAs }: InstructionItem): boolean {
    const isAnnounced = this.#announced.has(path) || [...this.#announced.values()].includes(sameAs);
    return !isAnnounced && !this.#sent.has(path, sameAs);
  }

  #isSent(path: string): boolean {
    return this.#announced.has(path) || this.#sent.has(path, "");
  }

  #isForeign(path: string): boolean {
    return relative(this.#deps.projectRoot, path)
      .split("/")
      .some((part) => FOREIGN.has(part));
  }

  #instructionFolders(): InstructionFolders {
    const { projectRoot, home } = this.#deps;
    return { projectRoot, home, cwd: this.#deps.cwd() };
  }

  /** Each problem is reported once. */
  #withNotices(collected: Collected): Collected {
    for (const line of collected.problems) {
      if (this.#notified.has(line) || this.#notified.size >= MAX_TOLD_PROBLEMS) continue;
      this.#notified.add(line);
      this.#deps.notify(line);
    }
    return collected;
  }
}

function listed(
  { element: _element, sameAs: _sameAs, trigger: _trigger, ...file }: InstructionItem,
  state = file.state,
): InstructionFile {
  return { ...file, state };
}

/** True if a text applies to every file. */
function isForAll(state: InstructionState): boolean {
  return state === "active" || state === "named";
}

function textOf({ path, name, family, origin, element }: InstructionItem): InstructionText {
  return { path, name, family, origin, text: element };
}
