import type { Stub } from "../contracts/compaction.ts";
import type { AssistantMessage, Message, UserBlock } from "../contracts/message.ts";
import type { Entry } from "../contracts/session.ts";

type Compacted = Extract<Entry, { kind: "compacted" }>;

/** The messages of a conversation after a compaction: without the removed messages, and with replaced blocks. */
export function editedMessages(
  messages: readonly Message[],
  { stubs, removedIds = [] }: Pick<Compacted, "stubs" | "removedIds">,
): readonly Message[] {
  return withStubs(messages, stubs).filter(({ id }) => !removedIds.includes(id));
}

/** Replaces calls by the same calls with other inputs. */
function withCalls(message: AssistantMessage, blocks: ReadonlyMap<number, Stub["block"]>): AssistantMessage {
  const content = message.content.map((block, at) => {
    const stub = blocks.get(at);
    return stub?.type === "tool_use" && block.type === "tool_use" && stub.id === block.id ? stub : block;
  });
  return { ...message, content };
}

/** Replaces blocks in messages; messages without a replaced block stay the same objects. */
export function withStubs(messages: readonly Message[], stubs: readonly Stub[]): Message[] {
  const byMessage = Map.groupBy(stubs, ({ messageId }) => messageId);
  return messages.map((message) => {
    const own = byMessage.get(message.id);
    if (!own) return message;
    const blocks = new Map(own.map(({ at, block }) => [at, block]));
    if (message.role === "assistant") return withCalls(message, blocks);
    const replaced = (block: UserBlock, at: number) => {
      const stub = blocks.get(at);
      return stub && stub.type !== "tool_use" ? stub : block;
    };
    return { ...message, content: message.content.map(replaced) };
  });
}
