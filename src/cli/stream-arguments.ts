import type { Option } from "commander";

/** Whether a program speaks to us in lines of JSON: then it may bring options that are not ours. */
export function isStreamInput(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  const words = end < 0 ? argv : argv.slice(0, end);
  return words.some(
    (word, index) =>
      word === "--input-format=stream-json" || (word === "--input-format" && words[index + 1] === "stream-json"),
  );
}

/** Options of neighbours that ask for what is so anyway: left out without a word. */
const SUPERFLUOUS: ReadonlySet<string> = new Set(["--await-initialize"]);

export type Tolerated = {
  /** What is ours. */
  readonly argv: readonly string[];
  /** Options that are not, by name. */
  readonly ignored: readonly string[];
};

/**
 * Takes options that we don't have out of a command line. A word behind such an option is taken for its value, unless it looks
 * like an option.
 */
export function withoutUnknown(argv: readonly string[], options: readonly Option[]): Tolerated {
  const kept: string[] = [];
  const ignored: string[] = [];
  for (let i = 0; i < argv.length; i += 1) {
    const word = argv[i] ?? "";
    if (word === "--") {
      kept.push(...argv.slice(i));
      break;
    }
    if (!/^-\D/.test(word)) {
      kept.push(word);
      continue;
    }
    const name = word.startsWith("--") ? word.replace(/=.*$/s, "") : word.slice(0, 2);
    const option = options.find(({ long, short }) => long === name || short === name);
    const next = argv[i + 1];
    const hasValue = word !== name;
    const isNextValue = !hasValue && next !== undefined && !/^-\D/.test(next);
    if (!option) {
      if (SUPERFLUOUS.has(name)) continue;
      ignored.push(name);
      if (isNextValue) i += 1;
      continue;
    }
    const takesValue = option.required || option.optional;
    kept.push(hasValue && !takesValue && word.startsWith("--") ? name : word);
    if (!hasValue && next !== undefined && (option.required || (option.optional && isNextValue))) {
      kept.push(next);
      i += 1;
    }
  }
  return { argv: kept, ignored };
}
