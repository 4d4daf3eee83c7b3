import type { Stub } from "../../../contracts/compaction.ts";
import type { Compaction, CompactionStage, CompactionView } from "../../../contracts/compactor.ts";
import { type Message, type ToolResultBlock, type ToolUseBlock, toolUses } from "../../../contracts/message.ts";
import { blockTokens, CHARS_PER_TOKEN } from "../../../contracts/token-estimate.ts";

/** Of the usable window: results of the newest messages up to this much are never touched. */
const KEPT_SHARE = 0.15;
/** Results are taken out until no more than this is used, so that the next time is far off and the prompt cache holds till then. */
const TARGET_SHARE = 0.6;
/** Where the provider refused what was thought to fit, the window is not what it was taken for: shares of what was sent. */
const TARGET_OF_REFUSED = 0.5;
const KEPT_OF_REFUSED = 0.25;
/** A shorter result is not worth a line in its place. */
const MIN_STUBBED_CHARS = 600;
const MAX_ABOUT_CHARS = 80;

/**
 * The first and cheapest stage: old results of tools become one line each, oldest first. Calls stay, and so do all words; what
 * was taken out stands in the session's file. Where a prompt was refused and nothing old is left, the newest results go too.
 */
export function resultStubs(): CompactionStage {
  return { name: "old tool results", run: async (view) => stubResults(view) };
}

function stubResults(view: CompactionView): Compaction | undefined {
  const { why, messages, usedTokens, windowTokens, reservedTokens } = view;
  if (why === "image_too_large") return undefined;
  const usable = windowTokens - reservedTokens;
  const isTooLong = why === "too_long";
  const target = Math.min(usable * TARGET_SHARE, isTooLong ? usedTokens * TARGET_OF_REFUSED : Number.POSITIVE_INFINITY);
  const kept = Math.min(usable * KEPT_SHARE, isTooLong ? usedTokens * KEPT_OF_REFUSED : Number.POSITIVE_INFINITY);
  const excess = usedTokens - target;
  const old = stubsFor(messages.slice(0, firstKept(messages, kept)), { excess, of: messages, words: oldWords });
  if (old) return { stubs: old.stubs, note: noteOf("old tool result", old) };
  const newest = isTooLong && stubsFor(messages.slice(-1), { excess, of: messages, words: newestWords });
  return newest ? { stubs: newest.stubs, note: noteOf("new tool result", newest) } : undefined;
}

type Found = { readonly stubs: readonly Stub[]; readonly freed: number };
type Words = (call: string, tokens: number) => string;
type Search = {
  /** Tokens that have to go. */
  readonly excess: number;
  /** The whole conversation, for the calls. */
  readonly of: readonly Message[];
  readonly words: Words;
};

function stubsFor(messages: readonly Message[], { excess, of, words }: Search): Found | undefined {
  const calls = new Map(
    of.flatMap((message) => (message.role === "assistant" ? toolUses(message) : [])).map((use) => [use.id, use]),
  );
  const stubs: Stub[] = [];
  let freed = 0;
  for (const { id: messageId, role, content } of messages) {
    if (role !== "user") continue;
    for (const [at, block] of content.entries()) {
      if (block.type !== "tool_result" || freed >= excess) continue;
      const stub = stubOf(block, calls.get(block.toolUseId), words);
      if (stub === undefined) continue;
      freed += blockTokens(block) - blockTokens(stub);
      stubs.push({ messageId, at, block: stub });
    }
  }
  return stubs.length === 0 ? undefined : { stubs, freed };
}

function noteOf(what: string, { stubs, freed }: Found): string {
  const results = `${stubs.length} ${what}${stubs.length === 1 ? "" : "s"}`;
  return `Took ${results} out of the model's view (about ${freed} tokens); the session's file keeps them.`;
}

/** Where the newest messages begin that together take no more than so many tokens; the last one always counts among them. */
function firstKept(messages: readonly Message[], tokens: number): number {
  let used = 0;
  for (let at = messages.length - 1; at > 0; at -= 1) {
    for (const block of messages[at]?.content ?? []) used += blockTokens(block);
    if (used > tokens) return Math.min(at + 1, messages.length - 1);
  }
  return 0;
}

function stubOf(block: ToolResultBlock, use: ToolUseBlock | undefined, words: Words): ToolResultBlock | undefined {
  const tokens = blockTokens(block);
  if (tokens * CHARS_PER_TOKEN < MIN_STUBBED_CHARS) return undefined;
  const about = use === undefined ? "a call" : `${use.name} ${JSON.stringify(use.input)}`;
  const shown = about.length > MAX_ABOUT_CHARS ? `${about.slice(0, MAX_ABOUT_CHARS).toWellFormed()}…` : about;
  return { ...block, content: words(shown, tokens) };
}

function oldWords(call: string, tokens: number): string {
  return `[Taken out to make room: the result of ${call}, about ${tokens} tokens. Call it again if it is needed.]`;
}

function newestWords(call: string, tokens: number): string {
  return `[Taken out: the result of ${call}, about ${tokens} tokens, does not fit the window. Ask for a smaller part of it.]`;
}
