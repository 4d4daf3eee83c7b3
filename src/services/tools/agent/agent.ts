import { oneLine } from "@quoll/terminal-text/one-line";
import { z } from "zod";
import { type AgentDefinition, USUAL_AGENT } from "../../../contracts/agent-definition.ts";
import { defineTool } from "../../../contracts/define-tool.ts";
import type { Progress } from "../../../contracts/display.ts";
import { ToolFailedError } from "../../../contracts/errors.ts";
import { withTextBody } from "../../../contracts/result-body.ts";
import { type Tool, type ToolContext, textResult } from "../../../contracts/tool.ts";
import { type AgentMailboxes, messageAgent } from "../message-agent.ts";
import { agentSpec } from "./spec.ts";

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

const MAX_TITLE_COLUMNS = 100;

type AgentInput = z.infer<typeof agentInput>;

/** The checks when an agent ends. */
export type AgentExpect = NonNullable<AgentInput["expect"]>;

/** An agent that a call starts. */
export type AgentCall = {
  readonly definition: AgentDefinition;
  /** The task in a few words; one printable line. */
  readonly description: string;
  readonly prompt: string;
  /** The caller's own name for the agent; one printable line. */
  readonly name?: string;
  readonly model: string | undefined;
  readonly allowedTools: readonly string[] | undefined;
  /** Deny rules in addition to those of the definition. */
  readonly deny?: readonly string[];
  readonly maxTurns: number | undefined;
  readonly budgetTokens: number | undefined;
  /** US dollars. */
  readonly budgetUsd: number | undefined;
  /** True if the call does not wait for the agent. */
  readonly isBackground: boolean;
  /** True if the agent works in a separate git worktree. */
  readonly isIsolated: boolean;
  readonly expect: AgentExpect | undefined;
};

export type AgentDeps = AgentMailboxes & {
  /** An agent of an earlier process that can be continued, by its id or name. */
  earlier(idOrName: string): Promise<{ readonly type: string } | undefined>;
  /** @throws {ToolFailedError} if there is no such type. */
  find(type: string): Promise<AgentDefinition>;
  /** Runs an agent to its end, or starts it in the background. @throws {ToolFailedError} it can't start. */
  run(
    call: AgentCall,
    context: ToolContext,
    report: (progress: Progress) => void,
  ): Promise<{
    readonly text: string;
    readonly isError: boolean;
    readonly summary: string;
    /** The facts and the words of a complete answer, for the screen. */
    readonly shown?: string;
    readonly said?: string;
  }>;
};

/** A call that continues an agent in the background. @throws {ToolFailedError} if there is none of this id or name. */
async function resumed(
  id: string,
  input: Pick<AgentInput, "prompt" | "description">,
  { agents, context }: { readonly agents: AgentDeps; readonly context: ToolContext },
) {
  const all = context.tasks.list();
  const { agent = await agents.earlier(id) } =
    all.find((task) => task.id === id) ?? all.findLast((task) => task.agent?.name === id) ?? {};
  if (!agent) throw new ToolFailedError(`There is no agent "${id}": TaskOutput without an id lists what there is.`);
  return {
    ...({ level: "read", concurrencySafe: false } as const),
    subjects: [{ action: "use" as const, name: agent.type }],
    title: `${id} goes on`,
    preview: { kind: "text", text: input.prompt } as const,
    run: async () => {
      const description = oneLine(input.description, MAX_TITLE_COLUMNS);
      return messageAgent({ agents, context }, id, { message: input.prompt, description });
    },
  };
}

/** Runs a task in a separate agent. */
export function agentTool(agents: AgentDeps): Tool {
  return defineTool(agentSpec, agentInput, async (input, context) => {
    if (input.resume !== undefined) return resumed(input.resume, input, { agents, context });
    const definition = await agents.find(input.subagent_type);
    const description = oneLine(input.description, MAX_TITLE_COLUMNS);
    const { prompt, model, allowed_tools: allowedTools, max_turns: maxTurns, budget: budgetTokens } = input;
    const isBackground = input.run_in_background ?? definition.isBackground ?? false;
    const limits = { allowedTools, maxTurns, budgetTokens, budgetUsd: input.max_usd, expect: input.expect };
    const isIsolated = input.isolation !== undefined || definition.isIsolated === true;
    const name = input.name === undefined ? undefined : oneLine(input.name, MAX_TITLE_COLUMNS);
    const call: AgentCall = {
      definition,
      description,
      prompt,
      model,
      ...limits,
      isBackground,
      isIsolated,
      ...(name !== undefined && { name }),
    };
    return {
      level: "read",
      concurrencySafe: true,
      subjects: [{ action: "use", name: definition.name }],
      title: `${definition.name}: ${description}`,
      preview: { kind: "text", text: prompt },
      run: async (_, report) => {
        const { text, isError, summary, shown = summary, said = "" } = await agents.run(call, context, report);
        return textResult(text, { isError, display: { kind: "summary", text: shown, ...withTextBody(said) } });
      },
    };
  });
}
