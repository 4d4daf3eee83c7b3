import type { Skill } from "../../contracts/skill.ts";

/** The skills that come with Quoll. Only people start these skills, so they cost the model no tokens until then. */
export const BUILTIN_SKILLS: readonly Skill[] = [
  builtin("commit", "Commit the changes in small commits with good messages", "[what to commit]"),
  builtin("explain-failure", "Find out why a command or test fails, and say what would fix it", "[command]"),
  builtin("make-skill", "Write a skill from what was done here, or from your words", "[name and purpose]"),
  builtin("review", "Review the uncommitted changes, a branch or a pull request", "[branch or number]"),
  builtin("write-tests", "Write tests for a file, a function or the newest changes", "[what to test]"),
];

function builtin(name: string, description: string, argumentHint: string): Skill {
  return {
    name,
    origin: "builtin",
    format: "skill",
    file: "",
    folder: "",
    chars: 0,
    description,
    argumentHint,
    argumentNames: [],
    isForModel: false,
    isForUser: true,
    allowedTools: [],
    disallowedTools: [],
    isForked: false,
    paths: [],
  };
}
