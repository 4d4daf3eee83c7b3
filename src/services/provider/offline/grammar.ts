import { words } from "../../../contracts/words.ts";
import type { Cursor } from "./cursor.ts";
import type { Form, FoundWords, Misfit } from "./form.ts";
import { parseAppend, parseCreate, parseReplace, parseShellWork } from "./parse-change.ts";
import { parseList } from "./parse-list.ts";
import { parseOutline, parseRead } from "./parse-read.ts";
import { parseSearch } from "./parse-search.ts";
import type { Step } from "./step.ts";

/** All request forms of the offline engine, in the order of the guide, which is generated from this table. */
export const FORMS: readonly Form[] = [
  {
    name: "list",
    usage: "list files [named NAME | GLOB] [in FOLDER]",
    summary: "Lists files, newest first.",
    examples: [
      "list files",
      "list src",
      "list **/*.ts",
      "list ts files in src",
      "find files named *.test.ts",
      "find package.json",
    ],
    verbs: ["list", "ls", "find", "locate", "show", "which", "what"],
    keywords: ["files", "file", "folder", "directory", "tree", "named", "contents", "exists"],
    parse: parseList,
    adapt: ({ files }) => `list ${files.find((file) => !/\.\w+$/.test(file) || file.includes("*")) ?? "files"}`,
  },
  {
    name: "search",
    usage: 'find "TEXT" | /REGEXP/ [in FILE | FOLDER | GLOB] [ignoring case]',
    summary: "Shows the lines that contain a text or match a regular expression.",
    examples: [
      'find "TODO" in src/**/*.ts',
      "search /re(gex)?/i in src",
      'search for "hello world" ignoring case',
      'where is "foo" used',
      'list files containing "TODO"',
    ],
    verbs: ["find", "search", "grep", "look", "where", "which", "what", "list", "show"],
    keywords: words("text occurrences usages uses used references defined contains containing mention called who"),
    parse: parseSearch,
    adapt: ({ quoted, files }) => `find "${quoted[0] ?? "TODO"}"${files[0] === undefined ? "" : ` in ${files[0]}`}`,
  },
  {
    name: "read",
    usage: "read FILE [lines A-B | line N | first N lines | last N lines]",
    summary: "Shows a file with its line numbers.",
    examples: [
      "read README.md",
      "show src/main.ts lines 10-20",
      "read package.json first 5 lines",
      "show the last 10 lines of README.md",
      "open src/main.ts:12",
    ],
    verbs: ["read", "show", "print", "open", "cat", "view", "display"],
    keywords: words("contents content see look lines line explain summarize summarise describe understand review does"),
    parse: parseRead,
    adapt: ({ files }) => `read ${files[0] ?? "README.md"}`,
  },
  {
    name: "outline",
    usage: "outline FILE",
    summary: "Shows the definitions of a source file, or the headings of a Markdown file.",
    examples: ["outline src/main.ts", "show the outline of README.md"],
    verbs: ["outline", "show"],
    keywords: words(`
      structure functions function classes class definitions headings explain summarize summarise overview
      understand methods
    `),
    parse: parseOutline,
    adapt: ({ files }) => `outline ${files[0] ?? "src/main.ts"}`,
  },
  {
    name: "replace",
    usage: 'replace "TEXT" with "TEXT" in FILE | FOLDER | GLOB, or everywhere',
    summary: "Changes every occurrence of a text, byte for byte and case-sensitively.",
    examples: [
      'replace "foo" with "bar" in src/**/*.ts',
      "rename getUser to fetchUser everywhere",
      'change "a\\nb" to "c" in notes.txt',
      'replace "debug: true" with "" in config.yaml',
    ],
    verbs: ["replace", "rename", "change", "substitute", "swap"],
    keywords: words("edit update refactor fix correct modify turn everywhere bug typo instead"),
    parse: parseReplace,
    adapt: ({ quoted, files }) =>
      `replace "${quoted[0] ?? "foo"}" with "${quoted[1] ?? "bar"}" ${files[0] === undefined ? "everywhere" : `in ${files[0]}`}`,
  },
  {
    name: "create",
    usage: 'create FILE [with "TEXT"], or create FILE with: TEXT',
    summary: "Creates a new file with exactly this text, and its folders. Does not change an existing file.",
    examples: [
      'create notes.txt with "first line\\nsecond line\\n"',
      "create an empty file src/new.ts",
      'write "hello" to hello.txt',
      "create todo.md with:\n# To do\n- sleep",
    ],
    verbs: ["create", "make", "write", "save", "new", "touch", "add"],
    keywords: ["file", "generate", "implement", "build", "start", "script", "program", "test", "tests", "code"],
    parse: parseCreate,
    adapt: ({ quoted, files }) => `create ${files[0] ?? "notes.txt"} with "${quoted[0] ?? "text"}"`,
  },
  {
    name: "append",
    usage: 'append "TEXT" to FILE, or append to FILE: TEXT',
    summary: "Appends lines to a file.",
    examples: ['append "last line" to notes.txt', 'add "*.log" to .gitignore', "append to notes.txt:\none\ntwo"],
    verbs: ["append", "add"],
    keywords: ["end", "bottom", "line", "insert", "extend"],
    parse: parseAppend,
    adapt: ({ quoted, files }) => `append "${quoted[0] ?? "text"}" to ${files[0] ?? "notes.txt"}`,
  },
  {
    name: "run",
    usage: "run COMMAND",
    summary: "Runs a shell command, which extends to the end of the line or to the word `then`.",
    examples: ["run git status", "run npm test", "run `echo now and then`", 'run git commit -m "fix then ship"'],
    verbs: ["run", "execute", "exec"],
    keywords: words(`
      git npm npx node bun pnpm yarn cargo make go python pytest docker sh bash command shell test tests
      build install commit push start diff lint compile deploy check
    `),
    // parse-request.ts reads commands first, by the shell's quoting rules.
    parse: () => undefined,
    adapt: ({ all }) =>
      /^(?:git|npm|npx|node|bun|pnpm|yarn|cargo|make|go|python3?|pytest|docker|sh|bash|\.\/)(?:\s|\S*$)/.test(all)
        ? `run ${all}`
        : "run git status",
  },
  {
    name: "help",
    usage: "what can you do",
    summary: "Shows this list and how to add a model.",
    examples: ["what can you do", "help", "?"],
    verbs: ["help", "?", "/help", "what", "how", "who", "commands", "usage"],
    keywords: ["hello", "hi", "hey", "you", "model", "offline"],
    parse: parseHelp,
    adapt: () => "what can you do",
  },
];

