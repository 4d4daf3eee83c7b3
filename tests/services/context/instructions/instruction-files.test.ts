import { expect, test } from "bun:test";
import { chmodSync, mkdirSync, symlinkSync } from "node:fs";
import type { InstructionFamily } from "../../../../src/contracts/instructions.ts";
import type { Message } from "../../../../src/contracts/message.ts";
import {
  MAX_IMPORT_DEPTH,
  MAX_INSTRUCTION_FILES,
} from "../../../../src/services/context/instructions/collect-instructions.ts";
import { ownFolders } from "../../../../src/services/context/instructions/families.ts";
import { elementsIn } from "../../../../src/services/context/instructions/instruction-element.ts";
import { InstructionFiles } from "../../../../src/services/context/instructions/instruction-files.ts";
import { MAX_INSTRUCTION_CHARS, sameText } from "../../../../src/services/context/instructions/read-instruction.ts";
import { isSecret } from "../../../../src/services/permission/judge/secrets.ts";
import { cpuClock } from "../../../support/cpu-clock.ts";
import { seededTest } from "../../../support/deep.ts";
import { seededRandom } from "../../../support/seeded-random.ts";
import { tempProject } from "../../../support/temp-project.ts";

type Files = Readonly<Record<string, string | Uint8Array>>;
type Wishes = {
  /** The project, below the folder `repo`; other names lie beside it. */
  readonly files: Files;
  readonly cwd?: string;
  /** Folders above the project whose files count. */
  readonly above?: readonly string[];
  readonly off?: readonly InstructionFamily[];
  readonly hidden?: (path: string) => boolean;
  readonly mayRead?: (path: string) => boolean;
  readonly isTrusted?: boolean;
  readonly redact?: (text: string) => string;
};

/** A project in `repo`, a home in `home`, and the instruction files of a session there. */
async function openPlace(wishes: Wishes) {
  const { files, cwd = "repo", above = [], off = [], hidden = () => false, mayRead = () => false } = wishes;
  const { isTrusted = true, redact = (text) => text } = wishes;
  const place = await tempProject({ "repo/x": "", "home/x": "", "etc/x": "", ...files });
  const warnings: string[] = [];
  let messages: Message[] = [];
  const instructions = new InstructionFiles({
    projectRoot: place.path("repo"),
    home: place.path("home"),
    cwd: () => place.path(cwd),
    own: ownFolders({
      home: place.path("home"),
      config: place.path("home/.config/quoll"),
      managedSettings: place.path("etc/managed-settings.json"),
    }),
    above: above.map((folder) => place.path(folder)),
    isOff: (family) => off.includes(family),
    isHidden: hidden,
    isSecret,
    mayRead,
    isTrusted,
    redact,
    messages: () => messages,
    notify: (line) => void warnings.push(line),
  });
  const list = () => instructions.list(new AbortController().signal);
  const say = (texts: readonly { readonly text: string }[]) =>
    messages.push({
      role: "user",
      id: `m${messages.length}`,
      content: [{ type: "text", text: texts.map(({ text }) => text).join("\n") }],
    });
  return {
    place,
    instructions,
    warnings,
    get messages() {
      return messages;
    },
    /** From here on, the model sees only these texts. */
    compact: (texts: readonly { readonly text: string }[]) => {
      messages = [];
      say(texts);
    },
    say,
    opening: () => instructions.inForce().map(({ text }) => text),
    names: () => instructions.inForce().map(({ name }) => name),
    touched: (...paths: string[]) => instructions.touched(paths.map((path) => place.path(`repo/${path}`))),
    states: async () => Object.fromEntries((await list()).map(({ name, state }) => [name, state])),
    why: async (wanted: string) => (await list()).find(({ name }) => name === wanted)?.why,
    list,
    [Symbol.asyncDispose]: () => place[Symbol.asyncDispose](),
  };
}

const element = (name: string, body: string) =>
  `<project-instructions file="${name}">\n${body}\n</project-instructions>`;

test("a file stands word for word in its element", async () => {
  await using place = await openPlace({ files: { "repo/AGENTS.md": "Run `make check`.\n\n  - one\n" } });
  expect(place.opening()).toEqual([element("AGENTS.md", "Run `make check`.\n\n  - one")]);
  expect(place.warnings).toEqual([]);
});

