import type { CallToolResult, Tool } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import type { AgentReport } from "../../contracts/agent-scope.ts";
import type { AgentRequest } from "../../contracts/served-session.ts";
import description from "./agent.md" with { type: "text" };

/** The name of the tool that runs a whole request. */
export const AGENT_TOOL = "agent";
const TITLE = "Give a task to Quoll";

const input = z.strictObject({
  prompt: z.string().trim().min(1).describe("The whole task, with everything that the agent needs to know"),
  model: z.string().min(1).optional().describe("Name or alias of a model; the server's own if left out"),
  max_turns: z.number().int().positive().optional().describe("Maximum number of model requests"),
  max_budget_usd: z.number().positive().optional().describe("Maximum cost in US dollars"),
});

const output = z.object({
  text: z.string().describe("The agent's last answer"),
  reason: z.string().describe("How the run ended: `completed`, or what stopped it"),
  turns: z.number().int(),
  usage: z.object({
    input_tokens: z.number().int(),
    output_tokens: z.number().int(),
    cache_read_input_tokens: z.number().int(),
    cache_creation_input_tokens: z.number().int(),
  }),
  cost_usd: z.number().optional().describe("Absent if the price of the model is unknown"),
  denied: z.string().optional().describe("How to allow calls that nobody could answer for"),
});

export function agentTool(): Tool {
  return {
    name: AGENT_TOOL,
    title: TITLE,
    description: description.trim(),
    inputSchema: schemaOf(input, "input"),
    outputSchema: schemaOf(output, "output"),
    annotations: { title: TITLE, readOnlyHint: false, destructiveHint: true, openWorldHint: true },
  };
}

function schemaOf(schema: z.ZodObject, io: "input" | "output"): Tool["inputSchema"] {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io });
  return { ...rest, type: "object" } as Tool["inputSchema"];
}

/** Reads the request of a call; returns one line if the input is invalid. */
export function readAgentRequest(raw: unknown): AgentRequest | { readonly problem: string } {
  const parsed = input.safeParse(raw);
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) => [...path, message].join(": "));
    return { problem: `The input of ${AGENT_TOOL} is wrong: ${problems.join("; ")}.` };
  }
  const { prompt, model, max_turns: maxSteps, max_budget_usd: maxBudgetUsd } = parsed.data;
  return {
    prompt,
    ...(model !== undefined && { model }),
    ...(maxSteps !== undefined && { maxSteps }),
    ...(maxBudgetUsd !== undefined && { maxBudgetUsd }),
  };
}

/**
 * Converts the report of a run to the form of the protocol. A run that did not complete becomes an error.
 * @param remedy For people: how to allow calls that were denied because nobody could answer.
 */
export function agentResult(report: AgentReport, remedy: string | undefined): CallToolResult {
  const { reason, message, text, steps, usage, costUsd } = report;
  const isError = reason !== "completed";
  const why = message === undefined ? reason : `${reason}: ${message}`;
  const told = isError ? [`[The agent stopped before it was done (${why}).]`] : [];
  const structuredContent: z.infer<typeof output> = {
    text,
    reason,
    turns: steps,
    usage: {
      input_tokens: usage.inputTokens,
      output_tokens: usage.outputTokens,
      cache_read_input_tokens: usage.cacheReadTokens,
      cache_creation_input_tokens: usage.cacheWriteTokens,
    },
    ...(costUsd !== undefined && { cost_usd: costUsd }),
    ...(remedy !== undefined && { denied: remedy }),
  };
  const words = [text, ...told, remedy ?? ""].filter((part) => part !== "").join("\n\n");
  return { content: [{ type: "text", text: words }], structuredContent, isError };
}
