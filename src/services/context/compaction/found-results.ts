import { callTarget } from "../../../contracts/call-target.ts";
import { type Message, type ToolResultBlock, type ToolUseBlock, toolUses } from "../../../contracts/message.ts";

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
};

/** Finds all tool results, oldest first. */
export function findResults(messages: readonly Message[]): readonly FoundResult[] {
  const found: FoundResult[] = [];
  let uses = new Map<string, ToolUseBlock>();
  for (const [index, message] of messages.entries()) {
    if (message.role === "assistant") {
      uses = new Map(
        toolUses(message)
          .map(callTarget)
          .map((use) => [use.id, use]),
      );
      continue;
    }
    for (const [at, block] of message.content.entries()) {
      if (block.type !== "tool_result") continue;
      found.push({ messageId: message.id, index, at, block, use: uses.get(block.toolUseId) });
    }
  }
  return found;
}

/** The file that a call reads or changes; undefined for other calls. */
export function fileOf(use: ToolUseBlock | undefined): string | undefined {
  const path = use?.input["file_path"];
  return typeof path === "string" ? path : undefined;
}
