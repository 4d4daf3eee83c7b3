import type { ResultBody } from "../../contracts/display.ts";
import { EXTENSION_TOOL_PREFIX } from "../../contracts/extension.ts";
import { jsonBody } from "../../contracts/json-body.ts";
import { parsedJson } from "../../contracts/parsed-json.ts";
import type { FinishedTool } from "./transcript.ts";

/**
 * The content of a call's result that screens show below the call's row; undefined if the row says enough. Tools of
 * servers and extensions show their result as the model got it, unless they describe it as data.
 */
export function resultBody({ use, display, excerpt, isError }: FinishedTool): ResultBody | undefined {
  if (isError || (display !== undefined && display.kind !== "summary")) return undefined;
  if (display?.body) return display.body;
  const isForeign = use.name.startsWith("mcp__") || (display === undefined && hasOwnText(use.name));
  return isForeign && excerpt.trim() !== ""
    ? (jsonBody(parsedJson(excerpt)) ?? { kind: "text", text: excerpt })
    : undefined;
}

function hasOwnText(toolName: string): boolean {
  return toolName.startsWith(EXTENSION_TOOL_PREFIX) || toolName === "ReadMcpResource";
}
