import {
  type ImageMediaType,
  isJsonObject,
  type JsonObject,
  type Message,
  toolUses,
} from "../../../contracts/message.ts";
import type { ModelCapabilities, ProviderRequest } from "../../../contracts/provider.ts";
import type { EndpointQuirks } from "../../../contracts/provider-settings.ts";
import { field } from "../request/error-body.ts";
import type { StreamForm } from "../request/stream-form.ts";
import { isThinkingOff, thinkingTokens } from "../thinking-effort.ts";
import { PLACEHOLDER_KEY } from "./openai-wire.ts";
import { type Wire, withQuirks } from "./wire.ts";

const MAX_ID_CHARS = 64;

/** Source: Google's Gemini API reference, "Image understanding": all of our kinds except GIF. */
const IMAGE_TYPES: ReadonlySet<ImageMediaType> = new Set(["image/png", "image/jpeg", "image/webp"]);

/** A model without thinking cannot show thoughts. */
const NO_THOUGHTS = /include_?thoughts|thinking is not supported|thinking_?config/i;

/** Google's Gemini API. */
export function googleWire(quirks: EndpointQuirks = {}, hasThoughts = true): Wire {
  return {
    api: "Gemini API",
    path: "/models",
    imageTypes: IMAGE_TYPES,
    quirks: withQuirks({ imagesInResults: true, callIdChars: MAX_ID_CHARS }, quirks),
    form: GOOGLE_FORM,
    async load({ baseUrl, apiKey = PLACEHOLDER_KEY, headers }) {
      const { createGoogle } = await import("@ai-sdk/google");
      return ({ model, messages }, fetch) => {
        const sending = hasWordsBehindResults(messages) ? mergingContents(fetch) : fetch;
        return createGoogle({ baseURL: baseUrl, apiKey, headers, fetch: sending })(model);
      };
    },
    options: (request, capabilities) =>
      capabilities.thinking && hasThoughts && !isThinkingOff(request)
        ? { google: { thinkingConfig: { includeThoughts: true, ...budget(request, capabilities) } } }
        : {},
    simpler: (words) => (hasThoughts && NO_THOUGHTS.test(words) ? googleWire(quirks, false) : undefined),
  };
}

/** A number of tokens, for models that accept one. Newer models accept levels, which we call efforts. */
function budget(
  request: ProviderRequest,
  { thinkingStyle, thinkingTokens: { min, max } = { min: 0, max: Number.POSITIVE_INFINITY } }: ModelCapabilities,
): { readonly thinkingBudget?: number } {
  const tokens = thinkingTokens(request);
  if (tokens === undefined || thinkingStyle !== "budget") return {};
  return { thinkingBudget: Math.min(Math.max(tokens, min), max) };
}

/** The events of Gemini. Without server-sent events, its streams are lists of the same objects. */
const GOOGLE_FORM: StreamForm = {
  read: (event) => (isOwn(event) ? event : undefined),
  eventsOf(answer) {
    const events = (Array.isArray(answer) ? answer : [answer]).filter(isJsonObject);
    return events.some(isOwn) ? events : undefined;
  },
};

function isOwn({ candidates, usageMetadata, promptFeedback, error }: JsonObject): boolean {
  return Array.isArray(candidates) || [usageMetadata, promptFeedback, error].some(isJsonObject);
}

type Fetch = typeof globalThis.fetch;
type Content = { readonly role?: unknown; readonly parts: readonly unknown[] };

/** True if user text follows the results of calls. The AI SDK sends these as two contents of the same role. */
function hasWordsBehindResults(messages: readonly Message[]): boolean {
  return messages.some((message, index) => {
    const before = messages[index - 1];
    if (message.role !== "user" || !before) return false;
    const hasWords = message.content.some(({ type }) => type !== "tool_result");
    const isBehind = before.role === "user" || toolUses(before).length > 0;
    return hasWords && isBehind;
  });
}

/** A `fetch` that joins neighbouring contents of the same role. Users report that Gemini has rejected them. */
function mergingContents(fetch: Fetch): Fetch {
  const merging = (...[input, init]: Parameters<Fetch>) => {
    const body = typeof init?.body === "string" ? merged(init.body) : init?.body;
    return fetch(input, { ...init, ...(body !== undefined && { body }) });
  };
  return Object.assign(merging, { preconnect: fetch.preconnect });
}

function merged(text: string): string {
  const body: unknown = JSON.parse(text);
  const contents = field(body, "contents");
  if (!Array.isArray(contents)) return text;
  const joined: Content[] = [];
  for (const content of contents as readonly Content[]) {
    const last = joined.at(-1);
    if (last && last.role === content.role) joined.splice(-1, 1, { ...last, parts: [...last.parts, ...content.parts] });
    else joined.push(content);
  }
  return JSON.stringify({ ...(body as object), contents: joined });
}
