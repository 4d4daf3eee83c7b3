import type { SharedV4ProviderOptions } from "@ai-sdk/provider";
import { isJsonObject, type JsonObject } from "../../../contracts/message.ts";
import type { EndpointQuirks } from "../../../contracts/provider-settings.ts";
import { field } from "../request/error-body.ts";
import type { StreamForm } from "../request/stream-form.ts";
import { isThinkingOff } from "../thinking-effort.ts";
import { CHAT_FORM } from "./chat-form.ts";
import { type Wire, withQuirks } from "./wire.ts";

/** Sent if there is no key: a server on this machine ignores keys. */
export const PLACEHOLDER_KEY = "local";

const RESPONSES_ID_CHARS = 64;

/** Organisations that are not verified cannot get reasoning summaries. */
const NO_SUMMARIES = /reasoning.{0,3}summar/i;

/** OpenAI's Responses API (the default) or its Chat Completions API. */
export function openAiWire(
  api: "responses" | "chat" = "responses",
  quirks: EndpointQuirks = {},
  summary: "auto" | null = "auto",
): Wire {
  const isChat = api === "chat";
  const defaults: EndpointQuirks = isChat
    ? { namesModel: true }
    : { namesModel: true, imagesInResults: true, callIdChars: RESPONSES_ID_CHARS };
  const all = withQuirks(defaults, quirks);
  return {
    api: isChat ? "Chat Completions API" : "Responses API",
    path: isChat ? "/chat/completions" : "/responses",
    quirks: all,
    form: isChat ? CHAT_FORM : RESPONSES_FORM,
    async load({ baseUrl, apiKey = PLACEHOLDER_KEY, headers }) {
      const { createOpenAI } = await import("@ai-sdk/openai");
      return ({ model }, fetch) => {
        const provider = createOpenAI({ baseURL: baseUrl, apiKey, headers, fetch });
        return isChat ? provider.chat(model) : provider.responses(model);
      };
    },
    options(request, { parallelCalls }): SharedV4ProviderOptions {
      return {
        openai: {
          // Nothing is stored at OpenAI; the history carries the encrypted reasoning instead.
          store: false,
          strictJsonSchema: false,
          ...(!isChat && { reasoningSummary: isThinkingOff(request) ? null : summary }),
          ...(!(all.parallelCalls && parallelCalls) && request.tools.length > 0 && { parallelToolCalls: false }),
        },
      };
    },
    simpler: (words) => (summary !== null && NO_SUMMARIES.test(words) ? openAiWire(api, quirks, null) : undefined),
  };
}

const STATUSES: ReadonlySet<unknown> = new Set(["completed", "incomplete", "failed"]);

/** The events of OpenAI's Responses. */
const RESPONSES_FORM: StreamForm = {
  read: (event) => (typeof event["type"] === "string" || isJsonObject(event["error"]) ? event : undefined),
  eventsOf(answer) {
    const output = field(answer, "output");
    if (!isJsonObject(answer) || !Array.isArray(output)) return undefined;
    const response = { id: "response", created_at: 0, model: "", ...answer };
    const status = STATUSES.has(answer["status"]) ? answer["status"] : "completed";
    return [
      { type: "response.created", response },
      ...output.filter(isJsonObject).flatMap(itemEvents),
      { type: `response.${status}`, response },
    ];
  },
};

function itemEvents(item: JsonObject, index: number): readonly JsonObject[] {
  const place = { item_id: item["id"] ?? `item_${index}`, output_index: index };
  const whole: JsonObject = { status: "completed", ...item, id: place.item_id };
  const isCall = whole["type"] === "function_call" && typeof whole["arguments"] === "string";
  const begun = isCall ? { ...whole, arguments: "" } : whole;
  return [
    { type: "response.output_item.added", output_index: index, item: begun },
    ...(isCall ? [{ type: "response.function_call_arguments.delta", ...place, delta: whole["arguments"] }] : []),
    ...textsOf(item["content"]).map((delta) => ({ type: "response.output_text.delta", ...place, delta })),
    ...textsOf(item["summary"]).map((delta, part) => ({
      type: "response.reasoning_summary_text.delta",
      ...place,
      summary_index: part,
      delta,
    })),
    { type: "response.output_item.done", output_index: index, item: whole },
  ];
}

function textsOf(parts: unknown): readonly string[] {
  if (!Array.isArray(parts)) return [];
  const texts = parts.map((part: unknown) => field(part, "text") ?? field(part, "refusal"));
  return texts.filter((text) => typeof text === "string");
}
