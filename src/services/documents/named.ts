const MAX_NAMES = 20;
const MAX_NAME_CHARS = 200;

/** One phrase that names things which are not opened; nothing if there are none. */
export function namesOf(what: string, names: Iterable<string>): readonly string[] {
  const all = [...names].map((name) => name.replace(/\s+/g, " ").trim()).filter((name) => name !== "");
  if (all.length === 0) return [];
  const shown = all.slice(0, MAX_NAMES).map((name) => name.slice(0, MAX_NAME_CHARS));
  const more = all.length > MAX_NAMES ? [`${all.length - MAX_NAMES} more`] : [];
  return [`${what}: ${[...shown, ...more].join(", ")}`];
}

/** The value, or undefined if it can't be read: a detail must not cost the text. */
export async function settled<Value>(value: Promise<Value>): Promise<Value | undefined> {
  try {
    return await value;
  } catch {
    return undefined;
  }
}
