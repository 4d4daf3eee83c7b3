import { z } from "zod";
import { type Entry, SESSION_FORMAT } from "../../contracts/session.ts";

const textBlock = z.looseObject({ type: z.literal("text"), text: z.string() });
const imageBlock = z.looseObject({ type: z.literal("image"), mediaType: z.string(), data: z.string() });
const documentBlock = z.looseObject({ type: z.literal("document"), mediaType: z.string(), data: z.string() });
const resultBlock = z.looseObject({
  type: z.literal("tool_result"),
  toolUseId: z.string(),
  content: z.union([z.string(), z.array(z.union([textBlock, imageBlock, documentBlock]))]),
  isError: z.boolean(),
});
const userMessage = z.looseObject({
  role: z.literal("user"),
  id: z.string(),
  content: z.array(z.union([textBlock, imageBlock, documentBlock, resultBlock])),
});
const assistantBlock = z.union([
  textBlock,
  z.looseObject({ type: z.literal("thinking"), thinking: z.string(), signature: z.string() }),
  z.looseObject({ type: z.literal("redacted_thinking"), data: z.string() }),
  z.looseObject({
    type: z.literal("tool_use"),
    id: z.string(),
    name: z.string(),
    input: z.record(z.string(), z.unknown()),
  }),
  z.looseObject({ type: z.literal("opaque"), data: z.record(z.string(), z.unknown()) }),
]);
const usage = z.looseObject({
  inputTokens: z.number(),
  outputTokens: z.number(),
  cacheReadTokens: z.number(),
  cacheWriteTokens: z.number(),
});
const assistantMessage = z.looseObject({
  role: z.literal("assistant"),
  id: z.string(),
  model: z.string(),
  content: z.array(assistantBlock),
  stopReason: z.string(),
  usage,
});
const bodies = {
  session: z.looseObject({ sessionId: z.string(), cwd: z.string(), version: z.string() }),
  setup: z.looseObject({
    isStart: z.boolean(),
    cwd: z.string(),
    mode: z.string(),
    model: z.string(),
    tools: z.array(z.string()),
    platform: z.string(),
    version: z.string(),
    head: z.string().optional(),
  }),
  user: z.looseObject({ message: userMessage, prompt: z.string() }),
  assistant: z.looseObject({ message: assistantMessage }),
  tool_started: z.looseObject({ toolUseId: z.string(), toolName: z.string() }),
  tool_finished: z.looseObject({ result: resultBlock }),
  results: z.looseObject({ message: userMessage }),
  turn_finished: z.looseObject({ reason: z.string() }),
  cleared: z.looseObject({}),
} as const satisfies Record<Entry["kind"], z.ZodType>;
const frame = z.looseObject({ v: z.number(), id: z.string(), parentId: z.string().nullable(), kind: z.string() });

/** What a line of a session file turned out to be. */
export type ReadLine =
  | { readonly kind: "entry"; readonly entry: Entry }
  /** Of a kind that we don't know, written by a program of the same format: it is only a link of the chain. */
  | { readonly kind: "foreign"; readonly id: string; readonly parentId: string | null }
  | { readonly kind: "newer"; readonly format: number }
  | { readonly kind: "malformed" };

export function parseEntry(line: string): ReadLine {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { kind: "malformed" };
  }
  const framed = frame.safeParse(value);
  if (!framed.success) return { kind: "malformed" };
  const { v, id, parentId, kind } = framed.data;
  if (v > SESSION_FORMAT) return { kind: "newer", format: v };
  if (!isKnown(kind)) return { kind: "foreign", id, parentId };
  return bodies[kind].safeParse(value).success ? { kind: "entry", entry: value as Entry } : { kind: "malformed" };
}

/** One line, with its line feed. What a list needs stands early: a prompt before the message that repeats it. */
export function formatEntry(entry: Entry): string {
  const { v, id, parentId, time, kind, ...body } = entry;
  const early = "prompt" in body ? { prompt: body.prompt } : {};
  return `${JSON.stringify({ v, id, parentId, time, kind, ...early, ...body })}\n`;
}

function isKnown(kind: string): kind is Entry["kind"] {
  return Object.hasOwn(bodies, kind);
}
