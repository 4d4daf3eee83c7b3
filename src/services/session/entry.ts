import { z } from "zod";
import type { ToolResultBlock, ToolUseBlock, UserBlock } from "../../contracts/message.ts";
import { oldDecider, withOldFacts } from "../../contracts/old-results.ts";
import { parsedJson } from "../../contracts/parsed-json.ts";
import { type Entry, SESSION_FORMAT, type ShownFact } from "../../contracts/session.ts";
import { type Frame, isKnownKind, type ReadLine } from "./read-line.ts";

const textBlock = z.looseObject({ type: z.literal("text"), text: z.string() });
const imageBlock = z.looseObject({ type: z.literal("image"), mediaType: z.string(), data: z.string() });
const documentBlock = z.looseObject({ type: z.literal("document"), mediaType: z.string(), data: z.string() });
const resultBlock = z.looseObject({
  type: z.literal("tool_result"),
  toolUseId: z.string(),
  content: z.union([z.string(), z.array(z.union([textBlock, imageBlock, documentBlock]))]),
  isError: z.boolean(),
});
const userBlock = z.union([textBlock, imageBlock, documentBlock, resultBlock]);
const userMessage = z.looseObject({ role: z.literal("user"), id: z.string(), content: z.array(userBlock) });
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
const shownCall = { toolUseId: z.string(), title: z.string(), durationMs: z.number() };
const shownFact = z.union([
  z.looseObject({ type: z.literal("call"), ...shownCall }),
  z.looseObject({ type: z.literal("shell"), isError: z.boolean(), excerpt: z.string(), ...shownCall }),
  z.looseObject({ type: z.literal("notice"), message: z.string(), level: z.literal("info").optional() }),
  z.looseObject({ type: z.literal("continued"), reason: z.string() }),
  z.looseObject({ type: z.literal("cache_missed"), changed: z.string(), missedTokens: z.number() }),
  z.looseObject({ type: z.literal("tools_changed"), added: z.array(z.string()), changed: z.array(z.string()) }),
]);
const toolDeclaration = z.looseObject({
  name: z.string(),
  description: z.string(),
  inputSchema: z.record(z.string(), z.unknown()),
});
const bodies = {
  session: z.looseObject({
    sessionId: z.string(),
    cwd: z.string(),
    version: z.string(),
    isHeadless: z.literal(true).optional(),
    branch: z.string().optional(),
    rootId: z.string().optional(),
  }),
  setup: z.looseObject({
    isStart: z.boolean(),
    cwd: z.string(),
    mode: z.string(),
    model: z.string(),
    provider: z.string().optional(),
    tools: z.array(z.string()),
    platform: z.string(),
    version: z.string(),
    head: z.string().optional(),
    worktree: z.string().optional(),
    systemHash: z.string().optional(),
  }),
  user: z.looseObject({
    message: userMessage,
    prompt: z.string(),
    announced: z.array(z.string()).optional(),
  }),
  tools: z.looseObject({
    mode: z.enum(["array", "late", "deferred"]),
    array: z.array(z.union([z.string(), toolDeclaration])),
  }),
  assistant: z.looseObject({ message: assistantMessage }),
  tool_started: z.looseObject({ toolUseId: z.string(), toolName: z.string(), answerId: z.string().optional() }),
  tool_finished: z.looseObject({ result: resultBlock, answerId: z.string().optional() }),
  results: z.looseObject({
    message: userMessage,
    finished: z.array(z.looseObject({ at: z.number(), entryId: z.string() })).optional(),
  }),
  turn_finished: z.looseObject({
    reason: z.string(),
    shown: z.looseObject({ outcome: z.looseObject({ reason: z.string() }), durationMs: z.number(), usage }).optional(),
  }),
  shown: z.looseObject({ fact: shownFact }),
  cleared: z.looseObject({}),
  compacted: z.looseObject({
    why: z.string(),
    stubs: z.array(z.looseObject({ messageId: z.string(), at: z.number(), block: userBlock })),
    firstKeptId: z.string().optional(),
    lastKeptId: z.string().optional(),
    keptIds: z.array(z.string()).optional(),
    removedIds: z.array(z.string()).optional(),
    summary: userMessage.optional(),
    note: z.string(),
  }),
  note: z.looseObject({ text: z.string() }),
  pinned: z.looseObject({ ids: z.array(z.string()) }),
  label: z.looseObject({
    name: z.string().optional(),
    title: z.string().optional(),
    isPinned: z.boolean().optional(),
    isArchived: z.boolean().optional(),
  }),
  worktree: z.looseObject({ name: z.string().optional() }),
  uncompacted: z.looseObject({ compactedId: z.string() }),
  branch: z.looseObject({ from: z.string().nullable() }),
} as const satisfies Record<Entry["kind"], z.ZodType>;
const frame: z.ZodType<Frame> = z.looseObject({
  v: z.number(),
  id: z.string(),
  parentId: z.string().nullable(),
  kind: z.string(),
  agentId: z.string().optional(),
  parentAgentId: z.string().nullish(),
  optional: z.boolean().optional(),
});
/** From this format on, a reader may skip an entry of an unknown kind only if the entry is marked optional. */
const SAYS_OPTIONAL = 2;

export function parseEntry(line: string): ReadLine {
  const value = parsedJson(line);
  const framed = frame.safeParse(value);
  if (!framed.success) return { kind: "malformed" };
  const { v, kind, optional } = framed.data;
  if (v > SESSION_FORMAT) return { kind: "newer", why: `format ${v}, this one reads ${SESSION_FORMAT}` };
  if (!isKnownKind(kind)) {
    if (v >= SAYS_OPTIONAL && !optional) return { kind: "newer", why: `it holds an entry of the kind "${kind}"` };
    return { kind: "foreign", record: framed.data };
  }
  return bodies[kind].safeParse(value).success
    ? { kind: "entry", entry: withFacts(value as Entry) }
    : { kind: "malformed" };
}

/** Reads what older versions wrote only as words. */
function withFacts(entry: Entry): Entry {
  if (entry.hasFacts) return entry;
  switch (entry.kind) {
    case "tool_finished":
      return { ...entry, result: withOldFacts(entry.result) };
    case "compacted":
      return { ...entry, stubs: entry.stubs.map((stub) => ({ ...stub, block: blockWithFacts(stub.block) })) };
    case "results": {
      return { ...entry, message: { ...entry.message, content: entry.message.content.map(blockWithFacts) } };
    }
    case "shown": {
      const words: unknown = "refusedBy" in entry.fact ? entry.fact.refusedBy : undefined;
      return typeof words === "string"
        ? { ...entry, fact: { ...entry.fact, refusedBy: oldDecider(words) } as ShownFact }
        : entry;
    }
    default:
      return entry;
  }
}

function blockWithFacts<Block extends UserBlock | ToolUseBlock>(block: Block): Block | ToolResultBlock {
  return block.type === "tool_result" ? withOldFacts<ToolResultBlock>(block) : block;
}
