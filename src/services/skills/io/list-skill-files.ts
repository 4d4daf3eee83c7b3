import { readdirSync, realpathSync, statSync } from "node:fs";
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
  /** The same with links resolved. */
  readonly real: string;
  /** The name that follows from the path: `git:commit`. */
  readonly name: string;
  /** Changes when the file changes. */
  readonly stamp: string;
};

/** The files of a place, by name. Folders that can't be read count as empty. */
export function listSkillFiles(place: SkillPlace): readonly SkillFile[] {
  const found: SkillFile[] = [];
  if (place.format === "skill") collectSkills(place, found);
  else collectCommands({ place, folder: place.folder, names: [] }, found);
  return found.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function collectSkills(place: SkillPlace, found: SkillFile[]): void {
  for (const name of namesIn(place.folder, place)) {
    if (found.length >= MAX_FILES) return;
    const file = fileAt(join(place.folder, name, "SKILL.md"), name, place);
    if (file) found.push(file);
  }
}

type Level = { readonly place: SkillPlace; readonly folder: string; readonly names: readonly string[] };

function collectCommands({ place, folder, names }: Level, found: SkillFile[]): void {
  const ending = ENDINGS[place.format];
  for (const name of namesIn(folder, names.length === 0 ? place : {})) {
    if (found.length >= MAX_FILES) return;
    const path = join(folder, name);
    if (name.endsWith(ending)) {
      const file = fileAt(path, [...names, name.slice(0, -ending.length)].join(":"), place);
      if (file) found.push(file);
    } else if (names.length < MAX_DEPTH && !name.includes("."))
      collectCommands({ place, folder: path, names: [...names, name] }, found);
  }
}

/** @returns undefined if there is no file, or if it leads out of the project. */
function fileAt(path: string, name: string, place: SkillPlace): SkillFile | undefined {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (!stats?.isFile()) return undefined;
    const real = realpathSync(path);
    if (place.within !== undefined && !isInside(place.within, real)) return undefined;
    return { place, path, real, name, stamp: `${stats.mtimeMs}:${stats.size}:${stats.ino}` };
  } catch {
    return undefined;
  }
}

function namesIn(folder: string, { only }: Pick<SkillPlace, "only">): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => (only === undefined ? !name.startsWith(".") : name === only));
  } catch {
    return [];
  }
}
