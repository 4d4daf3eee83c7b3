import { describe, expect, test } from "bun:test";
import { chmodSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { basename } from "node:path";
import type { Ripgrep } from "../../../../src/platform/ripgrep.ts";
import { grepTool } from "../../../../src/services/tools/grep/grep.ts";
import { ReadTracker } from "../../../../src/services/tools/read-tracker.ts";
import { until } from "../../../support/eventually.ts";
import { tempProject } from "../../../support/temp-project.ts";
import { toolContext } from "../../../support/tool-context.ts";
import { failure, fileTools, noRipgrep, ripgrep, runCall } from "../call-tool.ts";

const FILES = {
  "src/a.ts": "import x\nconst Alpha = 1;\nfoo(Alpha);\n\nend\nfoo(2);\n",
  "src/b.js": "foo()\n",
  "docs/c.md": "# foo\nnothing\n",
  ".hidden": "foo\n",
  ".git/d": "foo\n",
  "dist/e.js": "foo\n",
  ".gitignore": "dist\n",
};

describe("Grep", () => {
  const tools = (dir: string, isHidden?: (path: string) => boolean) => fileTools(dir, isHidden && { isHidden });

  test("gives file names by default, with hidden files, without ignored ones and .git", async () => {
    await using project = await tempProject(FILES);
    expect(await tools(project.dir).grep("foo")).toBe(".hidden\ndocs/c.md\nsrc/a.ts\nsrc/b.js");
  });

  test("gives lines with numbers, and those around", async () => {
    await using project = await tempProject(FILES);
    const { grep } = tools(project.dir);
    expect(await grep({ pattern: "foo\\(", output_mode: "content" })).toBe(
      "src/a.ts\n3:foo(Alpha);\n6:foo(2);\n\nsrc/b.js\n1:foo()",
    );
    expect(await grep({ pattern: "Alpha;|Alpha =", output_mode: "content", "-C": 1, glob: "*.ts" })).toBe(
      "src/a.ts\n1-import x\n2:const Alpha = 1;\n3-foo(Alpha);",
    );
    expect(await grep({ pattern: "foo\\(", output_mode: "content", "-B": 1, path: "src/a.ts" })).toBe(
      "src/a.ts\n2-const Alpha = 1;\n3:foo(Alpha);\n--\n5-end\n6:foo(2);",
    );
    expect(await grep({ pattern: "end", output_mode: "content", context: "1", n: "false", path: "src" })).toBe(
      "src/a.ts\n\nend\nfoo(2);",
    );
  });

  test("a dollar finds the end of a line that ends in CRLF, and a carriage return is found by its name", async () => {
    await using project = await tempProject({ "crlf.txt": "one\r\ntwo\r\n\r\nthree two\r\nmix\nlast two" });
    const { grep } = tools(project.dir);
    const lines = (pattern: string, more: object = {}) => grep({ pattern, output_mode: "content", ...more });
    expect(await lines("two$")).toBe("crlf.txt\n2:two\n4:three two\n6:last two");
    expect(await lines("^$")).toBe("crlf.txt\n3:");
    expect(await lines("[^x]$")).toBe("crlf.txt\n1:one\n2:two\n4:three two\n6:last two");
    expect(await lines("two\\r$")).toBe("crlf.txt\n2:two\n4:three two");
    expect(await lines("one$", { multiline: true })).toBe("crlf.txt\n1:one");
    expect(await lines("^two$", { multiline: true })).toBe("crlf.txt\n2:two");
  });

  test("a file of more matches than the page shows is left early, and its total is a least one", async () => {
    await using project = await tempProject({ "log.txt": "hit\n".repeat(5_000) });
    const answer = await tools(project.dir).grep({ pattern: "hit", output_mode: "content", head_limit: 3, offset: 2 });
    expect(answer).toMatch(
      /^log\.txt\n3:hit\n4:hit\n5:hit\n\[matching lines 3–5 of at least 1,000; go on with offset: 5\]$/,
    );
  });

  test("counts", async () => {
    await using project = await tempProject(FILES);
    const { grep } = tools(project.dir);
    expect(await grep({ pattern: "foo", output_mode: "count", path: "src" })).toBe(
      "src/a.ts:2\nsrc/b.js:1\n[3 in 2 files]",
    );
    expect(await grep({ pattern: "foo.*\\n\\n", output_mode: "count", multiline: true })).toBe(
      "src/a.ts:1\n[1 in 1 file]",
    );
  });

  test.each([
    ["app/(auth)/**", ["app/(auth)/a.ts"]],
    ["app/[id]/*.ts", ["app/[id]/a.ts"]],
    ["**/[id]/*.{ts,tsx}", ["app/[id]/a.ts"]],
    ["**/[post-id]/**", ["x/[post-id]/a.ts"]],
    ["[...slug].ts", ["app/[...slug].ts"]],
    ["[...slug].*", ["app/[...slug].ts"]],
    ["{x}/*.ts", ["{x}/a.ts"]],
    ["my folder/*.ts, app/(auth)/*.ts", ["app/(auth)/a.ts", "my folder/a.ts"]],
    ["!app/**, !x/[post-id]", ["my folder/a.ts", "x/a.ts", "{x}/a.ts"]],
    [
      "!**/[id]/**,*.ts",
      ["app/(auth)/a.ts", "app/[...slug].ts", "app/d/a.ts", "my folder/a.ts", "x/[post-id]/a.ts", "x/a.ts", "{x}/a.ts"],
    ],
    ["app/[di]/a.ts", ["app/d/a.ts"]],
    ["app\\(auth)\\*.ts", ["app/(auth)/a.ts"]],
  ])("in the glob %s a part that exists as it is written is literal", async (glob, expected) => {
    const names = [
      "app/(auth)/a.ts",
      "app/[id]/a.ts",
      "app/d/a.ts",
      "app/[...slug].ts",
      "my folder/a.ts",
      "x/[post-id]/a.ts",
      "x/a.ts",
      "{x}/a.ts",
    ];
    await using project = await tempProject(Object.fromEntries(names.map((name) => [name, "foo"])));
    const { grep } = tools(project.dir);
    expect((await grep({ pattern: "foo", glob })).split("\n").sort()).toEqual(expected.toSorted());
    const absolute = `${project.dir}/${glob}`;
    if (!/[!,]/.test(glob) && glob.includes("/"))
      expect((await grep({ pattern: "foo", glob: absolute })).split("\n").sort()).toEqual(expected.toSorted());
  });

  test("a glob finds accented letters in either form, a named folder's files, and paths with .. or ~", async () => {
    const names = ["caf\u00e9/a.txt", "cafe\u0301-b.txt", "app/[id]/a.ts", "app/i/a.ts"];
    await using project = await tempProject(Object.fromEntries(names.map((name) => [name, "foo"])));
    const { grep } = tools(project.dir);
    const found = async (glob: string) => (await grep({ pattern: "foo", glob })).split("\n").sort();
    expect(await found("cafe\u0301/*")).toEqual(["caf\u00e9/a.txt"]);
    expect(await found("caf\u00e9-b.txt")).toEqual(["cafe\u0301-b.txt"]);
    expect(await found("app/[id]")).toEqual(["app/[id]/a.ts"]);
    expect(await found("app")).toEqual(["app/[id]/a.ts", "app/i/a.ts"]);
    expect(await found("app/i/../[id]/*")).toEqual(["app/[id]/a.ts"]);
    expect(await found(`../${basename(project.dir)}/app/[id]/*`)).toEqual(["app/[id]/a.ts"]);
    expect(await grep({ pattern: "foo", glob: "link/*" })).toContain("folders behind links, are left out");
  });

  test("filters by glob and type, several globs too, and never brings back what is ignored", async () => {
    await using project = await tempProject(FILES);
    const { grep } = tools(project.dir);
    expect(await grep({ pattern: "foo", type: "ts" })).toBe("src/a.ts");
    expect(await grep({ pattern: "foo", type: "tsx" })).toBe("src/a.ts");
    expect(await grep({ pattern: "foo", glob: "*.{ts,md}" })).toBe("docs/c.md\nsrc/a.ts");
    expect(await grep({ pattern: "foo", glob: "*.ts,*.md" })).toBe("docs/c.md\nsrc/a.ts");
    expect(await grep({ pattern: "foo", glob: "!*.ts !.hidden" })).toBe("docs/c.md\nsrc/b.js");
    expect(await grep({ pattern: "foo", glob: "src/**" })).toBe("src/a.ts\nsrc/b.js");
    expect(await grep({ pattern: "foo", glob: "src/*.js", path: "src" })).toBe("src/b.js");
    expect(await grep({ pattern: "foo", glob: "**/*" })).toBe(".hidden\ndocs/c.md\nsrc/a.ts\nsrc/b.js");
    expect(await grep({ pattern: "foo", path: "dist" })).toBe("dist/e.js");
  });

  test("takes case and spans lines", async () => {
    await using project = await tempProject(FILES);
    const { grep } = tools(project.dir);
    expect(await grep({ pattern: "ALPHA", "-i": true })).toBe("src/a.ts");
    expect(await grep({ pattern: "x\nconst", multiline: true, output_mode: "content" })).toBe(
      "src/a.ts\n1:import x\n2:const Alpha = 1;",
    );
    expect(await grep({ pattern: "import.*foo", multiline: true })).toBe("src/a.ts");
  });

  test("pages with head_limit and offset, and says how to continue", async () => {
    await using project = await tempProject({ "a.txt": "x1\ny\nx2\nx3\n", "b.txt": "x4\nx5\n" });
    const { grep } = tools(project.dir);
    const page = (offset: number) => grep({ pattern: "x", output_mode: "content", head_limit: 2, offset });
    expect(await page(0)).toBe("a.txt\n1:x1\n3:x2\n[matching lines 1–2 of 5; go on with offset: 2]");
    expect(await page(2)).toBe("a.txt\n4:x3\n\nb.txt\n1:x4\n[matching lines 3–4 of 5; go on with offset: 4]");
    expect(await page(4)).toBe("b.txt\n2:x5\n[matching lines 5–5 of 5]");
    expect(await page(9)).toBe("Nothing from offset 9 on: there are 5 matching lines.");
    expect(await grep({ pattern: "x", head_limit: 1 })).toBe("a.txt\n[files 1–1 of 2; go on with offset: 1]");
    expect(await grep({ pattern: "x", head_limit: 0 })).toBe("a.txt\nb.txt");
  });

  test("250 results are the default", async () => {
    await using project = await tempProject({ "a.txt": "x\n".repeat(300) });
    const lines = (await tools(project.dir).grep({ pattern: "x", output_mode: "content" })).split("\n");
    expect([lines.length, lines.at(-1)]).toEqual([252, "[matching lines 1–250 of 300; go on with offset: 250]"]);
  });

  test("a long line is cut around its match, an answer before it grows too long", async () => {
    await using project = await tempProject({
      "min.js": `${"é".repeat(5_000)}NEEDLE${"b ".repeat(2_500)}\n`,
      "keys.env": `A=1; KEY=${"aB3".repeat(300)}; ${"aB3".repeat(300)}PEAK${"xY7".repeat(300)}\n`,
      "many.txt": `${"m".repeat(400)}\n`.repeat(240),
    });
    const { grep } = tools(project.dir);
    expect(await grep({ pattern: "NEEDLE", output_mode: "content" })).toBe(
      `min.js\n1:…${"é".repeat(200)}NEEDLE${"b ".repeat(147)}… [cut: 4,800 characters before, 4,706 after]`,
    );
    // Half of a long word may be half of a key, which no longer looks like one.
    expect(await grep({ pattern: "KEY", output_mode: "content" })).toBe("keys.env\n1:A=1; KEY=… [cut: 2,706 after]");
    expect(await grep({ pattern: "PEAK", output_mode: "content" })).toMatch(
      /^keys\.env\n1:…… \[cut: \S+ characters before, \S+ after\]$/,
    );
    const lines = (await grep({ pattern: "mm", output_mode: "content" })).split("\n");
    expect(lines.join("\n").length).toBeLessThan(62_000);
    expect(lines.at(-1)).toMatch(/^\[matching lines 1–1\d\d of 240; go on with offset: 1\d\d\]$/);
  });

  test("no match says what was searched; a filter that left nothing isn't taken for an answer", async () => {
    await using project = await tempProject(FILES);
    const { grep } = tools(project.dir);
    expect(await grep({ pattern: "absent", path: "src", type: "ts" })).toBe("No match for absent in src (type ts).");
    expect(await grep({ pattern: "foo", glob: "*.zig" })).toBe(
      "No file was searched: nothing in the working folder fits (glob *.zig); files that git ignores, and folders behind links, are left out.",
    );
    expect(await grep({ pattern: "ABSENT", "-i": true, path: "src/a.ts" })).toMatch(
      /^No match for ABSENT in src\/a.ts.*, upper and lower case alike\.$/,
    );
  });

  test("files that may not be read give nothing away, unless one is named", async () => {
    await using project = await tempProject({ ".env": "KEY=foo\n", "a.txt": "bar\n" });
    const { grep } = tools(project.dir, (path) => path.endsWith(".env"));
    for (const output_mode of ["files_with_matches", "content", "count"]) {
      expect(await grep({ pattern: "foo", output_mode })).toMatch(/^No match for foo in the working folder/);
    }
    // Naming it makes it a subject of its own, which a rule or a person has judged.
    expect(await grep({ pattern: "foo", path: ".env", output_mode: "content" })).toBe(".env\n1:KEY=foo");
  });

  test("binary files are passed over, UTF-16 and CRLF are read", async () => {
    await using project = await tempProject({
      bin: Buffer.from("foo\n\0foo\n"),
      "wide.txt": Buffer.from("\ufefffoo é\n", "utf16le"),
      "crlf.txt": "foo\r\nbar\r\n",
    });
    expect(await tools(project.dir).grep({ pattern: "foo", output_mode: "content" })).toBe(
      "crlf.txt\n1:foo\n\nwide.txt\n1:foo é",
    );
  });

  test("a pattern that begins with a dash, and names with strange signs, mean just that", async () => {
    await using project = await tempProject({ "-n": "--flag\n", "a b\n:1:c": "--flag\n" });
    expect(await tools(project.dir).grep({ pattern: "--flag" })).toBe("-n\na b\n:1:c");
    expect(await tools(project.dir).grep({ pattern: "--flag", path: "-n", output_mode: "content" })).toBe(
      "-n\n1:--flag",
    );
  });

  test.each([
    ["foo(", "unclosed group"],
    ["[a", "unclosed character class"],
    ["*x", "repetition operator missing expression"],
    ["(?<=a+)b", "error compiling pattern at offset 3: length of lookbehind"],
  ])("the wrong pattern %j is explained in one line, with what helps", async (pattern, why) => {
    await using project = await tempProject({ "a.txt": "foo\n" });
    const said = await failure(tools(project.dir).grep(pattern));
    expect(said).toStartWith(`The pattern ${JSON.stringify(pattern)} is not valid: ${why}`);
    expect(said.split("\n")).toEqual([
      expect.stringContaining("as plain text it has no match"),
      expect.stringMatching(/^No line has this text: (?!.*backslash)/),
    ]);
  });

  test("a pattern that is no regular expression is searched as plain text, and the answer says so", async () => {
    await using project = await tempProject({ "a.ts": "function greet(name) {\n}\n", "b.ts": "function greet[name\n" });
    const { grep } = tools(project.dir);
    const note = /\[the pattern is no regular expression \(unclosed group\): it was searched as plain text\]$/;
    const shown = await grep({ pattern: "GREET(name", "-i": true, output_mode: "content" });
    expect(shown).toStartWith("a.ts\n1:function greet(name) {");
    expect(shown).toMatch(note);
    expect(await grep("greet(name")).toMatch(/^a\.ts\n\[the pattern/);
    expect(await grep({ pattern: "greet(name", path: "a.ts", output_mode: "count" })).toMatch(note);
  });

  test("lines that are not UTF-8 are shown with a note", async () => {
    await using project = await tempProject({ "a.txt": Buffer.from("gr\xfc\xdfe\n", "latin1"), "b.txt": "größe\n" });
    const { grep } = tools(project.dir);
    expect(await grep({ pattern: "^gr", output_mode: "content", path: "a.txt" })).toMatch(/1:gr��e\n\[.*not UTF-8.*�/);
    expect(await grep({ pattern: "^gr", output_mode: "content", path: "b.txt" })).not.toContain("UTF-8");
  });

  test("braces that begin no repetition are found as they are", async () => {
    await using project = await tempProject({ "a.go": "x interface{}\n" });
    expect(await tools(project.dir).grep("interface{}")).toBe("a.go");
    expect(await tools(project.dir).grep("interface\\{\\}")).toBe("a.go");
  });

  test("a line break without multiline is explained", async () => {
    await using project = await tempProject({ "a.txt": "foo\n" });
    for (const pattern of ["a\\nb", "a\nb"]) {
      expect(await failure(tools(project.dir).grep(pattern))).toContain("Set multiline: true to search across lines.");
    }
  });

  test("an unknown type is an error with a hint", async () => {
    await using project = await tempProject({ "a.txt": "foo\n" });
    expect(await failure(tools(project.dir).grep({ pattern: "foo", type: "nonsense" }))).toContain("Use glob instead");
  });

  test("an abort ends the search", async () => {
    await using project = await tempProject({ "a.txt": "foo\n" });
    const abort = new AbortController();
    const call = await tools(project.dir).prepare.grep({ pattern: "foo" }, abort.signal);
    abort.abort(new Error("Esc"));
    expect(await failure(runCall(call))).toBe("Esc");
  });
});

test("the call is a read of what is searched", async () => {
  await using project = await tempProject(FILES);
  const tools = fileTools(project.dir);
  const call = await tools.prepare.grep({ pattern: "foo", path: "src" });
  expect({ level: call.level, safe: call.concurrencySafe, subjects: call.subjects, title: call.title }).toEqual({
    level: "read",
    safe: true,
    subjects: [{ action: "read", path: project.path("src") }],
    title: "foo in src",
  });
  expect(await failure(tools.prepare.grep({ pattern: "x", path: "none" }))).toBe(
    "none does not exist: nothing was searched. Check the path with Glob.",
  );
});

test("a link put in the place of what was judged is not followed", async () => {
  await using project = await tempProject({ "a.txt": "mine\n", "in/a": "mine\n", "out/a": "secret\n" });
  const tools = fileTools(project.dir);
  const inFile = await tools.prepare.grep({ pattern: "secret", path: "a.txt", output_mode: "content" });
  const inFolder = await tools.prepare.grep({ pattern: "secret", path: "in", output_mode: "content" });
  const listing = await tools.prepare.glob({ pattern: "*", path: "in" });
  for (const [name, target] of [
    ["a.txt", "out/a"],
    ["in", "out"],
  ] as const) {
    rmSync(project.path(name), { recursive: true });
    symlinkSync(target, project.path(name));
  }
  for (const call of [inFile, inFolder, listing])
    expect(await failure(runCall(call))).toContain("changed while it was judged");
});

test.if(process.platform === "linux")(
  "a link that stands in the place of what was judged only while ripgrep runs is not followed",
  async () => {
    await using project = await tempProject({ "a.txt": "mine\n", "in/a": "mine\n", "out/a": "secret\n" });
    const swapped: Record<string, string> = { "a.txt": "out/a", in: "out" };
    const real = await ripgrep();
    if (!real) throw new Error("ripgrep is missing.");
    for (const [name, target] of Object.entries(swapped)) {
      const swapping: Ripgrep = async (request) => {
        renameSync(project.path(name), project.path("kept"));
        symlinkSync(target, project.path(name));
        try {
          return await real(request);
        } finally {
          rmSync(project.path(name));
          renameSync(project.path("kept"), project.path(name));
        }
      };
      const rg = async () => Object.assign(swapping, { path: real.path });
      const { grep } = fileTools(project.dir, { rg });
      expect(await grep({ pattern: ".", path: name, output_mode: "content" })).toContain("mine");
    }
  },
);

test("look-around goes to PCRE2", async () => {
  await using project = await tempProject({ "a.txt": "foobar\nfoobaz\n" });
  expect(await fileTools(project.dir).grep({ pattern: "foo(?!bar)", output_mode: "content" })).toBe("a.txt\n2:foobaz");
});

test("without ripgrep the call fails and names Bash", async () => {
  await using project = await tempProject({ "a.txt": "foo\n" });
  const said = await failure(fileTools(project.dir, { rg: noRipgrep }).grep("foo"));
  expect(said).toMatch(/Nothing was searched.*ripgrep.*Bash/);
});

describe("ripgrep's trouble", () => {
  /** A real script in the place of rg. */
  async function scripted(script: string, timeoutMs?: number) {
    const project = await tempProject({ "a.txt": "foo\n", rg: `#!/bin/sh\n${script}\n` });
    chmodSync(project.path("rg"), 0o755);
    const { spawn } = await import("node:child_process");
    const rg: Ripgrep = (request) => {
      return new Promise((resolve, reject) => {
        const child = spawn(project.path("rg"), request.args, { cwd: request.cwd, stdio: ["ignore", "pipe", "pipe"] });
        let endedBy: "itself" | "time" | "size" = "itself";
        let stderr = "";
        const end = (why: "time" | "size") => {
          endedBy = why;
          child.kill("SIGKILL");
        };
        const timer = setTimeout(() => end("time"), request.timeoutMs);
        child.stdout.on("data", (chunk: Buffer) => {
          if (!request.onOutput(chunk)) end("size");
        });
        child.stderr.on("data", (chunk: Buffer) => {
          stderr += chunk;
        });
        child.on("error", reject);
        child.on("close", (code) => {
          clearTimeout(timer);
          resolve({ endedBy, exitCode: code ?? undefined, stderr });
        });
      });
    };
    const tool = grepTool({
      home: "/",
      isHidden: () => false,
      tracker: new ReadTracker(),
      ripgrep: async () => rg,
      ...(timeoutMs && { timeoutMs }),
    });
    const grep = async (raw: Record<string, unknown>) =>
      (await runCall(await tool.prepare(raw, toolContext({ cwd: project.dir })))).content;
    return { grep, [Symbol.asyncDispose]: project[Symbol.asyncDispose] };
  }

  test.each([
    ["threads", "rg: failed to spawn thread: Resource temporarily unavailable (os error 11)", "no more threads"],
    ["memory", "memory allocation of 150000000 bytes failed", "lines of tens of megabytes"],
  ])("a want of %s is an error, not a search without a match", async (_, said, words) => {
    await using fake = await scripted(`printf './a.txt\\0'; echo '${said}' >&2; exit 2`);
    expect(await failure(fake.grep({ pattern: "foo" }))).toContain(words);
  });

  test("a file whose lines have no room in the memory is left out and named", async () => {
    await using fake = await scripted(
      `case "$*" in
        --max-filesize=*--files\\ *) printf './a.txt\\0' ;;
        *--files\\ *) printf './a.txt\\0./dump.json\\0' ;;
        --max-filesize=*) printf './a.txt\\0' ;;
        *) echo 'memory allocation of 150000000 bytes failed' >&2; exit 2 ;;
      esac`,
    );
    expect(await fake.grep({ pattern: "foo" })).toBe(
      "a.txt\n[left out: 1 file of over 32MB, since a line had no room in memory (dump.json)]",
    );
  });

  test("at the time limit there is what came so far, less the name that was cut", async () => {
    await using fake = await scripted(`printf './a.txt\\0./cut-na'; exec sleep 30`, 300);
    expect(await fake.grep({ pattern: "foo" })).toBe(
      "a.txt\n[not complete: the time limit of 20 seconds was reached; search a narrower path, glob or pattern]",
    );
  });

  test("20 MB of output are the most", async () => {
    await using fake = await scripted("exec yes 'a line'");
    expect(await fake.grep({ pattern: "foo", head_limit: 1 })).toContain(
      "[not complete: the output limit of 20 MB was reached",
    );
  });

  test("a file that can't be read is a note, not a failure", async () => {
    await using fake = await scripted(
      `printf './a.txt\\0'; echo 'rg: ./locked: Permission denied (os error 13)' >&2; exit 2`,
    );
    expect(await fake.grep({ pattern: "foo" })).toBe(
      "a.txt\n[one message from ripgrep: rg: ./locked: Permission denied (os error 13)]",
    );
  });
});

test("binary files with a match are named where no text has one", async () => {
  await using project = await tempProject({ "a.txt": "text\n", "b.bin": "x\0\nneedle\n", "sub/c.bin": "\0needle" });
  const tools = fileTools(project.dir);
  // On a busy machine, the short search may end before it has seen both.
  const both = /No match[\s\S]*2 binary files with a match \((?:b.bin, sub\/c.bin|sub\/c.bin, b.bin)\)/;
  await until(async () => both.test(await tools.grep("needle")));
  const inOne = { pattern: "needle", path: "b.bin", output_mode: "content" } as const;
  await until(async () => (await tools.grep(inOne)).includes("b.bin is binary"));
  expect(await tools.grep("nowhere")).not.toContain("binary");
  expect(await tools.grep("text")).not.toContain("binary");
});
