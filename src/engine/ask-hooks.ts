import type { HookCommon, HookInput, HookOutcome, Hooks } from "../contracts/hook.ts";

export type HookDeps = {
  readonly hooks: Hooks;
  /** What every hook is told. */
  hookCommon(): HookCommon;
};

/** Asks hooks about one event, where any listens. @returns undefined when the turn was broken off meanwhile. */
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
