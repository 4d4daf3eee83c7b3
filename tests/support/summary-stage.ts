import type { CompactionStage } from "../../src/contracts/compactor.ts";
import { textOf } from "../../src/contracts/message.ts";

const ASK = {
  role: "user",
  id: "summary-request",
  content: [{ type: "text", text: "Sum up what was said." }],
} as const;

/** A stage that asks the model for a summary of all but the newest two messages, and puts it in their place. */
export function summaryStage(): CompactionStage {
  return {
    name: "summary",
    async run({ why, messages, entryIds }, { ask }) {
      if (why === "image_too_large") return undefined;
      const from = messages.findLastIndex(
        ({ content }, at) => at < messages.length - 1 && !content.some(({ type }) => type === "tool_result"),
      );
      const firstKeptId = entryIds[from];
      if (from < 2 || firstKeptId === undefined) return undefined;
      const answer = await ask({ messages: [...messages, ASK], maxTokens: 1_000 });
      const text = `Summary: ${textOf(answer.content)}`;
      return { stubs: [], firstKeptId, summary: [{ type: "text", text }], note: "Summed up the conversation." };
    },
  };
}
