import { expect, test } from "bun:test";
import { CODE_ROLES, type CodeRole } from "../../../../src/contracts/theme.ts";
import { Highlighter } from "../../../../src/faces/repl/markdown/highlight.ts";
import { type Paint, themeFor } from "../../../../src/faces/repl/view/theme.ts";

const code = Object.fromEntries(CODE_ROLES.map((role) => [role, (text: string) => `‹${role}|${text}›`]));
/** Each part of code is written with the name of its role. */
const theme = { ...themeFor(3), code: code as Record<CodeRole, Paint> };
const highlighter = new Highlighter();

async function rolesIn(language: string, line: string): Promise<readonly string[]> {
  await highlighter.load(language);
  const [drawn = ""] = highlighter.lines([line], language, theme);
  return Array.from(drawn.matchAll(/‹(\w+)\|([^›]*)›/g), ([, role, text]) => `${role} ${text}`);
}

test.each([
  ["ts", "const a: Item = b.size;", ["keyword const", "property a", "type Item", "property size", "punctuation ;"]],
  [
    "tsx",
    "f(null, 1) // c",
    ["function f", "punctuation (", "number null", "punctuation ,", "number 1", "punctuation )", "comment // c"],
  ],
  [
    "python",
    "x: float = self.rate(y.z)",
    ["type float", "keyword self", "function rate", "punctuation (", "property z", "punctuation )"],
  ],
  [
    "python",
    "return len(Cart())",
    ["keyword return", "function len", "punctuation (", "function Cart", "punctuation ())"],
  ],
  [
    "go",
    "return http.Get(s.URL, nil)",
    ["keyword return", "function Get", "punctuation (", "property URL", "punctuation ,", "number nil", "punctuation )"],
  ],
  [
    "java",
    "List<Item> a = b.get(c.name);",
    ["type List", "type Item", "function get", "punctuation (", "property name", "punctuation );"],
  ],
  ["rust", "let a: u32 = s.len();", ["keyword let", "type u32", "function len", "punctuation ();"]],
  ["c", "size_t n = f(p->x);", ["type size_t", "function f", "punctuation (", "property x", "punctuation );"]],
  [
    "sh",
    'echo "$HOME" && cd x; # c',
    ["function echo", 'string "', "property $HOME", 'string "', "function cd", "punctuation ;", "comment # c"],
  ],
  [
    "json",
    '{ "a": [1, "x"] }',
    [
      "punctuation {",
      'property "a"',
      "punctuation :",
      "punctuation [",
      "number 1",
      "punctuation ,",
      'string "x"',
      "punctuation ]",
      "punctuation }",
    ],
  ],
  ["yaml", "a: 1 # c", ["property a:", "number 1", "comment # c"]],
  ["css", "p { color: red }", ["keyword p", "punctuation {", "property color", "punctuation }"]],
  [
    "html",
    '<p class="a">one, (two)</p>',
    [
      "punctuation <",
      "keyword p",
      "property class",
      "punctuation =",
      'string "a"',
      "punctuation >",
      "punctuation </",
      "keyword p",
      "punctuation >",
    ],
  ],
  [
    "sql",
    "SELECT COUNT(*) FROM t;",
    ["keyword SELECT", "function COUNT", "punctuation (", "punctuation )", "keyword FROM", "punctuation ;"],
  ],
  ["ts", `\`a\${b.c}d\``, ["string `a", "punctuation {", "property c", "punctuation }", "string d`"]],
] as const)("code in %s has its roles: %s", async (language, line, roles) => {
  expect(await rolesIn(language, line)).toEqual([...roles]);
});

test("every language keeps its text, whatever has a colour", async () => {
  const line = "class A { x = f(\"a\", 'b', 1) } // c <d> & [e]; -- f # g";
  const languages = [
    "bash",
    "c",
    "cpp",
    "csharp",
    "css",
    "diff",
    "dockerfile",
    "go",
    "ini",
    "java",
    "javascript",
    "json",
  ];
  languages.push("kotlin", "makefile", "php", "python", "ruby", "rust", "sql", "swift", "typescript", "xml", "yaml");
  for (const language of languages) {
    await highlighter.load(language);
    const [drawn = ""] = highlighter.lines([line], language, theme);
    expect(drawn.replace(/‹\w+\||›/g, "")).toBe(line);
  }
});
