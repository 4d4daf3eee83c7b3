import { isJsonObject, type JsonObject } from "../../../contracts/message.ts";
import { field } from "../request/error-body.ts";
import type { StreamForm } from "../request/stream-form.ts";

/** The smallest HTTP status of an error. */
const FIRST_ERROR = 400;

/** The events of Chat Completions. */
export const CHAT_FORM: StreamForm = {
  read: chatEvent,
  eventsOf(answer) {
    const choices = field(answer, "choices");
    const message = Array.isArray(choices) ? field(choices[0], "message") : undefined;
    if (!isJsonObject(answer) || !Array.isArray(choices) || !isJsonObject(message)) return undefined;
    const { choices: _, ...about } = answer;
    const choice = { index: 0, delta: deltaOf(message), finish_reason: field(choices[0], "finish_reason") ?? null };
    return [{ ...about, object: "chat.completion.chunk", choices: [choice] }];
  },
};

function chatEvent(event: JsonObject): JsonObject | undefined {
  const { error, choices, usage } = event;
  if (isTold(error)) return event;
  const failed = minimaxError(event["base_resp"]) ?? flatError(event);
  if (failed) return failed;
  const { error: _, ...plain } = event;
  // The reader reports choices of another form.
  if (choices !== undefined && choices !== null) {
    const placed = isJsonObject(usage) ? undefined : usageElsewhere(event);
    if (placed) return { ...plain, usage: placed };
    return "error" in event ? plain : event;
  }
  // The last event of some servers, with the usage alone.
  return isJsonObject(usage) ? { ...plain, choices: [] } : undefined;
}

/** vLLM, FastAPI and others report an error without a frame around it: `{object: "error", message}`, `{detail}`. */
function flatError({ choices, object, type, code, message, detail }: JsonObject): JsonObject | undefined {
  if (choices !== undefined && choices !== null) return undefined;
  if (typeof detail === "string" && detail !== "") return { error: { message: detail } };
  const isError = object === "error" || type === "error" || (typeof code === "number" && code >= FIRST_ERROR);
  return isError && typeof message === "string" ? { error: { message, type, code } } : undefined;
}

/** Kimi reports the usage with the choice, Groq under a name of its own. */
function usageElsewhere(event: JsonObject): JsonObject | undefined {
  const choices = event["choices"];
  const first: unknown = Array.isArray(choices) ? choices[0] : undefined;
  return [field(first, "usage"), field(event["x_groq"], "usage")].find(isJsonObject);
}

/** `null`, `""` and `{}` report no error. */
function isTold(error: unknown): boolean {
  return typeof error === "string" ? error !== "" : isJsonObject(error) && Object.keys(error).length > 0;
}

/** MiniMax reports errors beside empty choices. */
function minimaxError(response: unknown): JsonObject | undefined {
  const [code, message] = [field(response, "status_code"), field(response, "status_msg")];
  if (typeof code !== "number" || code === 0) return undefined;
  return { error: { message: typeof message === "string" ? message : `code ${code}`, code: String(code) } };
}

function deltaOf(message: JsonObject): JsonObject {
  const calls = message["tool_calls"];
  if (!Array.isArray(calls)) return message;
  return { ...message, tool_calls: calls.map((call: unknown, index) => ({ ...Object(call), index })) };
}
