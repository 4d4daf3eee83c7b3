import type { HookCommon, HookEvent, HookInput, HookOutcome, Hooks } from "../../contracts/hook.ts";
import type { JsonObject } from "../../contracts/message.ts";
import type { Clock } from "../../contracts/ports.ts";
import { mergeOutcomes } from "./combine-hooks.ts";
import { failedHook } from "./failed-hook.ts";
import { idleFields, readHookAnswer } from "./hook-answer.ts";
import { matchedName, protocolEvent, protocolInput } from "./hook-input.ts";
import { hookMatches } from "./hook-matcher.ts";

/** The default time limit of a hook. */
const HOOK_MS = 600_000;
const PROMPT_HOOK_MS = 30_000;

/** A registered hook of any kind: a callback of a program now, a shell command later. */
export type RegisteredHook = {
  /** The key of the hook: a hook that is registered twice for one event is called once. */
  readonly id: string;
  /** One of `PROTOCOL_EVENTS`. */
  readonly event: string;
  readonly matcher?: string | undefined;
  readonly timeoutMs?: number | undefined;
  readonly blocksOnFailure?: boolean;
  /** Rejects when the hook fails, and with the abort reason when `signal` aborts. */
  run(input: JsonObject, signal: AbortSignal): Promise<JsonObject>;
};

/**
 * Runs registered hooks: the hooks of one event run in parallel, each within its time limit. Their answers are
 * merged in the order of registration.
 */
export class HookRunner implements Hooks {
  readonly #clock: Clock;
  #hooks: readonly RegisteredHook[] = [];
  /** Fields of answers that the person was told to have no effect. */
  readonly #told = new Set<string>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Replaces the registered hooks. */
  register(hooks: readonly RegisteredHook[]): void {
    this.#hooks = hooks;
  }

  wants(event: HookEvent, toolName?: string): boolean {
    const events = event === "PostToolUse" ? ["PostToolUse", "PostToolUseFailure"] : [event];
    return events.some((one) => this.#matching(one, toolName).length > 0);
  }

  async run(input: HookInput & HookCommon, signal: AbortSignal): Promise<HookOutcome> {
    const fields = protocolInput(input);
    const hooks = this.#matching(protocolEvent(input), matchedName(input));
    return mergeOutcomes(await Promise.all(hooks.map((hook) => this.#call(hook, input, fields, signal))));
  }

  #matching(event: string, name: string | undefined): readonly RegisteredHook[] {
    const found = new Map<string, RegisteredHook>();
    for (const hook of this.#hooks) {
      const isMatch = hook.event === event && hookMatches(hook.matcher, name);
      if (isMatch && !found.has(hook.id)) found.set(hook.id, hook);
    }
    return [...found.values()];
  }

  async #call(hook: RegisteredHook, input: HookInput, fields: JsonObject, signal: AbortSignal): Promise<HookOutcome> {
    const { event } = input;
    try {
      const answer = await this.#inTime(hook, event, (limited) => hook.run(fields, limited), signal);
      const outcome = readHookAnswer(event, answer, "toolName" in input ? input.toolName : undefined);
      return this.#withRemark(outcome, event, idleFields(answer));
    } catch (error) {
      return failedHook({ event, error, blocks: hook.blocksOnFailure ?? false }, signal);
    }
  }

  async #inTime<Value>(
    { timeoutMs }: RegisteredHook,
    event: HookEvent,
    run: (signal: AbortSignal) => Promise<Value>,
    signal: AbortSignal,
  ): Promise<Value> {
    const ms = timeoutMs ?? (event === "UserPromptSubmit" ? PROMPT_HOOK_MS : HOOK_MS);
    const limit = new AbortController();
    const over = new AbortController();
    this.#clock.sleep(ms, over.signal).then(
      () => limit.abort(new Error(`it did not answer within ${ms / 1000} s`)),
      () => undefined,
    );
    try {
      return await run(AbortSignal.any([signal, limit.signal]));
    } finally {
      over.abort(new Error("The hook has answered."));
    }
  }

  /** Reports once for each field that it has no effect. */
  #withRemark(outcome: HookOutcome, event: HookEvent, idle: readonly string[]): HookOutcome {
    const fresh = idle.filter((name) => !this.#told.has(name));
    if (fresh.length === 0) return outcome;
    for (const name of fresh) this.#told.add(name);
    const remark = `A hook for ${event} answered with ${fresh.join(", ")}, which has no effect here.`;
    const { systemMessage } = outcome;
    return { ...outcome, systemMessage: systemMessage === undefined ? remark : `${systemMessage}\n${remark}` };
  }
}
