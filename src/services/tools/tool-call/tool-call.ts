import { InvalidInputError } from "../../../contracts/errors.ts";
import { defineTool, type Tool } from "../../../contracts/tool.ts";
import { toolCallSpec } from "./spec.ts";

/** Never runs: the engine replaces a call of it by a call of the tool that it names. What is left names no other tool. */
export function toolCallTool(): Tool {
  return defineTool(toolCallSpec, async () => {
    throw new InvalidInputError("ToolCall can't call itself: `name` is the name of another tool.");
  });
}
