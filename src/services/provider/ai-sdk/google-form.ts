import { isJsonObject, type JsonObject } from "../../../contracts/message.ts";
import type { StreamForm } from "../request/stream-form.ts";

/** The events of Gemini. Without server-sent events, its streams are lists of the same objects. */
export const GOOGLE_FORM: StreamForm = {
  mark: '"candidates":[',
  usual: /"candidates"\s*:\s*\[/,
  read: (event) => (isOwn(event) ? event : undefined),
  eventsOf(answer) {
    const events = (Array.isArray(answer) ? answer : [answer]).filter(isJsonObject);
    return events.some(isOwn) ? events : undefined;
  },
};

function isOwn({ candidates, usageMetadata, promptFeedback, error }: JsonObject): boolean {
  return Array.isArray(candidates) || [usageMetadata, promptFeedback, error].some(isJsonObject);
}
