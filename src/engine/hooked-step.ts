import type { UserInput } from "../contracts/engine.ts";
import type { EngineEvent } from "../contracts/event.ts";
import type { HookInput } from "../contracts/hook.ts";
import { askHooks, type HookDeps } from "./ask-hooks.ts";
import type { InputQueue } from "./input-queue.ts";
import { hookKeepsTurn } from "./system-reminders.ts";

type Telling<Value> = AsyncGenerator<EngineEvent, Value>;

export type Steering = {
  readonly inputs: InputQueue;
  /** Adds the inputs that hooks let through to the conversation. */
  take(input: UserInput, hookNote?: string): Telling<void>;
  readonly endTurn: ((why?: string) => void) | undefined;
};

/**
 * Before a step, adds the inputs that the user sent during the turn, if hooks let them through. An input is removed
 * from the queue after hooks have seen it.
 * @returns true if any input was added.
 */
export async function* hookedSteering(
  { inputs, take, endTurn }: Steering,
  deps: HookDeps,
  signal: AbortSignal,
): Telling<boolean> {
  let isTaken = false;
  for (const { id, prompt } of inputs.steering) {
    const said = await askHooks({ event: "UserPromptSubmit", prompt }, deps, signal);
    if (!said) return isTaken;
    const input = inputs.takeSteering(id);
    if (!input) continue;
    const refusal = said.block ?? said.stop;
    if (said.systemMessage !== undefined) yield { type: "notice", message: said.systemMessage };
    if (refusal) yield { type: "notice", message: `A hook refused the input: ${refusal.reason}` };
    else yield* take(input, said.additionalContext);
    if (said.stop) endTurn?.(said.stop.reason);
    isTaken ||= !refusal;
  }
  return isTaken;
}

/**
 * Runs hooks after the last step: returns the message with which a hook keeps the turn going; undefined if the turn may
 * end.
 */
export async function* hookedStop(
  about: Omit<Extract<HookInput, { event: "Stop" }>, "event">,
  deps: HookDeps,
  signal: AbortSignal,
): Telling<string | undefined> {
  const said = await askHooks({ event: "Stop", ...about }, deps, signal);
  if (said?.systemMessage !== undefined) yield { type: "notice", message: said.systemMessage };
  if (said?.stop) {
    yield { type: "notice", message: `A hook ended the turn: ${said.stop.reason}` };
    return undefined;
  }
  return said?.block ? hookKeepsTurn(said.block.reason) : said?.additionalContext;
}
