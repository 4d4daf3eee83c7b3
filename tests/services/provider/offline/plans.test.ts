import { describe, expect, test } from "bun:test";
import { chmod } from "node:fs/promises";
import type { PermissionRequest, Verdict } from "../../../../src/contracts/permission.ts";
import { rejectionMessage } from "../../../../src/services/permission/judge/explain.ts";
import { deepTest } from "../../../support/deep.ts";
import { answering } from "../../../support/engine-harness.ts";
import { offlineSession } from "./offline-session.ts";

const refused: Verdict = {
  decision: "deny",
  decidedBy: { kind: "rule", reason: "test" },
  message: "Nobody could be asked: refused.",
  unanswered: true,
};
const refusing = (name: string, when: (request: PermissionRequest) => boolean = () => true) =>
  answering((request) => (request.toolName === name && when(request) ? refused : undefined));

describe("list and find", () => {
  test("files are named newest first, and the answer says when there are none", async () => {
    await using session = await offlineSession({ files: { "a.ts": "", "src/b.ts": "", "src/deep/c.md": "" } });
    const names = async (prompt: string) => (await session.ask(prompt)).text.split("\n").sort();
    expect(await names("list files")).toEqual(["a.ts", "src/b.ts", "src/deep/c.md"]);
    expect(await names("list src")).toEqual(["src/b.ts", "src/deep/c.md"]);
    expect(await names("list ts files")).toEqual(["a.ts", "src/b.ts"]);
    expect(await names("find c.md")).toEqual(["src/deep/c.md"]);
    expect(await names("find files named *.md in src")).toEqual(["src/deep/c.md"]);
    expect((await session.ask("list *.py in src")).text).toBe("No file in src matches **/*.py.");
    const missing = await session.ask("list files in nowhere");
    expect([missing.text, missing.report.outcome.reason]).toEqual([
      'Not done: "list files in nowhere": The folder nowhere does not exist.',
      "stopped_short",
    ]);
  });

  test("a name with brackets is a name, also in a glob's place", async () => {
    await using session = await offlineSession({ files: { "pages/[id].tsx": "foo", "pages/i.tsx": "foo" } });
    expect((await session.ask("find files named [id].tsx")).text).toBe("pages/[id].tsx");
    expect((await session.ask("find foo in pages/[id].tsx")).text).toBe("pages/[id].tsx\n1:foo");
  });

  deepTest("more files than one answer holds are counted", async () => {
    const files = Object.fromEntries(Array.from({ length: 130 }, (_, index) => [`f${index}.txt`, ""]));
    await using session = await offlineSession({ files });
    const lines = (await session.ask("list files")).text.split("\n");
    expect(lines).toHaveLength(101);
    expect(lines.at(-1)).toBe("(The newest 100 of 130; use a narrower name for the others.)");
  });

  test("a literal is found as it stands, a regular expression as it means", async () => {
    await using session = await offlineSession({ files: { "a.txt": "a.b\naxb\nA.B\n", "b.md": "a.b" } });
    expect((await session.ask('find "a.b" in *.txt')).text).toBe("a.txt\n1:a.b");
    expect((await session.ask("search /a.b/ in a.txt")).text).toBe("a.txt\n1:a.b\n2:axb");
    expect((await session.ask("search /a.b/i in a.txt")).text).toBe("a.txt\n1:a.b\n2:axb\n3:A.B");
    expect((await session.ask('find "a.b\\nax"')).text).toBe("a.txt\n1:a.b\n2:axb");
    expect((await session.ask('find "nope" in *.txt')).text).toBe(
      '"nope" was not found in any file that matches *.txt.',
    );
    expect((await session.ask('find "nope" in *.py')).text).toBe("No file matches *.py.");
    expect((await session.ask('find "nope" in c.txt')).report.outcome).toMatchObject({ reason: "stopped_short" });
  });

  test("a glob may have spaces and commas, and lead out of the folder", async () => {
    await using session = await offlineSession({
      files: {
        "x/my file.txt": "foo",
        "x/my_file.txt": "foo",
        "x/a,b.txt": "foo",
        "y/z/c.txt": "foo",
        "y/c.txt": "foo",
      },
    });
    expect((await session.ask('find foo in "x/my f*.txt"')).text).toBe("x/my file.txt\n1:foo");
    expect((await session.ask('find foo in "x/a,*.txt"')).text).toBe("x/a,b.txt\n1:foo");
    expect((await session.ask(`find foo in ${session.dir}/y/*.txt`)).text).toBe("y/c.txt\n1:foo");
    expect((await session.ask(`find foo in "x/{my_,a,}*.txt"`)).text).toBe("x/a,b.txt\n1:foo\n\nx/my_file.txt\n1:foo");
  });
});

