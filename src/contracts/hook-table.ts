import { fitSetting } from "./fit-setting.ts";
import { CONFIGURABLE_EVENTS, type ConfigurableEvent } from "./hook-events.ts";
import { HOOK, type HookSettings } from "./hook-settings.ts";
import { isJsonObject, type JsonObject } from "./message.ts";

type TableHook = {
  readonly event: ConfigurableEvent;
  readonly matcher: string | undefined;
  readonly hook: HookSettings;
};

/**
 * Reads hooks listed by event, in the form of settings files, outside of settings: those of skills, agents and plugins.
 * An invalid hook costs a problem, not the others. A matcher that is no text matches everything.
 * @param problem Receives one phrase for each part that is not read.
 */
export function readHookTable(table: JsonObject, problem: (text: string) => void): readonly TableHook[] {
  return Object.entries(table).flatMap(([name, matchers]) => {
    const event = CONFIGURABLE_EVENTS.find((one) => one === name);
    if (!event) {
      problem(`there is no event ${JSON.stringify(name.slice(0, 60))}`);
      return [];
    }
    if (!Array.isArray(matchers)) problem(`${event} must be a list`);
    return listOf(matchers).flatMap((one) => hooksOfMatcher(event, one, problem));
  });
}

function hooksOfMatcher(
  event: ConfigurableEvent,
  given: unknown,
  problem: (text: string) => void,
): readonly TableHook[] {
  const { matcher, hooks } = isJsonObject(given) ? given : {};
  if (!Array.isArray(hooks)) problem(`${event}: a matcher needs a list of "hooks"`);
  const text = typeof matcher === "string" ? matcher : undefined;
  return listOf(hooks).flatMap((entry) => {
    const fitted = fitSetting(entry, HOOK);
    if ("value" in fitted) return [{ event, matcher: text, hook: fitted.value as HookSettings }];
    const { path, expected } = fitted.misfit;
    problem(`${event}: ${path.join(".") || "a hook"} must be ${expected}`);
    return [];
  });
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
