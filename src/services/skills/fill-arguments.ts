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

/** An escaped placeholder is kept as text. */
const PLACEHOLDER =
  /\\(\$(?:ARGUMENTS(?:\[\d+\])?|\d+)(?![\w[]))|\$\{(?:CLAUDE|QUOLL)_([A-Z_]+)\}|\$ARGUMENTS\[(\d+)\]|\$(ARGUMENTS)(?![\w[])|\$(\d+)(?!\w)|\$([A-Za-z_]\w*)/g;

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
 * commands and in prompts `$1` is the first, as people wrote them before.
 */
export function argumentFiller(template: string, argument: string, context: FillContext): Fill {
  const { format, argumentNames, variables } = context;
  const words = splitArguments(argument);
  const first = format === "skill" || (format === "command" && /\$0(?!\w)|\$ARGUMENTS\[/.test(template)) ? 0 : 1;
  const named = new Map(argumentNames.map((name, at) => [name, words[at] ?? ""]));
  if (format === "prompt") for (const [name, value] of keyedWords(words)) named.set(name, value);
  let hasUsed = false;
  const use = (value: string) => {
    hasUsed = true;
    return value;
  };
  const fillToml = (text: string) => text.replaceAll("{{args}}", () => use(argument));
  // Without arguments, `$1` in a skill's text is more likely a part of a script than a placeholder.
  const isFilled = words.length > 0 || format !== "skill" || argumentNames.length > 0;
  const fillMarkdown = (text: string) =>
    text.replace(PLACEHOLDER, (source, escaped, variable, index, all, place, name) => {
      if (escaped !== undefined) return escaped;
      if (variable !== undefined) return variables[variable] ?? source;
      if (all !== undefined) return use(argument);
      if (index !== undefined) return use(words[Number(index)] ?? "");
      if (place !== undefined) return isFilled ? use(words[Number(place) - first] ?? "") : source;
      return named.has(name) ? use(named.get(name) ?? "") : source;
    });
  return Object.defineProperty(format === "toml" ? fillToml : fillMarkdown, "hasUsed", {
    get: () => hasUsed,
  }) as Fill;
}

/** `KEY=value` words in the form of Codex prompts. */
function keyedWords(words: readonly string[]): readonly (readonly [string, string])[] {
  return words.flatMap((word) => {
    const [, name, value] = /^([A-Z][A-Z0-9_]*)=([\s\S]*)$/.exec(word) ?? [];
    return name === undefined ? [] : [[name, value ?? ""] as const];
  });
}
