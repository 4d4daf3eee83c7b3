import type { TextBlock } from "../../../contracts/message.ts";
import type { CallAnswer, Turn } from "./turns.ts";

/** Turns for a model without tools: each call and its result are told in words, as text that the model can read. */
export function callsInWords(turns: readonly Turn[]): readonly Turn[] {
  return turns.map((turn) => {
    if (turn.role === "user")
      return { ...turn, answers: [], words: [...turn.answers.flatMap(answerWords), ...turn.words] };
    const content = turn.content.map((block) =>
      block.type === "tool_use" ? words(`[Called ${block.name} with ${JSON.stringify(block.input)}]`) : block,
    );
    return { ...turn, content };
  });
}

function answerWords({ toolName, content, isError }: CallAnswer) {
  const head = words(`[${isError ? "Failed" : "Result of"} ${toolName}:]`);
  return [head, ...(typeof content === "string" ? [words(content)] : content)];
}

function words(text: string): TextBlock {
  return { type: "text", text };
}
