import type { ContextEditPreview, ContextEdits, ContextMark } from "../../../contracts/context-edit.ts";
import { UserFacingError } from "../../../contracts/errors.ts";
import { NO_USAGE } from "../../../contracts/message.ts";
import { addSizes, blocksSize, NO_TOKENS } from "../../../contracts/token-estimate.ts";
import { windowLimits } from "../../../contracts/window-limits.ts";
import { editedMessages } from "../../../engine/edited-messages.ts";
import { type ContextChange, editContext } from "../../../services/context/accounting/edit-context.ts";
import type { ReportedSession } from "./session-context-report.ts";

type Parts = Omit<ReportedSession, "config" | "additions">;

/** Changes of the model's view that the person's marks cause, with their price. */
export function contextEdits(parts: Parts): ContextEdits {
  const { engine } = parts.main;
  return {
    async preview(marks) {
      if (engine.state.busy)
        throw new UserFacingError("A turn is running: wait for it or press Esc, then change the context.");
      return previewOf(changeOf(parts, marks), parts);
    },
    async apply(marks) {
      const change = changeOf(parts, marks);
      const preview = await previewOf(change, parts);
      engine.editContext(change);
      await engine.conversation.sync();
      return preview;
    },
  };
}

function changeOf({ main, catalog, environment }: Parts, marks: readonly ContextMark[]): ContextChange {
  const { messages, pinned, tokens } = main.engine.conversation;
  const { usable } = windowLimits(catalog.capabilities(main.engine.state.model), environment.settings.compaction);
  const canRecall = main.registry.names.includes("Recall");
  return editContext({ messages, pinned, usable, canRecall, measure: (size) => tokens.calibrated(size) }, marks);
}

async function previewOf(
  { compaction, turns, results }: ContextChange,
  { main, catalog }: Parts,
): Promise<ContextEditPreview> {
  const { conversation, cache, state } = main.engine;
  if (!compaction) return { turns, results, freedTokens: 0, resentTokens: 0 };
  const before = conversation.messages;
  const after = editedMessages(before, compaction);
  const size = (messages: typeof before) =>
    conversation.tokens.calibrated(
      messages.reduce((sum, { content }) => addSizes(sum, blocksSize(content)), NO_TOKENS),
    );
  const freedTokens = Math.max(0, size(before) - size(after));
  const first = before.findIndex((message, at) => message !== after[at]);
  if (cache.isCold(state.model)) return { turns, results, freedTokens, resentTokens: 0 };
  const resentTokens = size(after.slice(first));
  const [cached, uncached] = await Promise.all([
    catalog.cost(state.model, { ...NO_USAGE, cacheReadTokens: resentTokens }),
    catalog.cost(state.model, { ...NO_USAGE, inputTokens: resentTokens }),
  ]);
  const costUsd = cached === undefined || uncached === undefined ? undefined : Math.max(0, uncached - cached);
  return { turns, results, freedTokens, resentTokens, ...(costUsd !== undefined && { costUsd }) };
}
