import { basename } from "node:path";
import { formatCount } from "@quoll/terminal-text/format-amount";
import { withClearedInput } from "../../../contracts/cleared-input.ts";
import type { Stub } from "../../../contracts/compaction.ts";
import type { Compaction, CompactionStage, CompactionView, StageContext } from "../../../contracts/compactor.ts";
import type { ToolResultBlock, ToolUseBlock } from "../../../contracts/message.ts";
import type { Entry } from "../../../contracts/session.ts";
import { WEB_FETCH, WEB_SEARCH } from "../../../contracts/web.ts";
import { type FoundCall, type FoundResult, fileOf, findResults } from "./found-results.ts";
import { CLEARED_WORDS, supersededResults } from "./superseded-results.ts";

/** A share of the usable window. The most useful results up to this size are never cleared. */
const KEPT_SHARE = 0.15;
/** In a small window, the most useful results up to this many tokens stay, at most this share of the window. */
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
 * The free stage: tool results become one line each, and so do long inputs of their calls. Results that a later call
 * repeats are cleared first, then the oldest, except small results; calls and messages stay, and the session's file
 * keeps everything. If a prompt was refused and no old result is left, the newest results are cleared too.
 */
export function clearResults(options: Options = {}): CompactionStage {
  return { name: "old tool results", run: async (view, context) => clear(view, context, options) };
}

