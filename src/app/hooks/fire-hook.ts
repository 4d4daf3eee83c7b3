import type { FireHook, HookCommon, Hooks } from "../../contracts/hook.ts";

type FireParts = {
  readonly hooks: Hooks;
  common(): HookCommon;
  /** Tells the person one line. */
  notify(line: string): void;
};

/** Notifies hooks of events outside an agent's loop. */
export function hookFirer({ hooks, common, notify }: FireParts): FireHook {
  return async (input, signal = new AbortController().signal) => {
    if (!hooks.wants(input.event, "toolName" in input ? input.toolName : undefined)) return {};
    try {
      const outcome = await hooks.run(Object.assign({}, input, common()), signal);
      if (outcome.systemMessage !== undefined) notify(outcome.systemMessage);
      return outcome;
    } catch {
      return {};
    }
  };
}
