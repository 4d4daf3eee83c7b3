import { Grammars, grammarName } from "@quoll/terminal-text/grammars";
import type { CodeRole } from "../../../contracts/theme.ts";
import { byWord } from "../../../contracts/words.ts";
import type { Paint, Theme } from "../view/theme.ts";

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

/** Highlights code. `load` loads the grammars; until then, and for unknown languages, code is drawn plain. */
export class Highlighter {
  readonly #grammars = new Grammars();

  /** True if the result of `lines` is final. */
  isReady(language: string): boolean {
    return this.#grammars.isReady(language);
  }

  /** Loads a grammar. The function never fails: without its grammar, code is drawn plain. */
  load(language: string): Promise<void> {
    return this.#grammars.load(language);
  }

  lines(code: readonly string[], language: string, theme: Theme): readonly string[] {
    const html = theme.level === 0 ? undefined : this.#grammars.html(code, language);
    return html === undefined ? code : paintHtml(html, grammarName(language) ?? "", theme);
  }
}

/** `free`: code in no scope. */
type Role = CodeRole | "added" | "removed" | "free";

/** The roles of the scopes of highlight.js. Others have no colour, but text in them may have that of an outer scope. */
const ROLES: Readonly<Record<string, Role>> = {
  ...byWord<Role>({
    keyword: "keyword selector-tag name section template-tag",
    string: "string regexp",
    number: "number literal symbol",
    comment: "comment meta doctag",
    function: "title",
    type: "type selector-class selector-id",
    property: "attr attribute property template-variable selector-attr selector-pseudo",
    punctuation: "punctuation tag bullet",
    added: "addition",
    removed: "deletion",
    // Code in a string.
    free: "subst",
  }),
  "variable language_": "keyword",
  "variable constant_": "number",
  "title function_": "function",
  "title class_": "type",
};
/** In these languages, programs are built in. */
const SHELLS: ReadonlySet<string> = new Set(["bash", "dockerfile", "makefile"]);

/** The end of a colour directly before another colour, which ends it too: code that streams is a fifth shorter without. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: styles begin with one.
const ENDED_TWICE = /\u001b\[39m( *)(?=\u001b\[(?:3[0-8]|9[0-7])[;m])/g;

const ENTITIES: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#x27;": "'",
};

/** highlight.js returns HTML: spans with a class, and five entities. */
function paintHtml(html: string, language: string, theme: Theme): readonly string[] {
  const scopes: string[] = [];
  const lines: string[] = [""];
  for (const { 0: token, index } of html.matchAll(/<span class="[^"]*">|<\/span>|[^<]+/g)) {
    if (token === "</span>") scopes.pop();
    else if (token.startsWith("<span")) scopes.push(token.slice(13, -2).replace("hljs-", ""));
    else {
      const text = token.replace(/&(?:amp|lt|gt|quot|#x27);/g, (entity) => ENTITIES[entity] ?? entity);
      const isCalled = SHELLS.has(language) || html.startsWith("</span>(", index + token.length);
      const role = roleIn(scopes, { isCalled, hasSigil: /^[$@]/.test(text) });
      const paint = paintOf(role, language, theme);
      for (const [at, part] of text.split("\n").entries()) {
        if (at > 0) lines.push("");
        lines[lines.length - 1] += part.trim() === "" ? part : paint(part);
      }
    }
  }
  return lines.map((line) => line.replace(ENDED_TWICE, "$1"));
}

function paintOf(role: Role | undefined, language: string, theme: Theme): Paint {
  if (role === undefined || role === "free") return (text) => paintFreeCode(text, language, theme);
  return role === "added" || role === "removed" ? theme[role] : theme.code[role];
}

type Text = {
  /** True if the text is the name of a program, or stands before a parenthesis. */
  readonly isCalled: boolean;
  readonly hasSigil: boolean;
};

/** The role of the innermost scope that has one. */
function roleIn(scopes: readonly string[], text: Text): Role | undefined {
  for (const scope of scopes.toReversed()) {
    const role = roleOf(scope, scopes, text);
    if (role) return role;
  }
  return undefined;
}

function roleOf(scope: string, scopes: readonly string[], { isCalled, hasSigil }: Text): Role | undefined {
  if (scope === "built_in") return isCalled ? "function" : "type";
  // In languages without sigils, grammars name only few of the variables.
  if (scope === "variable") return hasSigil ? "property" : "free";
  // Older grammars name a class by the scope around its title.
  if (scope === "title" && scopes.includes("class")) return "type";
  const [name = "", kind] = scope.split(" ");
  return ROLES[`${name} ${kind}`] ?? ROLES[name];
}

/**
 * Gives code that the grammar leaves without a scope its colours: grammars differ in what they name, and the same
 * code looks alike in all languages.
 */
function paintFreeCode(text: string, language: string, { code }: Theme): string {
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
