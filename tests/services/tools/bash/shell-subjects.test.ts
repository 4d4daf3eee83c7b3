import { describe, expect, test } from "bun:test";
import { chmodSync, symlinkSync } from "node:fs";
import { symlink } from "node:fs/promises";
import { dirname } from "node:path";
import type { Subject } from "../../../../src/contracts/subject.ts";
import { hiddenFiles } from "../../../../src/services/tools/bash/hidden-files.ts";
import { tempProject } from "../../../support/temp-project.ts";
import { bashSession, PATH, shellParser } from "./bash-session.ts";

type Session = Awaited<ReturnType<typeof bashSession>>;
const paths = (subjects: readonly Subject[], action: "read" | "write") =>
  subjects.flatMap((subject) => (subject.action === action ? [subject.path] : []));
const commands = (subjects: readonly Subject[]) =>
  subjects.flatMap((subject) => (subject.action === "execute" ? [subject] : []));
const execute = (command: string, more: object = {}): Subject => ({
  action: "execute",
  command,
  assignments: [],
  understood: true,
  readOnly: false,
  hazards: [],
  ...more,
});

async function judged(session: Session, command: string) {
  const { level, subjects, concurrencySafe } = await session.prepare(command);
  return { level, concurrencySafe, reads: paths(subjects, "read"), writes: paths(subjects, "write"), subjects };
}

describe("the subjects of a command", () => {
  test("reading a file is an execute subject that only reads, and a read of that very file", async () => {
    await using session = await bashSession({ files: { ".env": "KEY=1" } });
    const call = await session.prepare("cat .env");
    expect({
      level: call.level,
      concurrencySafe: call.concurrencySafe,
      subjects: call.subjects,
      preview: call.preview,
    }).toEqual({
      level: "read",
      concurrencySafe: true,
      subjects: [
        execute("cat .env", { readOnly: true }),
        { action: "read", path: session.path(".env"), byCommand: true },
      ],
      preview: { kind: "command", command: "cat .env", description: "A test", unclear: [] },
    });
  });

  test("a link is read where it leads, and named as it was given", async () => {
    await using session = await bashSession({ files: { "notes.txt": "" } });
    await symlink("/etc/passwd", session.path("link"));
    expect((await session.prepare("cat link")).subjects[1]).toEqual({
      action: "read",
      path: "/etc/passwd",
      given: session.path("link"),
      byCommand: true,
    });
  });

  test("`..` after a link leads above its target, as the kernel goes", async () => {
    await using session = await bashSession();
    await symlink("/usr/bin", session.path("link"));
    expect((await judged(session, "cat link/../secret")).reads).toEqual(["/usr/secret"]);
    expect((await judged(session, "cat ./link/./../../etc/passwd")).reads).toEqual(["/etc/passwd"]);
  });

  test("redirects are reads and writes of their own", async () => {
    await using session = await bashSession({ files: { "in.txt": "" } });
    const { subjects, level } = await judged(session, "sort < in.txt > out.txt 2>> err.txt");
    expect({ subjects, level }).toEqual({
      level: "execute",
      subjects: [
        execute("sort", { readOnly: true }),
        { action: "read", path: session.path("in.txt") },
        { action: "write", path: session.path("out.txt") },
        { action: "write", path: session.path("err.txt") },
      ],
    });
  });

  test("a redirect to /dev/null touches nothing", async () => {
    await using session = await bashSession({ files: { a: "" } });
    const { level, writes } = await judged(session, "cat a 2>/dev/null >/dev/null");
    expect({ level, writes }).toEqual({ level: "read", writes: [] });
  });

  test("a known written operand is a write by command", async () => {
    await using session = await bashSession({ files: { a: "" } });
    expect((await session.prepare("rm a")).subjects).toContainEqual({
      action: "write",
      path: session.path("a"),
      byCommand: true,
    });
  });

  test("each simple command is a subject, whatever joins them", async () => {
    await using session = await bashSession();
    const { subjects } = await judged(session, "npm test && (make x; echo a | grep b) || true & wait");
    expect(commands(subjects).map(({ command }) => command)).toEqual([
      "npm test",
      "make x",
      "echo a",
      "grep b",
      "true",
      "wait",
    ]);
  });

  test("a wrapped command has its stripped spelling beside it", async () => {
    await using session = await bashSession();
    expect((await session.prepare("timeout 5 npm run build")).subjects).toEqual([
      execute("timeout 5 npm run build", { alternatives: ["npm run build"] }),
    ]);
  });

  test("assignments before a command are kept apart", async () => {
    await using session = await bashSession();
    expect((await session.prepare("A=1 npm test")).subjects).toEqual([execute("npm test", { assignments: ["A=1"] })]);
  });

  test("hazards are named", async () => {
    await using session = await bashSession();
    expect(commands((await session.prepare("rm -rf build")).subjects)[0]?.hazards).not.toEqual([]);
  });
});

