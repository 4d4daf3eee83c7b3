/** A word for a shell, quoted only when necessary. */
export function shellQuoted(word: string): string {
  return /^[\w./:@%+,=-]+$/.test(word) && !word.startsWith("-") ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
