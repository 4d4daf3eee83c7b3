import type { SharedV4ProviderOptions } from "@ai-sdk/provider";
import type { EndpointQuirks } from "../../../contracts/provider-settings.ts";
import { isThinkingOff } from "../thinking-effort.ts";
import { CHAT_FORM } from "./chat-form.ts";
import { withQuirks } from "./quirks.ts";
import { RESPONSES_FORM } from "./responses-form.ts";
import type { Wire } from "./wire.ts";

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
