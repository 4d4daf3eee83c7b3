import type { ImageMediaType } from "../../../contracts/message.ts";
import type { ModelCapabilities, ProviderRequest } from "../../../contracts/provider.ts";
import type { EndpointQuirks } from "../../../contracts/provider-settings.ts";
import { isThinkingOff, thinkingTokens } from "../thinking-effort.ts";
import { GOOGLE_FORM } from "./google-form.ts";
import { hasWordsBehindResults, mergingContents } from "./merged-contents.ts";
import { PLACEHOLDER_KEY } from "./openai-wire.ts";
import { withQuirks } from "./quirks.ts";
import type { Wire } from "./wire.ts";

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
