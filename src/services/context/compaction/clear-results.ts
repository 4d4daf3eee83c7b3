import type { Stub } from "../../../contracts/compaction.ts";
import type { Compaction, CompactionStage, CompactionView } from "../../../contracts/compactor.ts";
import type { ToolResultBlock } from "../../../contracts/message.ts";
import { type FoundResult, fileOf, findResults } from "./found-results.ts";
import { CLEARED_WORDS, supersededResults } from "./superseded-results.ts";

/** A share of the usable window. The results in the newest messages up to this size are never cleared. */
const KEPT_SHARE = 0.15;
/**
 * In a small window, the newest messages up to this many tokens keep their results, at most this share of the window.
 */
const KEPT_TOKENS = 10_000;
const MOST_KEPT_SHARE = 0.35;
/**
 * Results are cleared until at most this share is used, so that the next clearing is far off and the prompt cache stays
 * valid until then. docs/performance.md compares shares: at 0.6 the uncached input is twice that of an unlimited
 * window, at 0.4 less than 1.5 times.
 */
const TARGET_SHARE = 0.4;
/**
 * In a small window this many tokens stay, at most this share of the window: otherwise two files would displace each
 * other.
 */
const TARGET_TOKENS = 30_000;
const MOST_TARGET_SHARE = 0.6;
/** The content of a file is needed again more often than other results, so it ages more slowly by this factor. */
const READ_AGING = 0.45;
/**
 * A share of the usable window. If more than this would remain after clearing, a summary is written instead, because it
 * frees more.
 */
const ENOUGH_SHARE = 0.75;
/**
 * Shares of the refused request. These shares apply after the provider refused a request that seemed to fit.
 */
const TARGET_OF_REFUSED = 0.5;
const KEPT_OF_REFUSED = 0.25;
/** A smaller result is not worth a line in its place. */
const MIN_CLEARED_TOKENS = 100;

type Options = {
  /** Clears no results if the freed space would not last for a while. */
  readonly onlyIfEnough?: boolean;
  /** True if the model has the tool Recall, which returns cleared results. */
  readonly canRecall?: boolean;
};

/**
 * The free stage: tool results become one line each. Results that a later call repeats are cleared first, then the
 * oldest, except small results; calls and messages stay, and the session's file keeps everything. If a prompt was
 * refused and no old result is left, the newest results are cleared too.
 */
export function clearResults(options: Options = {}): CompactionStage {
  return { name: "old tool results", run: async (view) => clear(view, options) };
}

function clear(view: CompactionView, { onlyIfEnough = false, canRecall = false }: Options): Compaction | undefined {
  const { why, messages, usedTokens, windowTokens, reservedTokens } = view;
  if (why === "image_too_large" || (why === "manual" && onlyIfEnough)) return undefined;
  const usable = windowTokens - reservedTokens;
  const isTooLong = why === "too_long";
  const target = Math.min(targetOf(usable), isTooLong ? usedTokens * TARGET_OF_REFUSED : usedTokens);
  const kept = Math.min(keptOf(usable), isTooLong ? usedTokens * KEPT_OF_REFUSED : usedTokens);
  if (usedTokens <= target) return undefined;
  const results = findResults(messages).filter(({ block, messageId }) => !isPinned(block.toolUseId, messageId, view));
  const chosen = chooseOld(results, { excess: usedTokens - target, firstKept: firstKept(view, kept), view, canRecall });
  if (onlyIfEnough && usedTokens - chosen.freed > Math.max(target, isTooLong ? 0 : usable * ENOUGH_SHARE))
    return undefined;
  if (chosen.stubs.length > 0) return { stubs: chosen.stubs, note: noteOf("old tool result", chosen) };
  if (!isTooLong || onlyIfEnough) return undefined;
  const newest = results.filter(({ index }) => index === messages.length - 1);
  const last = take(newest, usedTokens - target, view, (sized) => newestStub(sized, canRecall));
  return last.stubs.length > 0 ? { stubs: last.stubs, note: noteOf("new tool result", last) } : undefined;
}

function targetOf(usable: number): number {
  return Math.max(usable * TARGET_SHARE, Math.min(usable * MOST_TARGET_SHARE, TARGET_TOKENS));
}

function keptOf(usable: number): number {
  return Math.max(usable * KEPT_SHARE, Math.min(usable * MOST_KEPT_SHARE, KEPT_TOKENS));
}

