import { firstFew } from "../../contracts/words.ts";

const MAX_NAMES = 20;
const MAX_NAME_CHARS = 200;

/** One phrase that names things which are not opened; nothing if there are none. */
export function namesOf(what: string, names: Iterable<string>): readonly string[] {
  const all = [...names].map((name) => name.replace(/\s+/g, " ").trim()).filter((name) => name !== "");
  if (all.length === 0) return [];
  const shown = all.map((name) => name.slice(0, MAX_NAME_CHARS));
  return [`${what}: ${firstFew(shown, MAX_NAMES).join(", ")}`];
}

/** The value, or undefined if it can't be read: a detail must not cost the text. */
export async function settled<Value>(value: Promise<Value>): Promise<Value | undefined> {
  try {
    return await value;
  } catch {
    return undefined;
  }
}
