import { z } from "zod";
import type { CallbackHooks, HookCallback } from "../../contracts/hook.ts";
import { factsOfEvent, isConfigurable } from "../../contracts/hook-events.ts";
import type { JsonObject } from "../../contracts/message.ts";
import type { Clock } from "../../contracts/ports.ts";
import { matcherProblem } from "./hook-matcher.ts";
import { HookRunner, type RegisteredHook } from "./run-hooks.ts";

const MAX_TIMEOUT_S = 86_400;

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

/** Hooks of the program that drives Quoll. The program names its callbacks at the start, and `call` runs them. */
export function callbackHooks(call: HookCallback, clock: Clock): CallbackHooks {
  const runner = new HookRunner(clock);
  return {
    wants: (event, toolName) => runner.wants(event, toolName),
    run: (input, signal) => runner.run(input, signal),
    register(registrations) {
      const byEvent = Object.entries(registrations).map(
        ([event, value]) => [event, readMatchers(event, value)] as const,
      );
      runner.register(
        byEvent.flatMap(([event, matchers]) => matchers.flatMap((matcher) => hooksOf(event, matcher, call))),
      );
      return byEvent.flatMap(([event, matchers]) => remarksOn(event, matchers));
    },
  };
}

/** @throws {Error} the registrations of the event have the wrong form. */
function readMatchers(event: string, value: unknown): readonly Matcher[] {
  if (value === null || value === undefined) return [];
  const matchers = matchersSchema.safeParse(value);
  if (matchers.success) return matchers.data;
  throw new Error(`hooks.${event}: expected a list of {matcher, hookCallbackIds, timeout}`);
}

function hooksOf(event: string, matcher: Matcher, call: HookCallback): readonly RegisteredHook[] {
  const { hookCallbackIds, timeout, onFailure } = matcher;
  return hookCallbackIds.map((id) => ({
    id,
    event,
    matcher: matcher.matcher ?? undefined,
    timeoutMs: timeout ? timeout * 1000 : undefined,
    blocksOnFailure: onFailure === "block",
    run: (input: JsonObject, signal: AbortSignal) => call(id, input, signal),
  }));
}

/** One line for each registration that will never be called. */
function remarksOn(event: string, matchers: readonly Matcher[]): readonly string[] {
  if (matchers.length === 0) return [];
  const isKnown = isConfigurable(event) && !factsOfEvent(event).isUnused;
  return [
    ...(isKnown ? [] : [`Quoll accepts hooks for ${event} but never calls them: this event does not exist yet.`]),
    ...matchers.flatMap(({ matcher }) => {
      const problem = matcherProblem(matcher ?? "");
      return problem === undefined
        ? []
        : [`The matcher ${JSON.stringify(matcher)} of ${event} matches nothing: ${problem}.`];
    }),
  ];
}
