import { at } from "../../shape.ts";
import type { Block } from "./request.ts";
import type { Judged, Rule } from "./rule.ts";
import { type SentReplies, thinkingKey } from "./sent-replies.ts";
import { openLoop, type Placed, type Turn } from "./turns.ts";

const INTERLEAVED_BETA = "interleaved-thinking-";
const MIN_TOP_P = 0.95;

const isThinking = ({ type }: Block) => type === "thinking" || type === "redacted_thinking";
const isOn = ({ thinking }: Judged["request"]) => thinking !== undefined && thinking.type !== "disabled";

export const thinkingBudgetFits: Rule = ({ request, betas }, report) => {
  const { thinking, max_tokens: maxTokens } = request;
  if (thinking?.type !== "enabled" || maxTokens === undefined) return;
  // With interleaved thinking the budget covers the whole turn, not one answer.
  if (betas.some((name) => name.startsWith(INTERLEAVED_BETA))) return;
  if (thinking.budget_tokens >= maxTokens) {
    report(
      "thinking.budget_tokens",
      `must be less than max_tokens (${thinking.budget_tokens} is not below ${maxTokens})`,
    );
  }
};

export const samplingFitsThinking: Rule = ({ request }, report) => {
  if (!isOn(request)) return;
  const { temperature, top_k: topK, top_p: topP } = request;
  if (temperature !== undefined && temperature !== 1)
    report("temperature", "must be 1 or left out while thinking is on");
  if (topK !== undefined) report("top_k", "must be left out while thinking is on");
  if (topP !== undefined && topP < MIN_TOP_P)
    report("top_p", `must be at least ${MIN_TOP_P} or left out while thinking is on`);
};

/** In every place, thinking must come back exactly as it was sent. */
export const thinkingIsUnaltered: Rule = ({ turns, sent }, report) => {
  for (const { block, where } of turns.flatMap(({ blocks }) => blocks)) {
    if (sent.isGenuine(block)) continue;
    if (block.type === "thinking") report(at(where, "signature"), "does not belong to this text of the thinking block");
    else report(at(where, "data"), "this redacted_thinking block was never sent by this server");
  }
};

export const thinkingIsNotLast: Rule = ({ request }, report) => {
  for (const [index, { role, content }] of request.messages.entries()) {
    const last = typeof content === "string" ? undefined : content.at(-1);
    if (role === "assistant" && last && isThinking(last)) {
      report(at("messages", index), `the last block of a message of the assistant cannot be ${last.type}`);
    }
  }
};

/** A turn with thinking must begin with the thinking, unless the twin sent it in another order. */
export const thinkingComesFirst: Rule = ({ turns, sent }, report) => {
  for (const { blocks } of turns) {
    const [first] = blocks;
    const thought = blocks.find(({ block }) => isThinking(block));
    if (!first || !thought || first === thought) continue;
    const [sentFirst] = sent.messageOfThinking(thought.block) ?? [];
    if (sentFirst && !isThinking(sentFirst)) continue;
    report(first.where, `a message with thinking must begin with it, and begins with ${first.block.type}`);
  }
};

/** The thinking before a call, from only one sent message. */
function thinkingBefore(
  blocks: readonly Block[],
  toolUseId: string,
  ofMessage: ReadonlySet<string>,
): readonly string[] {
  const end = blocks.findIndex((block) => block.type === "tool_use" && block.id === toolUseId);
  return blocks.slice(0, end).flatMap((block) => {
    const key = thinkingKey(block);
    return key !== undefined && ofMessage.has(key) ? [key] : [];
  });
}

function misplaced({ block }: Placed, turn: Turn, sent: SentReplies): boolean {
  if (block.type !== "tool_use") return false;
  const message = sent.messageOfToolUse(block.id);
  if (!message) return false;
  const keys = new Set(message.flatMap((item) => thinkingKey(item) ?? []));
  const before = thinkingBefore(message, block.id, keys);
  const now = thinkingBefore(
    turn.blocks.map((placed) => placed.block),
    block.id,
    keys,
  );
  return before.length !== now.length || before.some((key, index) => key !== now[index]);
}

/** In an open tool loop, a call must come back with all of the thinking that led to it, in order. */
export const thinkingIsKeptInLoop: Rule = ({ request, turns, sent }, report) => {
  if (request.thinking?.type === "disabled") return;
  for (const turn of openLoop(turns)) {
    for (const placed of turn.blocks) {
      if (misplaced(placed, turn, sent)) {
        report(
          placed.where,
          "the thinking blocks that were sent before this tool_use must stand before it, unchanged and in their order",
        );
      }
    }
  }
};

/** With a thinking budget, the assistant's first turn of an open loop (or its prefill) begins with thinking. */
export const loopBeginsWithThinking: Rule = ({ request, turns, sent }, report) => {
  if (request.thinking?.type !== "enabled") return;
  const last = turns.at(-1);
  const turn = last?.role === "assistant" ? last : openLoop(turns)[0];
  const [first] = turn?.blocks ?? [];
  if (!turn || !first || isThinking(first.block)) return;
  // A scenario may call a tool without thinking first: what this server sent itself isn't the client's fault.
  const isOurs = turn.blocks.some(({ block }) => block.type === "tool_use" && sent.messageOfToolUse(block.id));
  if (!isOurs) {
    report(
      at(first.where, "type"),
      `while thinking is enabled this message must begin with thinking, and begins with ${first.block.type}`,
    );
  }
};
