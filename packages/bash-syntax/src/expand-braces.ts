/** The maximum number of words; an expansion with more is not computed. */
const MAX_WORDS = 256;
/** The maximum number of braces in one word, because each is a step of recursion. */
const MAX_BRACES = 32;
const NUMBERS = /^(-?(?:0|[1-9][0-9]{0,8}))\.\.(-?(?:0|[1-9][0-9]{0,8}))(?:\.\.(-?(?:0|[1-9][0-9]{0,8})))?$/;
const LETTERS = /^(?:([a-z])\.\.([a-z])|([A-Z])\.\.([A-Z]))$/;

/**
 * The words to which bash expands a word with `{a,b}` or `{1..3}` (bash manual, "Brace Expansion"), still quoted. Only
 * for a word without expansions.
 * @returns undefined for a form that versions of bash might expand differently, or for too many words.
 */
export function expandBraces(text: string): readonly string[] | undefined {
  return text.split("{").length > MAX_BRACES + 1 ? undefined : expand(text);
}

function expand(text: string): readonly string[] | undefined {
  const open = findOpen(text, 0);
  if (open === "odd") return undefined;
  if (open === undefined) return [text];
  const parts = splitGroup(text, open);
  if (parts === undefined) return undefined;
  const before = text.slice(0, open);
  const inside = parts.texts.length > 1 ? expandEach(parts.texts) : expandRange(parts.texts[0] ?? "");
  const after = expand(text.slice(parts.end));
  if (inside === undefined || after === undefined || inside.length * after.length > MAX_WORDS) return undefined;
  return inside.flatMap((middle) => after.map((rest) => before + middle + rest));
}

function expandEach(texts: readonly string[]): readonly string[] | undefined {
  if (texts.length > MAX_WORDS) return undefined;
  const expanded = texts.map(expand);
  const known = expanded.filter((words) => words !== undefined);
  return known.length === texts.length ? known.flat() : undefined;
}

/** Offset of the first unquoted `{` that isn't `{}`. */
function findOpen(text: string, from: number): number | "odd" | undefined {
  for (let at = from; at < text.length; ) {
    const char = text[at];
    if (char === "}") return "odd";
    if (char === "{" && text[at + 1] === "}") at += 2;
    else if (char === "{") return at;
    else at = afterUnit(text, at);
  }
  return undefined;
}

/** The alternatives between `{` and its `}`; a single one if there is no comma. */
function splitGroup(text: string, open: number): { texts: readonly string[]; end: number } | undefined {
  const texts: string[] = [];
  let depth = 0;
  let start = open + 1;
  for (let at = start; at < text.length; ) {
    const char = text[at];
    if (char === "{") depth += 1;
    if (char === "}" && depth === 0) return { texts: [...texts, text.slice(start, at)], end: at + 1 };
    if (char === "}") depth -= 1;
    if (char === "," && depth === 0) {
      texts.push(text.slice(start, at));
      start = at + 1;
    }
    at = afterUnit(text, at);
  }
  return undefined;
}

function expandRange(text: string): readonly string[] | undefined {
  const letters = LETTERS.exec(text);
  const numbers = NUMBERS.exec(text);
  if (letters) {
    const from = (letters[1] ?? letters[3] ?? "").charCodeAt(0);
    const to = (letters[2] ?? letters[4] ?? "").charCodeAt(0);
    return steps(from, to, 1)?.map((code) => String.fromCharCode(code));
  }
  if (numbers === null) return undefined;
  return steps(Number(numbers[1]), Number(numbers[2]), Number(numbers[3] ?? 1))?.map(String);
}

function steps(from: number, to: number, increment: number): readonly number[] | undefined {
  const step = Math.abs(increment) || 1;
  const count = Math.floor(Math.abs(to - from) / step) + 1;
  if (count > MAX_WORDS) return undefined;
  return Array.from({ length: count }, (_, index) => from + (to < from ? -step : step) * index);
}

/** The offset after one character, escape or quoted part. */
function afterUnit(text: string, at: number): number {
  const char = text[at];
  if (char === "\\") return at + 2;
  if (char === "'") return after(text, text.indexOf("'", at + 1));
  if (char !== '"') return at + 1;
  let end = at + 1;
  while (end < text.length && text[end] !== '"') end += text[end] === "\\" ? 2 : 1;
  return end + 1;
}

function after(text: string, end: number): number {
  return end < 0 ? text.length : end + 1;
}
