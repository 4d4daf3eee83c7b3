import type { Skill } from "../../../contracts/skill.ts";
import { defineTool, type Tool, type ToolContext, textResult } from "../../../contracts/tool.ts";
import { skillSpec } from "./spec.ts";

/** A skill that a call starts. */
export type SkillCall = { readonly skill: Skill; readonly argument: string };

export type SkillDeps = {
  /** @throws {ToolFailedError} there is no such skill, or the model can't start it. */
  find(name: string): Promise<Skill>;
  /** The text of a skill for the model. @throws {ToolFailedError} it can't be started. */
  load(call: SkillCall, signal: AbortSignal): Promise<string>;
  /** The answer of an agent that ran the skill. @throws {ToolFailedError} it did not finish. */
  runInAgent(call: SkillCall, context: ToolContext): Promise<string>;
};

/** Gives the model the text of a skill, or runs the skill in an agent of its own. */
export function skillTool(skills: SkillDeps): Tool {
  return defineTool(skillSpec, async ({ skill: name, args = "" }, context) => {
    const skill = await skills.find(name.replace(/^\//, ""));
    const argument = args.trim();
    const call: SkillCall = { skill, argument };
    return {
      level: "read",
      concurrencySafe: false,
      subjects: [{ action: "use", name: skill.name, ...(argument !== "" && { args: argument }) }],
      title: argument === "" ? skill.name : `${skill.name} ${argument}`,
      run: async () => {
        if (skill.isForked) return textResult(await skills.runInAgent(call, context));
        const display = { kind: "summary", text: "loaded" } as const;
        return textResult(await skills.load(call, context.signal), { exemptFromSpill: true, display });
      },
    };
  });
}
