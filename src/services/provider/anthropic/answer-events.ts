import { isJsonObject, type JsonObject } from "../../../contracts/message.ts";
import type { ServerEvent } from "./server-events.ts";

/** The events that say the same as a message without a stream; undefined if the value is not a message. */
export function answerEvents(answer: unknown): readonly ServerEvent[] | undefined {
  if (!isJsonObject(answer) || !Array.isArray(answer["content"])) return undefined;
  const { content, usage, stop_reason, stop_sequence, ...about } = answer;
  const blocks = (content as readonly unknown[]).filter(isJsonObject);
  return [
    event("message_start", { message: { ...about, content: [], usage } }),
    ...blocks.flatMap((block, index) => [
      event("content_block_start", { index, content_block: block }),
      ...deltasOf(block).map((delta) => event("content_block_delta", { index, delta })),
      event("content_block_stop", { index }),
    ]),
    event("message_delta", { delta: { stop_reason, stop_sequence }, usage }),
    event("message_stop", {}),
  ];
}

/** Screens show deltas. */
function deltasOf({ type, text, thinking, input }: JsonObject): readonly JsonObject[] {
  if (type === "text") return [{ type: "text_delta", text }];
  if (type === "thinking") return [{ type: "thinking_delta", thinking }];
  return type === "tool_use" ? [{ type: "input_json_delta", partial_json: JSON.stringify(input ?? {}) }] : [];
}

function event(type: string, fields: JsonObject): ServerEvent {
  return { event: type, data: JSON.stringify({ type, ...fields }) };
}
