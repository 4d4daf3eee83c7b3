/** A name that a command has chosen, without what would be more than a name on a screen or in a line. */
export function plainName(path: string): string {
  return path.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "?");
}