describe("read and outline", () => {
  const text = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`).join("\n");
  const numbered = (first: number, last: number) =>
    Array.from(
      { length: last - first + 1 },
      (_, index) => `${String(first + index).padStart(6)}\tline ${first + index}`,
    ).join("\n");

  test("ranges are shown as asked, again and again", async () => {
    await using session = await offlineSession({ files: { "a.txt": text, "empty.txt": "" } });
    const shown = async (prompt: string) => (await session.ask(prompt)).text;
    expect(await shown("read a.txt")).toBe(numbered(1, 30));
    expect(await shown("read a.txt")).toBe(numbered(1, 30));
    expect(await shown("read a.txt")).toBe(numbered(1, 30));
    expect(await shown("read a.txt lines 3-5")).toBe(numbered(3, 5));
    expect(await shown("read a.txt first 2 lines")).toBe(numbered(1, 2));
    expect(await shown("read a.txt last 2 lines")).toBe(numbered(29, 30));
    expect(await shown("read a.txt last 200 lines")).toBe(numbered(1, 30));
    expect(await shown("read empty.txt")).toBe("empty.txt is empty (0 bytes).");
    expect(await shown("read empty.txt last 3 lines")).toBe("empty.txt is empty (0 bytes).");
    expect(await shown("open a.txt:99")).toBe("Line 99 is past the end: a.txt has 30 lines.");
  });

  test("a file longer than one Read says how to continue", async () => {
    const long = `${Array.from({ length: 2_500 }, (_, index) => `line ${index + 1}`).join("\n")}\n`;
    await using session = await offlineSession({ files: { "long.txt": long } });
    const { text: shown } = await session.ask("read long.txt");
    expect(shown.split("\n").slice(-2)).toEqual([
      "  2000\tline 2000",
      "(More lines follow: `read long.txt lines 2001-4000`)",
    ]);
    expect((await session.ask("read long.txt lines 2001-4000")).text).toBe(numbered(2001, 2500));
    expect((await session.ask("show the last line of long.txt")).text).toBe(numbered(2500, 2500));
  });

  test("a missing file ends the turn as not done, with the tool's hint", async () => {
    await using session = await offlineSession({ files: { "README.md": "" } });
    const { text: said, report } = await session.ask("read REDME.md");
    expect([said, report.outcome.reason]).toEqual([
      'Not done: "read REDME.md": REDME.md does not exist. Did you mean README.md?',
      "stopped_short",
    ]);
  });

  const OUTLINES: Readonly<Record<string, readonly [string, string]>> = {
    "a.ts": [
      "import x from 'x';\nexport class A {\n  private go(a: string): void {\n    if (a) {\n    }\n  }\n}\nexport const b = (x: number) => x;\nconst n = 1;\ntype T = string;\nasync function f() {}\n",
      "2:export class A {\n3:  private go(a: string): void {\n8:export const b = (x: number) => x;\n10:type T = string;\n11:async function f() {}",
    ],
    "a.py": [
      "import os\nclass A:\n    def f(self):\n        pass\nasync def g(): ...\n",
      "2:class A:\n3:    def f(self):\n5:async def g(): ...",
    ],
    "a.go": [
      "package main\nfunc (a A) F() {}\ntype A struct {}\n",
      "1:package main\n2:func (a A) F() {}\n3:type A struct {}",
    ],
    "a.rs": [
      "pub(crate) async fn f() {}\nimpl<T> A for B {}\nlet x = 1;\n",
      "1:pub(crate) async fn f() {}\n2:impl<T> A for B {}",
    ],
    "A.java": [
      "public final class A {\n  private int x;\n  public int get(int a) {\n    return x;\n",
      "1:public final class A {\n3:  public int get(int a) {",
    ],
    "a.c": [
      "#define X 1\nstruct a {\nint main(int argc) {\n  return 0;\n}\n",
      "1:#define X 1\n2:struct a {\n3:int main(int argc) {",
    ],
    "a.rb": ["module A\n  class B\n    def c; end\n", "1:module A\n2:  class B\n3:    def c; end"],
    "a.md": ["# One\ntext # not\n### Two\n", "1:# One\n3:### Two"],
    "a.sh": ["set -e\nmain() {\n}\nfunction x {\n", "2:main() {\n4:function x {"],
  };
  for (const [file, [source, outline]] of Object.entries(OUTLINES)) {
    test(`${file} is outlined`, async () => {
      await using session = await offlineSession({ files: { [file]: source } });
      expect((await session.ask(`outline ${file}`)).text).toBe(outline);
    });
  }

  test("the answer names an unknown language and a file without definitions", async () => {
    await using session = await offlineSession({ files: { "a.xyz": "x", "b.ts": "1\n", Makefile: "" } });
    expect((await session.ask("outline a.xyz")).text).toBe(
      'Not done: "outline a.xyz": a.xyz has no outline: the extension .xyz is unknown (`read a.xyz` shows it).',
    );
    expect((await session.ask("outline Makefile")).text).toContain("its name has no extension");
    expect((await session.ask("outline b.ts")).text).toBe("No definitions were found in b.ts.");
  });
});

describe("replace", () => {
  test("a replace and a command run as in the first demo", async () => {
    await using session = await offlineSession({
      files: { "src/a.ts": "foo\nfoo foo\n", "src/deep/b.ts": "x = foo", "src/c.js": "foo", "other.ts": "foo" },
    });
    await session.ask("run git init -q . && git add -A && git -c user.name=t -c user.email=t@t commit -q -m start");
    const asked = await session.ask('replace "foo" with "bar" in src/**/*.ts then run git diff --stat');
    expect(asked.calls.map((uses) => uses.map(({ name }) => name))).toEqual([
      ["Grep"],
      ["Read", "Read"],
      ["Edit", "Edit"],
      ["Bash"],
    ]);
    expect(asked.report.outcome).toEqual({ reason: "completed" });
    expect(asked.text).toBe(
      [
        '1. replace "foo" with "bar" in src/**/*.ts',
        'Replaced "foo" with "bar": 2 files, 4 places.',
        "- src/a.ts (3)",
        "- src/deep/b.ts (1)",
        "",
        "2. run git diff --stat",
        " src/a.ts      | 4 ++--",
        " src/deep/b.ts | 2 +-",
        " 2 files changed, 3 insertions(+), 3 deletions(-)",
      ].join("\n"),
    );
    expect([await session.read("src/a.ts"), await session.read("src/c.js"), await session.read("other.ts")]).toEqual([
      "bar\nbar bar\n",
      "foo",
      "foo",
    ]);
  });

  test("a missing text changes nothing, and the next step runs", async () => {
    await using session = await offlineSession({ files: { "a.txt": "x" } });
    const asked = await session.ask('replace "foo" with "bar" everywhere then run echo next');
    expect([asked.text, asked.report.outcome.reason]).toEqual([
      '1. replace "foo" with "bar" everywhere\n"foo" was not found in any file of this folder. Nothing was changed.\n\n2. run echo next\nnext',
      "completed",
    ]);
  });

  deepTest("many files are changed in batches of ten", async () => {
    const files = Object.fromEntries(
      Array.from({ length: 275 }, (_, index) => [`d/f${index}.txt`, `foo ${index} foo`]),
    );
    await using session = await offlineSession({ files });
    const asked = await session.ask("replace foo with bar in d");
    expect(asked.text.split("\n")[0]).toBe('Replaced "foo" with "bar": 275 files, 550 places.');
    expect(Math.max(...asked.calls.map((uses) => uses.length))).toBe(10);
    for (const [name] of Object.entries(files)) expect(await session.read(name)).not.toContain("foo");
  });

  test("stops before any change if a file can't be read", async () => {
    await using session = await offlineSession({
      files: { "a.txt": "foo", "b.txt": "foo" },
      permissions: refusing("Read", ({ call }) => call.title.startsWith("b.txt")),
    });
    const asked = await session.ask("replace foo with bar everywhere then list files");
    expect([asked.text, asked.report.outcome.reason]).toEqual([
      'Stopped at step 1 of 2, "replace foo with bar everywhere": b.txt: Nobody could be asked: refused.\nNothing was changed.\n\nNot done:\n2. list files',
      "stopped_short",
    ]);
    expect(await session.read("a.txt")).toBe("foo");
  });

  deepTest("a refused edit is reported together with the changes that were made", async () => {
    await using session = await offlineSession({
      files: { "a.txt": "foo", "b.txt": "foo", "c.txt": "foo" },
      permissions: refusing("Edit", ({ call }) => call.title === "b.txt"),
    });
    const asked = await session.ask("replace foo with bar everywhere");
    expect(asked.text).toBe(
      'Not done: "replace foo with bar everywhere": b.txt: Nobody could be asked: refused.\nReplaced "foo" with "bar": 2 files, 2 places.\n- a.txt (1)\n- c.txt (1)\nNot changed: 1 file.',
    );
    expect([await session.read("a.txt"), await session.read("b.txt"), await session.read("c.txt")]).toEqual([
      "bar",
      "foo",
      "bar",
    ]);
    expect(asked.report.denials).toHaveLength(1);
  });

  deepTest("a read-only file stops it with its name", async () => {
    await using session = await offlineSession({ files: { "a.txt": "foo" } });
    await chmod(session.path("a.txt"), 0o444);
    const asked = await session.ask("replace foo with bar in a.txt");
    expect(asked.text).toContain("a.txt is read-only");
    expect(await session.read("a.txt")).toBe("foo");
  });

  deepTest("texts over several lines, with signs of their own, in CRLF files", async () => {
    await using session = await offlineSession({
      files: { "a.txt": "x(1)\n  y[2]\nz", "crlf.txt": "x(1)\r\n  y[2]\r\nz\r\n" },
    });
    await session.ask('replace "x(1)\\n  y[2]" with "a$&\\n\\"b\\"" everywhere');
    expect([await session.read("a.txt"), await session.read("crlf.txt")]).toEqual([
      'a$&\n"b"\nz',
      'a$&\r\n"b"\r\nz\r\n',
    ]);
  });
});

describe("create and append", () => {
  test("a file is made with just the text, and its folders", async () => {
    await using session = await offlineSession();
    expect((await session.ask('create x/y/a.txt with "one\\ntwo"')).text).toBe("Created x/y/a.txt (2 lines).");
    expect((await session.ask("create empty.txt")).text).toBe("Created empty.txt, empty.");
    await session.ask("create b.md with:\n# B\n\n- one then two\n");
    expect([await session.read("x/y/a.txt"), await session.read("empty.txt"), await session.read("b.md")]).toEqual([
      "one\ntwo",
      "",
      "# B\n\n- one then two\n",
    ]);
  });

  test("an existing file is never written over: unseen, read before, ignored by git, or made by the same request", async () => {
    await using session = await offlineSession({ files: { "a.txt": "mine", "b.log": "mine", ".gitignore": "*.log" } });
    const refusal = (name: string) => `${name} already exists, and create only makes new files`;
    expect((await session.ask('create a.txt with "x"')).text).toContain(refusal("a.txt"));
    await session.ask("read a.txt then read b.log");
    const asked = await session.ask('create a.txt with "x"');
    expect([asked.text.includes(refusal("a.txt")), asked.report.outcome.reason]).toEqual([true, "stopped_short"]);
    expect((await session.ask("create b.log with x")).text).toContain(refusal("b.log"));
    expect((await session.ask(`create ${session.dir}/b.log with x`)).text).toContain("already exists");
    expect((await session.ask("create new.txt with one then create new.txt with two")).text).toContain(
      `Stopped at step 2 of 2, "create new.txt with two": ${refusal("new.txt")}`,
    );
    expect([await session.read("a.txt"), await session.read("b.log"), await session.read("new.txt")]).toEqual([
      "mine",
      "mine",
      "one",
    ]);
  });

  const APPENDED: readonly (readonly [string, string, string, string])[] = [
    ["to a file that ends with a line end", "a\nb\n", "c", "a\nb\nc\n"],
    ["to a file without one", "a\nb", "c", "a\nb\nc"],
    ["a text with its own line end to a file with one", "a\n", "c\\n", "a\nc\n"],
    ["a text with its own line end to a file without one", "a", "c\\n", "a\nc\n"],
    ["several lines", "a\n", "b\\n\\nc", "a\nb\n\nc\n"],
    ["to an empty file", "", "c", "c\n"],
    ["to a file that is one line end", "\n", "c", "\nc\n"],
    ["to a file of empty lines", "\n\n\n", "c", "\n\n\nc\n"],
    ["after empty lines", "a\n\n\n", "c", "a\n\n\nc\n"],
    ["where the last line stands elsewhere too", "}\na\n}\n", "c", "}\na\n}\nc\n"],
    ["where all lines are the same", "a\na\na\n", "c", "a\na\na\nc\n"],
    ["where a piece of the last line stands elsewhere", "xx}\n}\n", "c", "xx}\n}\nc\n"],
    ["to a file with CRLF", "a\r\nb\r\n", "c\\nd", "a\r\nb\r\nc\r\nd\r\n"],
    ["to a file of spaces", "  \n  \n", "c", "  \n  \nc\n"],
    ["a copy of the last line", "a\n", "a", "a\na\n"],
    ["signs of other alphabets", "é\n", "日本 😀", "é\n日本 😀\n"],
  ];
  for (const [name, before, text, after] of APPENDED) {
    test(`append ${name}`, async () => {
      await using session = await offlineSession({ files: { "a.txt": before } });
      const asked = await session.ask(`append "${text}" to a.txt`);
      expect([asked.report.outcome.reason, await session.read("a.txt")]).toEqual(["completed", after]);
    });
  }

  deepTest("append to a file longer than one Read, whatever its last lines are", async () => {
    const long = Array.from({ length: 5_000 }, (_, index) => `line ${index}`).join("\n");
    await using session = await offlineSession({
      files: { "a.txt": `${long}\n`, "b.txt": `${long}\n}\n}\n}`, "c.txt": `}\n}\n}\n${long}\n}\n}` },
    });
    for (const file of ["a.txt", "b.txt", "c.txt"]) {
      const before = await session.read(file);
      expect((await session.ask(`append "end" to ${file}`)).report.outcome.reason).toBe("completed");
      expect(await session.read(file)).toBe(before.endsWith("\n") ? `${before}end\n` : `${before}\nend`);
    }
  });

  test("append where it can't be done says so and changes nothing", async () => {
    const files = { "same.txt": "a\n".repeat(3_000), "wide.txt": `a\n${"x".repeat(5_000)}\n` };
    await using session = await offlineSession({ files });
    const said = async (prompt: string) => {
      const { text, report } = await session.ask(prompt);
      return [report.outcome.reason, text];
    };
    expect(await said("append x to nope.txt")).toEqual([
      "stopped_short",
      expect.stringContaining("nope.txt does not exist"),
    ]);
    expect(await said("append x to same.txt")).toEqual([
      "stopped_short",
      expect.stringContaining("the end of same.txt is not unique in the file"),
    ]);
    expect(await said("append x to wide.txt")).toEqual([
      "stopped_short",
      expect.stringContaining("the last line of wide.txt is too long"),
    ]);
    expect([await session.read("same.txt"), await session.read("wide.txt")]).toEqual([
      files["same.txt"],
      files["wide.txt"],
    ]);
  });
});

describe("run", () => {
  test("the output is the answer, and a failure ends the plan with what was and was not done", async () => {
    await using session = await offlineSession({ files: { "a.txt": "" } });
    expect((await session.ask("run echo '[exit code 0]'; echo \"a then b\"")).text).toBe("[exit code 0]\na then b");
    expect((await session.ask("run true")).text).toBe("(no output)");
    const asked = await session.ask("run echo one then run echo bad; exit 3 then read a.txt then list files");
    expect([asked.report.outcome.reason, asked.text]).toEqual([
      "stopped_short",
      '1. run echo one\none\n\nStopped at step 2 of 4, "run echo bad; exit 3": exit code 3.\nbad\n\nNot done:\n3. read a.txt\n4. list files',
    ]);
  });

  test("a refused command is reported as refused, and no later command runs", async () => {
    await using session = await offlineSession({ permissions: refusing("Bash") });
    const asked = await session.ask("run touch x then create y.txt");
    expect(asked.text).toBe(
      'Stopped at step 1 of 2, "run touch x": Nobody could be asked: refused.\n\nNot done:\n2. create y.txt',
    );
    expect(asked.report.denials.map(({ unanswered }) => unanswered)).toEqual([true]);
    expect((await session.ask("list files")).text).toBe("No file matches **/*.");
  });

  test.each([
    [undefined, "you refused this call."],
    ["keep x", "you refused this call: keep x."],
  ])(
    "a call that the person refused (%p) is told to the person, without the words for a model",
    async (reason, told) => {
      const message = rejectionMessage(reason);
      const permissions = answering(() => ({
        decision: "deny",
        decidedBy: { kind: "person", ...(reason !== undefined && { reason }) },
        message,
        unanswered: false,
      }));
      await using session = await offlineSession({ permissions });
      expect((await session.ask("run touch x")).text).toBe(`Not done: "run touch x": ${told}`);
    },
  );

  test("a step that is not understood keeps all others from running", async () => {
    await using session = await offlineSession({ files: { "a.txt": "foo" } });
    const asked = await session.ask("replace foo with bar in a.txt then dance");
    expect(asked.calls).toEqual([]);
    expect(asked.text).toContain(
      'Step 2, "dance", matches none of the forms that the engine understands. Nothing was run.',
    );
    expect(await session.read("a.txt")).toBe("foo");
  });
});
