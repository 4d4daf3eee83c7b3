import { z } from "zod";
import type { GivenAgent } from "./agents.ts";

const agentSchema = z.looseObject({
  description: z.string().min(1),
  prompt: z.string().min(1),
  tools: z.array(z.string()).nullish(),
  disallowedTools: z.array(z.string()).nullish(),
  model: z.string().min(1).nullish(),
});
const NAME = /^[\w:.-]{1,64}$/;

/**
 * Reads agents by name, in the form of `--agents` and of the message `initialize`:
 * `{"reviewer":{"description":…,"prompt":…}}`.
 * @throws {Error} an agent has the wrong form; the message names the agent and the field.
 */
export function readAgents(value: unknown): readonly GivenAgent[] {
  const all = z.record(z.string(), z.unknown()).safeParse(value);
  if (!all.success) throw new Error('expected an object of agents: {"name":{"description":…,"prompt":…}}');
  return Object.entries(all.data).map(([name, entry]) => {
    if (!NAME.test(name)) throw new Error(`${JSON.stringify(name)} can't be an agent's name: letters, digits, - _ . :`);
    const agent = agentSchema.safeParse(entry);
    if (!agent.success) {
      const [issue] = agent.error.issues;
      const field = [name, ...(issue?.path ?? [])].join(".");
      throw new Error(`${field}: ${issue ? expected(issue) : "it does not fit"}`);
    }
    const { description, model } = agent.data;
    return { name, description, ...(model && { model }), given: agent.data };
  });
}

function expected(issue: z.core.$ZodIssue): string {
  if (issue.code === "too_small") return "it is empty";
  if (issue.code !== "invalid_type") return issue.message;
  return (
    { string: "expected a text", array: "expected a list of texts" }[issue.expected as string] ?? "expected an object"
  );
}
