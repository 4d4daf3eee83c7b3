/** A word as a shell takes it, quoted only where it has to be. */
export function shellQuoted(word: string): string {
  return /^[\w./:@%+,=-]+$/.test(word) && !word.startsWith("-") ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
