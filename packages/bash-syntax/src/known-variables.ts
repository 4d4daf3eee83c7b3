import type { ShellWord } from "./types.ts";

/** Matches a value that stays one word without quotes. */
const ONE_WORD = /^[\w./@%+=:,-]+$/;
const VARIABLE = /^\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})/;
/** Characters that a backslash escapes inside double quotes. */
const ESCAPED = '$`"\\\n';

export type Bindings = ReadonlyMap<string, ShellWord>;

/** The names of variables that a word reads plainly: `$a`, `${b}`. */
export function namesIn({ source }: ShellWord): readonly string[] {
  return [...source.matchAll(/\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})/g)].flatMap(([, a, b]) => a ?? b ?? []);
}

/**
 * A word with its variables replaced by their values: `src/$f.js`, `"$dir/a b"`. Without quotes a value must stay one
 * word. A variable whose value is a pattern must be the whole word.
 * @returns the unchanged word if it contains any other expansion.
 */
export function fillWord(word: ShellWord, bindings: Bindings): ShellWord {
  if (word.value !== undefined) return word;
  const whole = /^("?)\$(?:(\w+)|\{(\w+)\})\1$/.exec(word.source);
  const bound = whole && bindings.get(whole[2] ?? whole[3] ?? "");
  if (bound) return fillWhole(word, bound, whole[1] === '"');
  const text = filledText(word.source, bindings);
  return text === undefined ? word : { source: word.source, ...text };
}

function fillWhole(word: ShellWord, { source, value, isGlob }: ShellWord, isQuoted: boolean): ShellWord {
  // A word that is only known at run time stays unknown.
  if (value === undefined) return { source, value, isGlob: false };
  // Without quotes, a file name may be split into several words.
  if (!isQuoted && (isGlob || !ONE_WORD.test(value))) return word;
  return { source: word.source, value, isGlob };
}

/** The word after quote removal and with its variables replaced, as in bash; undefined if the result is unknown. */
function filledText(source: string, bindings: Bindings): Pick<ShellWord, "value" | "isGlob"> | undefined {
  let value = "";
  let isGlob = false;
  let hasQuotedGlob = false;
  let quote = "";
  if (source.startsWith("~")) return undefined;
  for (let at = 0; at < source.length; at += 1) {
    const character = source[at] ?? "";
    if (quote === "'") {
      if (character === "'") quote = "";
      else value += character;
      continue;
    }
    if (character === "`") return undefined;
    if (character === "$") {
      const found = VARIABLE.exec(source.slice(at));
      const bound = found && bindings.get(found[1] ?? found[2] ?? "");
      if (!bound || bound.value === undefined || bound.isGlob || (quote === "" && !ONE_WORD.test(bound.value)))
        return undefined;
      value += bound.value;
      at += found[0].length - 1;
    } else if (character === "\\") {
      const next = source[at + 1];
      if (next === undefined || next === "\n") return undefined;
      if (quote === "" || ESCAPED.includes(next)) at += 1;
      else value += "\\";
      value += quote === "" || ESCAPED.includes(next) ? next : "";
    } else if (character === '"') quote = quote === "" ? '"' : "";
    else if (character === "'" && quote === "") quote = "'";
    else {
      if (quote === "" && /[{}()<>|;&\s]/.test(character)) return undefined;
      if (/[*?[\]]/.test(character)) {
        if (quote === "") isGlob = true;
        else hasQuotedGlob = true;
      }
      value += character;
    }
  }
  return quote !== "" || (isGlob && (hasQuotedGlob || source.includes("\\"))) ? undefined : { value, isGlob };
}
