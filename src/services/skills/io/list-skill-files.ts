import { lstatSync, readdirSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { isInside } from "../../../platform/paths.ts";
import type { SkillPlace } from "../skill-places.ts";

/** Of one folder of skills. */
const MAX_FILES = 1_000;
/** Levels of folders below a folder of commands. */
const MAX_DEPTH = 5;
const ENDINGS = { skill: "", command: ".md", prompt: ".md", toml: ".toml" } as const;

/** A file that may define a skill. */
export type SkillFile = {
  readonly place: SkillPlace;
  /** Absolute. */
  readonly path: string;
  /** The same path with links resolved. */
  readonly real: string;
  /** The name that follows from the path: `git:commit`. */
  readonly name: string;
  /** Changes when the file changes. */
  readonly stamp: string;
};

/** The files of a place, by name. Unreadable folders are treated as empty. */
export function listSkillFiles(place: SkillPlace): readonly SkillFile[] {
  const found: SkillFile[] = [];
  if (place.format === "skill") collectSkills(place, found);
  else collectCommands({ place, folder: place.folder, names: [] }, found);
  return found.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function collectSkills(place: SkillPlace, found: SkillFile[]): void {
  const folder = realFolderOf(place.folder);
  for (const { name, isLink } of entriesIn(place.folder, place)) {
    if (found.length >= MAX_FILES) return;
    const path = join(place.folder, name, "SKILL.md");
    const real = isLink ? undefined : join(folder, name, "SKILL.md");
    const file = fileAt({ path, real, name, place });
    if (file) found.push(file);
  }
}

type Level = { readonly place: SkillPlace; readonly folder: string; readonly names: readonly string[] };

function collectCommands({ place, folder, names }: Level, found: SkillFile[]): void {
  const ending = ENDINGS[place.format];
  for (const { name } of entriesIn(folder, names.length === 0 ? place : {})) {
    if (found.length >= MAX_FILES) return;
    const path = join(folder, name);
    if (name.endsWith(ending)) {
      const whole = [...names, name.slice(0, -ending.length)].join(":");
      const file = fileAt({ path, real: undefined, name: whole, place });
      if (file) found.push(file);
    } else if (names.length < MAX_DEPTH && !name.includes("."))
      collectCommands({ place, folder: path, names: [...names, name] }, found);
  }
}

type Found = {
  readonly path: string;
  /** The path with links resolved, if its last part is not a link. */
  readonly real: string | undefined;
  readonly name: string;
  readonly place: SkillPlace;
};

/** @returns undefined if there is no file, or if it is outside the project. */
function fileAt({ path, real: known, name, place }: Found): SkillFile | undefined {
  try {
    const own = lstatSync(path, { throwIfNoEntry: false });
    if (!own) return undefined;
    const isLink = own.isSymbolicLink();
    const stats = isLink ? statSync(path) : own;
    if (!stats.isFile()) return undefined;
    const real = isLink || known === undefined ? realpathSync(path) : known;
    if (place.within !== undefined && !isInside(place.within, real)) return undefined;
    return { place, path, real, name, stamp: `${stats.mtimeMs}:${stats.size}:${stats.ino}` };
  } catch {
    return undefined;
  }
}

function entriesIn(
  folder: string,
  { only }: Pick<SkillPlace, "only">,
): readonly { readonly name: string; readonly isLink: boolean }[] {
  const isWanted = (name: string) => (only === undefined ? !name.startsWith(".") : name === only);
  try {
    const entries = readdirSync(folder, { withFileTypes: true }).filter(({ name }) => isWanted(name));
    return entries.map((entry) => ({ name: entry.name, isLink: entry.isSymbolicLink() }));
  } catch {
    return [];
  }
}

function realFolderOf(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}
