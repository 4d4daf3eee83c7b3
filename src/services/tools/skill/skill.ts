import { z } from "zod";
import { defineTool } from "../../../contracts/define-tool.ts";
import type { Progress } from "../../../contracts/display.ts";
import type { Skill } from "../../../contracts/skill.ts";
import { type Tool, type ToolContext, textResult } from "../../../contracts/tool.ts";
import { skillSpec } from "./spec.ts";

export const skillInput = z.object({
  skill: z.string().trim().min(1).describe("Its name, without a slash"),
  args: z.string().optional().describe("What follows the name when typed"),
});

/** A skill that a call starts. */
export type SkillCall = { readonly skill: Skill; readonly argument: string };

/** The end of an agent that ran a skill, or that it went to the background. */
export type AgentEnd = { readonly text: string; readonly isError: boolean; readonly summary: string };

export type SkillDeps = {
  /** @throws {ToolFailedError} if there is no such skill, or the model can't start it. */
  find(name: string): Promise<Skill>;
  /** The text of a skill for the model. @throws {ToolFailedError} it can't be started. */
  load(call: SkillCall, signal: AbortSignal): Promise<string>;
  /** Runs the skill in a separate agent. @throws {ToolFailedError} the agent can't start. */
  runInAgent(call: SkillCall, context: ToolContext, report: (progress: Progress) => void): Promise<AgentEnd>;
};

/** Gives the model the text of a skill, or runs the skill in a separate agent. */
export function skillTool(skills: SkillDeps): Tool {
  return defineTool(skillSpec, skillInput, async ({ skill: name, args = "" }, context) => {
    const skill = await skills.find(name.replace(/^\//, ""));
    const argument = args.trim();
    const call: SkillCall = { skill, argument };
    return {
      level: "read",
      concurrencySafe: false,
      subjects: [{ action: "use", name: skill.name, ...(argument !== "" && { args: argument }) }],
      title: argument === "" ? skill.name : `${skill.name} ${argument}`,
      run: async (_, report) => {
        if (skill.isForked) {
          const { text, isError, summary } = await skills.runInAgent(call, context, report);
          return textResult(text, { isError, display: { kind: "summary", text: summary } });
        }
        const display = { kind: "summary", text: "loaded" } as const;
        return textResult(await skills.load(call, context.signal), { exemptFromSpill: true, display });
      },
    };
  });
}