test("the administrator's come first, then the user's, then those from the root down, local ones last in each folder", async () => {
  const own = ["etc/QUOLL.md", "home/.codex/AGENTS.md", "home/.gemini/GEMINI.md", "home/.claude/CLAUDE.md"];
  const ours = ["home/.claude/rules/r.md", "home/.config/quoll/AGENTS.md", "home/.quoll/AGENTS.md"];
  const files = ["AGENTS.md", "CLAUDE.md", ".claude/CLAUDE.md", ".claude/rules/a.md", "QUOLL.md", ".quoll/rules/b.md"];
  const others = ["GEMINI.md", "QWEN.md", "CRUSH.md", ".github/copilot-instructions.md"];
  const local = ["AGENTS.local.md", "CLAUDE.local.md", "QUOLL.local.md", "CRUSH.local.md"];
  const repo = [...files, ...others, ...local].map((name) => `repo/${name}`);
  const wanted = [...own, ...ours, ...repo, "repo/a/AGENTS.md", "repo/a/AGENTS.local.md", "repo/a/b/CLAUDE.md"];
  await using place = await openPlace({
    files: Object.fromEntries(wanted.map((name) => [name, `text of ${name}\n`])),
    cwd: "repo/a/b",
  });
  expect(place.opening().map((text) => /text of (.*)/.exec(text)?.[1])).toEqual(wanted);
});

test("the first existing file counts among Codex's two names and among Quoll's", async () => {
  await using place = await openPlace({
    files: {
      "home/.codex/AGENTS.override.md": "over",
      "home/.codex/AGENTS.md": "under",
      "home/.quoll/QUOLL.md": "q",
      "home/.quoll/AGENTS.md": "a",
    },
  });
  expect(place.names()).toEqual(["~/.codex/AGENTS.override.md", "~/.quoll/QUOLL.md"]);
});

test("below the project root, files are named by their whole path", async () => {
  await using place = await openPlace({ files: { "repo/AGENTS.md": "x", "repo/a/x": "" }, cwd: "repo/a" });
  expect(place.names()).toEqual([place.place.path("repo/AGENTS.md")]);
});

test.each([
  ["agents", ["repo/AGENTS.md", "repo/AGENTS.local.md"]],
  ["claude", ["repo/CLAUDE.md", "repo/CLAUDE.local.md", "repo/.claude/rules/x.md", "home/.claude/CLAUDE.md"]],
  ["quoll", ["repo/QUOLL.md", "repo/.quoll/rules/x.md", "home/.quoll/AGENTS.md", "etc/QUOLL.md"]],
  ["gemini", ["repo/GEMINI.md", "home/.gemini/GEMINI.md"]],
  ["qwen", ["repo/QWEN.md"]],
  ["crush", ["repo/CRUSH.md"]],
  ["copilot", ["repo/.github/copilot-instructions.md"]],
  ["cursor", ["repo/.cursor/rules/x.mdc"]],
  ["codex", ["home/.codex/AGENTS.md"]],
] as const)("the family %s can be switched off", async (family, names) => {
  const header = "---\nalwaysApply: true\n---\n";
  const files = Object.fromEntries(names.map((name) => [name, `${name.endsWith(".mdc") ? header : ""}${name}`]));
  await using on = await openPlace({ files });
  expect(on.opening()).toHaveLength(names.length);
  await using off = await openPlace({ files, off: [family] });
  expect(off.opening()).toEqual([]);
  expect(Object.values(await off.states())).toEqual(names.map(() => "off"));
  expect((await off.list())[0]?.why).toContain(`instructions.${family}`);
});

test("the same text is sent once, whatever its line ends and blank lines", async () => {
  await using place = await openPlace({
    files: { "repo/AGENTS.md": "one\ntwo\n", "repo/CLAUDE.md": "one  \r\n\r\ntwo", "repo/GEMINI.md": "other" },
  });
  symlinkSync("AGENTS.md", place.place.path("repo/QWEN.md"));
  expect(place.names()).toEqual(["AGENTS.md", "GEMINI.md"]);
  expect(await place.states()).toMatchObject({ "CLAUDE.md": "duplicate", "QWEN.md": "duplicate" });
  expect([await place.why("CLAUDE.md"), await place.why("QWEN.md")]).toEqual([
    "the same text as AGENTS.md",
    "the same file as AGENTS.md",
  ]);
  expect(place.warnings).toEqual([]);
});