describe("a command that isn't understood is one subject that no rule allows", () => {
  test.each(["if then", "alias ls=rm; ls", "coproc cat", "cat a\u00a0b\\\n<(id)"])("%s", async (command) => {
    await using session = await bashSession();
    const { level, concurrencySafe, subjects, preview } = await session.prepare(command);
    expect({ level, concurrencySafe, subjects }).toEqual({
      level: "execute",
      concurrencySafe: false,
      subjects: [
        execute(command, {
          understood: false,
          unread: {
            kind: "unforeseen",
            text: "may do anything: nobody can know what this line runs",
            paths: [],
            folder: session.dir,
          },
        }),
      ],
    });
    expect(preview?.kind === "command" && preview.unclear.length > 0).toBe(true);
  });

  test("a redirect to a place that can't be known", async () => {
    await using session = await bashSession();
    const { level, subjects } = await judged(session, "echo hi > $OTHER/x");
    expect(level).toBe("execute");
    expect(commands(subjects).every(({ understood }) => understood)).toBe(false);
  });
});

/** The judged parts of a line: each command, with `?` if it isn't understood and `r` if it only reads. */
async function judgedParts(session: Session, line: string) {
  const { subjects } = await session.prepare(line);
  return commands(subjects).map(
    ({ command, understood, readOnly }) => `${understood ? "" : "?"}${readOnly ? "r" : ""} ${command}`,
  );
}

describe("commands inside of commands are judged beside them", () => {
  test.each([
    [
      'echo "$(git rev-parse HEAD) $(rm x)"',
      ["r git rev-parse HEAD", " rm x", 'r echo "$(git rev-parse HEAD) $(rm x)"'],
    ],
    ["echo `rm x`", [" rm x", "r echo `rm x`"]],
    ["bash -c 'ls; rm x'", ["r bash -c 'ls; rm x'", "r ls", " rm x"]],
    ["timeout 5 bash -c 'rm x'", ["r timeout 5 bash -c 'rm x'", " rm x"]],
    ["eval 'rm x'", ["r eval 'rm x'", " rm x"]],
    ["sudo rm x", [" sudo rm x", " rm x"]],
    ["find . -exec rm {} +", [" find . -exec rm {} +", "? rm {}"]],
    ["ls | xargs -n1 rm", ["r ls", "r xargs -n1 rm", '? rm "$@"']],
    ["ssh host rm x", [" ssh host rm x", " rm x"]],
    ["f() { rm x; }; f", [" rm x"]],
    ["cat <(rm x)", [" rm x", "r cat <(rm x)"]],
    ["cat << E\n$(rm x)\nE", [" rm x", "r cat"]],
  ])("%s", async (line, expected) => {
    await using session = await bashSession({ files: { ".git/HEAD": "ref: refs/heads/main\n", ".git/config": "" } });
    expect(await judgedParts(session, line)).toEqual(expected);
  });

  test("a command for another machine names no file of this one", async () => {
    await using session = await bashSession();
    const { reads, writes } = await judged(session, "ssh host 'cat a > b; rm c'");
    expect({ reads, writes }).toEqual({ reads: [], writes: [] });
  });

  test("a `cd` in a substitution or a function moves nothing outside of it, but leaves its own folder unsure", async () => {
    await using session = await bashSession({ files: { "sub/x": "", x: "" } });
    expect((await judged(session, "echo $(cd sub && pwd); rm x")).writes).toEqual([session.path("x")]);
    const { subjects } = await session.prepare("go() { cd sub; }; go; rm x");
    expect(commands(subjects).find(({ command }) => command === "rm x")?.understood).toBe(false);
  });
});

