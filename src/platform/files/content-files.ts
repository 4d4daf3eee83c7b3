import { lstatSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import type { ContentFile, ContentFolder, ContentFormat } from "../../contracts/content-folder.ts";
import { isInside, realPathOrSelf } from "../paths.ts";
import { listFolderSync } from "./list-folder.ts";
import { stateOf } from "./path-state.ts";

/** Of one folder. */
const MAX_FILES = 1_000;
/** Levels of folders below a folder of commands. */
const MAX_DEPTH = 5;
type ListedFormat = Exclude<ContentFormat, "extension" | "style">;

type Read<Format extends ListedFormat, Value> = { readonly file: ContentFile<Format>; readonly value: Value };

/**
 * The files of some folders, each with the value that was read from it. A file is read again only if it has changed;
 * no file is read before the first `refresh`.
 */
export class ContentFiles<Format extends ListedFormat, Value> {
  readonly #folders: () => readonly ContentFolder<Format>[];
  readonly #read: (file: ContentFile<Format>) => Promise<Value>;
  readonly #maxFiles: number;
  #known: ReadonlyMap<string, Read<Format, Value>> = new Map();

  /**
   * @param folders The current folders, highest precedence first.
   * @param maxFiles Of all folders together; further files have no effect.
   */
  constructor(
    folders: () => readonly ContentFolder<Format>[],
    read: (file: ContentFile<Format>) => Promise<Value>,
    maxFiles: number,
  ) {
    this.#folders = folders;
    this.#read = read;
    this.#maxFiles = maxFiles;
  }

  /** Highest precedence first. */
  get all(): readonly Read<Format, Value>[] {
    return [...this.#known.values()];
  }

  /** Looks for new, changed and deleted files. @returns true if any file has changed. */
  async refresh(): Promise<boolean> {
    const known = new Map<string, Read<Format, Value>>();
    const seen = new Set<string>();
    let isChanged = false;
    for (const file of this.#folders().flatMap(listContentFiles).slice(0, this.#maxFiles)) {
      // Two plugins of one folder can share a file, and tools link one folder to another.
      const owner = file.place.plugin ?? "";
      if (seen.has(`${owner}\0${file.real}`)) continue;
      seen.add(`${owner}\0${file.real}`);
      const before = this.#known.get(`${owner}\0${file.path}`);
      const isSame = before?.file.stamp === file.stamp;
      known.set(`${owner}\0${file.path}`, isSame ? before : { file, value: await this.#read(file) });
      isChanged ||= !isSame;
    }
    isChanged ||= known.size < this.#known.size;
    this.#known = known;
    return isChanged;
  }
}

/** The files of a folder, by name. Unreadable folders are treated as empty. */
function listContentFiles<Format extends ListedFormat>(place: ContentFolder<Format>): readonly ContentFile<Format>[] {
  const found: ContentFile<Format>[] = [];
  if (place.format === "skill") collectSkills(place, found);
  else
    collectFiles({ place, ending: place.format === "toml" ? ".toml" : ".md", folder: place.folder, names: [] }, found);
  return found.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function collectSkills<Format extends ListedFormat>(place: ContentFolder<Format>, found: ContentFile<Format>[]): void {
  const folder = realPathOrSelf(place.folder);
  for (const { name, kind } of entriesIn(place.folder, place.only)) {
    if (found.length >= MAX_FILES) return;
    const path = join(place.folder, name, "SKILL.md");
    const real = kind === "link" ? undefined : join(folder, name, "SKILL.md");
    found.push(...fileAt({ path, real, name, place }));
  }
}

type Level<Format extends ListedFormat> = {
  readonly place: ContentFolder<Format>;
  readonly ending: string;
  readonly folder: string;
  readonly names: readonly string[];
};

function collectFiles<Format extends ListedFormat>(level: Level<Format>, found: ContentFile<Format>[]): void {
  const { place, ending, folder, names } = level;
  for (const { name } of entriesIn(folder, names.length === 0 ? place.only : undefined)) {
    if (found.length >= MAX_FILES) return;
    const path = join(folder, name);
    if (name.endsWith(ending)) {
      const whole = [...names, name.slice(0, -ending.length)].join(":");
      found.push(...fileAt({ path, real: undefined, name: whole, place }));
    } else if (names.length < MAX_DEPTH && !name.includes("."))
      collectFiles({ place, ending, folder: path, names: [...names, name] }, found);
  }
}

/**
 * @param real The path with links resolved, if its last part is not a link; undefined if it is unknown.
 * @returns no file if there is none, or if it is outside the folder that must contain it.
 */
function fileAt<Format extends ListedFormat>({
  real: known,
  ...about
}: Omit<ContentFile<Format>, "real" | "stamp"> & {
  readonly real: string | undefined;
}): readonly ContentFile<Format>[] {
  const { path, place } = about;
  try {
    const own = lstatSync(path, { throwIfNoEntry: false });
    if (!own) return [];
    const isLink = own.isSymbolicLink();
    const stats = isLink ? statSync(path) : own;
    if (!stats.isFile()) return [];
    const real = isLink || known === undefined ? realpathSync(path) : known;
    if (place.within !== undefined && !isInside(place.within, real)) return [];
    return [{ ...about, real, stamp: stateOf(stats) }];
  } catch {
    return [];
  }
}

function entriesIn(folder: string, only: string | undefined) {
  return listFolderSync(folder).filter(({ name }) => (only === undefined ? !name.startsWith(".") : name === only));
}