function clear(view: CompactionView, context: StageContext, options: Options): Compaction | undefined {
  const { onlyIfEnough = false, canRecall = false } = options;
  const { why, messages, usedTokens, windowTokens, reservedTokens } = view;
  if (why === "image_too_large" || why === "idle" || (why === "manual" && onlyIfEnough)) return undefined;
  const usable = windowTokens - reservedTokens;
  const isTooLong = why === "too_long";
  const target = Math.min(targetOf(usable), isTooLong ? usedTokens * TARGET_OF_REFUSED : usedTokens);
  const kept = Math.min(keptOf(usable), isTooLong ? usedTokens * KEPT_OF_REFUSED : usedTokens);
  if (usedTokens <= target) return undefined;
  const results = findResults(messages).filter(({ block, messageId }) => !isPinned(block.toolUseId, messageId, view));
  const ordered = leastUsefulFirst(results, messages.length);
  const clearedCall = clearableCalls(results, context.history, canRecall);
  const clearing = { view, clearedCall, excess: usedTokens - target };
  const answer = messages.findLastIndex(({ role }) => role === "assistant");
  const isUnseen = ({ index }: OrderedResult) => index > answer;
  const chosen = take(withoutKept(ordered, { kept, isUnseen, view }), clearing, (sized, { again }) => ({
    ...sized.block,
    content: oldWords(sized.block, again, canRecall),
    shows: "nothing" as const,
  }));
  if (onlyIfEnough && usedTokens - chosen.freed > Math.max(target, isTooLong ? 0 : usable * ENOUGH_SHARE))
    return undefined;
  if (chosen.stubs.length > 0) return { stubs: chosen.stubs, note: noteOf("old tool result", chosen) };
  if (!isTooLong || onlyIfEnough) return undefined;
  const last = take(ordered.filter(isUnseen), { ...clearing, clearedCall: () => undefined }, (sized) =>
    newestStub(sized, canRecall),
  );
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

type Kept = {
  /** The tokens of the results that stay. */
  readonly kept: number;
  readonly view: CompactionView;
  /** True if the model has not seen the result yet. */
  isUnseen(result: OrderedResult): boolean;
};

/**
 * The results that may be cleared: those that the model has not seen yet stay, and of the others the most useful that
 * together fit into the tokens that are kept.
 */
function withoutKept(
  ordered: readonly OrderedResult[],
  { kept: tokens, isUnseen, view: { tokensOf } }: Kept,
): readonly OrderedResult[] {
  const kept = new Set<OrderedResult>();
  let used = 0;
  for (const result of ordered.toReversed()) {
    const size = tokensOf(result.block) + (result.call ? tokensOf(result.call.block) : 0);
    if (!isUnseen(result) && (result.again !== undefined || used + size > tokens)) break;
    used += size;
    kept.add(result);
  }
  // A page of the web is the least useful result, also while the model has yet to see it.
  return ordered.filter((result) => !kept.has(result) && !isUnseen(result));
}

type Sized = { readonly block: ToolResultBlock; readonly tokens: number };
type MakeStub = (sized: Sized, result: OrderedResult) => ToolResultBlock;
type Clearing = {
  readonly view: CompactionView;
  readonly clearedCall: ReturnType<typeof clearableCalls>;
  /** The tokens to free. */
  readonly excess: number;
};
type Chosen = { readonly stubs: readonly Stub[]; readonly freed: number };

/** Clears results in order, each with the input of its call, until enough is freed. */
function take(
  results: readonly OrderedResult[],
  { view: { tokensOf }, clearedCall, excess }: Clearing,
  words: MakeStub,
): Chosen {
  const stubs: Stub[] = [];
  let freed = 0;
  for (const result of results) {
    if (freed >= excess) break;
    const { messageId, at, block, call } = result;
    const tokens = tokensOf(block);
    if (tokens >= MIN_CLEARED_TOKENS) {
      const stub = words({ block, tokens }, result);
      freed += tokens - tokensOf(stub);
      stubs.push({ messageId, at, block: stub });
    }
    const cleared = call && clearedCall(call);
    const saved = cleared ? tokensOf(call.block) - tokensOf(cleared) : 0;
    if (!cleared || saved < MIN_CLEARED_TOKENS) continue;
    freed += saved;
    stubs.push({ messageId: call.messageId, at: call.at, block: cleared });
  }
  return { stubs, freed };
}

function noteOf(what: string, { stubs, freed }: Chosen): string {
  const inputs = stubs.filter(({ block }) => block.type === "tool_use").length;
  const parts = [counted(stubs.length - inputs, what), counted(inputs, "input of old calls", "inputs of old calls")];
  const cleared = parts.filter((part) => part !== "").join(" and ");
  return `Cleared ${cleared} (about ${formatCount(freed)} tokens) from the model's view; the session's file keeps them.`;
}

function counted(count: number, one: string, many = `${one}s`): string {
  return count === 0 ? "" : `${count} ${count === 1 ? one : many}`;
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
  return { ...block, content, shows: "nothing" };
}

/**
 * Tells which calls may lose the long fields of their inputs: those of finished turns, and in the current turn those
 * without a signature, because a provider that signs calls checks the calls of the current turn. The newest to-do list
 * stays.
 * @param history Reads entries of the conversation, oldest first; called only if a call is signed, because it reads the log.
 * @returns a function that returns the call without its long fields; undefined if the call stays.
 */
function clearableCalls(
  results: readonly FoundResult[],
  history: StageContext["history"],
  canRecall: boolean,
): (call: FoundCall) => ToolUseBlock | undefined {
  const todos = results.findLast(({ use, block }) => use?.name === "TodoWrite" && !block.isError)?.call?.block;
  let finished: ReadonlySet<string> | undefined;
  const isFinished = (messageId: string) => {
    finished ??= finishedAnswers(history(["assistant", "turn_finished"]));
    return finished.has(messageId);
  };
  return ({ messageId, block }) => {
    const isSigned = block.signature !== undefined && !isFinished(messageId);
    return isSigned || block === todos ? undefined : withClearedInput(block, canRecall);
  };
}

/** The ids of the answers in finished turns. */
function finishedAnswers(history: readonly Entry[]): ReadonlySet<string> {
  const end = history.findLastIndex(({ kind }) => kind === "turn_finished");
  const entries = history.slice(0, Math.max(0, end));
  return new Set(entries.flatMap((entry) => (entry.kind === "assistant" ? [entry.message.id] : [])));
}

/** The content of a file is needed again more often than other results, so it ages more slowly by this factor. */
const READ_AGING = 0.45;
/** Pages of the web are cleared before anything else: little of a page is needed, and it can be read again. */
const WEB_AGING = 1_000_000;
const WEB_TOOLS: ReadonlySet<string> = new Set([WEB_FETCH, WEB_SEARCH]);
/** A shorter name of a file occurs in calls that are not about the file. */
const MIN_NAME_CHARS = 4;

type OrderedResult = FoundResult & {
  /** The id of a later call that repeats this call; undefined if none does. */
  readonly again: string | undefined;
};

/**
 * The results, the least useful first: those that a later call repeats, then pages of the web, then the oldest. A result about a file is as
 * old as the last call that names the file.
 * @param end The number of messages.
 */
function leastUsefulFirst(results: readonly FoundResult[], end: number): readonly OrderedResult[] {
  const superseded = supersededResults(results);
  const touched = lastTouches(results);
  const weights = new Map(
    results.map((result) => {
      const at = Math.max(result.index, touched.get(fileOf(result.use) ?? "") ?? 0);
      return [result, superseded.has(result) ? Number.POSITIVE_INFINITY : (end - at) * agingOf(result)];
    }),
  );
  const weightOf = (result: FoundResult) => weights.get(result) ?? 0;
  return results
    .toSorted((a, b) => order(weightOf(a), weightOf(b)) || a.index - b.index)
    .map((result) => ({ ...result, again: superseded.get(result) }));
}

function agingOf({ use }: FoundResult): number {
  if (use !== undefined && WEB_TOOLS.has(use.name)) return WEB_AGING;
  return use?.name === "Read" ? READ_AGING : 1;
}

/** Sorts the largest first; two infinite values are equal. */
function order(a: number, b: number): number {
  return a === b ? 0 : b - a;
}

/** The index of the last call about each file: of a call with its path, or of another call whose input names it. */
function lastTouches(results: readonly FoundResult[]): ReadonlyMap<string, number> {
  const touched = new Map<string, number>();
  const others: { readonly text: string; readonly index: number }[] = [];
  for (const { use, index } of results) {
    const file = fileOf(use);
    if (file !== undefined) touched.set(file, index);
    else if (use) others.push({ text: JSON.stringify(use.input), index });
  }
  for (const [file, index] of touched) {
    const name = basename(file);
    if (name.length < MIN_NAME_CHARS) continue;
    const last = others.findLast((other) => other.index > index && other.text.includes(name));
    if (last) touched.set(file, last.index);
  }
  return touched;
}
