import { dirname, join } from "node:path";
import { lazy } from "@quoll/async/lazy";
import type { ContentFolder, ContentWarning } from "../../contracts/content-folder.ts";
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

type Config = Pick<SessionConfig, "isBare" | "isSafe" | "settingSources">;
type SkillSources = Pick<ProjectEnvironment, "env" | "own" | "project" | "plugins" | "isTrusted"> &
  Partial<Pick<ProjectEnvironment, "settings">>;

/** Finds the skills of the user, of the project and of plugins. @param onWarning Called with each problem of a file. */
export async function openSkills(
  config: Config,
  sources: SkillSources,
  { onWarning, clock }: { readonly clock: Pick<Clock, "now">; onWarning(warning: ContentWarning): void },
): Promise<OpenSkills> {
  const skills = new OpenSkills(config, sources, clock);
  await skills.refresh();
  for (const warning of skills.warnings) onWarning(warning);
  return skills;
}

/** The skills of a session. Without a folder of skills, only the built-in skills exist, and no file is read. */
export class OpenSkills {
  readonly #config: Config;
  readonly #sources: SkillSources;
  readonly #builtin: readonly Skill[];
  /** Undefined if the project's files are not read. */
  readonly #projectRoot: string | undefined;
  readonly #clock: Pick<Clock, "now">;
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
    return new SkillUses(join(this.#sources.own.state, "skill-uses.json"), () => this.#clock.now());
  });

  constructor(config: Config, sources: SkillSources, clock: Pick<Clock, "now">) {
    this.#config = config;
    this.#sources = sources;
    this.#clock = clock;
    this.#builtin = config.isBare && !config.isSafe ? [] : BUILTIN_SKILLS;
    this.#projectRoot = readsContent(config, "project") ? sources.project.root : undefined;
    this.#off = new Set(sources.settings?.disabledSkills);
  }

  /** For each name, the skill with the highest precedence. */
  get all(): readonly Skill[] {
    const found = this.#found();
    const names = new Set(found.map(({ name }) => name));
    return [...found, ...this.#builtin.filter(({ name }) => !names.has(name))];
  }

  /** The skills that the model may currently know of. The array stays the same until the skills change. */
  get forModel(): readonly Skill[] {
    this.#forModel ??= this.#modelSkills().filter(({ name, paths }) => paths.length === 0 || this.#joined.has(name));
    return this.#forModel;
  }

  /** True if the model may start a skill, possibly only after a call touched one of its files. */
  get hasForModel(): boolean {
    return this.#modelSkills().length > 0;
  }

  get shadowed(): readonly ShadowedSkill[] {
    const ofFiles = this.#set?.shadowed ?? [];
    const ofQuoll = this.#builtin.flatMap((builtin) => {
      const other = this.#set?.get(builtin.name);
      if (!other) return [];
      return [this.#counts(other) ? { skill: builtin, by: other } : { skill: other, by: builtin }];
    });
    return [...ofFiles, ...ofQuoll];
  }

  /** One line for each skill that has the name of its folder, because another skill has its own name. */
  get renamed(): readonly string[] {
    const renamed = this.#set?.renamed.filter(({ skill }) => this.#counts(skill)) ?? [];
    return renamed.map(({ skill: { name, file }, own }) => `/${own} of ${this.#shown(file)} is /${name}`);
  }

  get warnings(): readonly ContentWarning[] {
    return (this.#set?.warnings ?? []).map((warning) => ({ ...warning, line: this.#shown(warning.line) }));
  }

  get(name: string): Skill | undefined {
    const found = this.#set?.get(name);
    return found && this.#counts(found) ? found : this.#builtin.find((skill) => skill.name === name);
  }

  /** True if a setting disables the skill. */
  isOff(name: string): boolean {
    return this.#off.has(name);
  }

  /** Disables or enables a skill for this session. */
  switch(name: string, isOff: boolean): void {
    if (isOff) this.#off.add(name);
    else this.#off.delete(name);
    this.#notify();
  }

  /** Calls `listener` after each change. @returns the function that removes the listener. */
  onChanged(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Looks for new, changed and deleted files. @returns true if any file has changed. */
  async refresh(): Promise<boolean> {
    if (!this.#set) {
      if (this.#allFolders().length === 0) return false;
      const { SkillSet } = await import("../../services/skills/skill-set.ts");
      this.#set = new SkillSet(() => this.#allFolders());
    }
    if (!(await this.#set.refresh())) return false;
    this.#notify();
    return true;
  }

  /**
   * Adds the skills below the folders of these files, and the skills whose `paths` match these files.
   * @param paths Absolute.
   */
  async touched(paths: readonly string[]): Promise<void> {
    const projectRoot = this.#projectRoot;
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

  /** Counts a use. */
  async noteUse(name: string): Promise<void> {
    (await this.#uses()).note(name);
  }

  /** Sorts the skills by how often and how recently they were used. */
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
    return [...contentFolders(this.#config, this.#sources, SKILL_FOLDERS), ...this.#further];
  }

  #notify(): void {
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
    // A project that is not trusted can't override a built-in skill.
    return this.#sources.isTrusted || origin !== "project" || !this.#builtin.some((skill) => skill.name === name);
  }

  /** A line that begins with a path, with a short name for the folder. */
  #shown(line: string): string {
    const { plugins, project, own } = this.#sources;
    const ofPlugins = plugins.map(({ root, name }) => [root, `plugin ${name}, `] as const);
    const [folder, name] = [...ofPlugins, [project.root, ""] as const, [own.home, "~/"] as const].find(([one]) =>
      line.startsWith(`${one}/`),
    ) ?? ["", ""];
    return folder === "" ? line : `${name}${line.slice(folder.length + 1)}`;
  }
}
