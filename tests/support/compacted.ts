import { MAIN_AGENT } from "../../src/contracts/agent.ts";
import type { CompactionStage, CompactionView } from "../../src/contracts/compactor.ts";
import type { Message } from "../../src/contracts/message.ts";
import { blockTokens } from "../../src/contracts/token-estimate.ts";
import { Conversation } from "../../src/engine/conversation.ts";
import { unsavedSessionLog } from "../../src/services/session/unsaved-session-log.ts";
import { countedIds, restoredOf } from "./engine-harness.ts";

type Size = Omit<CompactionView, "messages" | "entryIds" | "tokensOf" | "isPinned" | "stopTokens" | "besideTokens"> & {
  readonly pinned?: readonly string[];
};

/** The messages of a conversation after a stage. Returns the same list if the stage removes nothing. */
export async function compactedBy(stage: CompactionStage, messages: readonly Message[], size: Size) {
  const restored = restoredOf(messages);
  const log = unsavedSessionLog({ sessionId: "s", entries: restored.entries });
  const conversation = new Conversation({ log, agent: MAIN_AGENT, ids: countedIds() }, restored);
  const { entryIds } = conversation;
  const isPinned = (id: string) => size.pinned?.includes(id) ?? false;
  const stopTokens = Math.floor((size.windowTokens - size.reservedTokens) * 0.97);
  let historyReads = 0;
  const compaction = await stage.run(
    { ...size, stopTokens, besideTokens: 0, messages, entryIds, isPinned, tokensOf: blockTokens },
    {
      signal: new AbortController().signal,
      ask: () => Promise.reject(new Error("There is no model here.")),
      emit: () => undefined,
      history: (kinds) => {
        historyReads += 1;
        return conversation.history(kinds);
      },
      describeSession: async () => "",
      skillsInUse: async () => "",
      runningTasks: () => [],
    },
  );
  if (!compaction) return { messages, freedTokens: 0, note: undefined, historyReads };
  const freedTokens = conversation.compact(compaction, size.why);
  return { messages: conversation.messages, freedTokens, note: compaction.note, historyReads };
}
