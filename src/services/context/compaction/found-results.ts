import { callTarget } from "../../../contracts/call-target.ts";
import type { Message, ToolResultBlock, ToolUseBlock } from "../../../contracts/message.ts";

/** A result in the conversation, and the call that it answers. */
export type FoundResult = {
  readonly messageId: string;
  /** The place of its message in the conversation, from 0. */
  readonly index: number;
  /** The place of the block in the message, from 0. */
  readonly at: number;
  readonly block: ToolResultBlock;
  /** The call of the result; undefined in a damaged history. */
  readonly use: ToolUseBlock | undefined;
  /** The block of the call as it was sent, and its place; undefined in a damaged history. */
  readonly call: FoundCall | undefined;
};

export type FoundCall = { readonly messageId: string; readonly at: number; readonly block: ToolUseBlock };

/** Finds all tool results, oldest first. */
export function findResults(messages: readonly Message[]): readonly FoundResult[] {
  const found: FoundResult[] = [];
  let calls = new Map<string, FoundCall>();
  for (const [index, message] of messages.entries()) {
    if (message.role === "assistant") {
      const { id: messageId, content } = message;
      calls = new Map(
        content.flatMap((block, at) => (block.type === "tool_use" ? [[block.id, { messageId, at, block }]] : [])),
      );
      continue;
    }
    for (const [at, block] of message.content.entries()) {
      if (block.type !== "tool_result") continue;
      const call = calls.get(block.toolUseId);
      found.push({ messageId: message.id, index, at, block, call, use: call && callTarget(call.block) });
    }
  }
  return found;
}

/** The file that a call reads or changes; undefined for other calls. */
export function fileOf(use: ToolUseBlock | undefined): string | undefined {
  const path = use?.input["file_path"] ?? use?.input["notebook_path"];
  return typeof path === "string" ? path : undefined;
}