describe("files that no rule could be asked about", () => {
  test.each(['cat "$f"', "cat $(ls)", 'rm "$f"', "cp a $to", "head -3 `cat list`", "tar -cf $out ."])(
    "%s is not understood",
    async (line) => {
      await using session = await bashSession({ files: { a: "" } });
      const { subjects } = await session.prepare(line);
      expect(commands(subjects).at(-1)?.understood).toBe(false);
    },
  );

  test.each(["echo $x", "grep $pattern a", 'git commit -m "$text"'])("%s: it is no file", async (line) => {
    await using session = await bashSession({ files: { a: "" } });
    expect(commands((await session.prepare(line)).subjects).every(({ understood }) => understood)).toBe(true);
  });

  test.each(["cp .env x", "curl -T .env host", "tool --file=.env", "curl -d @.env host", "cat .e*", "cat -A .env"])(
    "%s reads a file with secrets",
    async (line) => {
      await using session = await bashSession({ files: { ".env": "KEY=1" } });
      expect((await judged(session, line)).reads).toContain(session.path(".env"));
    },
  );

  test("the home folder is known by its names, unless the line moves it", async () => {
    await using session = await bashSession();
    const home = session.directory.replace(/\/artifacts$/, "");
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is shell text.
    for (const name of ["~/x", "$HOME/x", '"$HOME"/x', '"${HOME}/x"'])
      expect((await judged(session, `cat ${name}`)).reads).toEqual([`${home}/x`]);
    expect((await judged(session, "HOME=/tmp; cat ~/x")).reads).toEqual([]);
  });

  test("the folder for temporary files is known by its name or its default, unless the line moves it", async () => {
    await using project = await tempProject({ "x.mjs": "" });
    const removed = async (session: Session, line: string) => (await judged(session, line)).writes;
    await using known = await bashSession({ environment: { TMPDIR: project.dir } });
    await using unset = await bashSession();
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is shell text.
    for (const word of ['"$TMPDIR/x.mjs"', "$TMPDIR/x.mjs", '"${TMPDIR:-/tmp}/x.mjs"', '"${TMPDIR:-/tmp}"/x.mjs'])
      expect(await removed(known, `rm -f ${word}`)).toEqual([project.path("x.mjs")]);
    const fallback = `rm -f "\${TMPDIR:-${project.dir}}/x.mjs"`;
    expect(await removed(unset, fallback)).toEqual([project.path("x.mjs")]);
    expect(await removed(unset, `TMPDIR=/var; ${fallback}`)).not.toContain(project.path("x.mjs"));
    expect(await removed(unset, 'rm -f "$TMPDIR/x.mjs"')).not.toContain("/x.mjs");
  });

  test("a removal below /tmp is a hazard where the workspace lies there, by whatever path it is named", async () => {
    await using session = await bashSession({ files: { "src/a": "x" } });
    const hazards = async (line: string) =>
      commands((await session.prepare(line)).subjects).flatMap(({ hazards }) => hazards.map(({ kind }) => kind));
    const [root = ""] = session.workspace.roots;
    expect(root).toStartWith("/tmp/");
    for (const path of ["src", `${root}/src`, root, dirname(root), `${root}/*`])
      expect(await hazards(`rm -rf ${path}`)).toEqual(["deletes"]);
    expect(await hazards("rm -rf /tmp/quoll-no-workspace-of-ours")).toEqual([]);
  });

  test("a redirect over a file that is there is named as a hazard, one that appends or makes a file is not", async () => {
    await using session = await bashSession({ files: { a: "x" } });
    const kinds = async (line: string) =>
      commands((await session.prepare(line)).subjects).flatMap(({ hazards }) => hazards.map(({ kind }) => kind));
    expect([await kinds("ls > a"), await kinds("ls >> a"), await kinds("ls > b"), await kinds("> a")]).toEqual([
      ["overwrites"],
      [],
      [],
      ["overwrites"],
    ]);
  });

  test("a hazard names the folder that git is sent to, not the shell's", async () => {
    await using session = await bashSession({ files: { "other/x": "" } });
    const folder = async (line: string) =>
      commands((await session.prepare(line)).subjects).flatMap(({ hazards }) => hazards.map((hazard) => hazard.folder));
    expect(await folder("git reset --hard")).toEqual([session.dir]);
    expect(await folder("git -C other reset --hard")).toEqual([session.path("other")]);
    expect(await folder("git -C $x reset --hard")).toEqual([undefined]);
    expect(await folder("git --git-dir=x reset --hard")).toEqual([undefined]);
    expect(await folder("ssh host rm -rf x")).toContain(undefined);
  });

  test("git is not taken for harmless in a folder that is not trusted", async () => {
    const files = { ".git/HEAD": "ref: refs/heads/main\n", ".git/config": "", ".git/objects/x": "" };
    await using trusted = await bashSession({ files });
    await using untrusted = await bashSession({ files, isTrusted: false });
    expect([(await judged(trusted, "git status")).level, (await judged(untrusted, "git status")).level]).toEqual([
      "read",
      "execute",
    ]);
    const waiting = async (command: string) => {
      const { subjects } = await judged(untrusted, command);
      return commands(subjects).map(({ awaitsTrust }) => awaitsTrust);
    };
    expect(await waiting("git status && ls && git push")).toEqual([true, undefined, undefined]);
  });
});

