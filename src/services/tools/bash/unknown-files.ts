import { classify, isProcessSubstitution } from "@quoll/bash-syntax/classify";
import { isRevisionWord } from "@quoll/bash-syntax/revision-words";
import type { SimpleCommand } from "@quoll/bash-syntax/types";

/** Stands for a word that can't be known. */
const PROBE = "./quoll-unknown-word";

/**
 * The words that a command of the tables takes for files, but that nobody can know beforehand (`cat "$f"`): no rule that
 * forbids a file, and no table of secrets, can be asked about them.
 */
export function unknownFiles(command: SimpleCommand): readonly string[] {
  const unknown = command.words
    .slice(1)
    .filter((word) => word.value === undefined && !isProcessSubstitution(word) && !isRevisionWord(word));
  return unknown.flatMap((word) => {
    const words = command.words.map((other) => (other === word ? { ...other, value: PROBE, isGlob: false } : other));
    const rest = words.map((other) => (other.value === undefined ? { ...other, value: "x", isGlob: false } : other));
    const { reads, writes } = classify({ ...command, words: rest, redirects: [] });
    return [...reads, ...writes].some((path) => path.includes(PROBE.slice(2))) ? [word.source] : [];
  });
}
