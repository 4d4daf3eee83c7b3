import { revealedLine } from "@quoll/terminal-text/one-line";
import type { Approvable, Approvals } from "../../contracts/approval.ts";
import type { Skill } from "../../contracts/skill.ts";
import { entryExists, isInside } from "../../platform/paths.ts";
import { readSmallFile } from "../../platform/read-small-file.ts";
import { projectPlaces } from "../../services/skills/skill-places.ts";
import type { Project } from "../../services/workspace/open-workspace.ts";

const MAX_SKILL_BYTES = 256 * 1024;
/** A longer line is cut, and shows so. */
const MAX_COLUMNS = 600;
/** Words of a skill's text that may name a file beside it. */
const FILE_NAMES = /[\w.-]+(?:\/[\w.-]+)+|[\w-]+\.\w{1,5}\b/g;
const MAX_FILE_NAMES = 200;

/** The project of a session, and the person's answers about it. */
export type SkillPlaceFacts = {
  readonly isTrusted: boolean;
  readonly approvals: Approvals;
  readonly project: Pick<Project, "root">;
};

/** The parts of a skill that count now. */
export type SkillPowers = {
  /** Its inline commands, its `allowed-tools` and its hooks. */
  readonly isApproved: boolean;
  /** Its model and its effort. */
  readonly isTrusted: boolean;
  /** Why it is not approved. */
  readonly why: string;
};

/** @param text The skill's file, if it was read already. */
export async function powersOf(skill: Skill, place: SkillPlaceFacts, text = textOf(skill)): Promise<SkillPowers> {
  const { isTrusted, approvals, project } = place;
  // A plugin counts only as a whole that the person approved or named.
  if (skill.origin !== "project") return { isApproved: true, isTrusted: true, why: "" };
  if (!isTrusted) return { isApproved: false, isTrusted, why: "this folder is not trusted" };
  const item = await skillApprovable(skill, text, project.root);
  const isApproved = item === undefined || approvals.state(item) === "approved";
  return { isApproved, isTrusted, why: "the user has not approved this text of the skill" };
}

/** The skills of a project that run commands or loosen rules. Nothing is read in a project without skills. */
export async function projectSkillItems({ cwd, root }: Pick<Project, "cwd" | "root">): Promise<readonly Approvable[]> {
  const places = projectPlaces(cwd, root).filter(({ folder }) => entryExists(folder));
  if (places.length === 0) return [];
  const { SkillSet } = await import("../../services/skills/skill-set.ts");
  const set = new SkillSet(() => places);
  await set.refresh();
  const items = await Promise.all(set.skills.map((skill) => skillApprovable(skill, textOf(skill), root)));
  return items.filter((item) => item !== undefined);
}

/** A skill as an item to approve: its whole text, and each file of the project that it names. Undefined if it has no powers. */
async function skillApprovable(skill: Skill, text: string, root: string): Promise<Approvable | undefined> {
  const [{ inlineCommands }, { approvedContent }] = await Promise.all([
    import("../../services/skills/inline-commands.ts"),
    import("../../services/trust/approved-content.ts"),
  ]);
  const commands = await inlineCommands(text, skill);
  const { name, allowedTools, hooks, file, folder } = skill;
  if (commands.length === 0 && allowedTools.length === 0 && hooks === undefined) return undefined;
  const shown = isInside(root, file) ? file.slice(root.length + 1) : file;
  const lines = [
    ...(commands.length > 0 ? [`runs commands when /${name} starts: ${commands.join("; ")} (${shown})`] : []),
    ...(allowedTools.length > 0
      ? [`allows ${allowedTools.join(", ")} while the skill ${name} is in use (${shown})`]
      : []),
    ...(hooks === undefined ? [] : [`declares hooks for the skill ${name} (${shown})`]),
  ];
  const words = [...commands, ...(text.match(FILE_NAMES) ?? []).slice(0, MAX_FILE_NAMES)];
  return {
    kind: "skill",
    name,
    content: approvedContent(text, words, { root, folders: [root, folder] }),
    lines: lines.map((line) => revealedLine(line, MAX_COLUMNS)),
  };
}

function textOf({ file }: Skill): string {
  return file === "" ? "" : (readSmallFile(file, MAX_SKILL_BYTES) ?? "");
}
