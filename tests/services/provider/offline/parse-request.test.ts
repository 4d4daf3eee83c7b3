import { describe, expect, test } from "bun:test";
import { FORMS } from "../../../../src/services/provider/offline/grammar.ts";
import { parseRequest } from "../../../../src/services/provider/offline/parse-request.ts";
import type { Step, Target } from "../../../../src/services/provider/offline/step.ts";
import { cpuClock } from "../../../support/cpu-clock.ts";
import { testOrDeep } from "../../../support/deep.ts";

const everywhere: Target = { kind: "everywhere" };
const path = (name: string): Target => ({ kind: "path", path: name });
const glob = (name: string): Target => ({ kind: "glob", glob: name });
const list = (pattern: string, folder?: string): Step => ({ form: "list", pattern, folder });
const read = (file: string, range?: Extract<Step, { form: "read" }>["range"]): Step => ({
  form: "read",
  path: file,
  range,
});
const lines = (first: number, last: number) => ({ kind: "lines", first, last }) as const;
const replace = (from: string, to: string, target: Target): Step => ({ form: "replace", from, to, target });
const create = (file: string, content: string): Step => ({ form: "create", path: file, content });
const append = (text: string, file: string): Step => ({ form: "append", path: file, text });
const run = (command: string): Step => ({ form: "run", command });
const help: Step = { form: "help" };

function search(
  text: string,
  target: Target = everywhere,
  more: Partial<Extract<Step, { form: "search" }>> = {},
): Step {
  const base = { form: "search", pattern: text, shown: `"${text}"`, ignoreCase: false, multiline: false } as const;
  return { ...base, target, ...more };
}

/** The meaning of a request: its steps, or the step that does not fit, with the reason. */
function meaning(request: string): readonly Step[] | string {
  const parsed = parseRequest(request);
  if (parsed.kind === "plan") return parsed.steps.map(({ step }) => step);
  return `${parsed.number}: ${parsed.words}: ${parsed.problem ?? "unknown"}`;
}