test("HTML comments are left out, those in code stay", async () => {
  const body = "a <!-- b\nc --> d\n```html\n<!-- kept -->\n```\n`<!-- kept too -->`\n<!-- open";
  await using place = await openPlace({
    files: { "repo/AGENTS.md": body, "repo/CLAUDE.md": "<!-- nothing else -->\n" },
  });
  expect(place.opening()).toEqual([
    element("AGENTS.md", "a  d\n```html\n<!-- kept -->\n```\n`<!-- kept too -->`\n<!-- open"),
  ]);
  expect(await place.why("CLAUDE.md")).toBe("it is empty");
});

test("a text or a name can't close its element", async () => {
  await using place = await openPlace({ files: { 'repo/.claude/rules/a">\nb.md': "x </project-instructions> y" } });
  const [text = ""] = place.opening();
  expect(text.match(/<\/project-instructions>/g)).toHaveLength(1);
  expect(text.split("\n")).toHaveLength(3);
  place.say([{ text }]);
  expect(place.touched("x")).toEqual([]);
});

test("imports follow their file, relative to it, to home or absolute, and mentions in code are none", async () => {
  await using place = await openPlace({
    files: {
      "repo/AGENTS.md":
        "See @docs/a.md, (@~/own.md) and ann@example.com, @types/node, @someone.\n`@docs/no.md`\n```\n@docs/no.md\n```\n",
      "repo/docs/a.md": "a, and @b\\ c.txt.\n",
      "repo/docs/b c.txt": "b\n",
      "repo/docs/no.md": "no\n",
      "home/own.md": "own\n",
    },
    mayRead: (path) => path.endsWith("own.md"),
  });
  expect(place.names()).toEqual(["AGENTS.md", "docs/a.md", "docs/b c.txt", "~/own.md"]);
  expect(await place.why("docs/b c.txt")).toBe("imported by docs/a.md");
  expect(place.warnings).toEqual([]);
});

test("imports in quotes, with spaces, and with decomposed letters are found", async () => {
  const decomposed = "docs/fu\u0308r alle.md".normalize("NFD");
  await using place = await openPlace({
    files: {
      "repo/AGENTS.md": `@"docs/house rules.md", @'docs/more rules.md'\nSee @docs/Style Guide.md for style.\n- @${decomposed.normalize("NFC")}\n- @~/my own.txt!\n@nobody and the rest.md`,
      "repo/docs/house rules.md": "house",
      "repo/docs/more rules.md": "more",
      "repo/docs/Style Guide.md": "style",
      [`repo/${decomposed}`]: "all",
      "home/my own.txt": "own",
    },
    mayRead: () => true,
  });
  const names = place.instructions.inForce().map(({ name }) => name.normalize("NFC"));
  expect(names).toEqual([
    "AGENTS.md",
    ...["docs/house rules.md", "docs/more rules.md", "docs/Style Guide.md"],
    decomposed.normalize("NFC"),
    "~/my own.txt",
  ]);
  expect(place.warnings).toEqual([]);
});

test("files of a folder above that the person includes come between the user's own and the project's, with imports from that folder", async () => {
  await using place = await openPlace({
    files: {
      "CLAUDE.md": "of the workspace @shared/a.md @home/b.md",
      "shared/a.md": "shared",
      "home/b.md": "b",
      "home/.claude/CLAUDE.md": "mine",
      "repo/CLAUDE.md": "of the repository",
    },
    above: [""],
  });
  const texts = place.instructions.inForce().map(({ text, origin }) => [text.split("\n")[1], origin]);
  expect(texts).toEqual([
    ["mine", "user"],
    ["of the workspace @shared/a.md @home/b.md", "above"],
    ...[
      ["shared", "above"],
      ["b", "above"],
    ],
    ["of the repository", "project"],
  ]);
});

