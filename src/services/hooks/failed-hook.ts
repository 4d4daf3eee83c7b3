import { errorMessage } from "../../contracts/errors.ts";
import type { HookEvent, HookOutcome } from "../../contracts/hook.ts";

export type HookFailure = {
  readonly event: HookEvent;
  readonly error: unknown;
  /** True if the hook was registered to block its event when it fails. */
  readonly blocks?: boolean;
};

/**
 * The outcome of a hook that throws, gives an invalid answer or times out: the person is told, and the work goes on as if the hook
 * had said nothing. A hook registered to block on failure blocks its event instead, but never `Stop`: the turn would not end.
 * @throws the abort reason: an aborted hook has not failed.
 */
export function failedHook({ event, error, blocks = false }: HookFailure, signal: AbortSignal): HookOutcome {
  if (signal.aborted) throw signal.reason;
  const problem = `A hook for ${event} failed: ${errorMessage(error)}.`;
  if (blocks && event !== "Stop") return { block: { reason: problem }, systemMessage: problem };
  return { systemMessage: `${problem} Quoll went on without the hook.` };
}
