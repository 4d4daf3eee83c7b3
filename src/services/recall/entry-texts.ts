import { type Message, type ToolResultBlock, type ToolUseBlock, textOf } from "../../contracts/message.ts";
import { MATERIAL_TAG, RECALL, type RecallKind } from "../../contracts/recall.ts";
import type { Entry } from "../../contracts/session.ts";

const MATERIAL_START = `<${MATERIAL_TAG}>`;

/** A text of an entry. `id`: of the call, the message or the entry. */
export type EntryText = { readonly kind: RecallKind; readonly id: string; readonly text: string };

/**
 * The texts of an entry that can be found, in a fixed order. Results of Recall only repeat other texts, so they are
 * skipped.
 */
export function textsOf(entry: Entry): readonly EntryText[] {
  return allTextsOf(entry).filter(({ text }) => text.trim() !== "" && !text.startsWith(MATERIAL_START));
}

function allTextsOf(entry: Entry): readonly EntryText[] {
  switch (entry.kind) {
    case "user":
      return userTexts(entry);
    case "assistant":
      return [
        { kind: "assistant", id: entry.id, text: textOf(entry.message.content) },
        ...entry.message.content.flatMap((block) => (block.type === "tool_use" ? [callText(block)] : [])),
      ];
    case "tool_finished":
      return [resultText(entry.result)];
    case "results":
      return resultsTexts(entry);
    case "compacted":
      return entry.summary ? [{ kind: "summary", id: entry.id, text: textOf(entry.summary.content) }] : [];
    default:
      return [];
  }
}

/** The person's text comes last in a message; the text before it was added. */
function userTexts({ id, message, prompt, by }: Extract<Entry, { kind: "user" }>): readonly EntryText[] {
  const texts = message.content.flatMap((block) => (block.type === "text" ? [block.text] : []));
  const isPersons = by === undefined && texts.at(-1) === prompt;
  const notes = isPersons ? texts.slice(0, -1) : texts;
  return [
    { kind: "user", id, text: isPersons ? prompt : "" },
    { kind: "note", id, text: notes.join("\n") },
  ];
}

/** Most results stand only in the entries of their calls; any text next to them is only in the message. */
function resultsTexts({ id, message }: Extract<Entry, { kind: "results" }>): readonly EntryText[] {
  const results = message.content.flatMap((block) => (block.type === "tool_result" ? [resultText(block)] : []));
  return [...results, { kind: "note", id, text: textOf(message.content) }];
}

function callText({ id, name, input }: ToolUseBlock): EntryText {
  if (name === RECALL) return { kind: "call", id, text: "" };
  const fields = Object.entries(input).map(
    ([key, value]) => `${key}: ${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  return { kind: "call", id, text: [name, ...fields].join("\n") };
}

function resultText({ toolUseId, content }: ToolResultBlock): EntryText {
  return { kind: "result", id: toolUseId, text: textOf(content) };
}

/** True if this id names the entry, its message, or a call in it. */
export function isNamed(entry: Entry, id: string): boolean {
  if (entry.id === id || messageOf(entry)?.id === id) return true;
  if (entry.kind === "tool_finished") return entry.result.toolUseId === id;
  return messageOf(entry)?.content.some((block) => callIdOf(block) === id) ?? false;
}

function callIdOf(block: Message["content"][number]): string | undefined {
  if (block.type === "tool_use") return block.id;
  return block.type === "tool_result" ? block.toolUseId : undefined;
}

function messageOf(entry: Entry): Message | undefined {
  if (entry.kind === "user" || entry.kind === "assistant" || entry.kind === "results") return entry.message;
  return entry.kind === "compacted" ? entry.summary : undefined;
}