test("the folders of CLAUDE_CONFIG_DIR and CODEX_HOME replace the usual ones: files and rules", () => {
  const places = { home: "/h", config: "/h/.config/quoll", managedSettings: "/etc/quoll/managed-settings.json" };
  const folders = (more: object) => ownFolders({ ...places, ...more }).map(({ folder }) => folder);
  expect(folders({})).toEqual(expect.arrayContaining(["/h/.claude", "/h/.codex"]));
  const moved = folders({ claude: "/moved/claude", codex: "/moved/codex" });
  expect(moved).toEqual(expect.arrayContaining(["/moved/claude", "/moved/codex"]));
  expect(moved).not.toContain("/h/.claude");
  expect(moved).not.toContain("/h/.codex");
});

test("imports go four files deep", async () => {
  const files = Object.fromEntries(
    Array.from({ length: 8 }, (_, at) => [`repo/${at === 0 ? "AGENTS" : `i${at}`}.md`, `file ${at} @i${at + 1}.md`]),
  );
  await using place = await openPlace({ files: { ...files, "repo/i7.md": "last" } });
  expect(place.names()).toHaveLength(1 + MAX_IMPORT_DEPTH);
  expect(place.warnings).toEqual([expect.stringContaining("i5.md, imported by i4.md,")]);
});

test("a circle of imports is cut with one line, and a second import of the same file is not reported", async () => {
  await using place = await openPlace({
    files: {
      "repo/AGENTS.md": "@a.md @b.md",
      "repo/a.md": "a @b.md",
      "repo/b.md": "b @a.md",
      "repo/CLAUDE.md": "me: @CLAUDE.md @AGENTS.md",
    },
  });
  expect(place.names()).toEqual(["AGENTS.md", "a.md", "b.md", "CLAUDE.md"]);
  expect(place.warnings).toEqual([
    expect.stringContaining("b.md imports a.md"),
    expect.stringContaining("CLAUDE.md imports CLAUDE.md"),
  ]);
});

test("a file that is missing, binary, too large, no file or unreadable gets one line, and the others are read", async () => {
  await using place = await openPlace({
    files: {
      "repo/AGENTS.md": new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 0, 1, 2]),
      "repo/CLAUDE.md": "x".repeat(5 * 1024 * 1024),
      "repo/GEMINI.md": "fine @missing.md",
      "repo/QWEN.md": "closed",
    },
  });
  mkdirSync(place.place.path("repo/CRUSH.md"));
  chmodSync(place.place.path("repo/QWEN.md"), 0o000);
  const isRoot = process.getuid?.() === 0;
  expect(place.names()).toEqual(["GEMINI.md", ...(isRoot ? ["QWEN.md"] : [])]);
  const told = [
    "AGENTS.md was left out",
    "CLAUDE.md was left out",
    "missing.md",
    ...(isRoot ? [] : ["QWEN.md"]),
    "CRUSH.md",
  ];
  expect(place.warnings).toEqual(told.map((words) => expect.stringContaining(words)));
  expect(await place.states()).toMatchObject({
    "AGENTS.md": "left out",
    "CLAUDE.md": "left out",
    "CRUSH.md": "left out",
  });
  place.opening();
  expect(place.warnings).toHaveLength(told.length);
});

test("a long file is cut at a whole character, and the model and the person learn of the cut", async () => {
  const long = `${"x".repeat(MAX_INSTRUCTION_CHARS - 1)}👍 and more`;
  await using place = await openPlace({ files: { "repo/CLAUDE.md": long } });
  const [text = ""] = place.opening();
  expect(text).toContain(`… cut here: ${long.length} characters in all; Read the rest of CLAUDE.md.`);
  expect(text.isWellFormed()).toBe(true);
  expect(text.length).toBeLessThan(MAX_INSTRUCTION_CHARS + 500);
  expect(place.warnings).toEqual([expect.stringContaining(`CLAUDE.md has ${long.length} characters`)]);
  expect(await place.why("CLAUDE.md")).toContain("cut after");
});

