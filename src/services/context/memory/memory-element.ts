import type { MemoryNote } from "../../../contracts/memory.ts";
import { promptText } from "../../../contracts/prompt-text.ts";
import { attribute, taggedElements } from "../instructions/instruction-element.ts";
import agentWords from "./agent-memory.md" with { type: "text" };
import words from "./memory.md" with { type: "text" };

const INDEX_TAG = "project-memory";
const NOTE_TAG = "memory-note";

type MemoryOwner = { readonly folder: string; readonly isAgents?: boolean };

/**
 * The memory in the form of the first message of a session.
 * @param index The lines of the index; empty if there are no notes.
 * @param tools Names of the built-in tools that the model has.
 */
export function memoryElement({ folder, isAgents }: MemoryOwner, index: string, tools: readonly string[]): string {
  const about = promptText(isAgents ? agentWords : words, (name) => tools.includes(name)).trim();
  const lines = index === "" ? "" : `\n${closed(`MEMORY.md:\n${index}`)}`;
  return `<${INDEX_TAG} folder="${attribute(folder)}">\n${about}${lines}\n</${INDEX_TAG}>`;
}

/**
 * A note in the form in which it is attached to a prompt. `stale`: names in the note that no longer exist in the
 * project.
 */
export function noteElement(
  { file, type, date, by, body }: Pick<MemoryNote, "file" | "type" | "date" | "by" | "body">,
  stale: readonly string[],
): string {
  const about = Object.entries({ type, date, by });
  const of = about.flatMap(([key, value]) => (value === undefined ? [] : [`${key}="${attribute(value)}"`])).join(" ");
  const warning = stale.length === 0 ? "" : `\n(Out of date: not in the project any more: ${stale.join(", ")}.)`;
  return `<${NOTE_TAG} file="${attribute(file)}" ${of}>\n${closed(`${body}${warning}`)}\n</${NOTE_TAG}>`;
}

/** A part of a text that a model was sent. `name`: `MEMORY.md` or the file of a note. */
export type MemoryPart = { readonly name: string; readonly text: string };

/** The elements of the memory in a text. */
export function memoryParts(text: string): readonly MemoryPart[] {
  return taggedElements(text, [INDEX_TAG, NOTE_TAG]).map(({ tag, name, start, end }) => ({
    name: tag === INDEX_TAG ? "MEMORY.md" : name,
    text: text.slice(start, end),
  }));
}

/** Escapes a text so that it can't close its element or open another element. */
function closed(text: string): string {
  return text.replace(/<(?=\/?(?:project-memory|memory-note|project-instructions|environment)\b)/g, "&lt;");
}
