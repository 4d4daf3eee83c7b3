import type { ShellWord } from "./types.ts";

export type MatchedWords = {
  readonly operands: readonly ShellWord[];
  /** The used flags, without their values. */
  readonly flags: ReadonlySet<string>;
  readonly values: readonly string[];
  /** The values of one flag, in order. */
  valuesOf(flag: string): readonly string[];
  /** Values that name files to read. */
  readonly readValues: readonly string[];
};

type Kind = "alone" | "value" | "read" | "optional" | "pair";
type Taken = { readonly name: string; readonly kind: Kind; readonly value: string | undefined };

/**
 * Sorts the words after a command's name into flags and operands.
 * @returns undefined if a flag is not listed or lacks its value, or if a word is unknown.
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
    if (word.isGlob && !(options.harmlessFlags && isPatternValue(table, text))) return undefined;
    const found = takeAt(table, words, at, text);
    if (found === undefined) return undefined;
    taken.push(...found.taken);
    at += found.extra;
  }
  if (operands.some(({ value }) => value === undefined)) return undefined;
  return { operands, ...summary(taken) };
}

/** `--include=*.ts`: the shell may expand this word to one or several flags of the same name with other values. */
function isPatternValue(table: ReadonlyMap<string, Kind>, text: string): boolean {
  const name = /^(--[a-z-]+)=/.exec(text)?.[1];
  return name !== undefined && table.get(name) === "value";
}

/** The words before a program's first operand; `rest` begins with the operand. */
export type LeadingFlags = Omit<MatchedWords, "operands"> & { readonly rest: readonly ShellWord[] };

/**
 * Reads the flags before the first operand, like a program that starts the command after its flags.
 * @returns undefined if a flag is not listed, or if its value is missing or unknown.
 */
export function matchLeading(specs: readonly string[], words: readonly ShellWord[]): LeadingFlags | undefined {
  const table = new Map(specs.map(readSpec));
  const taken: Taken[] = [];
  let at = 0;
  for (; at < words.length; at += 1) {
    const word = words[at];
    const text = word?.value;
    if (text === "--") {
      at += 1;
      break;
    }
    if (word === undefined || text === undefined || !text.startsWith("-") || text === "-") break;
    const found = word.isGlob ? undefined : takeAt(table, words, at, text);
    if (found === undefined) return undefined;
    taken.push(...found.taken);
    at += found.extra;
  }
  return { rest: words.slice(at), ...summary(taken) };
}

function summary(taken: readonly Taken[]): Omit<MatchedWords, "operands"> {
  return {
    flags: new Set(taken.map(({ name }) => name)),
    values: taken.flatMap(({ value }) => value ?? []),
    valuesOf: (flag) => taken.flatMap(({ name, value }) => (name === flag ? (value ?? []) : [])),
    readValues: taken.flatMap(({ kind, value }) => (kind === "read" && value !== undefined ? [value] : [])),
  };
}

/** The flag at `at`, with the words after it that are its values. */
function takeAt(
  table: ReadonlyMap<string, Kind>,
  words: readonly ShellWord[],
  at: number,
  text: string,
): { readonly taken: readonly Taken[]; readonly extra: number } | undefined {
  const taken = text.startsWith("--") ? takeLong(table, text) : takeShort(table, text);
  const last = taken?.at(-1);
  if (taken === undefined || last === undefined) return undefined;
  const wanted = last.value !== undefined ? 0 : VALUES_AFTER[last.kind];
  if (last.kind === "pair" && last.value !== undefined) return undefined;
  const values = words.slice(at + 1, at + 1 + wanted);
  if (values.length < wanted || values.some(({ value, isGlob }) => value === undefined || isGlob)) return undefined;
  if (wanted !== 1) return { taken, extra: wanted };
  return { taken: [...taken.slice(0, -1), { ...last, value: values[0]?.value }], extra: 1 };
}

const VALUES_AFTER = { alone: 0, optional: 0, value: 1, read: 1, pair: 2 } as const satisfies Record<Kind, number>;

function readSpec(spec: string): [name: string, kind: Kind] {
  if (spec.endsWith("=2")) return [spec.slice(0, -2), "pair"];
  if (spec.endsWith("=<")) return [spec.slice(0, -2), "read"];
  if (spec.endsWith("=")) return [spec.slice(0, -1), "value"];
  if (spec.endsWith("?")) return [spec.slice(0, -1), "optional"];
  return [spec, "alone"];
}

function takeLong(table: ReadonlyMap<string, Kind>, text: string): readonly Taken[] | undefined {
  // `--paging=never` is listed as a whole.
  if (text.includes("=") && table.get(text) === "alone") return [{ name: text, kind: "alone", value: undefined }];
  const equals = text.indexOf("=");
  const name = equals < 0 ? text : text.slice(0, equals);
  const value = equals < 0 ? undefined : text.slice(equals + 1);
  const kind = table.get(name);
  if (kind === undefined || (kind === "alone" && value !== undefined)) return undefined;
  return [{ name, kind, value }];
}

/** Reads short flags, and long names with one dash such as `-type`, which the table lists as a whole. */
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