test("a file outside of the project is left out unless the model may read it unasked", async () => {
  const files = { "repo/AGENTS.md": "in @../notes/a.md", "notes/a.md": "note", "notes/b.md": "linked" };
  await using place = await openPlace({ files });
  symlinkSync("../notes/b.md", place.place.path("repo/CLAUDE.md"));
  expect(place.names()).toEqual(["AGENTS.md"]);
  const { path } = place.place;
  expect(place.warnings).toEqual([
    expect.stringContaining(`Read(/${path("notes/a.md")})`),
    expect.stringContaining(`Read(/${path("notes/b.md")})`),
  ]);
  expect(await place.states()).toMatchObject({ "CLAUDE.md": "left out", [path("notes/a.md")]: "left out" });
  await using open = await openPlace({ files, mayRead: () => true });
  symlinkSync("../notes/b.md", open.place.path("repo/CLAUDE.md"));
  expect(open.names()).toHaveLength(3);
});

test("the user's own files may import what they like, but nobody's brings in what is hidden", async () => {
  await using place = await openPlace({
    files: {
      "home/.claude/CLAUDE.md": "@../notes.md @~/.netrc",
      "home/notes.md": "notes",
      "home/.netrc": "password",
      "repo/AGENTS.md": "@.env.txt",
      "repo/.env.txt": "KEY=1",
      "repo/GEMINI.md": "mine",
    },
    hidden: (path) => /\.netrc|\.env|GEMINI/.test(path),
  });
  expect(place.names()).toEqual(["~/.claude/CLAUDE.md", "~/notes.md", "AGENTS.md"]);
  expect(place.warnings).toEqual([expect.stringContaining("~/.netrc"), expect.stringContaining(".env.txt")]);
  expect(await place.states()).toMatchObject({ "GEMINI.md": "left out" });
});

test("an untrusted project brings in nothing from outside, not even through a file of the user's", async () => {
  const files = {
    "repo/AGENTS.md": "in @../notes/a.md",
    "repo/b.md": "in @../notes/b.md",
    "notes/a.md": "note",
    "notes/b.md": "note b",
    "home/.claude/CLAUDE.md": "@../../repo/b.md @../mine.md",
    "home/mine.md": "mine",
  };
  await using place = await openPlace({ files, isTrusted: false, mayRead: () => true });
  expect(place.names()).toEqual(["~/.claude/CLAUDE.md", "b.md", "~/mine.md", "AGENTS.md"]);
  expect(place.warnings).toEqual([
    expect.stringMatching(/notes\/b\.md, imported by b\.md,.*not trusted/),
    expect.stringMatching(/notes\/a\.md, imported by AGENTS\.md,.*not trusted/),
  ]);
});

test("a file that may hold secrets is read neither by an import nor through a link, whatever a rule allows", async () => {
  const own = { "home/.aws/credentials": "B=2", "home/.netrc": "C=3" };
  const files = { "repo/AGENTS.md": "@.env @~/.aws/credentials", "repo/.env": "A=1", ...own };
  await using place = await openPlace({ files, mayRead: () => true });
  symlinkSync(place.place.path("home/.netrc"), place.place.path("repo/CLAUDE.md"));
  expect(place.names()).toEqual(["AGENTS.md"]);
  expect(place.warnings).toEqual([
    expect.stringContaining(".env, imported by AGENTS.md,"),
    expect.stringContaining("~/.aws/credentials, imported by AGENTS.md,"),
    expect.stringContaining("CLAUDE.md was left out"),
  ]);
});

test("credentials are removed from every text before it is cut: files, imports, rules and their descriptions", async () => {
  const secret = "hunter2hunter2";
  const files = {
    "repo/AGENTS.md": `a ${secret} @more.md\n`,
    "repo/more.md": `b ${secret}`,
    "repo/sub/CLAUDE.md": `${"x".repeat(MAX_INSTRUCTION_CHARS - 5)}${secret}`,
    "repo/.claude/rules/r.md": `---\npaths: "${secret}/*.ts"\n---\nc ${secret}`,
    "repo/.cursor/rules/d.mdc": `---\ndescription: d ${secret}\n---\nd`,
  };
  await using place = await openPlace({ files, redact: (text) => text.replaceAll(secret, "[hidden]") });
  const begun = place.instructions.inForce();
  place.say(begun);
  const texts = [...begun, ...place.touched("sub/x", "h/a.ts")];
  expect(texts.map(({ name }) => name)).toEqual([
    "AGENTS.md",
    "more.md",
    ".cursor/rules/d.mdc",
    "sub/CLAUDE.md",
    ".claude/rules/r.md",
  ]);
  for (const { text } of texts) expect(text).not.toMatch(/hunt/);
});

