import { classify, isProcessSubstitution } from "@quoll/bash-syntax/classify";
import { isRevisionWord } from "@quoll/bash-syntax/revision-words";
import type { SimpleCommand } from "@quoll/bash-syntax/types";

/** Placeholder for an unknown word. */
const PROBE = "./quoll-unknown-word";

/**
 * The file arguments of a known command that cannot be known before it runs (`cat "$f"`): rules that
 * deny files, and the tables of secrets, cannot be applied to them.
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
