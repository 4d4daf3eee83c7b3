import type { RenamedSkill, ShadowedSkill, Skill } from "../../contracts/skill.ts";
import { listSkillFiles, type SkillFile } from "./io/list-skill-files.ts";
import { isSkillName, type ReadSkill, readSkill } from "./read-skill.ts";
import type { SkillPlace } from "./skill-places.ts";

/** The maximum number of files whose content is kept, so that a refresh reads only changed files. */
const MAX_KEPT = 4_000;

type Known = ReadSkill & { readonly stamp: string };
type Late = { readonly skill: Skill; readonly file: SkillFile };

/** The skills of some folders. No file is read before the first `refresh`. */
export class SkillSet {
  readonly #places: () => readonly SkillPlace[];
  #known = new Map<string, Known>();
  #byName: ReadonlyMap<string, Skill> = new Map();
  #shadowed: readonly ShadowedSkill[] = [];
  #renamed: readonly RenamedSkill[] = [];
  #warnings: readonly string[] = [];

  /** @param places The current folders, highest precedence first. */
  constructor(places: () => readonly SkillPlace[]) {
    this.#places = places;
  }

  /** The skills with effect, by name. */
  get skills(): readonly Skill[] {
    return [...this.#byName.values()];
  }

  /** Skills that a skill with the same name overrides. */
  get shadowed(): readonly ShadowedSkill[] {
    return this.#shadowed;
  }

  /** Skills that have the name of their folder, because another skill has their own name. */
  get renamed(): readonly RenamedSkill[] {
    return this.#renamed;
  }

  get warnings(): readonly string[] {
    return this.#warnings;
  }

  get(name: string): Skill | undefined {
    return this.#byName.get(name);
  }

  /** Looks for new, changed and deleted files. @returns true if any file has changed. */
  async refresh(): Promise<boolean> {
    const files = this.#places().flatMap(listSkillFiles);
    const known = new Map<string, Known>();
    let isChanged = false;
    for (const file of files) {
      const key = keyOf(file);
      const before = this.#known.get(key);
      if (before?.stamp === file.stamp) {
        known.set(key, before);
        continue;
      }
      isChanged = true;
      if (known.size < MAX_KEPT) known.set(key, { ...(await readSkill(file)), stamp: file.stamp });
    }
    if (!isChanged && known.size === this.#known.size) return false;
    this.#known = known;
    this.#merge(files);
    return true;
  }

  #merge(files: readonly SkillFile[]): void {
    const byName = new Map<string, Skill>();
    const late: Late[] = [];
    const texts = new Map<string, string>();
    const seen = new Set<string>();
    const warnings: string[] = [];
    for (const file of files) {
      const read = this.#known.get(keyOf(file));
      const own = `${file.place.plugin ?? ""}\0${file.real}`;
      // Tools link one folder of skills to another.
      if (!read || seen.has(own)) continue;
      seen.add(own);
      warnings.push(...read.warnings);
      const { skill } = read;
      if (!skill) continue;
      const by = byName.get(skill.name);
      if (!by) {
        byName.set(skill.name, skill);
        texts.set(skill.name, read.text);
      } else if (texts.get(skill.name) !== read.text) late.push({ skill, file });
    }
    this.#byName = byName;
    this.#place(late, byName);
    this.#warnings = warnings;
  }

  /** Gives skills whose names are taken the name of their folder, if it is free. */
  #place(late: readonly Late[], byName: Map<string, Skill>): void {
    const shadowed: ShadowedSkill[] = [];
    const renamed: RenamedSkill[] = [];
    for (const { skill, file } of late) {
      const by = byName.get(skill.name);
      const { plugin, format } = file.place;
      const name = plugin === undefined ? file.name : `${plugin}:${file.name}`;
      if (format !== "skill" || byName.has(name) || !isSkillName(file.name)) shadowed.push({ skill, by });
      else {
        byName.set(name, { ...skill, name });
        renamed.push({ skill: { ...skill, name }, own: skill.name });
      }
    }
    this.#shadowed = shadowed;
    this.#renamed = renamed;
  }
}

/** Two plugins of one folder can share a file. */
function keyOf({ path, place }: SkillFile): string {
  return `${place.plugin ?? ""}\0${path}`;
}
