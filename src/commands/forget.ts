import type { Command } from "../contracts/command.ts";
import type { CommandResult } from "../contracts/command-result.ts";
import { UserFacingError } from "../contracts/errors.ts";
import type { MemoryNote } from "../contracts/memory.ts";
import { noteLines } from "./memory-notes.ts";

const ONE_FILE = /^--note\s+(\S+)$/;
const MAX_CHOICES = 50;

/** Moves a note out of the project's memory: lists the notes that match the words, and forgets the chosen note. */
export const forgetCommand: Command = {
  name: "forget",
  summary: "Take a note out of the memory, or bring the last one back",
  argumentHint: "[words | undo]",
  async run(argument, { memory }) {
    if (!memory) throw new UserFacingError("This session has no memory.");
    const words = argument.trim();
    if (words === "undo") return { kind: "text", lines: await memory.undoForget() };
    const file = ONE_FILE.exec(words)?.[1];
    if (file !== undefined) return { kind: "text", lines: await memory.forget(file) };
    const found = await memory.find(words);
    const exact = found.find((note) => note.file === words || note.name === words);
    if (exact) return { kind: "text", lines: await memory.forget(exact.file) };
    if (found.length > 0) return chooseNote(found);
    return { kind: "text", lines: [words === "" ? "There are no notes." : `No note matches "${words}".`] };
  },
};

function chooseNote(notes: readonly MemoryNote[]): CommandResult {
  const shown = notes.slice(0, MAX_CHOICES);
  return {
    kind: "choose",
    title: "Forget which note?",
    choices: shown.map(({ file, description, type }) => ({
      label: file,
      detail: `${type} · ${description}`,
      input: `/forget --note ${file}`,
    })),
    lines: [...noteLines(shown), "`/forget <file>` forgets a note."],
  };
}
