import { field } from "../request/error-body.ts";

const CHUNK = '"choices"';
const FINISH = /"finish_reason"\s*:\s*"[^"]/;
const DONE = /^data:\s*\[DONE\]/m;
/** The finish reason of an answer that `[DONE]` alone ends. */
export const DONE_REASON = "done_mark";
const FINISH_EVENT = `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: DONE_REASON }] })}\n\n`;
const OBJECT_ARGUMENTS = /"arguments"\s*:\s*[{[]/;
const DATA = /^data: ?/;

/**
 * Turns the streams of some compatible servers into Chat Completions: call arguments that are an object become JSON text, and
 * `[DONE]` after an answer without a finish reason ends the answer.
 */
export class EventRepair {
  #hasChunk = false;
  #hasFinish = false;

  /** @param text complete events. */
  push(text: string): string {
    this.#hasChunk ||= text.includes(CHUNK);
    this.#hasFinish ||= FINISH.test(text);
    const repaired = OBJECT_ARGUMENTS.test(text) ? text.split("\n").map(withTextArguments).join("\n") : text;
    if (this.#hasFinish || !this.#hasChunk || !DONE.test(repaired)) return repaired;
    return repaired.replace(DONE, (done) => `${FINISH_EVENT}${done}`);
  }
}

function withTextArguments(line: string): string {
  if (!DATA.test(line) || !OBJECT_ARGUMENTS.test(line)) return line;
  try {
    const event: unknown = JSON.parse(line.replace(DATA, ""));
    return `data: ${JSON.stringify(event, (key, value: unknown) => (key === "function" ? withText(value) : value))}`;
  } catch {
    return line;
  }
}

function withText(call: unknown): unknown {
  const given = field(call, "arguments");
  if (typeof given !== "object" || given === null) return call;
  return { ...Object(call), arguments: JSON.stringify(given) };
}
