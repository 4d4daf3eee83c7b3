import { isJsonObject, type JsonObject } from "../../../contracts/message.ts";
import { field } from "../request/error-body.ts";
import type { StreamForm } from "../request/stream-form.ts";

const STATUSES: ReadonlySet<unknown> = new Set(["completed", "incomplete", "failed"]);

/** The events of OpenAI's Responses. */
export const RESPONSES_FORM: StreamForm = {
  mark: '"type":"response.',
  usual: /"type"\s*:\s*"response\./,
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