const SINGLE: readonly (readonly [string, Step])[] = [
  // list
  ["list files", list("**/*")],
  ["list", list("**/*")],
  ["LIST FILES", list("**/*")],
  ["ls", list("**/*")],
  ["ls src", list("src")],
  ["list all files", list("**/*")],
  ["please list all the files", list("**/*")],
  ["list files, please.", list("**/*")],
  ["Could you list the files in src?", list("**/*", "src")],
  ["show me the files in the src folder", list("**/*", "src")],
  ["list src", list("src")],
  ["list src/", list("src/")],
  ["list .", list("**/*")],
  ["list the src folder", list("src")],
  ["list in src", list("**/*", "src")],
  ["list everything in src", list("**/*", "src")],
  ["list files under src/services/", list("**/*", "src/services")],
  ["list **/*.ts", list("**/*.ts")],
  ["list *.ts", list("**/*.ts")],
  ["list *.ts in src", list("**/*.ts", "src")],
  ["list ts files in src", list("**/*.ts", "src")],
  ["list all .py files", list("**/*.py")],
  ["find files named *.test.ts", list("**/*.test.ts")],
  ["find the file called main.ts in src", list("**/main.ts", "src")],
  ["find package.json", list("**/package.json")],
  ["find src/main.ts", list("src/main.ts")],
  ["find ./src/main.ts", list("src/main.ts")],
  ["locate Cargo.toml", list("**/Cargo.toml")],
  ['list files named "my file.txt"', list("**/my file.txt")],
  ["find files named [id].tsx", list("**/\\[id\\].tsx")],
  ["list ../other/*.ts", list("../other/*.ts")],
  ["which files are named *.ts", list("**/*.ts")],
  ["what files are in src?", list("**/*", "src")],
  ["where is package.json", list("**/package.json")],
  ["show *.md", list("**/*.md")],
  ["list .env.example", list("**/.env.example")],
  ["list README.md.", list("**/README.md")],
  ["find *.ts files", list("**/*.ts")],
  ["find a file named x.ts", list("**/x.ts")],
  // search
  ['find "TODO" in src/**/*.ts', search("TODO", glob("src/**/*.ts"))],
  ["find TODO in src/**/*.ts", search("TODO", glob("src/**/*.ts"))],
  ["find “TODO” in src", search("TODO", path("src"))],
  ["find 'TODO' in `src`", search("TODO", path("src"))],
  ["find the text `x + y` everywhere", search("x \\+ y", everywhere, { shown: '"x + y"' })],
  ["search for hello", search("hello")],
  ["grep foo", search("foo")],
  ["look for foo in the file src/a.ts", search("foo", path("src/a.ts"))],
  ['search "a.b*c" in all files', search("a\\.b\\*c", everywhere, { shown: '"a.b*c"' })],
  ["search /re(gex)?/i in src", search("re(gex)?", path("src"), { shown: "/re(gex)?/i", ignoreCase: true })],
  ["search /a b/", search("a b", everywhere, { shown: "/a b/" })],
  ["search /[/]x\\/y/ in src", search("[/]x/y", path("src"), { shown: "/[/]x\\/y/" })],
  ["search /a.b/s", search("(?s)a.b", everywhere, { shown: "/a.b/s", multiline: true })],
  ["search /(?i)x(?P<name>y)/", search("(?i)x(?P<name>y)", everywhere, { shown: "/(?i)x(?P<name>y)/" })],
  ['find "/api/v1" in src', search("/api/v1", path("src"))],
  ["search for /tmp", search("/tmp")],
  ['search for "Hello" ignoring case', search("Hello", everywhere, { ignoreCase: true })],
  ['search for "Hello" in src case-insensitively', search("Hello", path("src"), { ignoreCase: true })],
  ['where is "foo" used', search("foo")],
  ["where is foo defined?", search("foo")],
  ["where is foo?", search("foo")],
  ['which files contain "foo"?', search("foo")],
  ['list files containing "foo" in src', search("foo", path("src"))],
  ['find files with "foo"', search("foo")],
  ["find all occurrences of foo in the project", search("foo")],
  ['find "then" in src', search("then", path("src"))],
  ['find "say \\"hi\\"" in src', search('say "hi"', path("src"), { shown: '"say "hi""' })],
  ["find 'don't' in src", search("don't", path("src"))],
  ['find "a\\nb"', search("a\\r?\\nb", everywhere, { shown: '"a\nb"', multiline: true })],
  ['find "\\d+" in src', search("\\\\d\\+", path("src"), { shown: '"\\d+"' })],
  ["find foo in all ts files in src", search("foo", glob("src/**/*.ts"))],
  ["find foo in pages/[id].tsx", search("foo", path("pages/[id].tsx"))],
  // read
  ["read README.md", read("README.md")],
  ["Read the file README.md.", read("README.md")],
  ["show me README.md", read("README.md")],
  ["cat src/main.ts", read("src/main.ts")],
  ["print the contents of `my notes.txt`", read("my notes.txt")],
  ['open "src/a b.ts"', read("src/a b.ts")],
  ["read src/main.ts lines 10-20", read("src/main.ts", lines(10, 20))],
  ["read src/main.ts, lines 10 to 20", read("src/main.ts", lines(10, 20))],
  ["show lines 3–9 of src/main.ts", read("src/main.ts", lines(3, 9))],
  ["show src/main.ts from line 3 to line 9", read("src/main.ts", lines(3, 9))],
  ["read src/main.ts line 7", read("src/main.ts", lines(7, 7))],
  ["open src/main.ts:12", read("src/main.ts", lines(12, 12))],
  ["open src/main.ts:12-14", read("src/main.ts", lines(12, 14))],
  ["read README.md first 5 lines", read("README.md", { kind: "head", count: 5 })],
  ["show the first line of README.md", read("README.md", { kind: "head", count: 1 })],
  ["show the last 10 lines of README.md", read("README.md", { kind: "tail", count: 10 })],
  ["read Makefile", read("Makefile")],
  ["read /etc/hosts", read("/etc/hosts")],
  ["read pages/[id].tsx", read("pages/[id].tsx")],
  // outline
  ["outline src/main.ts", { form: "outline", path: "src/main.ts" }],
  ["show the outline of README.md", { form: "outline", path: "README.md" }],
  ["show me the structure of src/main.ts", { form: "outline", path: "src/main.ts" }],
  ['find "foo".', search("foo")],
  // replace
  ['replace "foo" with "bar" in src/**/*.ts', replace("foo", "bar", glob("src/**/*.ts"))],
  ["replace foo with bar in src/a.ts", replace("foo", "bar", path("src/a.ts"))],
  ["Replace all occurrences of “foo” by “bar” everywhere.", replace("foo", "bar", everywhere)],
  ["rename getUser to fetchUser everywhere", replace("getUser", "fetchUser", everywhere)],
  ["rename the function foo to bar in src", replace("foo", "bar", path("src"))],
  ["change from 'a' to 'b' in x.txt", replace("a", "b", path("x.txt"))],
  ["replace foo -> bar in x.txt", replace("foo", "bar", path("x.txt"))],
  ['replace "a\\nb" with "c\\td" in x.txt', replace("a\nb", "c\td", path("x.txt"))],
  ['replace "a\nb" with "c" in x.txt', replace("a\nb", "c", path("x.txt"))],
  ["replace `a\\nb` with `c` in x.txt", replace("a\\nb", "c", path("x.txt"))],
  ['replace "debug" with "" in "my file.yaml"', replace("debug", "", path("my file.yaml"))],
  ['replace "x" with "y" in all *.{ts,tsx} files', replace("x", "y", glob("*.{ts,tsx}"))],
  ['replace "x" with "y" in every ts file', replace("x", "y", glob("*.ts"))],
  ['replace "x" with "y" in all files in src', replace("x", "y", path("src"))],
  ['replace "x" with "y" across the codebase', replace("x", "y", everywhere)],
  ['replace "x" with "y" in all of src', replace("x", "y", path("src"))],
  ['replace "x" in src/a.ts with "y"', replace("x", "y", path("src/a.ts"))],
  ["replace /api/v1 with /api/v2 in src", replace("/api/v1", "/api/v2", path("src"))],
  ['replace "then" with "and then" in x.txt', replace("then", "and then", path("x.txt"))],
  ['replace "a" with "b; c" in x.txt;', replace("a", "b; c", path("x.txt"))],
  // create
  ['create notes.txt with "hello"', create("notes.txt", "hello")],
  ["create notes.txt with hello", create("notes.txt", "hello")],
  ['create a new file called notes.txt containing "a\\nb\\n"', create("notes.txt", "a\nb\n")],
  ["create an empty file src/new.ts", create("src/new.ts", "")],
  ["create src/new.ts", create("src/new.ts", "")],
  ["touch a.txt", create("a.txt", "")],
  ['write "hello" to hello.txt', create("hello.txt", "hello")],
  ["create todo.md with:\n# To do\n\n- sleep then eat", create("todo.md", "# To do\n\n- sleep then eat\n")],
  ["create todo.md with: one; two then three", create("todo.md", "one; two then three\n")],
  ["create todo.md:\nx\n", create("todo.md", "x\n")],
  ["create todo.md with\nx", create("todo.md", "x\n")],
  ['create "to do.md" with the text: "x"', create("to do.md", "x")],
  ["add a file x.txt with 'y'", create("x.txt", "y")],
  // append
  ['append "last" to notes.txt', append("last", "notes.txt")],
  ["add 'x' to the end of notes.txt", append("x", "notes.txt")],
  ['add the line "*.log" to .gitignore', append("*.log", ".gitignore")],
  ["append to notes.txt:\none\n two", append("one\n two\n", "notes.txt")],
  ['append to notes.txt "x"', append("x", "notes.txt")],
  // run
  ["run git status", run("git status")],
  ["please run npm test", run("npm test")],
  ["can you run npm test -- --watch=false", run("npm test -- --watch=false")],
  ["run `npm test`", run("npm test")],
  ["run `npm test`.", run("npm test")],
  ['run "echo \\"hi\\""', run('echo "hi"')],
  ["run “git log”", run("git log")],
  ["execute: ls -la", run("ls -la")],
  ["run the command git status", run("git status")],
  ["run command -v node", run("command -v node")],
  ["run cd src; ls && pwd | cat", run("cd src; ls && pwd | cat")],
  ['run git commit -m "fix then ship"', run('git commit -m "fix then ship"')],
  ["run `echo now then later`", run("echo now then later")],
  ["run printf 'a\\nb\\n'", run("printf 'a\\nb\\n'")],
  ["run git add .", run("git add .")],
  ["run echo it\\'s", run("echo it\\'s")],
  // help
  ["what can you do", help],
  ["What can you do?", help],
  ["help", help],
  ["help me", help],
  ["?", help],
  ["who are you?", help],
  ["how do I use this?", help],
];

