import { TOOL_CALL } from "../../../contracts/call-target.ts";
import { declareTool } from "../../../contracts/tool.ts";
import inputSchemas from "../input-schemas.json" with { type: "json" };
import description from "./tool-call.md" with { type: "text" };

export const toolCallSpec = declareTool({
  name: TOOL_CALL,
  summary: "Call a tool that was found by ToolSearch",
  description,
  level: "none",
  inputSchema: inputSchemas[TOOL_CALL],
});
