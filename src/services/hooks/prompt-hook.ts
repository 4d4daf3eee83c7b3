import { z } from "zod";
import type { HookSettings } from "../../contracts/hook-settings.ts";
import type { JsonObject } from "../../contracts/message.ts";
import agentSystem from "./agent-hook.md" with { type: "text" };
import { blockingAnswer } from "./command-answer.ts";
import promptSystem from "./prompt-hook.md" with { type: "text" };

/** Place of the input in a question. */
const ARGUMENTS = "$ARGUMENTS";
const MAX_INPUT_CHARS = 100_000;

const decisionSchema = z.object({ ok: z.boolean(), reason: z.string().optional() });

/** A question of a hook, to a model or to an agent. */
export type HookQuestion = {
  readonly system: string;
  readonly prompt: string;
  /** The name or alias of a model; undefined for the session's model. */
  readonly model?: string | undefined;
};

/** @returns the text of the answer. */
export type AskForHook = (question: HookQuestion, signal: AbortSignal) => Promise<string>;

/**
 * Asks a model (or an agent, which can read files) whether the event may continue; a no blocks the event with its
 * reason.
 * @throws {Error} one phrase: no answer came, or it is not a decision.
 */
export async function runPromptHook(
  { type, prompt = "", model }: HookSettings,
  input: JsonObject,
  ask: AskForHook,
  signal: AbortSignal,
): Promise<JsonObject> {
  const system = (type === "agent" ? agentSystem : promptSystem).trim();
  const text = await ask({ system, prompt: filled(prompt, input), model }, signal);
  const { ok, reason } = readDecision(text);
  return ok ? {} : blockingAnswer(String(input["hook_event_name"]), reason ?? "no reason was given");
}

function filled(prompt: string, input: JsonObject): string {
  const json = JSON.stringify(input, null, 1).slice(0, MAX_INPUT_CHARS);
  const data = `<hook-input>\n${json}\n</hook-input>`;
  return prompt.includes(ARGUMENTS) ? prompt.replaceAll(ARGUMENTS, () => data) : `${prompt}\n\n${data}`;
}

/** The decision in an answer, which may be surrounded by other text. @throws {Error} one phrase. */
function readDecision(text: string): z.infer<typeof decisionSchema> {
  const [json] = /\{[^{}]*"ok"[^{}]*\}/.exec(text) ?? [];
  try {
    return decisionSchema.parse(JSON.parse(json ?? text));
  } catch (error) {
    throw new Error('the model did not answer with {"ok": true} or {"ok": false, "reason": "…"}', { cause: error });
  }
}
