import { withFact } from "../contracts/advice.ts";
import type { ToolResultBlock, ToolResultContent, ToolUseBlock } from "../contracts/message.ts";
import { factsOf } from "../contracts/result-facts.ts";
import type { ToolCall, ToolResult } from "../contracts/tool.ts";

/** The block that tells the model how a call ended. */
export function resultBlock(use: ToolUseBlock, result: ToolResult, call: ToolCall | undefined): ToolResultBlock {
  const notes = call && call.corrections.length > 0 ? `(Input corrected: ${call.corrections.join("; ")}.)` : "";
  return {
    type: "tool_result",
    toolUseId: use.id,
    content: withNote(result.content, notes),
    isError: result.isError ?? false,
    ...factsOf(result),
  };
}

/** APIs reject an error with an empty result, and an empty answer tells the model nothing. */
export function withNote(content: ToolResultContent, note: string): ToolResultContent {
  if (typeof content !== "string") {
    if (content.length === 0) return note || "(no output)";
    return note ? [...content, { type: "text", text: note }] : content;
  }
  if (content.trim() === "") return note || "(no output)";
  return note ? withFact(content, note) : content;
}

/** Adds corrections that were made before the call was prepared to the corrections that the call's result names. */
export function withCorrections(call: ToolCall, corrections: readonly string[]): ToolCall {
  return {
    input: call.input,
    level: call.level,
    concurrencySafe: call.concurrencySafe,
    subjects: call.subjects,
    title: call.title,
    ...(call.preview && { preview: call.preview }),
    ...(call.wantsOutside && { wantsOutside: true }),
    ...(call.takeHunks && { takeHunks: call.takeHunks }),
    corrections: [...corrections, ...call.corrections],
    run: (grant, report) => call.run(grant, report),
  };
}
