import type { Option } from "commander";

/** True if a program sends lines of JSON: unknown options of such a program are accepted. */
export function isStreamInput(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  const words = end < 0 ? argv : argv.slice(0, end);
  return words.some(
    (word, index) =>
      word === "--input-format=stream-json" || (word === "--input-format" && words[index + 1] === "stream-json"),
  );
}

/** Options of similar tools that ask for the default behaviour; ignored silently. */
const SUPERFLUOUS: ReadonlySet<string> = new Set(["--await-initialize"]);

export type Tolerated = {
  /** Our options. */
  readonly argv: readonly string[];
  /** The names of unknown options. */
  readonly ignored: readonly string[];
};

/**
 * Removes unknown options from a command line. The word after an unknown option counts as its value, unless it looks
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
