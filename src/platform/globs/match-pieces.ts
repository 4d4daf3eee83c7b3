/**
 * True if a text consists of these pieces with anything in between. Takes time proportional to text × pieces, so no
 * pattern can hang it.
 */
export function matchPieces(pieces: readonly string[], text: string): boolean {
  const [first = "", ...rest] = pieces;
  if (rest.length === 0) return text === first;
  const last = rest.pop() ?? "";
  if (!text.startsWith(first) || text.length < first.length + last.length || !text.endsWith(last)) return false;
  const end = text.length - last.length;
  let at = first.length;
  for (const piece of rest) {
    const found = text.indexOf(piece, at);
    if (found < 0 || found + piece.length > end) return false;
    at = found + piece.length;
  }
  return true;
}