describe("one step", () => {
  for (const [request, step] of SINGLE) {
    test(`${JSON.stringify(request)} is understood`, () => expect(meaning(request)).toEqual([step]));
  }
});

const SEVERAL: readonly (readonly [string, readonly Step[]])[] = [
  [
    'replace "foo" with "bar" in src/**/*.ts then run git diff --stat',
    [replace("foo", "bar", glob("src/**/*.ts")), run("git diff --stat")],
  ],
  ["list files then read a.ts", [list("**/*"), read("a.ts")]],
  ["list files, then read a.ts", [list("**/*"), read("a.ts")]],
  ["list files and then read a.ts", [list("**/*"), read("a.ts")]],
  ["list files and read a.ts", [list("**/*"), read("a.ts")]],
  ["First list files, then please read a.ts, then finally run ls", [list("**/*"), read("a.ts"), run("ls")]],
  ['find "a", then find "b".', [search("a"), search("b")]],
  ["list files; read a.ts", [list("**/*"), read("a.ts")]],
  ["list files\nread a.ts", [list("**/*"), read("a.ts")]],
  ["list files\r\nread a.ts\r\n", [list("**/*"), read("a.ts")]],
  ["1. list files\n2. read a.ts", [list("**/*"), read("a.ts")]],
  ["1) list files\n2) run ls\n\n3) read a.ts", [list("**/*"), run("ls"), read("a.ts")]],
  ["- list files\n- run ls", [list("**/*"), run("ls")]],
  ["run a, then run b", [run("a"), run("b")]],
  ["run a and then run b", [run("a"), run("b")]],
  ["run `a then b` then run c", [run("a then b"), run("c")]],
  ['run echo "a then b" then run c', [run('echo "a then b"'), run("c")]],
  ["run a; b then read c.txt", [run("a; b"), read("c.txt")]],
  ["read a.ts THEN read b.ts", [read("a.ts"), read("b.ts")]],
  ['create a.txt with: "x" then read a.txt', [create("a.txt", "x"), read("a.txt")]],
  ["1. create a.txt with:\none\n2. read a.txt", [create("a.txt", "one\n"), read("a.txt")]],
  ["create a.md with:\n```\n# x\nthen y\n```\nthen read a.md", [create("a.md", "# x\nthen y\n"), read("a.md")]],
  ['find "a" in x.txt then find "b" in x.txt', [search("a", path("x.txt")), search("b", path("x.txt"))]],
  ["then list files", [list("**/*")]],
  ["help then list files", [help, list("**/*")]],
];

