import { z } from "zod";
import { TOOL_CALL } from "../../../contracts/call-target.ts";
import { declareTool } from "../../../contracts/tool.ts";
import description from "./tool-call.md" with { type: "text" };

export const toolCallSpec = declareTool({
  name: TOOL_CALL,
  summary: "Call a tool that was found by ToolSearch",
  description,
  level: "none",
  input: z.object({ name: z.string().min(1), input: z.looseObject({}) }),
});
