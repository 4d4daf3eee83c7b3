import { z } from "zod";
import { errorMessage } from "../../contracts/errors.ts";
import {
  HOOK_EVENTS,
  type HookCommon,
  type HookEvent,
  type HookInput,
  type HookOutcome,
  type Hooks,
} from "../../contracts/hook.ts";
import { type JsonObject, textOf } from "../../contracts/message.ts";
import type { CallInputs } from "./call-inputs.ts";
import type { ControlChannel } from "./control-channel.ts";
import { idleFields, mergeOutcomes, readHookAnswer } from "./hook-answer.ts";
import { hookMatches, matcherProblem } from "./hook-matcher.ts";
import { type WireLine, wireContent } from "./wire-format.ts";

/** How long a callback may take where its registration says nothing. */
const HOOK_MS = 600_000;
const PROMPT_HOOK_MS = 30_000;
const MAX_TIMEOUT_S = 86_400;

/** A failed call has an event of its own on this wire. */
const WIRE_EVENTS: readonly string[] = [...HOOK_EVENTS, "PostToolUseFailure"];

const matchersSchema = z.array(
  z.looseObject({
    matcher: z.string().nullish(),
    hookCallbackIds: z.array(z.string()),
    /** Seconds. */
    timeout: z.number().positive().max(MAX_TIMEOUT_S).nullish(),
    onFailure: z.enum(["continue", "block"]).nullish(),
  }),
);
type Matcher = z.infer<typeof matchersSchema>[number];
type Callback = { readonly id: string; readonly timeoutMs: number; readonly blocksOnFailure: boolean };

export type HookDeps = {
  readonly channel: ControlChannel;
  /** Told which input a hook put in the place of the model's. */
  readonly inputs: Pick<CallInputs, "replace">;
  /** The whole of what the person said, where the prompt is only its last part. */
  words(prompt: string): string | undefined;
};

/** Hooks of the program that drives us: it named callbacks when it began, and each is called over the control protocol. */
export class HookCallbacks implements Hooks {
  readonly #deps: HookDeps;
  #matchers: ReadonlyMap<string, readonly Matcher[]> = new Map();
  #remarks: readonly string[] = [];
  /** Fields of answers that were told to have no effect. */
  readonly #told = new Set<string>();

  constructor(deps: HookDeps) {
    this.#deps = deps;
  }

  /** One line for each registration that will never be called. */
  get remarks(): readonly string[] {
    return this.#remarks;
  }

  /** Takes the registrations of `initialize`, in place of those before. @throws {Error} they are not formed as such. */
  configure(hooks: JsonObject): void {
    const taken = new Map<string, readonly Matcher[]>();
    const remarks: string[] = [];
    for (const [event, value] of Object.entries(hooks)) {
      if (value === null || value === undefined) continue;
      const matchers = matchersSchema.safeParse(value);
      if (!matchers.success) throw new Error(`hooks.${event}: expected a list of {matcher, hookCallbackIds, timeout}`);
      if (matchers.data.length === 0) continue;
      if (!WIRE_EVENTS.includes(event))
        remarks.push(`Hooks for ${event} are taken and never called: there is no such event yet.`);
      for (const { matcher } of matchers.data) {
        const problem = matcherProblem(matcher ?? "");
        if (problem !== undefined)
          remarks.push(`The matcher ${JSON.stringify(matcher)} of ${event} matches nothing: ${problem}.`);
      }
      taken.set(event, matchers.data);
    }
    this.#matchers = taken;
    this.#remarks = remarks;
  }

