import { revealedLine } from "@quoll/terminal-text/one-line";
import type { Approvable, ApprovalState, Approvals } from "../../contracts/approval.ts";
import type { Plugin } from "../../contracts/plugin.ts";
import { MAX_SKILL_BYTES, type Skill } from "../../contracts/skill.ts";
import type { Directories } from "../../platform/directories.ts";
import { isInside } from "../../platform/paths.ts";
import { readSmallFile } from "../../platform/read-small-file.ts";
import { approvedContent, folderContent } from "../../services/trust/approved-content.ts";
import { hookEffect } from "../../services/trust/hook-approvables.ts";
import type { CollectedContent } from "../../services/trust/project-servers.ts";
import { shownEffects } from "../../services/trust/shown-effects.ts";
import type { Project } from "../../services/workspace/open-workspace.ts";
import { projectFolders, SKILL_FOLDERS } from "../content-folders.ts";

/** The maximum width of a line about a skill that can't be checked. */
const MAX_COLUMNS = 600;
/** Characters that end the name of a file in a skill's text. */
const BETWEEN_NAMES = /[^\p{L}\p{N}_./-]+/u;
const MAX_FILE_NAMES = 4_000;
const MAX_FILE_NAME_CHARS = 1_024;
const UNCHECKED = "the skill has too many files to check for changes";

/** The project of a session, and the person's answers about it. */
export type SkillPlaceFacts = {
  readonly isTrusted: boolean;
  readonly approvals: Approvals;
  readonly project: Pick<Project, "root">;
  readonly plugins: readonly Plugin[];
  readonly own: Directories;
};

/** The parts of a skill that currently take effect. */
export type SkillPermissions = {
  /** True if its inline commands, `allowed-tools`, hooks, model and effort take effect. */
  readonly isApproved: boolean;
  /** Why it is not approved. */
  readonly why: string;
};

/** Asks the person about a skill or an agent of the project that is new or has changed since the session began. */
export type ApproveSkill = (
  item: Approvable,
  signal: AbortSignal,
  /** Stores the answer; by default that of the project. */
  approvals?: Approvals,
) => Promise<void>;

export type SkillConsent = { readonly environment: SkillPlaceFacts; readonly approveSkill: ApproveSkill };

type Asking = {
  /** Absent if the person was already asked. */
  readonly signal?: AbortSignal;
  /** The content of the skill's file, if it was already read. */
  readonly text?: string;
};

/** The permissions of a skill, after asking about those that nobody has approved yet. */
export async function permissionsOf(
  skill: Skill,
  { environment, approveSkill }: SkillConsent,
  { signal, text = textOf(skill) }: Asking,
): Promise<SkillPermissions> {
  const { isTrusted, project, plugins, own } = environment;
  const askedAbout = async (read: () => Promise<SkillItem>, approvals: Approvals): Promise<SkillPermissions> => {
    const state = await consentTo(read, approvals, signal && { approveSkill, signal });
    const why = state === "unchecked" ? UNCHECKED : "the user has not approved this text of the skill";
    return { isApproved: state === "approved", why };
  };
  if (skill.origin === "project") {
    if (!isTrusted) return { isApproved: false, why: "this folder is not trusted" };
    return askedAbout(() => skillApprovable(skill, text, project.root), environment.approvals);
  }
  if (skill.origin !== "plugin") return APPROVED;
  const plugin = plugins.find(({ name }) => name === skill.plugin);
  if (!plugin) return { isApproved: false, why: "its plugin is not in use" };
  const { isInstalled, pluginApprovals } = await import("../plugins/plugin-folders.ts");
  // `--plugin-dir` needs no approval.
  if (!isInstalled(plugin, own)) return APPROVED;
  return askedAbout(() => pluginSkillItem(skill, plugin, text), await pluginApprovals(own));
}

const APPROVED: SkillPermissions = { isApproved: true, why: "" };

/** Undefined if there is nothing to approve; `unchecked` if there is too much to compare. */
type SkillItem = Approvable | "unchecked" | undefined;

/**
 * The state of the current content, after asking about content that is new or has changed. Only `approved` content may
 * take effect.
 * @param ask Absent if nobody is to be asked.
 */
export async function consentTo(
  read: () => Promise<SkillItem>,
  approvals: Approvals,
  ask?: Pick<SkillConsent, "approveSkill"> & { readonly signal: AbortSignal },
): Promise<ApprovalState | "unchecked"> {
  const item = await read();
  if (item === undefined) return "approved";
  if (item === "unchecked") return item;
  const state = approvals.state(item);
  if (!ask || state === "approved" || state === "refused") return state;
  await ask.approveSkill(item, ask.signal, approvals);
  ask.signal.throwIfAborted();
  // A file may have changed while the person was reading the question.
  return consentTo(read, approvals);
}

/**
 * A skill of a plugin as an item to approve. The other files of the plugin's folder are not compared, because programs
 * keep caches there.
 */
