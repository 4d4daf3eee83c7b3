import { z } from "zod";
import { defineTool } from "../../../contracts/define-tool.ts";
import type { Tool } from "../../../contracts/tool.ts";
import type { AgentDeps } from "../agent/agent.ts";
import { messageAgent } from "../message-agent.ts";
import { sendMessageSpec } from "./spec.ts";

export const sendMessageInput = z.object({
  to: z.string().min(1).describe("Id or name"),
  message: z.string().trim().min(1),
});

/** Gives an agent a message. */
export function sendMessageTool(agents: AgentDeps): Tool {
  return defineTool(sendMessageSpec, sendMessageInput, async ({ to, message }, context) => ({
    level: "none",
    concurrencySafe: false,
    subjects: [],
    title: to,
    preview: { kind: "text", text: message },
    run: async () => messageAgent({ agents, context }, to, { message }),
  }));
}
