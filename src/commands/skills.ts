import { formatCount } from "@quoll/terminal-text/format-amount";
import { oneLine } from "@quoll/terminal-text/one-line";
import { padText } from "@quoll/terminal-text/truncate-text";
import { truncateWords } from "@quoll/terminal-text/truncate-words";
import type { Command, SkillsView } from "../contracts/command.ts";
import type { CommandResult } from "../contracts/command-result.ts";
import { didYouMean } from "../contracts/did-you-mean.ts";
import { UserFacingError } from "../contracts/errors.ts";
import type { ShadowedSkill, Skill, SkillOrigin } from "../contracts/skill.ts";
import { CHARS_PER_TOKEN } from "../contracts/token-estimate.ts";

const TITLES: readonly (readonly [SkillOrigin, string])[] = [
  ["project", "Of this project"],
  ["user", "Your own"],
  ["plugin", "Of plugins"],
  ["builtin", "Built in"],
];
const MAX_DESCRIPTION = 300;
const MAX_NAME_COLUMNS = 30;
const STATE_COLUMNS = 10;
const LINE_COLUMNS = 78;

/** Lists skills, including commands from files, with their sources, and shows one of them. */
export const skillsCommand: Command = {
  name: "skills",
  summary: "List skills and your own commands, and what each costs",
  argumentHint: "[skill] | on|off <skill>",
  needsNoServers: true,
  async run(argument, { skills }) {
    if (!skills) throw new UserFacingError("This session reads no skills.");
    const all = await skills.list();
    if (/^(?:on|off|enable|disable)$/.test(argument) && !all.some(({ name }) => name === argument))
      throw new UserFacingError(`Name the skill: \`/skills ${argument} NAME\`. /skills lists them.`);
    const [, how, wanted = ""] = /^(on|off|enable|disable)\s+\/?(\S+)$/.exec(argument) ?? [];
    if (how !== undefined) return switched(wanted, how === "off" || how === "disable", all, skills);
    if (argument !== "") return skillView(argument.replace(/^\//, ""), all, skills);
    const width = Math.min(MAX_NAME_COLUMNS, Math.max(...all.map(({ name }) => name.length + 1)));
    const of = (wanted: SkillOrigin) => all.filter(({ origin }) => origin === wanted);
    const sections = TITLES.flatMap(([origin, title]) => section({ title, skills: of(origin), width }, skills));
    const shadowed = skills.shadowed().map((one) => `  ${shadowedLine(one, skills)}`);
    const warnings = skills.warnings().map((line) => `  ${line}`);
    const lines = [
      ...sections,
      ...(shadowed.length > 0 ? ["Not used, because the name is taken", ...shadowed, ""] : []),
      ...(warnings.length > 0 ? ["Warnings", ...warnings, ""] : []),
      ...legend(all, skills),
      "`/skills NAME` shows a skill, `/skills off NAME` switches a skill off.",
    ];
    return { kind: "view", title: `Skills: ${all.length}`, lines };
  },
};

/** Explains the states in the list. */
const STATES: Readonly<Record<string, string>> = {
  on: "you and the model start it",
  "you only": "it starts when you type its name",
  "model only": "the model starts it",
  "for paths": "the model starts it for some files",
  off: "nobody starts it",
};

function legend(all: readonly Skill[], view: SkillsView): readonly string[] {
  const there = new Set(all.map((skill) => stateOf(skill, view)));
  const parts = Object.entries(STATES).flatMap(([state, words]) => (there.has(state) ? [`${state}: ${words}`] : []));
  return parts.length === 0 ? [] : [`${parts.join("; ")}.`];
}

type Section = { readonly title: string; readonly skills: readonly Skill[]; readonly width: number };

function section({ title, skills, width }: Section, view: SkillsView): readonly string[] {
  if (skills.length === 0) return [];
  const lines = skills.map((skill) => {
    const columns = [
      padText(`/${skill.name}`, width),
      padText(stateOf(skill, view), STATE_COLUMNS),
      oneLine(skill.description),
    ];
    return truncateWords(`  ${columns.join("  ")}`, LINE_COLUMNS);
  });
  return [title, ...lines, ""];
}

/** Who can start a skill. */
function stateOf({ name, isForModel, isForUser, paths }: Skill, view: SkillsView): string {
  if (view.isOff(name)) return "off";
  if (!isForModel) return isForUser ? "you only" : "off";
  if (paths.length > 0) return "for paths";
  return isForUser ? "on" : "model only";
}

function shadowedLine({ skill, by }: ShadowedSkill, { shown }: SkillsView): string {
  return `/${skill.name} of ${shown(skill) || "Quoll"}: ${by ? `${shown(by) || "a built-in skill"} counts` : "a command of Quoll has this name"}`;
}

async function switched(name: string, isOff: boolean, all: readonly Skill[], view: SkillsView): Promise<CommandResult> {
  if (!all.some((skill) => skill.name === name)) throw noSkill(name, all);
  const remark = await view.switch(name, isOff);
  const done = `The skill ${name} is ${isOff ? "off: neither you nor the model can start it" : "on"}.`;
  return { kind: "text", lines: [done, ...(remark === undefined ? [] : [remark])] };
}

function skillView(name: string, all: readonly Skill[], view: SkillsView): CommandResult {
  const skill = all.find((one) => one.name === name);
  if (!skill) throw noSkill(name, all);
  return { kind: "view", title: `Skill ${skill.name}`, lines: linesOf(skill, view) };
}

function noSkill(name: string, all: readonly Skill[]): UserFacingError {
  const hint = didYouMean(
    name,
    all.map((one) => one.name),
    "/skills lists them.",
  );
  return new UserFacingError(`There is no skill "${name}". ${hint}`);
}

function linesOf(skill: Skill, view: SkillsView): readonly string[] {
  const rules = (title: string, list: readonly string[]) => (list.length > 0 ? [`${title}: ${list.join(", ")}`] : []);
  return [
    oneLine(skill.description, MAX_DESCRIPTION),
    "",
    `File: ${skill.origin === "builtin" ? "built in" : view.shown(skill)}`,
    `State: ${stateOf(skill, view)}`,
    ...(skill.chars > 0
      ? [`Size: about ${formatCount(Math.ceil(skill.chars / CHARS_PER_TOKEN))} tokens when it is used`]
      : []),
    ...(skill.argumentHint === undefined ? [] : [`Arguments: ${skill.argumentHint}`]),
    ...rules("Allows while in use", skill.allowedTools),
    ...rules("Takes away while in use", skill.disallowedTools),
    ...rules("For files", skill.paths),
    ...(skill.model === undefined ? [] : [`Model: ${skill.model}`]),
    ...(skill.effort === undefined ? [] : [`Effort: ${skill.effort}`]),
    ...(skill.isForked ? [`Runs in a separate agent${skill.agent === undefined ? "" : ` (${skill.agent})`}`] : []),
  ];
}
