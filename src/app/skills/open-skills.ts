import { dirname, join } from "node:path";
import { lazy } from "@quoll/async/lazy";
import type { ContentFolder } from "../../contracts/content-folder.ts";
import type { Clock } from "../../contracts/ports.ts";
import type { SessionConfig } from "../../contracts/session-config.ts";
import type { ShadowedSkill, Skill, SkillFormat } from "../../contracts/skill.ts";
import { isInside } from "../../platform/paths.ts";
import { BUILTIN_SKILLS } from "../../services/skills/builtin-skills.ts";
import type { SkillSet } from "../../services/skills/skill-set.ts";
import { contentFolders, foldersUpTo, readsContent, SKILL_FOLDERS, skillFoldersAt } from "../content-folders.ts";
import type { ProjectEnvironment } from "../session/project-environment.ts";

/** The maximum number of folders of touched files in which skills are looked for. */
const MAX_FOLDERS = 2_000;

/** The skills of a session. Without a folder of skills, only the built-in skills exist, and no file is read. */
export type OpenSkills = {
  /** For each name, the skill with the highest precedence. */
  readonly all: readonly Skill[];
  /** The skills that the model may currently know of. The array stays the same until the skills change. */
  readonly forModel: readonly Skill[];
  /** True if the model may start a skill, possibly only after a call touched one of its files. */
  readonly hasForModel: boolean;
  readonly shadowed: readonly ShadowedSkill[];
  /** One line for each skill that has the name of its folder, because another skill has its own name. */
  readonly renamed: readonly string[];
  readonly warnings: readonly string[];
  get(name: string): Skill | undefined;
  /** True if a setting disables the skill. */
  isOff(name: string): boolean;
  /** Disables or enables a skill for this session. */
  switch(name: string, isOff: boolean): void;
  /** Looks for new, changed and deleted files. @returns true if any file has changed. */
  refresh(): Promise<boolean>;
  /**
   * Adds the skills below the folders of these files, and the skills whose `paths` match these files.
   * @param paths Absolute.
   */
  touched(paths: readonly string[]): Promise<void>;
  /** Counts a use. */
  noteUse(name: string): Promise<void>;
  /** Sorts the skills by how often and how recently they were used. */
  byUse(skills: readonly Skill[]): Promise<readonly Skill[]>;
  /** Calls `listener` after each change. @returns the function that removes the listener. */
  onChanged(listener: () => void): () => void;
};

type Config = Pick<SessionConfig, "isBare" | "isSafe" | "settingSources">;
type SkillSources = Pick<ProjectEnvironment, "env" | "own" | "project" | "plugins" | "isTrusted"> &
  Partial<Pick<ProjectEnvironment, "settings">>;

/** Finds the skills of the user, of the project and of plugins. @param warn Receives one line for each problem of a file. */
export async function openSkills(
  config: Config,
  sources: SkillSources,
  { warn, clock }: { readonly clock: Pick<Clock, "now">; warn(line: string): void },
): Promise<OpenSkills> {
  const { own, project, isTrusted, settings } = sources;
  const skills = new SessionSkillList({
    folders: () => contentFolders(config, sources, SKILL_FOLDERS),
    builtin: config.isBare && !config.isSafe ? [] : BUILTIN_SKILLS,
    isTrusted,
    projectRoot: readsContent(config, "project") ? project.root : undefined,
    usesFile: join(own.state, "skill-uses.json"),
    now: () => clock.now(),
    disabled: settings?.disabledSkills ?? [],
    shown: (line) =>
      withShortPath(line, [
        ...sources.plugins.map(({ root, name }) => [root, `plugin ${name}, `] as const),
        [project.root, ""],
        [own.home, "~/"],
      ]),
  });
  await skills.refresh();
  for (const line of skills.warnings) warn(line);
  return skills;
}

/**
 * Replaces a folder at the start of a line with a short name.
 * @param folders Each folder with its replacement; the first match is used.
 */
function withShortPath(line: string, folders: readonly (readonly [string, string])[]): string {
  const found = folders.find(([folder]) => line.startsWith(`${folder}/`));
  return found ? `${found[1]}${line.slice(found[0].length + 1)}` : line;
}

type ListParts = {
  /** Plugins can come and go. */
  folders(): readonly ContentFolder<SkillFormat>[];
  readonly builtin: readonly Skill[];
  /** A project that is not trusted can't override a built-in skill. */
  readonly isTrusted: boolean;
  /** Undefined if the project's files are not read. */
  readonly projectRoot: string | undefined;
  readonly usesFile: string;
  /** Names of skills that a setting disables. */
  readonly disabled: readonly string[];
  /** Shortens the path at the beginning of the line. */
  shown(line: string): string;
  now(): number;
};

class SessionSkillList implements OpenSkills {
  readonly #parts: ListParts;
  readonly #listeners = new Set<() => void>();
  /** Folders below the project root in which skills were looked for. */
  readonly #folders = new Set<string>();
  /** Names of skills with `paths` of which a call has touched a file. */
  readonly #joined = new Set<string>();
  readonly #off: Set<string>;
  /** The skill folders of folders that calls touched. */
  #further: readonly ContentFolder<SkillFormat>[] = [];
  #set: SkillSet | undefined;
  #forModel: readonly Skill[] | undefined;

