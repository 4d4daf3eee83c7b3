import { formatCount } from "@quoll/terminal-text/format-amount";
import type { Compaction, CompactionStage, CompactionView, StageContext } from "../../../contracts/compactor.ts";
import { UserFacingError } from "../../../contracts/errors.ts";
import { type Message, textOf, type UserBlock } from "../../../contracts/message.ts";
import { blocksTokens } from "../../../contracts/token-estimate.ts";
import { askForSummary } from "./ask-summary.ts";
import { checkLoss } from "./loss-check.ts";
import { pinnedMessages } from "./pinned-messages.ts";
import { chooseCut } from "./summary-cut.ts";
import { sessionFacts } from "./summary-facts.ts";
import { summaryBlocks, wordsFor } from "./summary-parts.ts";

/** No summary of a conversation is shorter, in tokens. */
const SHORTEST_SUMMARY = 20;

type Options = {
  /** True if the model has the tool Recall, which finds content that a summary omits. */
  readonly canRecall?: boolean;
};

/** The stage that asks the model for a summary of the conversation. */
export function summarise({ canRecall = false }: Options = {}): CompactionStage {
  return { name: "summary", asksModel: true, run: (view, context) => run(view, context, canRecall) };
}

async function run(view: CompactionView, context: StageContext, canRecall: boolean): Promise<Compaction | undefined> {
  if (view.why === "image_too_large" || view.why === "cold") return undefined;
  const cut = chooseCut(view);
  if (!cut) return undefined;
  const pinned = pinnedMessages(view, cut);
  const dropped = view.messages.slice(cut.from, cut.to).filter((message) => !pinned.includes(message));
  if (!dropped.some(({ role }) => role === "assistant")) return undefined;
  const facts = sessionFacts(context.history());
  const { messages, entryIds } = view;
  const kept = [...messages.slice(0, cut.from), ...pinned, ...messages.slice(cut.to)];
  const words = wordsFor(view, facts, kept);
  const known = { words, facts, hasNewer: cut.to < messages.length, canRecall };
  const empty = summaryBlocks(view, { known, around: [], text: "", lost: "" }, context);
  if (!isWorthAsking(empty, dropped, cut.from === 0)) return undefined;
  const text = await askForSummary(view, cut, context);
  // The session is described only now, because the description counts as sent.
  const around = [cut.from > 0 ? "" : await context.describeSession(), await context.skillsInUse(kept)];
  const seen = [text, words.text, ...facts.filesInUse, ...kept.map(seenText)].join("\n");
  const check = checkLoss(seen, facts, words.shortened);
  const summary = summaryBlocks(view, { known, around, text, lost: check.text }, context);
  assertSmaller(summary, dropped);
  const firstKeptId = entryIds[cut.to];
  const lastKeptId = entryIds[cut.from - 1];
  return {
    stubs: [],
    ...(firstKeptId !== undefined && { firstKeptId }),
    ...(lastKeptId !== undefined && { lastKeptId }),
    ...(pinned.length > 0 && { keptIds: pinned.map(({ id }) => id) }),
    summary,
    report: {
      droppedMessages: dropped.length,
      keptMessages: kept.length,
      checked: check.checked,
      added: check.added,
    },
    note: noteOf(dropped.length, check.added.length),
  };
}

/**
 * False if the parts around the summary alone are about as long as the messages: no model has to be asked.
 * @param isDescribed True if the first of these messages begins with a description of the session, which stays.
 */
function isWorthAsking(empty: readonly UserBlock[], dropped: readonly Message[], isDescribed: boolean): boolean {
  const [first] = dropped;
  const described = isDescribed && first && first.content.length > 1 ? blocksTokens(first.content.slice(0, 1)) : 0;
  const before = dropped.reduce((sum, { content }) => sum + blocksTokens(content), 0) - described;
  return blocksTokens(empty) + SHORTEST_SUMMARY < before;
}

/** @throws {UserFacingError} a summary that takes more room than it makes. */
function assertSmaller(summary: readonly UserBlock[], dropped: readonly Message[]): void {
  const tokens = blocksTokens(summary);
  const before = dropped.reduce((sum, { content }) => sum + blocksTokens(content), 0);
  if (tokens >= before)
    throw new UserFacingError(
      `The summary would be longer than the messages it replaces (about ${formatCount(tokens)} tokens for ${formatCount(before)}).`,
    );
}

function noteOf(dropped: number, added: number): string {
  const missing =
    added === 0
      ? ""
      : ` ${added} ${added === 1 ? "fact" : "facts"} that it left out ${added === 1 ? "was" : "were"} added.`;
  return `Summarised ${dropped} messages; /compact undo brings them back.${missing}`;
}

function seenText({ content }: Message): string {
  const calls = content.flatMap((block) => (block.type === "tool_use" ? [JSON.stringify(block.input)] : []));
  return [textOf(content), ...calls].join("\n");
}
