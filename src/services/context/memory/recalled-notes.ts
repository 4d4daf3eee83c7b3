import type { Message } from "../../../contracts/message.ts";
import type { Ripgrep } from "../../../platform/ripgrep.ts";
import { memoryParts, noteElement } from "./memory-element.ts";
import type { StoredNote } from "./memory-files.ts";
import { rankNotes } from "./rank-notes.ts";
import { missingPaths, missingSymbols, namedThings } from "./stale-names.ts";

/** The maximum number of notes that are sent with one prompt. */
export const MAX_RECALLED = 5;
/** Characters of a note that go with a prompt. */
const MAX_RECALLED_CHARS = 4_000;
const NOTE_START = "<memory-note ";

/** A note as it goes with a prompt. */
export type RecalledNote = { readonly file: string; readonly text: string };

type Project = {
  readonly projectRoot: string;
  ripgrep(): Promise<Ripgrep | undefined>;
};

/** The files of the notes that the model sees in its conversation. */
export function notesIn(messages: readonly Message[]): ReadonlySet<string> {
  return new Set(
    messages.flatMap(({ role, content }) =>
      content.flatMap((block) =>
        role === "user" && block.type === "text" && block.text.startsWith(NOTE_START)
          ? memoryParts(block.text).map(({ name }) => name)
          : [],
      ),
    ),
  );
}

/**
 * The notes that match a prompt, at most `MAX_RECALLED`, best first. A note that names paths or code that no longer
 * exist in the project is marked.
 * @param notes The candidates, without notes that the model already has.
 */
export async function recallNotes(
  prompt: string,
  notes: readonly StoredNote[],
  { projectRoot, ripgrep }: Project,
  signal: AbortSignal,
): Promise<readonly RecalledNote[]> {
  const best = rankNotes(prompt, notes).slice(0, MAX_RECALLED);
  const named = best.map((note) => ({ note, things: namedThings(note.body) }));
  const symbols = [...new Set(named.flatMap(({ things }) => things.symbols))];
  const program = symbols.length > 0 ? await ripgrep() : undefined;
  // A note is useful even without this check.
  const gone = program ? await missingSymbols(symbols, { projectRoot, ripgrep: program }, signal).catch(() => []) : [];
  return named.map(({ note, things }) => {
    const stale = [...missingPaths(things.paths, projectRoot), ...things.symbols.filter((name) => gone.includes(name))];
    return { file: note.file, text: noteElement({ ...note, body: cut(note) }, stale) };
  });
}

function cut({ body, path }: Pick<StoredNote, "body" | "path">): string {
  if (body.length <= MAX_RECALLED_CHARS) return body;
  return `${body.slice(0, MAX_RECALLED_CHARS).toWellFormed()}\n(The note is longer: Read ${path}.)`;
}
