import type { Entry } from "../../contracts/session.ts";
import type { Frame } from "./read-line.ts";

/** Formats an entry as one line, with its line feed. The fields for session lists come first, so that a list reads only the start. */
export function formatEntry(entry: Entry | Frame): string {
  const { v, id, parentId, kind, ...rest } = entry;
  const { time, ...body } = rest as { readonly time?: unknown };
  const early = "prompt" in body ? { prompt: body.prompt } : {};
  return `${JSON.stringify({ v, id, parentId, time, kind, ...early, ...body })}\n`;
}
