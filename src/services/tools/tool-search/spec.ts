import { TOOL_SEARCH } from "../../../contracts/call-target.ts";
import { declareTool } from "../../../contracts/tool.ts";
import inputSchemas from "../input-schemas.json" with { type: "json" };
import description from "./tool-search.md" with { type: "text" };

export const toolSearchSpec = declareTool({
  name: TOOL_SEARCH,
  summary: "Find tools that are not loaded",
  description,
  level: "none",
  inputSchema: inputSchemas[TOOL_SEARCH],
  otherNames: {
    max_results: "limit",
    query: "q",
  },
});
