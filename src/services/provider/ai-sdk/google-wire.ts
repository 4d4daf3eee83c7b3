import type { ImageMediaType } from "../../../contracts/message.ts";
import type { EndpointQuirks } from "../../../contracts/settings.ts";
import { PLACEHOLDER_KEY } from "./openai-wire.ts";
import { withQuirks } from "./quirks.ts";
import type { Wire } from "./wire.ts";

const MAX_ID_CHARS = 64;

/** Source: Google's Gemini API reference, "Image understanding": of our kinds all but GIF. */
const IMAGE_TYPES: ReadonlySet<ImageMediaType> = new Set(["image/png", "image/jpeg", "image/webp"]);

/** A model that doesn't think can't show thoughts. */
const NO_THOUGHTS = /include_?thoughts|thinking is not supported|thinking_?config/i;

/** Google's Gemini API. */
export function googleWire(quirks: EndpointQuirks = {}, hasThoughts = true): Wire {
  return {
    api: "Gemini API",
    path: "/models",
    imageTypes: IMAGE_TYPES,
    quirks: withQuirks({ imagesInResults: true, callIdChars: MAX_ID_CHARS }, quirks),
    async load({ baseUrl, apiKey = PLACEHOLDER_KEY, headers }) {
      const { createGoogle } = await import("@ai-sdk/google");
      return ({ model }, fetch) => createGoogle({ baseURL: baseUrl, apiKey, headers, fetch })(model);
    },
    options: ({ thinking }, capabilities) =>
      capabilities.thinking && hasThoughts && thinking !== false
        ? { google: { thinkingConfig: { includeThoughts: true } } }
        : {},
    simpler: (words) => (hasThoughts && NO_THOUGHTS.test(words) ? googleWire(quirks, false) : undefined),
  };
}
