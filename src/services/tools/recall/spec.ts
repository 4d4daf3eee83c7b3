import { RECALL } from "../../../contracts/recall.ts";
import { declareTool } from "../../../contracts/tool.ts";
import inputSchemas from "../input-schemas.json" with { type: "json" };
import description from "./recall.md" with { type: "text" };

export const recallSpec = declareTool({
  name: RECALL,
  summary: "Bring back what was said and done earlier in the session",
  description,
  level: "none",
  inputSchema: inputSchemas[RECALL],
  otherNames: {
    query: "id q tool_use_id",
    max_tokens: "limit",
  },
});
