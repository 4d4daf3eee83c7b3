import type { AssistantBlock, Message, UserBlock } from "../../../contracts/message.ts";
import { textOf } from "../../../contracts/message.ts";

/** The most characters of each kind of part that a transcript shows. */
export type TranscriptLimits = { readonly text: number; readonly call: number; readonly result: number };

/** The conversation as plain text, a part for each message; no part refers to another, so it can be cut between them. */
export function transcript(messages: readonly Message[], limits: TranscriptLimits): readonly string[] {
  return messages
    .map(({ role, content }) => {
      const lines = [...content].map((block) => lineOf(block, limits)).filter((line) => line !== "");
      return lines.length === 0 ? "" : `[${role}]\n${lines.join("\n")}`;
    })
    .filter((part) => part !== "");
}

function lineOf(block: UserBlock | AssistantBlock, { text, call, result }: TranscriptLimits): string {
  switch (block.type) {
    case "text":
      return bothEnds(block.text, text);
    case "tool_use":
      return `call of ${block.name}: ${bothEnds(JSON.stringify(block.input), call)}`;
    case "tool_result":
      return `${block.isError ? "error" : "result"}: ${bothEnds(textOf(block.content), result)}`;
    case "image":
    case "document":
      return `(${block.type})`;
    default:
      return "";
  }
}

/** The beginning and the end of a text that is longer than `chars`. */
export function bothEnds(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const half = Math.floor(chars / 2);
  return `${text.slice(0, half)} […] ${text.slice(-half)}`.toWellFormed();
}
