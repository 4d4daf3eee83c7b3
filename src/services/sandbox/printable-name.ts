/** A name chosen by a command, with control and format characters replaced. */
export function printableName(path: string): string {
  return path.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "?");
}