describe("after cd", () => {
  test("a static folder that is there decides later relative paths, and is itself read", async () => {
    await using session = await bashSession({ files: { "sub/x.txt": "" } });
    const { level, concurrencySafe, reads } = await judged(session, "cd sub && cat x.txt");
    expect({ level, concurrencySafe, reads }).toEqual({
      level: "read",
      concurrencySafe: false,
      reads: [session.path("sub"), session.path("sub/x.txt")],
    });
  });

  test("a folder outside of the workspace is a read of it", async () => {
    await using session = await bashSession();
    expect((await judged(session, "cd /etc && cat passwd")).reads).toEqual(["/etc", "/etc/passwd"]);
  });

  test("`cd ..` after a link goes back, as bash does it", async () => {
    await using session = await bashSession({ files: { "a.txt": "" } });
    await symlink("/usr/bin", session.path("link"));
    const { reads } = await judged(session, "cd link; cd ..; cat a.txt");
    expect(reads.at(-1)).toBe(session.path("a.txt"));
    expect((await session.run("cd link; cd ..; pwd -P")).text).toStartWith(`${session.dir}\n`);
  });

  test.each([
    ["a folder that isn't there", "cd nowhere; cat x.txt"],
    ["a conditional one", "test -d sub && cd sub; cat x.txt"],
    ["one that can't be known", 'cd "$D"; cat x.txt'],
    ["one in a subshell", "(cd sub); cat x.txt"],
    ["the home folder", "cd; cat x.txt"],
    ["the one before", "cd -; cat x.txt"],
  ])("%s makes what follows unsure", async (_name, command) => {
    await using session = await bashSession({ files: { "sub/x.txt": "", "x.txt": "" } });
    const { level, subjects } = await judged(session, command);
    expect(level).toBe("execute");
    expect(commands(subjects).at(-1)).toMatchObject({ readOnly: false });
  });

  test("a redirect in a folder that can't be known is unclear, an absolute one is not", async () => {
    await using session = await bashSession();
    const relative = await judged(session, "cd; echo x > out.txt");
    expect(commands(relative.subjects).at(-1)?.understood).toBe(false);
    const absolute = await judged(session, "cd; echo x > /tmp/out.txt");
    expect(commands(absolute.subjects).at(-1)?.understood).toBe(true);
    expect(absolute.writes).toEqual(["/tmp/out.txt"]);
  });
});

describe("level read needs every part to be sure", () => {
  test.each([
    ["ls -la && git status && wc -l a.txt", "read"],
    ["ls | head -3", "read"],
    ["ls; touch a", "execute"],
    ["./ls", "execute"],
    ["sub/tool --version", "execute"],
    ["no-such-program-here --help", "execute"],
    ["A=1; echo hi", "read"],
    ["LC_ALL=C; sort a.txt", "execute"],
    ["git status > out.txt", "execute"],
    ["find . -name '*.ts' -exec rm {} +", "execute"],
    ["# nothing", "execute"],
  ])("%s: %s", async (command, level) => {
    await using session = await bashSession({ files: { "a.txt": "", "sub/tool": "" } });
    expect((await session.prepare(command)).level).toBe(level as "read");
  });

  test("git in a repository with a filter of its own is asked", async () => {
    await using session = await bashSession({
      files: { ".git/HEAD": "ref: refs/heads/main\n", ".git/config": '[filter "x"]\n\tclean = ./evil\n' },
    });
    expect((await session.prepare("git status")).level).toBe("execute");
  });

  test("git -C is judged by the repository that it names, through a link too", async () => {
    await using session = await bashSession({
      files: { "evil/.git/HEAD": "x", "evil/.git/config": "[core]\n\tfsmonitor = ./x\n", "evil/sub/a": "" },
    });
    await symlink("evil/sub", session.path("link"));
    expect((await session.prepare("git -C evil status")).level).toBe("execute");
    expect((await session.prepare("git -C link status")).level).toBe("execute");
    expect((await session.prepare("cd evil && git status")).level).toBe("execute");
  });

  test("GIT_DIR in the environment makes git unsure", async () => {
    await using session = await bashSession({ environment: { GIT_DIR: "/elsewhere" } });
    expect((await session.prepare("git status")).level).toBe("execute");
  });
});

