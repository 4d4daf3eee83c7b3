import type { Theme } from "../view/theme.ts";

/** Languages whose text outside of the grammar's scopes is no code. */
const TEXTS: ReadonlySet<string> = new Set(["xml", "diff", "dockerfile", "makefile"]);
/** Languages in which a name before a parenthesis is a function, and a name in camel case is a type. */
const PROGRAMS: ReadonlySet<string> = new Set([
  ...["c", "cpp", "csharp", "go", "java", "javascript", "kotlin", "php", "python", "ruby", "rust", "swift"],
  "typescript",
]);

const PUNCTUATION = "[{}()[\\],;](?:\\s*[{}()[\\],;])*";
const NAME = "[\\p{L}_$][\\p{L}\\p{N}_$]*";
const MARKS = new RegExp(PUNCTUATION, "g");
const WORDS = new RegExp(
  [
    `(?<called>${NAME})(?=\\()`,
    `(?<=\\.|->)(?<member>#?${NAME})`,
    `(?<type>\\p{Lu}[\\p{L}\\p{N}_]*\\p{Ll}[\\p{L}\\p{N}_]*)|${NAME}`,
    `(?<marks>${PUNCTUATION})`,
  ].join("|"),
  "gu",
);

/**
 * Gives code that the grammar leaves without a scope its colours: grammars differ in what they name, and the same
 * code looks alike in all languages.
 */
export function paintFreeCode(text: string, language: string, { code }: Theme): string {
  if (TEXTS.has(language)) return text;
  if (!PROGRAMS.has(language)) return text.replace(MARKS, code.punctuation);
  return text.replace(WORDS, (found: string, ...rest: unknown[]) => {
    const { called, member, type, marks } = rest.at(-1) as Record<string, string | undefined>;
    if (called !== undefined) return code.function(found);
    if (member !== undefined) return code.property(found);
    if (type !== undefined) return code.type(found);
    return marks === undefined ? found : code.punctuation(found);
  });
}
