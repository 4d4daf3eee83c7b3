import { isObject } from "../../shape.ts";
import { jsonTokens, MEDIA_TOKENS, MESSAGE_TOKENS, textTokens } from "../tokens.ts";

/** Fields that frame content but are not content. */
const FRAME_FIELDS = new Set([
  "type",
  "role",
  "id",
  "call_id",
  "tool_call_id",
  "detail",
  "status",
  "encrypted_content",
]);

function contentTokens(value: unknown): number {
  if (typeof value === "string") return value.startsWith("data:") ? MEDIA_TOKENS : textTokens(value);
  if (Array.isArray(value)) return value.reduce((total: number, item) => total + contentTokens(item), 0);
  if (!isObject(value)) return 0;
  const content = Object.entries(value).filter(([name]) => !FRAME_FIELDS.has(name));
  return content.reduce((total, [, item]) => total + contentTokens(item), 0);
}

/** Tokens of a prompt: its instructions, its messages or items, its tools. Rough, deterministic, always at least 1. */
export function promptTokens(prompt: {
  readonly instructions?: string | null | undefined;
  readonly items: readonly unknown[];
  readonly tools?: readonly unknown[] | null | undefined;
}): number {
  const items = prompt.items.reduce((total: number, item) => total + MESSAGE_TOKENS + contentTokens(item), 0);
  const tools = prompt.tools?.length ? jsonTokens(prompt.tools) : 0;
  return Math.max(1, textTokens(prompt.instructions ?? "") + items + tools);
}
