import type { Stub } from "../../../contracts/compaction.ts";
import type { CompactionView } from "../../../contracts/compactor.ts";
import type { Message, UserBlock } from "../../../contracts/message.ts";
import { newestStub } from "./clear-results.ts";
import { bothEnds } from "./history-text.ts";
import { sizeOf, tokensOf } from "./room.ts";
import { mayStandFirst } from "./summary-cut.ts";

/** The share of the target that the newest messages may take; the rest is for the text in place of the others. */
const KEPT_SHARE = 0.6;
const MOST_KEPT_SHARE = 0.8;
/** A smaller part is not worth shortening. */
const MIN_SHORTENED_TOKENS = 100;
const EXCERPT_CHARS = 600;

/** The newest messages that stay: those from the index `from` on, with these parts shortened. */
export type KeptEnd = { readonly from: number; readonly stubs: readonly Stub[]; readonly tokens: number };

type Limits = {
  /** Tokens that all messages should take afterwards, and can take at most. */
  readonly target: number;
  readonly room: number;
  /** Ids of the messages that a person typed. */
  readonly prompts: ReadonlySet<string>;
  readonly canRecall: boolean;
};

/**
 * Chooses the newest messages that stay: as many as fit. The prompt that is not answered yet stays whole, and its call
 * precedes each result. If the newest step does not fit even with its results shortened, it is left out too.
 * @returns undefined if the newest prompt does not fit by itself.
 */
export function keepNewest(view: CompactionView, limits: Limits): KeptEnd | undefined {
  const { messages } = view;
  const { target, room, prompts } = limits;
  const newest = newestStep(messages);
  const whole = sizeOf(view, messages.slice(newest));
  if (whole <= target * KEPT_SHARE) return extended(view, newest, target * KEPT_SHARE);
  const promptAt = messages.findLastIndex(({ id }, at) => at >= newest && prompts.has(id));
  for (const from of new Set(promptAt < 0 ? [newest] : [newest, promptAt])) {
    const end = shortened(
      view,
      { from, promptAt, excess: sizeOf(view, messages.slice(from)) - target * KEPT_SHARE },
      limits,
    );
    if (end.tokens <= (from === promptAt ? room : target * MOST_KEPT_SHARE)) return end;
  }
  return promptAt < 0 ? { from: messages.length, stubs: [], tokens: 0 } : undefined;
}

/** The index at which the newest input begins: that of the call, if its results are the newest messages. */
function newestStep(messages: readonly Message[]): number {
  const answer = messages.findLastIndex(({ role }) => role === "assistant");
  return answer >= 0 && answer + 1 < messages.length && !mayStandFirst(messages[answer + 1]) ? answer : answer + 1;
}

/** Adds older messages as long as they fit. */
function extended(view: CompactionView, newest: number, maxTokens: number): KeptEnd {
  const { messages } = view;
  let from = newest;
  let tokens = sizeOf(view, messages.slice(newest));
  let kept = tokens;
  for (let at = newest - 1; at >= 0; at -= 1) {
    tokens += tokensOf(view, messages[at]);
    if (tokens > maxTokens) break;
    if (!mayStandFirst(messages[at])) continue;
    from = at;
    kept = tokens;
  }
  return { from, stubs: [], tokens: kept };
}

type Shortening = { readonly from: number; readonly promptAt: number; readonly excess: number };

/** Shortens the largest parts of the messages from `from` on; the prompt, calls and answers stay as they are. */
function shortened(view: CompactionView, { from, promptAt, excess }: Shortening, { canRecall }: Limits): KeptEnd {
  const { messages, entryIds } = view;
  const parts = messages.flatMap((message, index) =>
    index < from || index === promptAt || message.role === "assistant"
      ? []
      : message.content.map((block, at) => ({
          message,
          at,
          block,
          id: entryIds[index] ?? "",
          tokens: view.tokensOf(block),
        })),
  );
  const stubs: Stub[] = [];
  let freed = 0;
  for (const { message, at, block, id, tokens } of parts.toSorted((a, b) => b.tokens - a.tokens)) {
    if (freed >= excess || tokens < MIN_SHORTENED_TOKENS) break;
    const stub = { messageId: message.id, at, block: shorter(block, { id, tokens, canRecall }) };
    freed += tokens - view.tokensOf(stub.block);
    stubs.push(stub);
  }
  return { from, stubs, tokens: sizeOf(view, messages.slice(from)) - freed };
}

type Part = { readonly id: string; readonly tokens: number; readonly canRecall: boolean };

function shorter(block: UserBlock, { id, tokens, canRecall }: Part): UserBlock {
  switch (block.type) {
    case "tool_result":
      return newestStub({ block, tokens }, canRecall);
    case "text": {
      const recall = canRecall ? `; Recall brings the rest back, id ${id}` : "";
      const rest = `[About ${tokens} tokens do not fit the window: the middle is left out${recall}.]`;
      return { type: "text", text: `${bothEnds(block.text, EXCERPT_CHARS)}\n${rest}` };
    }
    default:
      return { type: "text", text: `[The ${block.type} was left out: it does not fit the window.]` };
  }
}
