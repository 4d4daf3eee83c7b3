import { defineTool } from "../../../contracts/define-tool.ts";
import type { Tool } from "../../../contracts/tool.ts";
import { messageAgent } from "../message-agent.ts";
import { sendMessageInput } from "./input.ts";
import { sendMessageSpec } from "./spec.ts";

/** Gives an agent a message. */
export function sendMessageTool(): Tool {
  return defineTool(sendMessageSpec, sendMessageInput, async ({ to, message }, { tasks }) => ({
    level: "none",
    concurrencySafe: false,
    subjects: [],
    title: to,
    preview: { kind: "text", text: message },
    run: async () => messageAgent(tasks, to, message),
  }));
}
