/** Characters of each delta if the reply doesn't say. */
export const DEFAULT_DELTA_CHARS = 16;

/** Splits by code points, so that no piece holds half a surrogate pair. An empty text has no pieces. */
export function pieces(text: string, size: number): readonly string[] {
  const points = Array.from(text);
  const count = Math.ceil(points.length / size);
  return Array.from({ length: count }, (_, index) => points.slice(index * size, (index + 1) * size).join(""));
}
