import { plural } from "@quoll/terminal-text/plural";
import type { SessionConfig } from "../../contracts/session-config.ts";
import type { ShadowedSkill, Skill } from "../../contracts/skill.ts";
import { entryExists } from "../../platform/paths.ts";
import { BUILTIN_SKILLS } from "../../services/skills/builtin-skills.ts";
import { projectPlaces, type SkillPlace, userPlaces } from "../../services/skills/skill-places.ts";
import type { SkillSet } from "../../services/skills/skill-set.ts";
import type { ProjectEnvironment } from "./project-environment.ts";

/** Of one kind, in one run. */
const MAX_WARNINGS = 3;

/** The skills of a session. Without a folder of skills, only the built-in ones, and nothing is read. */
export type OpenSkills = {
  /** By name: each the strongest of its name. */
  readonly all: readonly Skill[];
  readonly shadowed: readonly ShadowedSkill[];
  readonly warnings: readonly string[];
  get(name: string): Skill | undefined;
  /** Looks for new, changed and deleted files. @returns true if there was any. */
  refresh(): Promise<boolean>;
  /** Calls `listener` after each change. @returns the function that ends it. */
  onChanged(listener: () => void): () => void;
};

type Config = Pick<SessionConfig, "isBare" | "settingSources">;

/** Finds the skills of the user and of the project. @param warn Receives a few lines about files that can't be used as written. */
export async function openSkills(
  { isBare, settingSources }: Config,
  { env, own, project }: Pick<ProjectEnvironment, "env" | "own" | "project">,
  warn: (line: string) => void,
): Promise<OpenSkills> {
  const homes = { ...own, claude: env["CLAUDE_CONFIG_DIR"], codex: env["CODEX_HOME"] };
  const reads = (source: "user" | "project") => !isBare && (settingSources?.includes(source) ?? true);
  const places: readonly SkillPlace[] = [
    ...(reads("user") ? userPlaces(homes) : []),
    ...(reads("project") ? projectPlaces(project.cwd, project.root) : []),
  ];
  const skills = new SessionSkillList(places, isBare ? [] : BUILTIN_SKILLS);
  await skills.refresh();
  for (const line of cut(skills.warnings)) warn(line);
  return skills;
}

function cut(warnings: readonly string[]): readonly string[] {
  const more = warnings.length - MAX_WARNINGS;
  if (more <= 0) return warnings;
  return [...warnings.slice(0, MAX_WARNINGS), `${plural(more, "more warning")} about skills: /skills lists them.`];
}

class SessionSkillList implements OpenSkills {
  readonly #places: readonly SkillPlace[];
  readonly #builtin: readonly Skill[];
  readonly #listeners = new Set<() => void>();
  #set: SkillSet | undefined;

  constructor(places: readonly SkillPlace[], builtin: readonly Skill[]) {
    this.#places = places;
    this.#builtin = builtin;
  }

  get all(): readonly Skill[] {
    const found = this.#set?.skills ?? [];
    return [...found, ...this.#builtin.filter(({ name }) => !this.#set?.get(name))];
  }

  get shadowed(): readonly ShadowedSkill[] {
    return this.#set?.shadowed ?? [];
  }

  get warnings(): readonly string[] {
    return this.#set?.warnings ?? [];
  }

  get(name: string): Skill | undefined {
    return this.#set?.get(name) ?? this.#builtin.find((skill) => skill.name === name);
  }

  onChanged(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async refresh(): Promise<boolean> {
    if (!this.#set) {
      if (!this.#places.some(({ folder }) => entryExists(folder))) return false;
      const { SkillSet } = await import("../../services/skills/skill-set.ts");
      this.#set = new SkillSet(() => this.#places);
    }
    if (!(await this.#set.refresh())) return false;
    for (const listener of this.#listeners) listener();
    return true;
  }
}
