import { z } from "zod";
import { defineTool } from "../../../contracts/define-tool.ts";
import { InvalidInputError } from "../../../contracts/errors.ts";
import type { Tool } from "../../../contracts/tool.ts";
import { toolCallSpec } from "./spec.ts";

export const toolCallInput = z.object({ name: z.string().min(1), input: z.looseObject({}) });

/**
 * This tool never runs: the engine replaces its calls with calls of the named tools. Only calls that name no other
 * tool remain.
 */
export function toolCallTool(): Tool {
  return defineTool(toolCallSpec, toolCallInput, async () => {
    throw new InvalidInputError("ToolCall can't call itself: `name` is the name of another tool.");
  });
}
