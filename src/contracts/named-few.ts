/** The first names of a list, and the number of the others: `a, b and 3 more`. */
export function namedFew(names: readonly string[], max: number): string {
  const more = names.length - max;
  return `${names.slice(0, max).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** The first lines of a list, and if there are others, one line with their number. @param othersLine By default `3 more`. */
export function firstFew(
  lines: readonly string[],
  max: number,
  othersLine = (count: number) => `${count} more`,
): readonly string[] {
  return lines.length > max ? [...lines.slice(0, max), othersLine(lines.length - max)] : lines;
}
