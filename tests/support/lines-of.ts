/** The lines of a text, without the empty end. */
export function linesOf(text: string): readonly string[] {
  return text.split("\n").filter((line) => line !== "");
}
