import type { ListItem, ResultBody } from "../../contracts/display.ts";
import { EXTENSION_TOOL_PREFIX } from "../../contracts/extension.ts";
import { isJsonObject, type JsonObject } from "../../contracts/message.ts";
import { parsedJson } from "../../contracts/parsed-json.ts";
import type { FinishedTool } from "./transcript.ts";

/** More columns are hard to read, so such data is shown as a list. */
const MAX_COLUMNS = 6;

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

/** Structured data as a table of records, or as a list; undefined for other values. */
function jsonBody(value: unknown): ResultBody | undefined {
  if (Array.isArray(value)) return value.length === 0 ? undefined : (tableOf(value) ?? listOf(value));
  if (!isJsonObject(value)) return undefined;
  const entries = Object.entries(value);
  const [only] = entries;
  if (only && entries.length === 1 && Array.isArray(only[1])) return jsonBody(only[1]);
  const items = entries.map(([key, one]): ListItem => ({ text: `${key}: ${textOf(one)}` }));
  return items.length === 0 ? undefined : { kind: "list", items };
}

/** Records with the same few keys. */
function tableOf(values: readonly unknown[]): ResultBody | undefined {
  const records = values.filter((value): value is JsonObject => isJsonObject(value));
  const keys = [...new Set(records.flatMap((record) => Object.keys(record)))];
  if (records.length < values.length || keys.length === 0 || keys.length > MAX_COLUMNS) return undefined;
  const columns = keys.map((name) => ({
    name,
    ...(records.every((record) => typeof record[name] === "number") && { align: "right" as const }),
  }));
  return { kind: "table", columns, rows: records.map((record) => keys.map((key) => textOf(record[key] ?? ""))) };
}

function listOf(values: readonly unknown[]): ResultBody {
  return { kind: "list", items: values.map((value) => ({ text: textOf(value) })) };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