test("more files than the limit are left out with one line", async () => {
  const many = Array.from({ length: MAX_INSTRUCTION_FILES + 20 }, (_, at) => [`repo/r${at}.md`, `r${at}`] as const);
  const mentions = many.map((_, at) => `@r${at}.md`).join(" ");
  await using place = await openPlace({ files: { ...Object.fromEntries(many), "repo/AGENTS.md": mentions } });
  expect(place.names()).toHaveLength(MAX_INSTRUCTION_FILES);
  expect(place.warnings).toHaveLength(1);
});

test("a rule with globs waits for a file that they match", async () => {
  await using place = await openPlace({
    files: {
      "repo/.claude/rules/ts.md": '---\npaths:\n  - "src/**/*.{ts,tsx}"\n  - lib/\n---\nts rules, see @../more.md\n',
      "repo/.claude/more.md": "more\n",
      "repo/.quoll/rules/md.md": "---\npaths: [docs/*.md, '*.txt']\n---\ndoc rules\n",
      "repo/.cursor/rules/py.mdc":
        "---\ndescription: Python\nglobs: *.py,scripts/**\nalwaysApply: false\n---\npython rules\n",
      "repo/.cursor/rules/all.mdc": "---\nglobs: x\nalwaysApply: true\n---\nfor all\n",
      "repo/.cursor/rules/named.mdc": "---\ndescription: How to release\n---\nlong\n",
      "repo/.cursor/rules/manual.mdc": "by hand\n",
      "home/.claude/rules/go.md": "---\npaths: '**/*.go'\n---\ngo rules\n",
    },
  });
  expect(place.names()).toEqual([".cursor/rules/all.mdc", ".cursor/rules/named.mdc"]);
  place.say(place.instructions.inForce());
  expect(place.opening().at(-1)).toContain("How to release");
  const bodies = (...paths: string[]) => place.touched(...paths).map(({ name }) => name);
  expect(bodies("README.md", "src/a.js", "docs/deep/a.md")).toEqual([]);
  expect(bodies("src/deep/a.tsx")).toEqual([".claude/rules/ts.md", ".claude/more.md"]);
  expect(bodies("lib/x.c", "src/b.ts")).toEqual([]);
  expect(bodies("docs/a.md", "deep/b.txt")).toEqual([".quoll/rules/md.md"]);
  expect(bodies("a.py")).toEqual([".cursor/rules/py.mdc"]);
  expect(bodies("cmd/main.go")).toEqual(["~/.claude/rules/go.md"]);
  expect(await place.states()).toMatchObject({
    ".claude/rules/ts.md": "active",
    ".cursor/rules/named.mdc": "named",
    ".cursor/rules/manual.mdc": "left out",
  });
});

test("globs that stand for very many names are refused with a line", async () => {
  const globs = `paths: "${"{a,aa}".repeat(20)}x"`;
  await using place = await openPlace({ files: { "repo/.claude/rules/a.md": `---\n${globs}\n---\nx\n` } });
  place.opening();
  expect(await place.states()).toMatchObject({ ".claude/rules/a.md": "left out" });
  expect(place.warnings).toEqual([expect.stringContaining(".claude/rules/a.md was left out")]);
});

test("a file of nothing but open comments, spaces and mentions is read in no time", async () => {
  const files = {
    "repo/AGENTS.md": `<!-- x -->${"<!--".repeat(250_000)}`,
    "repo/CLAUDE.md": `a${" ".repeat(39_000)}b`,
    "repo/QUOLL.md": `@a${"!".repeat(39_000)}b`,
  };
  await using place = await openPlace({ files });
  const spent = cpuClock();
  expect(place.names()).toEqual(Object.keys(files).map((name) => name.slice("repo/".length)));
  expect(spent()).toBeLessThan(1_000);
});

