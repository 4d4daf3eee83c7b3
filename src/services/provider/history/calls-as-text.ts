import type { Message, TextBlock, ToolUseBlock, UserBlock } from "../../../contracts/message.ts";
import type { CallAnswer, Turn } from "./turns.ts";

/** Turns for a model without tools: each call and its result become text. */
export function callsAsText(turns: readonly Turn[]): readonly Turn[] {
  return turns.map((turn) => {
    if (turn.role === "user")
      return { ...turn, answers: [], words: [...turn.answers.flatMap(answerWords), ...turn.words] };
    const content = turn.content.map((block) => (block.type === "tool_use" ? callWords(block) : block));
    return { ...turn, content };
  });
}

/** Converts messages of the history in the same way; messages without calls stay the same objects. */
export function messagesAsText(messages: readonly Message[]): readonly Message[] {
  const names = new Map<string, string>();
  return messages.map((message): Message => {
    if (message.role === "assistant") {
      for (const block of message.content) if (block.type === "tool_use") names.set(block.id, block.name);
      const content = message.content.map((block) => (block.type === "tool_use" ? callWords(block) : block));
      return { ...message, content };
    }
    if (!message.content.some(({ type }) => type === "tool_result")) return message;
    const content = message.content.flatMap((block): readonly UserBlock[] =>
      block.type === "tool_result"
        ? answerWords({ ...block, toolName: names.get(block.toolUseId) ?? "a call" })
        : [block],
    );
    return { ...message, content };
  });
}

function callWords({ name, input }: Pick<ToolUseBlock, "name" | "input">): TextBlock {
  return words(`[Called ${name} with ${JSON.stringify(input)}]`);
}

function answerWords({ toolName, content, isError }: Omit<CallAnswer, "callId">) {
  const head = words(`[${isError ? "Failed" : "Result of"} ${toolName}:]`);
  return [head, ...(typeof content === "string" ? [words(content)] : content)];
}

function words(text: string): TextBlock {
  return { type: "text", text };
}