function isPinned(toolUseId: string, messageId: string, view: CompactionView): boolean {
  return view.isPinned(toolUseId) || view.isPinned(messageId);
}

type Choice = {
  readonly excess: number;
  readonly firstKept: number;
  readonly view: CompactionView;
  readonly canRecall: boolean;
};
type Chosen = { readonly stubs: readonly Stub[]; readonly freed: number };

function chooseOld(results: readonly FoundResult[], { excess, firstKept, view, canRecall }: Choice): Chosen {
  const superseded = supersededResults(results);
  const ages = agesOf(results, view.messages.length);
  const weight = (result: FoundResult) =>
    superseded.has(result) ? Number.POSITIVE_INFINITY : (ages.get(result) ?? 0) * agingOf(result);
  const old = results
    .filter((result) => result.index < firstKept || (superseded.has(result) && result.index < view.messages.length - 1))
    .toSorted((a, b) => order(weight(a), weight(b)) || a.index - b.index);
  return take(old, excess, view, ({ block }, result) => ({
    ...block,
    content: oldWords(block, superseded.get(result), canRecall),
  }));
}

function agingOf({ use }: FoundResult): number {
  return use?.name === "Read" ? READ_AGING : 1;
}

/** Sorts the largest first; two infinite values are equal. */
function order(a: number, b: number): number {
  return a === b ? 0 : b - a;
}

/** The number of messages since the result, or since the last call about the same file. */
function agesOf(results: readonly FoundResult[], end: number): ReadonlyMap<FoundResult, number> {
  const touched = new Map<string, number>();
  for (const { use, index } of results) {
    const file = fileOf(use);
    if (file !== undefined) touched.set(file, index);
  }
  return new Map(
    results.map((result) => [result, end - Math.max(result.index, touched.get(fileOf(result.use) ?? "") ?? 0)]),
  );
}

type Sized = { readonly block: ToolResultBlock; readonly tokens: number };
type MakeStub = (sized: Sized, result: FoundResult) => ToolResultBlock;

function take(results: readonly FoundResult[], excess: number, view: CompactionView, words: MakeStub): Chosen {
  const stubs: Stub[] = [];
  let freed = 0;
  for (const result of results) {
    if (freed >= excess) break;
    const { messageId, at, block } = result;
    const tokens = view.tokensOf(block);
    if (tokens < MIN_CLEARED_TOKENS) continue;
    const stub = words({ block, tokens }, result);
    freed += tokens - view.tokensOf(stub);
    stubs.push({ messageId, at, block: stub });
  }
  return { stubs, freed };
}

function noteOf(what: string, { stubs, freed }: Chosen): string {
  const results = `${stubs.length} ${what}${stubs.length === 1 ? "" : "s"}`;
  return `Cleared ${results} (about ${freed} tokens) from the model's view; the session's file keeps them.`;
}

/**
 * The index of the first of the newest messages that together fit into `tokens`. The last message always counts as
 * fitting.
 */
function firstKept({ messages, tokensOf }: CompactionView, tokens: number): number {
  let used = 0;
  for (let at = messages.length - 1; at > 0; at -= 1) {
    for (const block of messages[at]?.content ?? []) used += tokensOf(block);
    if (used > tokens) return Math.min(at + 1, messages.length - 1);
  }
  return 0;
}

/**
 * The text that replaces a cleared result. The text is short, because a conversation may contain hundreds of them, and
 * the call precedes each.
 */
function oldWords({ toolUseId: id }: ToolResultBlock, again: string | undefined, canRecall: boolean): string {
  if (again !== undefined) return `${CLEARED_WORDS}, id ${id}: a later call repeats it, id ${again}.]`;
  return canRecall
    ? `${CLEARED_WORDS} to make room, id ${id}: Recall brings it back. Repeat the call if the result may have changed.]`
    : `${CLEARED_WORDS} to make room, id ${id}. Repeat the call if you need the result.]`;
}

/** The block that replaces a new result that is too large. */
export function newestStub({ block, tokens }: Sized, canRecall: boolean): ToolResultBlock {
  const parts = canRecall ? ", or Recall the id in parts" : "";
  const content = `${CLEARED_WORDS}, id ${block.toolUseId}: about ${tokens} tokens do not fit the window. Ask for a smaller part${parts}.]`;
  return { ...block, content };
}