test("files of folders below join when something in them is touched: once, for that folder", async () => {
  await using place = await openPlace({
    files: {
      "repo/AGENTS.md": "top",
      "repo/p/AGENTS.md": "of p",
      "repo/p/q/CLAUDE.md": "of q @extra.md",
      "repo/p/q/extra.md": "extra",
      "repo/other/AGENTS.md": "top\n\n",
      "repo/node_modules/x/AGENTS.md": "a stranger's",
      "outside/AGENTS.md": "outside",
    },
  });
  place.say(place.instructions.inForce());
  expect(place.touched("x", "other/y", "node_modules/x/index.js", "../outside/y")).toEqual([]);
  const joined = place.touched("p/q/new.ts");
  expect(joined.map(({ name }) => name)).toEqual(["p/AGENTS.md", "p/q/CLAUDE.md", "p/q/extra.md"]);
  expect(joined[0]?.text).toBe(
    '<project-instructions file="p/AGENTS.md" applies-to="p/">\nof p\n</project-instructions>',
  );
  expect(place.touched("p/q", "p/q/other.ts")).toEqual([]);
  place.say(joined);
  expect(await place.states()).toMatchObject({ "AGENTS.md": "active", "p/q/extra.md": "active" });
  expect(place.instructions.inForce().map(({ name }) => name)).toEqual([
    "AGENTS.md",
    "p/AGENTS.md",
    "p/q/CLAUDE.md",
    "p/q/extra.md",
  ]);
});

test("the files already sent are read from the messages: a resumed conversation keeps them, a cleared one sends them again", async () => {
  const files = { "repo/AGENTS.md": "top", "repo/p/AGENTS.md": "of p" };
  await using first = await openPlace({ files });
  first.say(first.instructions.inForce());
  first.say(first.touched("p/a"));
  // Another process with the same conversation.
  let messages: readonly Message[] = first.messages;
  const resumed = new InstructionFiles({
    projectRoot: first.place.path("repo"),
    home: first.place.path("home"),
    cwd: () => first.place.path("repo"),
    own: [],
    above: [],
    isOff: () => false,
    isHidden: () => false,
    isSecret,
    mayRead: () => false,
    isTrusted: true,
    redact: (text) => text,
    messages: () => messages,
    notify: () => undefined,
  });
  expect(resumed.touched([first.place.path("repo/p/a")])).toEqual([]);
  expect(resumed.inForce()).toEqual(first.instructions.inForce());
  messages = [];
  resumed.forget();
  expect(resumed.touched([first.place.path("repo/p/a")]).map(({ name }) => name)).toEqual(["AGENTS.md", "p/AGENTS.md"]);
});

test("a file shown by a tool counts as no instruction that was sent", async () => {
  await using place = await openPlace({ files: { "repo/p/AGENTS.md": "of p" } });
  const [own] = place.touched("p/a");
  place.instructions.forget();
  const content = own?.text ?? "";
  place.messages.push({
    role: "user",
    id: "r",
    content: [{ type: "tool_result", toolUseId: "t", content, isError: false }],
  });
  expect(place.touched("p/a")).toHaveLength(1);
});

test("a compaction gets the texts as the files hold them now", async () => {
  await using place = await openPlace({ files: { "repo/AGENTS.md": "old", "repo/p/AGENTS.md": "of p" } });
  place.say(place.instructions.inForce());
  place.say(place.touched("p/a"));
  await place.place.write("repo/AGENTS.md", "new");
  place.instructions.forget();
  expect(place.instructions.inForce().map(({ text }) => text)).toEqual([
    element("AGENTS.md", "new"),
    '<project-instructions file="p/AGENTS.md" applies-to="p/">\nof p\n</project-instructions>',
  ]);
});

const FOLDERS = ["", "a/", "a/b/", "c/", "node_modules/x/"];
const NAMES = ["AGENTS.md", "CLAUDE.md", "GEMINI.md", "QUOLL.local.md", ".claude/rules/r.md", ".cursor/rules/s.mdc"];
const HEADERS = ["", "---\npaths: '**/*.ts'\n---\n", "---\npaths: a/\n---\n", "---\nalwaysApply: true\n---\n"];
const LINES = ["same", "@../AGENTS.md", "@AGENTS.md", "@b/CLAUDE.md", "@/etc/hostname", "@../../out.md", "<!-- x -->"];
const TOUCHED = ["x.ts", "a/x.ts", "a/b", "a/b/y.md", "c/z.ts", "node_modules/x/i.ts", "../out.md"];

