import type { TextBlock, ToolUseBlock } from "../../../contracts/message.ts";
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

function callWords({ name, input }: Pick<ToolUseBlock, "name" | "input">): TextBlock {
  return words(`[Called ${name} with ${JSON.stringify(input)}]`);
}

function answerWords({ toolName, content, isError }: CallAnswer) {
  const head = words(`[${isError ? "Failed" : "Result of"} ${toolName}:]`);
  return [head, ...(typeof content === "string" ? [words(content)] : content)];
}

function words(text: string): TextBlock {
  return { type: "text", text };
}
