import { at, type Report } from "../../shape.ts";
import { ITEM_NOT_FOUND } from "../openai/api-error.ts";
import { judgeFileData, judgeImageUrl } from "../openai/data-url.ts";
import { isCall, isOutput, isReasoning, openLoop } from "./items.ts";
import { type FunctionCall, type Item, isStored, type Part } from "./request.ts";
import type { Placed, Rule } from "./rule.ts";
import { reasoningKey, type SentResponse } from "./sent-items.ts";

export const callIdsAreUnique: Rule = ({ items }, report) => {
  const seen = new Set<string>();
  for (const { item, where } of items) {
    if (!isCall(item)) continue;
    if (seen.has(item.call_id))
      report(at(where, "call_id"), `ids of calls must be unique, and ${item.call_id} was used before`);
    seen.add(item.call_id);
  }
};

/** Each call has its output, somewhere after it. */
export const callsAreAnswered: Rule = ({ items }, report) => {
  const outputs = new Map(items.flatMap(({ item }, index) => (isOutput(item) ? [[item.call_id, index] as const] : [])));
  for (const [index, { item, where }] of items.entries()) {
    if (isCall(item) && (outputs.get(item.call_id) ?? -1) < index)
      report(where, `no function_call_output was found for the call ${item.call_id}`);
  }
};

/** Each output answers a call before it, once. */
export const outputsAnswerACall: Rule = ({ items }, report) => {
  const asked = new Set<string>();
  const seen = new Set<string>();
  for (const { item, where } of items) {
    if (isCall(item)) asked.add(item.call_id);
    if (!isOutput(item)) continue;
    const id = item.call_id;
    if (!asked.has(id)) report(at(where, "call_id"), `no function_call was found for the output of ${id}`);
    else if (seen.has(id)) report(at(where, "call_id"), `a second output of ${id}: each call has exactly one`);
    seen.add(id);
  }
};

/** Reasoning comes with its encrypted content, or names an item that the server keeps. */
export const reasoningIsWhole: Rule = ({ request, items, sent }, report) => {
  for (const { item, where } of items) {
    if (!isReasoning(item) || item.encrypted_content) continue;
    if (isStored(request) && item.id !== undefined && sent.stored(item.id)) continue;
    if (item.id === undefined) report(where, "must have encrypted_content, or the id of an item that is kept");
    else report(where, `there is no item ${item.id}; items are not kept while store is false`, ITEM_NOT_FOUND);
  }
};

/** In every place, encrypted reasoning must come back exactly as it was sent. */
export const reasoningIsUnaltered: Rule = ({ items, sent }, report) => {
  for (const { item, where } of items) {
    if (isReasoning(item) && !sent.isGenuine(item))
      report(
        at(where, "encrypted_content"),
        "could not be verified: it doesn't belong to this reasoning item, or was never sent by this server",
        "invalid_encrypted_content",
      );
  }
};

/** Reasoning must be followed by a message of the assistant or a call. */
export const reasoningIsFollowed: Rule = ({ items }, report) => {
  for (const [index, { item, where }] of items.entries()) {
    const next = items[index + 1]?.item;
    const isLed = next && (isReasoning(next) || isCall(next) || ("role" in next && next.role === "assistant"));
    if (isReasoning(item) && !isLed)
      report(where, "a reasoning item must be followed by the message or the call that it led to");
  }
};

/** The positions of each reasoning item, by its identity. */
function reasoningPlaces(items: readonly Item[]): ReadonlyMap<string, readonly number[]> {
  const places = new Map<string, number[]>();
  for (const [index, item] of items.entries()) {
    if (!isReasoning(item)) continue;
    const found = places.get(reasoningKey(item));
    if (found) found.push(index);
    else places.set(reasoningKey(item), [index]);
  }
  return places;
}

/** The reasoning of an answer that was sent before one of its calls. */
function reasoningBefore(response: SentResponse, call: FunctionCall): readonly string[] {
  const end = response.items.findIndex((item) => item.type === "function_call" && item.call_id === call.call_id);
  return response.items.slice(0, end).flatMap((item) => (item.type === "reasoning" ? [reasoningKey(item)] : []));
}

/** In an open tool loop, a call must come back with all of the reasoning that led to it, in order. */
export const reasoningIsKeptInLoop: Rule = ({ items, sent }, report) => {
  const loop = openLoop(items);
  const places = reasoningPlaces(loop.map(({ item }) => item));
  for (const [index, { item, where }] of loop.entries()) {
    const response = isCall(item) ? sent.responseOfCall(item.call_id) : undefined;
    // A client may leave out stored reasoning together with the call's id: a call without its id is not matched to the stored one.
    if (!isCall(item) || (!response?.isEncrypted && !(response?.isStored && item.id !== undefined))) continue;
    const known = new Set(response.items.flatMap((other) => (other.type === "reasoning" ? [reasoningKey(other)] : [])));
    const found = [...known].flatMap((key) => (places.get(key) ?? []).map((place) => ({ key, place })));
    const now = found.filter(({ place }) => place < index).sort((a, b) => a.place - b.place);
    const was = reasoningBefore(response, item);
    if (was.length !== now.length || was.some((key, place) => key !== now[place]?.key))
      report(
        where,
        "the reasoning items that were sent before this function_call must stand before it, in their order",
      );
  }
};

function judgeParts(parts: readonly Part[], where: string, report: Report): void {
  for (const [index, part] of parts.entries()) {
    const place = at(where, index);
    if (part.type === "input_image") {
      if (part.image_url) judgeImageUrl(part.image_url, at(place, "image_url"), report);
      else if (!part.file_id) report(place, "must have image_url or file_id");
    }
    if (part.type !== "input_file") continue;
    if (part.file_data !== undefined) judgeFileData(part.file_data, at(place, "file_data"), report);
    else if (!part.file_id && !part.file_url) report(place, "must have file_data, file_url or file_id");
  }
}

function partsOf({ item, where }: Placed): { readonly parts: readonly Part[]; readonly where: string } | undefined {
  const field = isOutput(item) ? "output" : "content";
  const content = isOutput(item) ? item.output : "content" in item ? item.content : undefined;
  return Array.isArray(content) ? { parts: content as readonly Part[], where: at(where, field) } : undefined;
}

export const mediaIsWhatItSays: Rule = ({ items }, report) => {
  for (const placed of items) {
    const found = isReasoning(placed.item) ? undefined : partsOf(placed);
    if (found) judgeParts(found.parts, found.where, report);
  }
};
