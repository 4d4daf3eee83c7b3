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
