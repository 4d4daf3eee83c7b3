import type { SkillFormat } from "../../contracts/skill.ts";

export type FillContext = {
  readonly format: SkillFormat;
  readonly argumentNames: readonly string[];
  /** The values of `${…}`, without `CLAUDE_` and `QUOLL_`: `SKILL_DIR`. */
  readonly variables: Readonly<Record<string, string>>;
};

/** Replaces the placeholders in one part of a skill. */
export type Fill = {
  (text: string): string;
  /** True if a placeholder of an argument was replaced. */
  readonly hasUsed: boolean;
};

type PlaceholderPart = "escaped" | "variable" | "index" | "all" | "place" | "amount" | "name";
/** `amount`: set if a fraction or thousands follow. */
type Placeholder = Readonly<Partial<Record<PlaceholderPart, string>>>;

/**
 * A placeholder after a backslash is kept as text. A number is no placeholder in a word or an amount: `$5k`, `$15,000`,
 * `$1.50`.
 */
const PLACEHOLDER =
  /(?<escaped>\\)?(?:\$\{(?:CLAUDE|QUOLL)_(?<variable>[A-Z_]+)\}|\$ARGUMENTS\[(?<index>\d+)\]|\$(?<all>ARGUMENTS)(?![\w[])|\$(?<place>\d+)(?!\w)(?:(?<amount>(?=[.,]\d))|)|\$(?<name>[A-Za-z_]\w*))/g;
/** The quoted program of awk or perl has fields and groups of its own: `awk '{print $1}'`. */
const PROGRAM = /\b(?:[gmn]?awk|perl)\b[^\n'`]*\s'[^'`]*'/g;
const COUNTS_FROM_ZERO = /(?<!\\)\$0(?!\w|[.,]\d)|\$ARGUMENTS\[/;

/**
 * Splits the words after a command like a shell: quotes keep words together, and a backslash keeps the next character.
 * A quote that is never closed is an ordinary character.
 */
export function splitArguments(text: string): readonly string[] {
  const words: string[] = [];
  const word = /(?:"((?:\\.|[^"\\])*)"|'([^']*)'|\\(.)|([^\s"'\\]+)|(["'\\]))/gsy;
  let at = 0;
  while (at < text.length) {
    if (/\s/.test(text[at] ?? "")) {
      at += 1;
      continue;
    }
    let value = "";
    word.lastIndex = at;
    for (let found = word.exec(text); found; found = word.exec(text)) {
      const [, double, single, escaped, plain, odd] = found;
      value += double?.replace(/\\(["\\])/g, "$1") ?? single ?? escaped ?? plain ?? odd ?? "";
      at = word.lastIndex;
    }
    words.push(value);
  }
  return words;
}

/**
 * A function that fills in the arguments of a call. `$0` is the first argument in skills and in commands that use `$0`; in other
 * commands and in prompts `$1` is the first, as people wrote them before. A placeholder of a single argument that the
 * call lacks stays: it is more likely a price or a part of a script.
 */
export function argumentFiller(template: string, argument: string, context: FillContext): Fill {
  const { format, argumentNames, variables } = context;
  const words = splitArguments(argument);
  const first = format === "skill" || (format === "command" && COUNTS_FROM_ZERO.test(template)) ? 0 : 1;
  const named = new Map(argumentNames.flatMap((name, at) => (at < words.length ? [[name, words[at] ?? ""]] : [])));
  if (format === "prompt") for (const [name, value] of keyedWords(words)) named.set(name, value);
  let hasUsed = false;
  const use = (value: string) => {
    hasUsed = true;
    return value;
  };
  const fillToml = (text: string) => text.replaceAll("{{args}}", () => use(argument));
  const filledIn = ({ variable, index, all, place, amount, name }: Placeholder): string | undefined => {
    if (amount !== undefined) return undefined;
    if (variable !== undefined) return variables[variable];
    if (all !== undefined) return use(argument);
    const value =
      name === undefined ? words[index === undefined ? Number(place) - first : Number(index)] : named.get(name);
    return value === undefined ? undefined : use(value);
  };
  const fillMarkdown = (text: string) => {
    const programs = programsIn(text);
    return text.replace(PLACEHOLDER, (source, ...found) => {
      const placeholder: Placeholder = found.at(-1);
      const at: number = found.at(-3);
      if (placeholder.place !== undefined && programs.some(({ start, end }) => start < at && at < end)) return source;
      if (placeholder.escaped === undefined) return filledIn(placeholder) ?? source;
      return isOurs(placeholder, argumentNames) ? source.slice(1) : source;
    });
  };
  return Object.defineProperty(format === "toml" ? fillToml : fillMarkdown, "hasUsed", {
    get: () => hasUsed,
  }) as Fill;
}

function programsIn(text: string): readonly { readonly start: number; readonly end: number }[] {
  if (!/awk|perl/.test(text)) return [];
  return [...text.matchAll(PROGRAM)].map(({ 0: whole, index }) => ({
    start: index + whole.indexOf("'"),
    end: index + whole.length,
  }));
}

/** True if a backslash before the placeholder is meant for it, and not for a shell: `\$1`, but not `\$HOME`. */
function isOurs({ name }: Placeholder, argumentNames: readonly string[]): boolean {
  return name === undefined || argumentNames.includes(name);
}

/** `KEY=value` words in the form of Codex prompts. */
function keyedWords(words: readonly string[]): readonly (readonly [string, string])[] {
  return words.flatMap((word) => {
    const [, name, value] = /^([A-Z][A-Z0-9_]*)=([\s\S]*)$/.exec(word) ?? [];
    return name === undefined ? [] : [[name, value ?? ""] as const];
  });
}
