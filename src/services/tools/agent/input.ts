import { z } from "zod";
import { USUAL_AGENT } from "../../../contracts/agent-definition.ts";

export const agentInput = z.object({
  description: z.string().trim().min(1).describe("3 to 6 words for the user"),
  prompt: z.string().trim().min(1),
  subagent_type: z.string().trim().min(1).default(USUAL_AGENT),
  name: z.string().trim().min(1).max(64).optional().describe("Works like its id"),
  model: z.string().min(1).optional(),
  allowed_tools: z.array(z.string()).optional().describe("The only tools it gets"),
  max_turns: z.number().int().min(1).optional(),
  budget: z.number().int().min(1).optional().describe("Most tokens"),
  max_usd: z.number().positive().optional(),
  run_in_background: z.boolean().optional(),
  isolation: z.enum(["worktree"]).optional().describe("On its own branch"),
  expect: z
    .object({
      files: z.array(z.string().min(1)).optional(),
      command: z.string().trim().min(1).optional(),
      schema: z.looseObject({}).optional(),
    })
    .optional()
    .describe("Checked at its end: files to create or change, a command to pass, the answer's JSON schema"),
  resume: z.string().min(1).optional().describe("Id or name: gets `prompt`, goes on in the background"),
});
