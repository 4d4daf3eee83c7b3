import type { ShellWord } from "./types.ts";

export type MatchedWords = {
  readonly operands: readonly ShellWord[];
  /** Flags that were used, without their values. */
  readonly flags: ReadonlySet<string>;
  readonly values: readonly string[];
  /** Values that name files which are read. */
  readonly readValues: readonly string[];
};

type Kind = "alone" | "value" | "read" | "optional";
type Taken = { readonly name: string; readonly kind: Kind; readonly value: string | undefined };

/**
 * Sorts the words after a command's name into flags and operands.
 * @returns undefined when a flag is not listed, lacks its value, or a word can't be known.
 */
export function matchFlags(
  specs: readonly string[],
  words: readonly ShellWord[],
  options: { readonly harmlessFlags?: boolean },
): MatchedWords | undefined {
  const table = new Map(specs.map(readSpec));
  const operands: ShellWord[] = [];
  const taken: Taken[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at];
    const text = word?.value;
    if (word === undefined || text === undefined) return undefined;
    if (text === "--") {
      operands.push(...words.slice(at + 1));
      break;
    }
    if (!text.startsWith("-") || text === "-") {
      // A file name found by a leading pattern may begin with `-`.
      if (word.isGlob && !options.harmlessFlags && /^[*?[]/.test(text)) return undefined;
      operands.push(word);
      continue;
    }
    if (word.isGlob) return undefined;
    const found = text.startsWith("--") ? takeLong(table, text) : takeShort(table, text);
    if (found === undefined) return undefined;
    taken.push(...found);
    const last = found.at(-1);
    if (last && (last.kind === "value" || last.kind === "read") && last.value === undefined) {
      at += 1;
      const value = words[at];
      if (value?.value === undefined || value.isGlob) return undefined;
      taken[taken.length - 1] = { ...last, value: value.value };
    }
  }
  if (operands.some(({ value }) => value === undefined)) return undefined;
  return {
    operands,
    flags: new Set(taken.map(({ name }) => name)),
    values: taken.flatMap(({ value }) => value ?? []),
    readValues: taken.flatMap(({ kind, value }) => (kind === "read" && value !== undefined ? [value] : [])),
  };
}

function readSpec(spec: string): [name: string, kind: Kind] {
  if (spec.endsWith("=<")) return [spec.slice(0, -2), "read"];
  if (spec.endsWith("=")) return [spec.slice(0, -1), "value"];
  if (spec.endsWith("?")) return [spec.slice(0, -1), "optional"];
  return [spec, "alone"];
}

function takeLong(table: ReadonlyMap<string, Kind>, text: string): readonly Taken[] | undefined {
  const equals = text.indexOf("=");
  const name = equals < 0 ? text : text.slice(0, equals);
  const value = equals < 0 ? undefined : text.slice(equals + 1);
  const kind = table.get(name);
  if (kind === undefined || (kind === "alone" && value !== undefined)) return undefined;
  return [{ name, kind, value }];
}

/** Also `-type`-like names with one dash, which some programs have: they are listed whole. */
function takeShort(table: ReadonlyMap<string, Kind>, text: string): readonly Taken[] | undefined {
  const whole = table.get(text);
  if (whole !== undefined) return [{ name: text, kind: whole, value: undefined }];
  if (/^-[0-9]+$/.test(text) && table.has("-#")) return [{ name: "-#", kind: "alone", value: undefined }];
  const taken: Taken[] = [];
  for (let at = 1; at < text.length; at += 1) {
    const name = `-${text[at]}`;
    const kind = table.get(name);
    if (kind === undefined) return undefined;
    const rest = text.slice(at + 1);
    if (kind === "alone") taken.push({ name, kind, value: undefined });
    else return [...taken, { name, kind, value: rest === "" ? undefined : rest }];
  }
  return taken;
}
