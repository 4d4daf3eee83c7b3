import { at, type Report } from "../../shape.ts";
import { ITEM_NOT_FOUND } from "../openai/api-error.ts";
import type { FunctionCall, FunctionOutput, Item, Reasoning, ResponsesRequest } from "./request.ts";
import type { Placed } from "./rule.ts";
import type { SentItems } from "./sent-items.ts";

export const isReasoning = (item: Item): item is Reasoning => item.type === "reasoning";
export const isCall = (item: Item): item is FunctionCall => item.type === "function_call";
export const isOutput = (item: Item): item is FunctionOutput => item.type === "function_call_output";
const isPrompt = (item: Item) => "role" in item && item.role !== "assistant";

/** All items of a conversation: those that the server kept, then those of the request, with its references resolved. */
export function resolveItems(request: ResponsesRequest, sent: SentItems, report: Report): readonly Placed[] {
  const { input, previous_response_id: previous } = request;
  const kept = previous ? sent.conversation(previous) : [];
  if (!kept) report("previous_response_id", `there is no response ${previous}`, "previous_response_not_found");
  const placed: Placed[] = (kept ?? []).map((item) => ({ item, where: "previous_response_id" }));
  if (typeof input === "string") return [...placed, { item: { role: "user", content: input }, where: "input" }];
  for (const [index, item] of input.entries()) {
    const where = at("input", index);
    const found = item.type === "item_reference" ? sent.stored(item.id) : item;
    if (found) placed.push({ item: found, where });
    else if (item.type === "item_reference")
      report(where, `there is no item ${item.id}; items are not kept while store is false`, ITEM_NOT_FOUND);
  }
  return placed;
}

/** The items of the tool loop that is still open at the end: all items after the last prompt. */
export function openLoop(items: readonly Placed[]): readonly Placed[] {
  return items.slice(items.findLastIndex(({ item }) => isPrompt(item)) + 1);
}
