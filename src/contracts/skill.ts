import type { Effort } from "./provider.ts";

/** The author of a skill: Quoll, the project, the user for all projects, or a plugin. */
export type SkillOrigin = "builtin" | "project" | "user" | "plugin";

/**
 * The form of a skill's file: a `SKILL.md` with its folder, a command in Markdown, a command in TOML (Gemini CLI, Qwen
 * Code), or a prompt of Codex or opencode.
 */
export type SkillFormat = "skill" | "command" | "toml" | "prompt";

/** The fields of a skill's frontmatter that have an effect. */
export type SkillHeader = {
  /** One line; the first line of the text if the file gives none. */
  readonly description: string;
  /** When the model should use the skill, in addition to the description. */
  readonly whenToUse?: string;
  readonly argumentHint?: string;
  /** Names of the positional arguments. */
  readonly argumentNames: readonly string[];
  readonly isForModel: boolean;
  readonly isForUser: boolean;
  /** Permission rules that allow calls while the skill is in use. */
  readonly allowedTools: readonly string[];
  /** Tools that the model does not have while the skill is in use. */
  readonly disallowedTools: readonly string[];
  readonly model?: string;
  readonly effort?: Effort;
  /** True if the skill runs in a separate agent. */
  readonly isForked: boolean;
  /** The kind of that agent. */
  readonly agent?: string;
  readonly hooks?: unknown;
  /** Globs of the files that the skill applies to; the model sees the skill when a call touches a matching file. */
  readonly paths: readonly string[];
};

/** A skill, or a command that a file defines. */
export type Skill = SkillHeader & {
  /** The name for `/name` and for the tool Skill: `commit`, `git:commit`. */
  readonly name: string;
  readonly origin: SkillOrigin;
  /** The plugin's name. */
  readonly plugin?: string;
  readonly format: SkillFormat;
  /** The absolute path of the skill's file; empty for a built-in skill. */
  readonly file: string;
  /** The folder of the file; absolute. */
  readonly folder: string;
  /** The length of the text without its frontmatter, in characters. */
  readonly chars: number;
};

/** The largest file of a skill that is read. */
export const MAX_SKILL_BYTES = 256 * 1024;

/**
 * A skill without effect, and the skill with the same name that overrides it. `by` is undefined if a command of Quoll
 * overrides the skill.
 */
export type ShadowedSkill = { readonly skill: Skill; readonly by: Skill | undefined };

/** A skill under the name of its folder, and the name that its file gives. */
export type RenamedSkill = { readonly skill: Skill; readonly own: string };

/** The name of the tool that loads skills. */
export const SKILL_TOOL = "Skill";

/** The tag around the list of skills in a message. */
export const SKILL_LIST_TAG = "skills";
/** The tag around the text of a skill in a message. */
export const SKILL_TAG = "skill";
