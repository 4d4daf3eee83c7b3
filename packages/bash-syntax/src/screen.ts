import { NotUnderstood } from "./not-understood.ts";

/** Longer sources are not parsed at all; the answer is "not understood". */
export const MAX_SOURCE_BYTES = 64 * 1024;

// Tab and newline are the only control characters in ordinary commands.
const CONTROL = /(?![\t\n])\p{Cc}/u;
// Characters that look like blanks, are invisible, or reverse the text, so that a person and bash read different
// texts. (U+200D joins emoji and hides nothing.)
const DECEPTIVE = /(?![\t\n \u200d])(?:\s|\p{Cf}|\p{Zs}|\u034f|\u115f|\u1160|\u17b4|\u17b5|\u3164|\uffa0)/u;
const INVISIBLE = /(?![\t\n ])(?:\s|\p{Cc}|\p{Cf}|\p{Cs}|\p{Zs})/gu;

/**
 * Refuses sources that no later step should handle: too long ones, control characters, lone surrogates, deceptive
 * blanks.
 * @throws {NotUnderstood}
 */
export function screen(source: string): void {
  if (source.length > MAX_SOURCE_BYTES || Buffer.byteLength(source) > MAX_SOURCE_BYTES)
    throw new NotUnderstood("the command is longer than 64 KiB", source);
  const control = CONTROL.exec(source);
  if (control)
    throw new NotUnderstood(
      `the command holds a control character (${codePoint(control[0])})`,
      around(source, control.index),
    );
  const deceptive = DECEPTIVE.exec(source);
  if (deceptive)
    throw new NotUnderstood(
      `the command holds an invisible or unusual blank (${codePoint(deceptive[0])})`,
      around(source, deceptive.index),
    );
  if (!source.isWellFormed()) throw new NotUnderstood("the command is not valid Unicode", source);
}

function codePoint(char: string): string {
  return `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}

/** The part of a line around an offset, with invisible characters made visible. */
function around(source: string, index: number): string {
  const piece = source.slice(Math.max(0, index - 20), index + 21);
  return piece.replace(INVISIBLE, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`);
}
