import { defineTool, type Tool, textResult } from "../../../contracts/tool.ts";
import { sendMessageSpec } from "./spec.ts";

/** Gives an agent a message. */
export function sendMessageTool(): Tool {
  return defineTool(sendMessageSpec, async ({ to, message }, { tasks }) => ({
    level: "none",
    concurrencySafe: false,
    subjects: [],
    title: to,
    preview: { kind: "text", text: message },
    run: async () => {
      const before = new Set(tasks.list().map((task) => task.id));
      const { id } = tasks.send(to, message);
      const text = before.has(id) ? `${to} gets the message.` : `${to} goes on as ${id} in the background.`;
      return textResult(text, { display: { kind: "summary", text } });
    },
  }));
}