  readonly #uses = lazy(async () => {
    const { SkillUses } = await import("../../services/skills/io/skill-uses.ts");
    return new SkillUses(this.#parts.usesFile, this.#parts.now);
  });

  constructor(parts: ListParts) {
    this.#parts = parts;
    this.#off = new Set(parts.disabled);
  }

  get all(): readonly Skill[] {
    const found = this.#found();
    const names = new Set(found.map(({ name }) => name));
    return [...found, ...this.#parts.builtin.filter(({ name }) => !names.has(name))];
  }

  get forModel(): readonly Skill[] {
    this.#forModel ??= this.#modelSkills().filter(({ name, paths }) => paths.length === 0 || this.#joined.has(name));
    return this.#forModel;
  }

  get hasForModel(): boolean {
    return this.#modelSkills().length > 0;
  }

  get shadowed(): readonly ShadowedSkill[] {
    const ofFiles = this.#set?.shadowed ?? [];
    const ofQuoll = this.#parts.builtin.flatMap((builtin) => {
      const other = this.#set?.get(builtin.name);
      if (!other) return [];
      return [this.#counts(other) ? { skill: builtin, by: other } : { skill: other, by: builtin }];
    });
    return [...ofFiles, ...ofQuoll];
  }

  get renamed(): readonly string[] {
    const renamed = this.#set?.renamed.filter(({ skill }) => this.#counts(skill)) ?? [];
    return renamed.map(({ skill: { name, file }, own }) => `/${own} of ${this.#parts.shown(file)} is /${name}`);
  }

  get warnings(): readonly string[] {
    return (this.#set?.warnings ?? []).map(this.#parts.shown);
  }

  get(name: string): Skill | undefined {
    const found = this.#set?.get(name);
    return found && this.#counts(found) ? found : this.#parts.builtin.find((skill) => skill.name === name);
  }

  isOff(name: string): boolean {
    return this.#off.has(name);
  }

  switch(name: string, isOff: boolean): void {
    if (isOff) this.#off.add(name);
    else this.#off.delete(name);
    this.#tellChange();
  }

  onChanged(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async refresh(): Promise<boolean> {
    if (!this.#set) {
      if (this.#allFolders().length === 0) return false;
      const { SkillSet } = await import("../../services/skills/skill-set.ts");
      this.#set = new SkillSet(() => this.#allFolders());
    }
    if (!(await this.#set.refresh())) return false;
    this.#tellChange();
    return true;
  }

  async touched(paths: readonly string[]): Promise<void> {
    const { projectRoot } = this.#parts;
    if (projectRoot === undefined) return;
    const inside = paths.filter((path) => path !== projectRoot && isInside(projectRoot, path));
    if (this.#addFolders(inside, projectRoot)) await this.refresh();
    const waiting = this.#modelSkills().filter(({ name, paths: globs }) => globs.length > 0 && !this.#joined.has(name));
    if (waiting.length === 0 || inside.length === 0) return;
    const { triggerMatcher } = await import("../../platform/globs/trigger-globs.ts");
    const found = waiting.filter(({ paths: globs }) => inside.some(triggerMatcher({ folder: projectRoot, globs })));
    for (const { name } of found) this.#joined.add(name);
    if (found.length > 0) this.#forModel = undefined;
  }

  async noteUse(name: string): Promise<void> {
    (await this.#uses()).note(name);
  }

  async byUse(skills: readonly Skill[]): Promise<readonly Skill[]> {
    return (await this.#uses()).order(skills);
  }

  /** @returns true if there are new folders of skills. */
  #addFolders(paths: readonly string[], projectRoot: string): boolean {
    const folders = new Set(paths.flatMap((path) => foldersUpTo(dirname(path), projectRoot)));
    const fresh = [...folders].filter((folder) => !this.#folders.has(folder) && isInside(projectRoot, folder));
    if (fresh.length === 0 || this.#folders.size + fresh.length > MAX_FOLDERS) return false;
    for (const folder of fresh) this.#folders.add(folder);
    const known = new Set(this.#allFolders().map(({ folder }) => folder));
    const found = fresh
      .flatMap((folder) => skillFoldersAt(folder, projectRoot))
      .filter(({ folder }) => !known.has(folder));
    this.#further = [...this.#further, ...found];
    return found.length > 0;
  }

  #allFolders(): readonly ContentFolder<SkillFormat>[] {
    return [...this.#parts.folders(), ...this.#further];
  }

  #tellChange(): void {
    this.#forModel = undefined;
    for (const listener of this.#listeners) listener();
  }

  #modelSkills(): readonly Skill[] {
    return this.#found().filter(({ name, isForModel }) => isForModel && !this.#off.has(name));
  }

  #found(): readonly Skill[] {
    return this.#set?.skills.filter((skill) => this.#counts(skill)) ?? [];
  }

  #counts({ name, origin }: Skill): boolean {
    const { builtin, isTrusted } = this.#parts;
    return isTrusted || origin !== "project" || !builtin.some((skill) => skill.name === name);
  }
}