describe("several steps", () => {
  for (const [request, steps] of SEVERAL) {
    test(`${JSON.stringify(request)} is parted`, () => expect(meaning(request)).toEqual(steps));
  }
});

const MISFITS: readonly (readonly [string, string])[] = [
  ["", "1: : the request is empty"],
  ["  \n ; , ", "1: : the request is empty"],
  ["then", "1: : the request is empty"],
  ["explain src/a.ts", "1: explain src/a.ts: unknown"],
  ["fix the bug", "1: fix the bug: unknown"],
  ['"list files"', '1: "list files": unknown'],
  ["list files then dance", "2: dance: unknown"],
  ["run ls then dance then run rm -rf x", "2: dance then run rm -rf x: unknown"],
  ["what is the meaning of life", "1: what is the meaning of life: unknown"],
  ["help me fix the bug", "1: help me fix the bug: unknown"],
  ["find", "1: find: the text to look for is missing"],
  ["search then in src", "1: search: the text to look for is missing"],
  ['find ""', '1: find "": the text to look for is empty'],
  ['find "TODO in src', '1: find "TODO in src: the quote " is opened but never closed'],
  ["find hello world", '1: find hello world: "world" is not understood there'],
  ["replace foo", '1: replace foo: the replacement for "foo" is missing'],
  ['replace "a" with "b"', '1: replace "a" with "b": the place is missing: add `in FILE`, `in GLOB` or `everywhere`'],
  ['replace "" with "b" in x', '1: replace "" with "b" in x: the text to replace is empty'],
  ['replace "b" with "b" in x', '1: replace "b" with "b" in x: both texts are the same'],
  [
    "replace a b with c in x",
    '1: replace a b with c in x: the word "with" is missing after "a" (texts of several words need quotes)',
  ],
  [
    "replace /a.*/ with b in x",
    "1: replace /a.*/ with b in x: replace takes plain text, not a regular expression (put /a.*/ in quotes to use it literally)",
  ],
  [
    "rename a.ts to b.ts",
    "1: rename a.ts to b.ts: rename changes text, not file names; to rename a file: `run mv a.ts b.ts`",
  ],
  ["read", "1: read: the file name is missing"],
  ["read *.ts", '1: read *.ts: read takes one file, and "*.ts" is a glob (`list *.ts` lists its files)'],
  ["read a.ts lines 9-3", "1: read a.ts lines 9-3: line 3 comes before line 9"],
  ["read a.ts lines 0-3", "1: read a.ts lines 0-3: lines count from 1"],
  ["read a.ts line x", "1: read a.ts line x: the line number is missing (lines count from 1)"],
  ["ls -la", "1: ls -la: this looks like a shell command; ask for it with `run ls -la`"],
  ["grep -rn 'a b' .", "1: grep -rn 'a b' .: this looks like a shell command; ask for it with `run grep -rn 'a b' .`"],
  ["rm -rf x", "1: rm -rf x: this looks like a shell command; ask for it with `run rm -rf x`"],
  ["touch a b", '1: touch a b: "b" is not understood there'],
  ["list all the folders", "1: list all the folders: list shows files, not folders; for folders: `run ls -d */`"],
  ["create", "1: create: the file name is missing"],
  [
    "create a folder x",
    "1: create a folder x: create makes files, not folders (a new file creates its folder); for a folder: `run mkdir -p x`",
  ],
  [
    "create a.txt with hello world",
    '1: create a.txt with hello world: "world" is not understood there (a text of several words needs quotes)',
  ],
  ['append "" to a.txt', '1: append "" to a.txt: the text to append is empty'],
  ["run", "1: run: the command is missing"],
  ["run ``", "1: run ``: the command is empty"],
  [
    "run the tests",
    "1: run the tests: this describes a command; the offline engine needs the command itself, as in `run npm test`",
  ],
  ["run `rm x` and tell me", "1: run `rm x` and tell me: more text follows the command in backticks"],
  ["run echo it's then list files", "1: run echo it's then list files: the quote ' is opened but never closed"],
  [
    "delete src/a.ts",
    "1: delete src/a.ts: the offline engine does not delete by itself; ask for the command: `run rm src/a.ts`",
  ],
  [
    'remove "x" from a.ts',
    '1: remove "x" from a.ts: to delete a text, replace it with nothing: `replace "x" with "" in a.ts`',
  ],
  [
    "move a.ts to b.ts",
    "1: move a.ts to b.ts: the offline engine does not move files by itself; ask for the command: `run mv a.ts b.ts`",
  ],
  [
    "run ls then delete a.ts",
    "2: delete a.ts: the offline engine does not delete by itself; ask for the command: `run rm a.ts`",
  ],
  ["create a.md with:\n```\nx", "1: create a.md with:: the quote ``` is opened but never closed"],
];

