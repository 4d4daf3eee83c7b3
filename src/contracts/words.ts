/** The words of a text: the short form of a long list of names. */
export function words(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}

/** The value of each word, from a table of the words of each value: `{ file_path: "path file" }`. */
export function byWord<Value extends string>(
  table: Readonly<Partial<Record<Value, string>>>,
): Readonly<Record<string, Value>> {
  const rows = Object.entries(table) as [Value, string][];
  return Object.fromEntries(rows.flatMap(([value, names]) => words(names).map((name) => [name, value])));
}

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

const MAX_FAULTS = 10;

/** The faults of settings, a line for each of the first ones. */
export function faultLines(lines: readonly string[]): string {
  return firstFew(lines, MAX_FAULTS, (count) => `and ${count} more`).join("\n");
}
