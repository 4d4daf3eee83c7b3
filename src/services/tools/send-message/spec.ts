import { declareTool } from "../../../contracts/tool.ts";
import inputSchemas from "../input-schemas.json" with { type: "json" };
import description from "./send-message.md" with { type: "text" };

export const sendMessageSpec = declareTool({
  name: "SendMessage",
  summary: "Tell an agent something",
  description,
  level: "none",
  isRare: true,
  searchHint: "steer or resume a sub-agent, continue its conversation",
  inputSchema: inputSchemas.SendMessage,
  otherNames: {
    to: "agent_id id recipient",
    message: "content prompt",
  },
});
