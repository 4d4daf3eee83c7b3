/** A paste of at least this size is shown as a placeholder. */
const MIN_FOLDED_LINES = 10;
const MIN_FOLDED_CHARS = 1_000;

/** The pastes that stay for the history: their number, and the characters of all of them. */
const MAX_KEPT = 200;
const MAX_KEPT_CHARS = 8 * 1024 * 1024;

/** Maps placeholders to the pasted texts. */
export type Pastes = ReadonlyMap<string, string>;

/** Line breaks may arrive as `\r`; other control characters are removed. Tabs stay. */
export function cleanPaste(text: string): string {
  return text.toWellFormed().replace(/\r\n?/g, "\n").replace(CONTROLS, "");
}

/** A pasted text for a line that holds no line breaks. */
export function pastedLine(text: string): string {
  return cleanPaste(text).replace(/\s*\n\s*/g, " ");
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is taken out.
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/**
 * @returns the text to insert for a paste: the paste itself, or a placeholder for a large one. The same paste has the
 * same placeholder.
 */
export function foldPaste(pastes: Pastes, text: string): { readonly shown: string; readonly pastes: Pastes } {
  let breaks = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) breaks += 1;
  const lines = breaks + (text.endsWith("\n") ? 0 : 1);
  if (lines < MIN_FOLDED_LINES && text.length < MIN_FOLDED_CHARS) return { shown: text, pastes };
  const known = pastes.entries().find(([, one]) => one === text);
  if (known) return { shown: known[0], pastes };
  const size = lines > 1 ? `${lines} lines` : `${text.length} chars`;
  let shown = `[pasted ${size}]`;
  for (let count = 2; pastes.has(shown); count += 1) shown = `[pasted ${size} #${count}]`;
  return { shown, pastes: new Map([...pastes, [shown, text]]) };
}

/** The text with every placeholder replaced by its paste. */
export function unfoldPastes(pastes: Pastes, text: string): string {
  if (pastes.size === 0) return text;
  // All placeholders are replaced in one pass, so that a placeholder inside a paste stays text.
  const names = [...pastes.keys()].map((name) => name.replace(/[[\]#]/g, "\\$&"));
  return text.replace(new RegExp(names.join("|"), "g"), (name) => pastes.get(name) ?? name);
}

/**
 * Leaves the oldest pastes out if there are too many.
 * @param isUsed True for a placeholder in a text that is still to be sent.
 * @returns the remaining pastes, and the placeholders without a paste.
 */
export function limitPastes(
  pastes: Pastes,
  isUsed: (name: string) => boolean,
): { readonly pastes: Pastes; readonly dropped: readonly string[] } {
  const kept = new Map(pastes);
  let chars = kept.values().reduce((sum, text) => sum + text.length, 0);
  const dropped: string[] = [];
  for (const [name, text] of pastes) {
    if (kept.size <= MAX_KEPT && chars <= MAX_KEPT_CHARS) break;
    if (isUsed(name)) continue;
    kept.delete(name);
    chars -= text.length;
    dropped.push(name);
  }
  return { pastes: dropped.length === 0 ? pastes : kept, dropped };
}

const PLACEHOLDER = /\[pasted (\d+ (?:lines|chars))(?: #\d+)?\]/g;

/** Marks each placeholder as not kept, so that `unfoldPastes` never puts a later paste in its place. */
export function withLostPastes(text: string): string {
  return text.replace(PLACEHOLDER, "[pasted $1, not kept]");
}

/** The text with each placeholder of a paste replaced by another text. */
export function withPlaceholders(text: string, replacement: (name: string) => string): string {
  return text.replace(PLACEHOLDER, replacement);
}

/** The placeholder that ends at, begins at or surrounds the cursor. */
export function placeholderAt(
  pastes: Pastes,
  text: string,
  cursor: number,
  side: "before" | "after",
): { readonly from: number; readonly to: number; readonly name: string } | undefined {
  for (const name of pastes.keys()) {
    for (let from = text.indexOf(name); from >= 0; from = text.indexOf(name, from + 1)) {
      const to = from + name.length;
      const touches = side === "before" ? from < cursor && cursor <= to : from <= cursor && cursor < to;
      if (touches) return { from, to, name };
    }
  }
  return undefined;
}
