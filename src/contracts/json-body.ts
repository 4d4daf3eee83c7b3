import type { ListItem, ResultBody } from "./display.ts";
import { isJsonObject, type JsonObject } from "./message.ts";

/** More columns are hard to read, so such data is shown as a list. */
const MAX_COLUMNS = 6;

/** Structured data of a result as a table of records, or as a list; undefined for other values. */
export function jsonBody(value: unknown): ResultBody | undefined {
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
