import type { Compaction } from "../contracts/compactor.ts";
import type { EngineEvent } from "../contracts/event.ts";
import { applyCompaction } from "./compact.ts";
import type { CompactDeps } from "./compact-request.ts";
import { inputSize } from "./request-size.ts";

/** Changes of the model's view that a person chose. `pinned`: all ids that are pinned after the change. */
export type ContextChange = { readonly compaction?: Compaction; readonly pinned?: readonly string[] };

/**
 * Records the changes in the conversation's log, so that a resumed session sends the same messages, and notifies
 * readers.
 * @throws {Error} the log can't be written, or a call would be separated from its result.
 */
export function editContext(
  { compaction, pinned }: ContextChange,
  deps: Pick<CompactDeps, "conversation" | "forgetResults" | "tools"> & { readonly system: string },
  emit: (event: EngineEvent) => void,
): void {
  if (pinned) deps.conversation.append({ kind: "pinned", optional: true, ids: pinned });
  if (!compaction) return;
  const preTokens = inputSize(deps.system, deps);
  const freedTokens = applyCompaction(compaction, "chosen", deps);
  emit({ type: "compacted", why: "chosen", freedTokens, preTokens, note: compaction.note });
}
