import { errorMessage } from "../../contracts/errors.ts";
import type { HookEvent, HookOutcome } from "../../contracts/hook.ts";

export type HookFailure = {
  readonly event: HookEvent;
  readonly error: unknown;
  /** The hook in a sentence; "A hook for PreToolUse" by default. */
  readonly name?: string | undefined;
  /** The hook in a list of refusals. */
  readonly signature?: string | undefined;
  /** True if the hook was registered to block its event when it fails. */
  readonly blocks?: boolean;
};

/** Events that a failed hook never blocks: otherwise the turn, or another agent's work, would not end. */
export const NEVER_BLOCKED: ReadonlySet<HookEvent> = new Set(["Stop", "SubagentStop", "TaskCompleted", "TeammateIdle"]);

/**
 * The outcome of a hook that throws, gives an invalid answer or times out: the person is told, and the work continues
 * as if the hook had not answered. A hook registered to block on failure blocks its event instead, but never the end of
 * a turn.
 * @throws the abort reason: an aborted hook has not failed. At `MessageDisplay` the hook blocks, because the answer is
 * shown or hidden even then.
 */
export function failedHook(
  { event, error, name, signature, blocks = false }: HookFailure,
  signal: AbortSignal,
): HookOutcome {
  if (signal.aborted && event !== "MessageDisplay") throw signal.reason;
  const why = signal.aborted ? "it was interrupted before it answered" : errorMessage(error).replace(/\.$/, "");
  const problem = `${name ?? `A hook for ${event}`} failed: ${why}.`;
  if (blocks && !NEVER_BLOCKED.has(event)) {
    const by = signature === undefined ? {} : { by: signature, brief: `it failed: ${why}.` };
    return { block: { reason: problem, ...by }, systemMessage: problem };
  }
  return { systemMessage: `${problem} Quoll continued without the hook.` };
}