/** A random project and a session in it, of which the model sees every text that it is given. */
async function randomSession(seed: number) {
  const { pick, some, below, chance } = seededRandom(seed);
  const text = (at: number) => [...some(3, () => pick(LINES)), chance(0.5) ? `line ${at}` : ""].join("\n");
  const files = some(12, () => `repo/${pick(FOLDERS)}${pick(NAMES)}`).map((name, at) => [
    name,
    `${/rules/.test(name) ? pick(HEADERS) : ""}${text(at)}`,
  ]);
  const place = await openPlace({
    files: { ...Object.fromEntries(files), "out.md": "SECRET" },
    cwd: pick(["repo", "repo/a"]),
  });
  place.say(place.instructions.inForce());
  const touches = Array.from({ length: 1 + below(8) }, () => pick(TOUCHED));
  for (const path of touches) place.say(place.touched(path));
  return { place, touches };
}

seededTest(
  "whatever a project holds, each text is sent once, nothing from outside, and a resumed session goes on where it was",
  { seed: 5, cases: { quick: 12, deep: 2_000 } },
  async (seed, cases) => {
    for (let at = 0; at < cases; at += 1) {
      const { place, touches } = await randomSession(seed + at);
      await using _ = place;
      const sent = place.messages.flatMap(({ content }) =>
        content.flatMap((block) => (block.type === "text" ? elementsIn(block.text) : [])),
      );
      expect(new Set(sent.map(({ name }) => name)).size).toBe(sent.length);
      expect(new Set(sent.map(({ body }) => sameText(body))).size).toBe(sent.length);
      expect(sent.filter(({ name, body }) => body.includes("SECRET") || name.includes("node_modules"))).toEqual([]);
      const before = place.instructions.inForce();
      place.instructions.forget();
      expect(touches.flatMap((path) => place.touched(path))).toEqual([]);
      expect(place.instructions.inForce()).toEqual(before);
      expect(before.map(({ path }) => path).sort()).toEqual([...new Set(before.map(({ path }) => path))].sort());
      expect(before.map(({ name }) => name).sort()).toEqual(sent.map(({ name }) => name).sort());
    }
  },
  120_000,
);

test("one call that touches two folders brings the same text and the same file once", async () => {
  await using place = await openPlace({
    files: {
      "repo/a/AGENTS.md": "same",
      "repo/c/AGENTS.md": "same",
      "repo/b/CLAUDE.md": "@d/CLAUDE.md",
      "repo/b/d/CLAUDE.md": "d",
    },
  });
  const joined = place.touched("a/x", "c/x", "b/d/x");
  expect(joined.map(({ name }) => name)).toEqual(["a/AGENTS.md", "b/CLAUDE.md", "b/d/CLAUDE.md"]);
  place.say(joined);
  expect(place.instructions.inForce()).toHaveLength(3);
});

test("texts that a compaction removed are given again, once", async () => {
  await using place = await openPlace({
    files: {
      "repo/AGENTS.md": "top",
      "repo/p/AGENTS.md": "of p",
      ".keep": "",
      "repo/.claude/rules/r.md": "---\npaths: '*.ts'\n---\nts",
    },
  });
  place.say(place.instructions.inForce());
  place.say(place.touched("p/a.ts"));
  expect(place.instructions.lost()).toEqual([]);
  place.compact([{ text: element("AGENTS.md", "top") }]);
  const names = (texts: readonly { readonly name: string }[]) => texts.map(({ name }) => name).sort();
  const again = place.instructions.lost();
  expect(names(again)).toEqual([".claude/rules/r.md", "p/AGENTS.md"]);
  expect(place.instructions.lost()).toEqual([]);
  place.say(again);
  expect(place.instructions.lost()).toEqual([]);
  const all = place.instructions.inForce();
  expect(names(all)).toEqual([".claude/rules/r.md", "AGENTS.md", "p/AGENTS.md"]);
  place.compact(all);
  expect(place.instructions.lost()).toEqual([]);
  place.compact([]);
  expect(names(place.touched("x"))).toEqual(["AGENTS.md"]);
});