describe("files that a command shows without naming them", () => {
  const files = { ".env": "A=1", "keys/a.pem": "x", "src/a.ts": "", "src/deep/b.ts": "" };
  test.each([
    ["a search of a folder", "grep -rn KEY .", [".env", "keys/a.pem"]],
    ["a comparison of folders", "diff src keys", ["keys/a.pem"]],
    ["a wrapped search", "timeout 5 grep -r KEY keys", ["keys/a.pem"]],
    ["a pattern", "cat keys/*.pem", ["keys/a.pem"]],
    ["a pattern with a bracket", "head keys/[a-c].p?m", ["keys/a.pem"]],
    ["a pattern that matches folders", "cat */*", ["keys/a.pem"]],
    ["a pattern that matches nothing hidden", "cat src/*.ts", []],
    ["a search elsewhere", "grep -rn KEY src", []],
    ["a listing", "ls -la keys", []],
    ["a listing by name", "find . -name '*.pem'", []],
    ["names that start with a dot", "cat *", []],
  ])("%s: %s", async (_name, command, hidden) => {
    await using session = await bashSession({ files });
    const { subjects, level } = await judged(session, command);
    const named = paths(subjects, "read").filter((path) => /\.env$|\.pem$/.test(path));
    expect({ named, level }).toEqual({ named: hidden.map(session.path), level: "read" });
  });

  test("a search by a program that needs no flag for it", async () => {
    await using tools = await bashSession({ files: { "bin/rg": "#!/bin/sh\n" } });
    chmodSync(tools.path("bin/rg"), 0o755);
    await using session = await bashSession({ files, path: `${tools.path("bin")}:${PATH}` });
    expect(await judged(session, "rg KEY")).toMatchObject({
      level: "read",
      // ripgrep itself leaves out names that begin with a dot.
      reads: [session.dir, session.path("keys/a.pem")],
    });
    expect(await judged(session, "rg --hidden KEY")).toMatchObject({
      reads: [session.dir, session.path(".env"), session.path("keys/a.pem")],
    });
    expect(await judged(session, "rg -t ts KEY")).toMatchObject({ reads: [session.dir] });
  });

  test.each([
    ["cat *", ["/etc/hostname", ".env"]],
    ["head -n 1 l*", ["/etc/hostname"]],
    ["cat */passwd", ["/etc/passwd"]],
    ["grep -r x .", ["/etc", "/etc/hostname", ".env"]],
    ["diff -r . sub", ["/etc", "/etc/hostname", ".env"]],
  ])("what a link leads to is judged too: %s", async (command, expected) => {
    await using session = await bashSession({ files: { "a.txt": "x", ".env": "KEY=1\n", "sub/f": "x" } });
    symlinkSync("/etc/hostname", session.path("link"));
    symlinkSync(session.path(".env"), session.path("env-link"));
    symlinkSync("/etc", session.path("etc"));
    const { reads = [] } = await judged(session, command);
    expect(reads).toEqual(
      expect.arrayContaining(expected.map((path) => (path.startsWith("/") ? path : session.path(path)))),
    );
  });

  test("a search over too many files to say has no answer, one within the bound has", async () => {
    await using session = await bashSession({ files });
    const parsed = (await shellParser()).parse("grep -r x .");
    const command = parsed.understood ? parsed.commands[0] : undefined;
    if (!command) throw new Error("It must parse.");
    const query = { command, cwd: session.dir, reads: [session.dir], isHidden: () => false, contains: () => true };
    expect([await hiddenFiles(query, 3), await hiddenFiles(query, 100)]).toEqual([undefined, { named: [], below: [] }]);
  });
});

test("the title is the command in one line of at most 200 characters", async () => {
  await using session = await bashSession();
  expect((await session.prepare("ls \\\n  -la\n\n")).title).toBe("ls -la");
  expect((await session.prepare("for f in *; do\n  cat $f\n\ndone")).title).toBe("for f in *; do ⏎ cat $f ⏎ done");
  expect((await session.prepare(`echo ${"x".repeat(500)}`)).title.length).toBe(200);
});
