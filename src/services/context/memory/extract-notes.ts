import { z } from "zod";
import { type MemoryNote, NOTE_TYPES } from "../../../contracts/memory.ts";
import words from "./extract.md" with { type: "text" };
import { arrayInAnswer } from "./json-answer.ts";
import { type NoteFields, slugOf } from "./note-text.ts";

/** The system prompt of the question. */
export const EXTRACT_SYSTEM = words.trim();
/** The maximum length of the answer, in tokens. */
export const EXTRACT_MAX_TOKENS = 1_000;
/** The maximum number of notes in one answer. */
const MAX_PROPOSED = 3;
const MAX_PROMPT_CHARS = 4_000;
const MAX_KNOWN_CHARS = 20_000;
const MAX_BODY_CHARS = 2_000;

const answerSchema = z.array(
  z.object({
    name: z.string().min(1),
    description: z.string().min(1),
    type: z.enum(NOTE_TYPES),
    body: z.string().min(1).max(MAX_BODY_CHARS),
  }),
);

/**
 * The question about a person's messages: it contains nothing else of the conversation.
 * @param prompts The prompts, oldest first; each is cut at `MAX_PROMPT_CHARS`.
 */
export function extractQuestion(
  prompts: readonly string[],
  notes: readonly Pick<MemoryNote, "name" | "description">[],
): string {
  const said = prompts.map((prompt) => prompt.slice(0, MAX_PROMPT_CHARS).toWellFormed());
  const known = notes.map(({ name, description }) => `${name}: ${description}`).join("\n");
  const shown = known.slice(0, MAX_KNOWN_CHARS).toWellFormed();
  return `The notes that exist:\n${shown || "none"}\n\nThe user's words:\n${JSON.stringify(said)}`;
}

/** @throws {Error} the answer is not of the form that was asked for. */
export function readExtracted(answer: string): readonly NoteFields[] {
  const parsed = answerSchema.safeParse(arrayInAnswer(answer));
  if (!parsed.success) throw new Error("the model's answer does not have the requested form");
  return parsed.data.slice(0, MAX_PROPOSED).map((note) => ({
    ...note,
    name: slugOf(note.name),
    description: note.description.toWellFormed(),
    body: note.body.toWellFormed(),
  }));
}