describe("requests that are not understood", () => {
  for (const [request, problem] of MISFITS) {
    test(`${JSON.stringify(request)} is answered with the reason`, () => expect(meaning(request)).toBe(problem));
  }

  test("an invalid regular expression is named with its fault", () => {
    for (const bad of ["/(/", "/[a/", "/a{2,1}/", "/*/"]) {
      expect(meaning(`search ${bad} in src`)).toMatch(
        /^1: search .*: the regular expression \/.*\/ is not valid \(.+\)$/,
      );
    }
  });

  test("more steps than the bound are refused", () => {
    expect(meaning("run ls\n".repeat(101))).toBe("101: run ls: a request may have at most 100 steps");
    expect(meaning("run ls\n".repeat(100))).toHaveLength(100);
  });
});

describe("hostile requests", () => {
  const MEGABYTE = 1_000_000;
  const fill = (piece: string) => piece.repeat(Math.ceil(MEGABYTE / piece.length));
  const HOSTILE: readonly (readonly [string, string])[] = [
    ["words", fill("word ")],
    ["words after a verb", `find ${fill("word ")}`],
    ["one word", `find ${fill("x")}`],
    ["politeness", fill("please ")],
    ["thanks at the end", `read a.ts ${fill("please ")}`],
    ["open quotes", `find ${fill('"a ')}`],
    ["quotes inside of words", `find "${fill(`a"b `)}`],
    ["backslashes", `find "${fill("\\")}`],
    ["slashes", `find ${fill("/a ")}`],
    ["open regexps in lines", fill("find /a\n")],
    ["full stops", `read ${fill(".")}x`],
    ["exclamation marks", `read ${fill("!")} x`],
    ["and", `list ${fill("and ")}`],
    ["and with wide gaps", `run a and${" ".repeat(MEGABYTE)}b`],
    ["blanks", `list${" ".repeat(MEGABYTE)}files x`],
    ["line ends", "\n".repeat(MEGABYTE)],
    ["list marks", fill("1. ")],
    ["semicolons", fill("; ")],
    ["braces", `list ${fill("{")}`],
    ["colons", `create a.txt ${fill(": ")}`],
    ["backticks", `run ${fill("`")}`],
    ["then", fill("then ")],
    ["a command with quotes", `run ${fill("'a' ")}`],
    ["dots and numbers", `read a:${fill("1")}`],
    ["fences", `create a with:\n\`\`\`\n${fill("``\n")}`],
  ];
  for (const [at, [name, request]] of HOSTILE.entries()) {
    testOrDeep(at % 8 === 0)(`a megabyte of ${name} is read in a moment and shown as a line`, () => {
      const spent = cpuClock();
      const parsed = parseRequest(request);
      // Quadratic time would take minutes; the bound is wide for slow machines.
      expect(spent()).toBeLessThan(2_000);
      if (parsed.kind === "misfit") expect(parsed.words.length).toBeLessThanOrEqual(121);
    });
  }
});

test("every example of every form is understood as that form", () => {
  for (const { name, examples } of FORMS) {
    for (const example of examples) {
      expect([example, parseRequest(example)]).toEqual([
        example,
        { kind: "plan", steps: [{ step: expect.objectContaining({ form: name }), words: expect.any(String) }] },
      ]);
    }
  }
});
