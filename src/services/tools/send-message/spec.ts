import { z } from "zod";
import { declareTool } from "../../../contracts/tool.ts";
import description from "./send-message.md" with { type: "text" };

export const sendMessageSpec = declareTool({
  name: "SendMessage",
  summary: "Tell an agent something",
  description,
  level: "none",
  isRare: true,
  searchHint: "steer or resume a sub-agent, continue its conversation",
  input: z.object({
    to: z.string().min(1).describe("Id or name"),
    message: z.string().trim().min(1),
  }),
  aliases: { agent_id: "to", id: "to", recipient: "to", content: "message", prompt: "message" },
});