/** Verbs without a form: the answer suggests the shell command. */
const SHELL_VERBS: readonly string[] = ["delete", "remove", "rm", "erase", "move", "mv", "copy", "cp"];

type Parse = (cursor: Cursor, verb: string, block: string | undefined) => Step | Misfit | undefined;

const PARSERS: ReadonlyMap<string, readonly Parse[]> = collectParsers();

function collectParsers(): ReadonlyMap<string, readonly Parse[]> {
  const parsers = new Map<string, Parse[]>();
  for (const verb of SHELL_VERBS) parsers.set(verb, [parseShellWork]);
  for (const form of FORMS) {
    for (const verb of form.verbs) parsers.set(verb, [...(parsers.get(verb) ?? []), form.parse]);
  }
  return parsers;
}

export function isVerb(word: string): boolean {
  return PARSERS.has(word);
}

/** The parsers for requests that begin with a verb, in the order in which they are tried. */
export function formsOf(verb: string): readonly Parse[] {
  return PARSERS.get(verb) ?? [];
}

const MAX_WEIGHED_CHARS = 2_000;

/** The forms that share most words with a request that matches no form, best first, each as an example with words of the request. */
export function nearestForms(request: string, limit = 3): readonly { readonly form: Form; readonly example: string }[] {
  const words =
    request
      .slice(0, MAX_WEIGHED_CHARS)
      .toLowerCase()
      .match(/[\p{L}\p{N}_/-]+|\?/gu) ?? [];
  const found = foundWords(request);
  const scored = FORMS.map((form, index) => {
    const verbs = new Set(form.verbs);
    const keywords = new Set(form.keywords);
    const score = words.reduce((sum, word) => sum + (verbs.has(word) ? 2 : keywords.has(word) ? 1 : 0), 0);
    return { form, index, score };
  });
  scored.sort((a, b) => b.score - a.score || a.index - b.index);
  return scored.slice(0, limit).map(({ form }) => ({ form, example: form.adapt(found) }));
}

function foundWords(request: string): FoundWords {
  const head = request.slice(0, MAX_WEIGHED_CHARS);
  const quoted = [...head.matchAll(/"([^"\n\\]{1,60})"|“([^”\n\\]{1,60})”|`([^`\n\\"]{1,60})`/g)].map(
    (match) => match[1] ?? match[2] ?? match[3] ?? "",
  );
  const files = (head.match(/[^\s"'`“”,;:!?()]+/g) ?? [])
    .map((word) => word.replace(/\.$/, ""))
    .filter(
      (word) =>
        word.length <= 100 &&
        /^(?!https?$)(?:\.{0,2}\/)?[\w@*{}[\].-]+(?:\/[\w@*{}[\].-]+)*$/.test(word) &&
        /\/|\.[a-z0-9]{1,8}$/i.test(word),
    );
  const all = head.split("\n")[0]?.trim().slice(0, 80) ?? "";
  return { quoted, files, all };
}

const QUESTIONS: Readonly<Record<string, readonly string[]>> = {
  what: [
    "can you do",
    "can you understand",
    "do you do",
    "do you know",
    "do you understand",
    "are you",
    "can i ask",
    "can i do",
    "can i say",
    "can i type",
  ],
  how: ["do you work", "does this work", "does it work", "do i use you", "do i use this", "do i use quoll"],
  who: ["are you"],
};

/** `what can you do`, `help`, `?`. */
function parseHelp(cursor: Cursor, verb: string): Step | undefined {
  const questions = QUESTIONS[verb];
  if (questions ? cursor.oneOf(questions) === undefined : false) return undefined;
  cursor.oneOf(["me", "for me", "here", "offline"]);
  return cursor.atEnd || cursor.rest() === "?" ? { form: "help" } : undefined;
}
