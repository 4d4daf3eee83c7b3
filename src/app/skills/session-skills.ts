import type { Command, SkillsView } from "../../contracts/command.ts";
import type { SourcedRegistry } from "../../contracts/registry.ts";
import type { ShadowedSkill, Skill, SkillOrigin } from "../../contracts/skill.ts";
import { namedFew } from "../../contracts/words.ts";
import { shortPath } from "../../platform/directories.ts";
import { notToldYet } from "../session/notices/not-told-yet.ts";
import type { OpenedSession } from "../session/opened-session.ts";
import type { OpenSkills } from "./open-skills.ts";

/** The maximum number of skills without effect that the startup names. */
const MAX_NAMED = 3;
const ORIGINS: readonly SkillOrigin[] = ["user", "project", "plugin", "builtin"];

export type SessionSkillParts = Pick<OpenedSession, "app" | "agents" | "main" | "environment" | "skills" | "notify">;

/**
 * Keeps a slash command in the registry for each skill that people may start.
 * @returns the function that stops this.
 */
export function registerSkills(registry: SourcedRegistry<Command>, parts: SessionSkillParts): () => void {
  const { skills } = parts;
  const register = () => {
    for (const origin of ORIGINS) {
      const own = skills.all.filter((skill) => skill.origin === origin && skill.isForUser && !skills.isOff(skill.name));
      const commands = own.map((skill) => skillCommand(skill, parts));
      registry.set({ kind: origin, name: "skills" }, commands);
    }
  };
  register();
  const { shadowed, shown } = skillsView(parts, registry);
  const names = new Map(shadowed().map((one) => [shadowedKey(one), shadowedName(one, shown)]));
  const told = names.size === 0 ? [] : notToldYet(parts.environment.own.state, "skills-not-used", [...names.keys()]);
  if (told.length > 0) parts.notify(shadowedLine(told.map((key) => names.get(key) ?? key)));
  return skills.onChanged(register);
}

/** A file that overrides a skill of Quoll is named too. */
function shadowedName({ skill, by }: ShadowedSkill, shown: SkillsView["shown"]): string {
  const place = skill.origin === "builtin" && by ? `Quoll (${shown(by)} counts)` : shown(skill);
  return `/${skill.name} of ${place}`;
}

/** A skill that was removed and comes back is not named again. */
function shadowedKey({ skill, by }: ShadowedSkill): string {
  return [skill.name, skill.file, by?.file ?? ""].join("\0");
}

function shadowedLine(names: readonly string[]): string {
  return `Not used, because the name is already used: ${namedFew(names, MAX_NAMED)}. /skills lists them.`;
}

export function skillsView(
  { skills, environment: { own, project, ownSettingsFile } }: SessionSkillParts,
  registry: SourcedRegistry<Command>,
): SkillsView {
  return {
    async list() {
      await skills.refresh();
      return skills.all;
    },
    shadowed: () => [...skills.shadowed, ...behindCommands(skills, registry)],
    warnings: () => skills.warnings.map(({ line }) => line),
    isOff: (name) => skills.isOff(name),
    async switch(name, isOff) {
      const { rememberSkill } = await import("../../services/config/remember-rules.ts");
      const wasOff = await rememberSkill(ownSettingsFile, name, isOff);
      const isElsewhere = !isOff && !wasOff && skills.isOff(name);
      skills.switch(name, isOff);
      return isElsewhere ? `Another settings file disables ${name}: it is enabled in this session only.` : undefined;
    },
    shown: ({ file }) => (file === "" ? "" : shortPath(file, own.home, project.root)),
  };
}

/** Skills whose names are those of Quoll's own commands: only the model can use them. */
function behindCommands(skills: OpenSkills, registry: SourcedRegistry<Command>): readonly ShadowedSkill[] {
  return registry.shadowed.flatMap(({ name }) => {
    const skill = skills.get(name);
    return skill ? [{ skill, by: undefined }] : [];
  });
}

function skillCommand(skill: Skill, parts: SessionSkillParts): Command {
  const { name, description, argumentHint } = skill;
  const { session, source, permissions, workspace, registry, toolPorts } = parts.main;
  const user = { session, environment: parts.environment, source, permissions, workspace, registry, toolPorts };
  return {
    name,
    summary: description,
    ...(argumentHint !== undefined && { argumentHint }),
    async run(argument, _, signal) {
      await parts.skills.refresh();
      const now = parts.skills.get(name) ?? skill;
      if (now.isForked) return (await import("./fork-command.ts")).forkCommand({ skill: now, argument }, parts);
      const { skillPrompt } = await import("./run-skill.ts");
      const prompt = await skillPrompt({ skill: now, argument }, user, signal);
      await parts.skills.noteUse(name);
      return { kind: "prompt", prompt, skill: name };
    },
  };
}
