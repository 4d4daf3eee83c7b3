import type { ContentFolder, ContentWarning } from "../../contracts/content-folder.ts";
import type { RenamedSkill, ShadowedSkill, Skill, SkillFormat } from "../../contracts/skill.ts";
import { ContentFiles } from "../../platform/files/content-files.ts";
import { isSkillName, type ReadSkill, readSkill, type SkillFile } from "./read-skill.ts";

/** The maximum number of files of all folders together. */
const MAX_FILES = 4_000;

type Late = { readonly skill: Skill; readonly file: SkillFile };

/** The skills of some folders. No file is read before the first `refresh`. */
export class SkillSet {
  readonly #files: ContentFiles<SkillFormat, ReadSkill>;
  #byName: ReadonlyMap<string, Skill> = new Map();
  #shadowed: readonly ShadowedSkill[] = [];
  #renamed: readonly RenamedSkill[] = [];
  #warnings: readonly ContentWarning[] = [];

  /** @param folders The current folders, highest precedence first. */
  constructor(folders: () => readonly ContentFolder<SkillFormat>[]) {
    this.#files = new ContentFiles(folders, readSkill, MAX_FILES);
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

  get warnings(): readonly ContentWarning[] {
    return this.#warnings;
  }

  get(name: string): Skill | undefined {
    return this.#byName.get(name);
  }

  /** Looks for new, changed and deleted files. @returns true if any file has changed. */
  async refresh(): Promise<boolean> {
    const isChanged = await this.#files.refresh();
    if (isChanged) this.#merge();
    return isChanged;
  }

  #merge(): void {
    const byName = new Map<string, Skill>();
    const late: Late[] = [];
    const texts = new Map<string, string>();
    const warnings: ContentWarning[] = [];
    for (const { file, value: read } of this.#files.all) {
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