  wants(event: HookEvent, toolName?: string): boolean {
    const events = event === "PostToolUse" ? ["PostToolUse", "PostToolUseFailure"] : [event];
    return events.some((one) => this.#callbacks(one, toolName).length > 0);
  }

  async run(input: HookInput & HookCommon, signal: AbortSignal): Promise<HookOutcome> {
    const wireEvent = input.event === "PostToolUse" && input.isError ? "PostToolUseFailure" : input.event;
    const callbacks = this.#callbacks(wireEvent, subjectOf(input));
    const fields = { hook_event_name: wireEvent, ...wireCommon(input), ...this.#wireInput(input) };
    const outcomes = await Promise.all(callbacks.map((callback) => this.#call(callback, input, fields, signal)));
    const outcome = mergeOutcomes(outcomes);
    if (input.event === "PreToolUse" && outcome.updatedInput)
      this.#deps.inputs.replace(input.toolUseId, outcome.updatedInput);
    return outcome;
  }

  #callbacks(event: string, name: string | undefined): readonly Callback[] {
    const found = new Map<string, Callback>();
    for (const { matcher, hookCallbackIds, timeout, onFailure } of this.#matchers.get(event) ?? []) {
      if (!hookMatches(matcher ?? undefined, name)) continue;
      const timeoutMs = timeout ? timeout * 1000 : event === "UserPromptSubmit" ? PROMPT_HOOK_MS : HOOK_MS;
      for (const id of hookCallbackIds)
        if (!found.has(id)) found.set(id, { id, timeoutMs, blocksOnFailure: onFailure === "block" });
    }
    return [...found.values()];
  }

  async #call(
    { id, timeoutMs, blocksOnFailure }: Callback,
    { event, ...input }: HookInput,
    fields: WireLine,
    signal: AbortSignal,
  ): Promise<HookOutcome> {
    const toolUse = "toolUseId" in input && { tool_use_id: input.toolUseId };
    try {
      const request = { subtype: "hook_callback", callback_id: id, input: fields, ...toolUse };
      const { channel } = this.#deps;
      // Nobody can answer at the end of most sessions; to be told is worth something all the same.
      if (event === "SessionEnd" && channel.isClosed) {
        channel.tell(request);
        return {};
      }
      const answer = await channel.request(request, { signal, timeoutMs });
      const outcome = readHookAnswer(event, answer, "toolName" in input ? input.toolName : undefined);
      return this.#withRemark(outcome, event, idleFields(answer));
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      const problem = `A hook for ${event} failed: ${errorMessage(error)}.`;
      if (blocksOnFailure && event !== "Stop") return { block: { reason: problem }, systemMessage: problem };
      return { systemMessage: `${problem} It went on without.` };
    }
  }

  /** Says of a field once that it does nothing. */
  #withRemark(outcome: HookOutcome, event: HookEvent, idle: readonly string[]): HookOutcome {
    const fresh = idle.filter((name) => !this.#told.has(name));
    if (fresh.length === 0) return outcome;
    for (const name of fresh) this.#told.add(name);
    const remark = `What a hook for ${event} says in ${fresh.join(", ")} has no effect here.`;
    const { systemMessage } = outcome;
    return { ...outcome, systemMessage: systemMessage === undefined ? remark : `${systemMessage}\n${remark}` };
  }

  #wireInput(input: HookInput): WireLine {
    switch (input.event) {
      case "SessionStart":
        return { source: input.source, model: input.model };
      case "UserPromptSubmit":
        return { prompt: this.#deps.words(input.prompt) ?? input.prompt, source: "sdk" };
      case "PreToolUse":
        return wireTool(input);
      case "PostToolUse":
        return { ...wireTool(input), ...wireResponse(input), duration_ms: input.durationMs };
      case "Stop":
        return { stop_hook_active: input.isAgain, last_assistant_message: input.lastText };
      case "SessionEnd":
        return { reason: wireEnd(input) };
    }
  }
}

function wireCommon({ sessionId, transcriptPath, cwd, mode }: HookCommon): WireLine {
  return { session_id: sessionId, transcript_path: transcriptPath, cwd, permission_mode: mode };
}

function wireTool({ toolName, toolUseId, toolInput }: Extract<HookInput, { readonly toolName: string }>): WireLine {
  return { tool_name: toolName, tool_input: toolInput, tool_use_id: toolUseId };
}

function wireResponse({ toolResponse, isError }: Extract<HookInput, { readonly event: "PostToolUse" }>): WireLine {
  return isError ? { error: textOf(toolResponse) } : { tool_response: wireContent(toolResponse) };
}

/** Programs know no word for a session that simply ends. */
function wireEnd({ reason }: Extract<HookInput, { readonly event: "SessionEnd" }>): string {
  return reason === "exit" ? "other" : reason;
}

/** What a matcher is held against. */
function subjectOf(input: HookInput): string | undefined {
  switch (input.event) {
    case "PreToolUse":
    case "PostToolUse":
      return input.toolName;
    case "SessionStart":
      return input.source;
    case "SessionEnd":
      return wireEnd(input);
    default:
      return undefined;
  }
}
