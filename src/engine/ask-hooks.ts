import type { HookCommon, HookInput, HookOutcome, Hooks } from "../contracts/hook.ts";

export type HookDeps = {
  readonly hooks: Hooks;
  /** The fields that every hook receives. */
  hookCommon(): HookCommon;
};

/** Asks hooks about one event if any listens to it. @returns undefined when the turn was interrupted meanwhile. */
export async function askHooks(
  input: HookInput,
  { hooks, hookCommon }: HookDeps,
  signal: AbortSignal,
): Promise<HookOutcome | undefined> {
  if (!hooks.wants(input.event, toolNameOf(input))) return {};
  try {
    return await hooks.run({ ...input, ...hookCommon() }, signal);
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

function toolNameOf(input: HookInput): string | undefined {
  return "toolName" in input ? input.toolName : undefined;
}
