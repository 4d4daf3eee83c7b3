import { defineTool, type Tool } from "../../../contracts/tool.ts";
import { messageAgent } from "../message-agent.ts";
import { sendMessageSpec } from "./spec.ts";

/** Gives an agent a message. */
export function sendMessageTool(): Tool {
  return defineTool(sendMessageSpec, async ({ to, message }, { tasks }) => ({
    level: "none",
    concurrencySafe: false,
    subjects: [],
    title: to,
    preview: { kind: "text", text: message },
    run: async () => messageAgent(tasks, to, message),
  }));
}