export async function pluginSkillItem(skill: Skill, { id, root }: Plugin, text = textOf(skill)): Promise<SkillItem> {
  const item = await skillApprovable(skill, text, root, []);
  if (item === undefined || item === "unchecked") return item;
  const content = (await commandsIn(text, skill)).length > 0 ? `${COMMANDS_SHOWN}\n${item.content}` : item.content;
  return { ...item, name: `${id}/${item.name}`, content };
}

/** Earlier versions approved plugins without showing the commands of their skills: those answers are ignored. */
const COMMANDS_SHOWN = "commands shown";

/** The skills of a project that run commands or loosen rules, and one line for each that can't be checked. */
export async function projectSkillItems({ cwd, root }: Pick<Project, "cwd" | "root">): Promise<CollectedContent> {
  const { SkillSet } = await import("../../services/skills/skill-set.ts");
  const set = new SkillSet(() => projectFolders({ cwd, root }, SKILL_FOLDERS));
  await set.refresh();
  const { skills } = set;
  const found = await Promise.all(skills.map((skill) => skillApprovable(skill, textOf(skill), root)));
  return {
    items: found.filter((item) => item !== undefined && item !== "unchecked"),
    problems: skills.flatMap(({ name, file }, at) =>
      found[at] === "unchecked"
        ? [revealedLine(`${file}: ${UNCHECKED}, so /${name} runs no commands and allows no calls.`, MAX_COLUMNS)]
        : [],
    ),
  };
}

/**
 * A skill as an item to approve: its whole text, each file of its folder, and each project file that it names.
 * Undefined if the skill has no permissions.
 * @param others The content of the other files of its folder; read if absent.
 */
async function skillApprovable(
  skill: Skill,
  text: string,
  root: string,
  others?: readonly string[],
): Promise<SkillItem> {
  const commands = await commandsIn(text, skill);
  const { name, allowedTools, hooks, model, effort, file, folder } = skill;
  const acting = [hooks, model, effort].some((field) => field !== undefined);
  if (commands.length === 0 && allowedTools.length === 0 && !acting) return undefined;
  const shown = isInside(root, file) ? file.slice(root.length + 1) : file;
  const lines = [
    ...(hooks === undefined ? [] : await hookLines(skill, shown)),
    ...(await permissionLines(skill, root, text)),
  ];
  const names = fileNames(text);
  const ofFolder = others ?? (skill.format === "skill" ? folderContent(folder) : []);
  if (!ofFolder || names.length > MAX_FILE_NAMES) return "unchecked";
  const named = approvedContent(text, [...commands, ...allowedTools, ...names], { root, folders: [root, folder] });
  return {
    kind: "skill",
    name,
    content: [named, ...ofFolder].join("\n"),
    ...shownEffects(lines),
  };
}

/** One line for each power of a skill, except for its hooks; not yet safe to print. @param text The skill's file. */
export async function permissionLines(skill: Skill, root: string, text = textOf(skill)): Promise<readonly string[]> {
  const { name, allowedTools, model, effort, file } = skill;
  const commands = await commandsIn(text, skill);
  const shown = isInside(root, file) ? file.slice(root.length + 1) : file;
  return [
    ...(commands.length > 0 ? [`runs commands when /${name} starts: ${commands.join("; ")} (${shown})`] : []),
    ...(allowedTools.length > 0
      ? [`allows ${allowedTools.join(", ")} while the skill ${name} is in use (${shown})`]
      : []),
    ...(model === undefined ? [] : [`uses the model ${model} for /${name} (${shown})`]),
    ...(effort === undefined ? [] : [`uses the effort ${effort} for /${name} (${shown})`]),
  ];
}

async function commandsIn(text: string, skill: Skill): Promise<readonly string[]> {
  const { inlineCommands } = await import("../../services/skills/template-parts.ts");
  return inlineCommands(text, skill);
}

/** The words of a text that may name a file. */
function fileNames(text: string): readonly string[] {
  const words = text.split(BETWEEN_NAMES).filter((word) => word.length <= MAX_FILE_NAME_CHARS);
  // A full stop may end the sentence.
  const names = words.map((word) => (word.endsWith(".") ? word.slice(0, -1) : word));
  return [...new Set(names.filter((word) => /[./]/.test(word)))];
}

async function hookLines(skill: Skill, file: string): Promise<readonly string[]> {
  const { skillHooks } = await import("../hooks/skill-hooks.ts");
  const { hooks } = skillHooks(skill);
  if (hooks.length === 0) return [`declares hooks for the skill ${skill.name}, none of which can run (${file})`];
  return hooks.map((hook) => `${hookEffect(hook)}, while the skill ${skill.name} is in use (${file})`);
}

function textOf({ file }: Skill): string {
  return file === "" ? "" : (readSmallFile(file, MAX_SKILL_BYTES) ?? "");
}
