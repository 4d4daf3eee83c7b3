import type { HookChanges } from "../../contracts/display.ts";
import type { HookEvent, Hooks } from "../../contracts/hook.ts";

/** Events at which the loop waits for hooks, which may format files like a hook after a call. */
const WAITING: ReadonlySet<HookEvent> = new Set(["UserPromptSubmit", "PostToolBatch", "Stop"]);

type Following = {
  /** Remembers files that the model knows. @returns the same function as `followHookChanges`. */
  follow(signal: AbortSignal): Promise<() => Promise<HookChanges>>;
  /** Gives the model a note with the next request. */
  notify(note: string): void;
};

/** Wraps hooks so that the model is told about files that they change; otherwise its next Edit would fail. */
export function followingHooks(hooks: Hooks, { follow, notify }: Following): Hooks {
  return {
    wants: (event, toolName) => hooks.wants(event, toolName),
    async run(input, signal) {
      if (!WAITING.has(input.event)) return hooks.run(input, signal);
      const changes = await follow(signal);
      const outcome = await hooks.run(input, signal);
      const { note } = await changes();
      if (note !== undefined) notify(note);
      return outcome;
    },
  };
}
