import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { mkdir, rm, symlink } from "node:fs/promises";
import type { Progress } from "../../../../src/contracts/display.ts";
import { processesWithTag } from "../../../../src/platform/processes/process-table.ts";
import { deepTest } from "../../../support/deep.ts";
import { isRunning, until } from "../../../support/eventually.ts";
import { bashSession } from "./bash-session.ts";

const logPathIn = (text: string) => /(\/\S+\.log)/.exec(text)?.[1] ?? "";

describe("the result of a command", () => {
  test("stdout and stderr come in the order in which they were written", async () => {
    await using session = await bashSession();
    const result = await session.run("echo one; echo two >&2; echo three");
    expect(result).toEqual({
      content: "one\ntwo\nthree\n[exit code 0]",
      text: "one\ntwo\nthree\n[exit code 0]",
      isError: false,
      exemptFromSpill: true,
      display: {
        kind: "command",
        command: "echo one; echo two >&2; echo three",
        exitCode: 0,
        signal: undefined,
        timedOut: false,
        tail: ["one", "two", "three"],
        totalLines: 3,
      },
    });
  });

  test("a failure is an error with its exit code", async () => {
    await using session = await bashSession();
    const { text, isError } = await session.run("echo broken; exit 7");
    expect({ text, isError }).toEqual({ text: "broken\n[exit code 7]", isError: true });
  });

  test("a shell that is ended by a signal says which", async () => {
    await using session = await bashSession();
    const { text, isError, display } = await session.run("kill -KILL $$");
    expect({ text, isError }).toEqual({ text: "(no output)\n[ended by signal SIGKILL]", isError: true });
    expect(display).toMatchObject({ exitCode: undefined, signal: "SIGKILL" });
  });

  test("a command without output gets a sentence, never an empty answer", async () => {
    await using session = await bashSession();
    expect((await session.run("true")).text).toBe("(no output)\n[exit code 0]");
    expect((await session.run("exec >/dev/null 2>&1; echo lost")).text).toBe("(no output)\n[exit code 0]");
    expect((await session.run("exec 1>&- 2>&-; echo lost")).text).toBe("(no output)\n[exit code 1]");
  });

  test("a syntax error is bash's own message", async () => {
    await using session = await bashSession();
    const { text, isError } = await session.run("if then");
    expect(text).toContain("syntax error");
    expect(isError).toBe(true);
  });

  test("a pipe that ends well names the parts that failed before", async () => {
    await using session = await bashSession({ files: { "a.txt": "x\n" } });
    const end = async (command: string) => (await session.run(command)).text.split("\n").at(-1);
    expect(await end("(exit 3) | cat")).toBe("[exit code 0 (PIPESTATUS 3 0)]");
    expect(await end("cat none 2>/dev/null | sort | head -5")).toBe("[exit code 0 (PIPESTATUS 1 0 0)]");
    expect(await end("set -x; IFS=0; false | cat")).toBe("[exit code 0 (PIPESTATUS 1 0)]");
    expect(await end("false & (exit 3) | cat")).toBe("[exit code 0 (PIPESTATUS 3 0)]");
    expect(await end("mkdir -p sub; cd sub; false | cat")).toStartWith("[the working folder is now");
    expect((await session.run("cd ..; false | cat")).text).toContain("[exit code 0 (PIPESTATUS 1 0)]\n");
  });

  test("a pipe whose parts did what they should names no codes", async () => {
    await using session = await bashSession({ files: { "a.txt": "x\n" } });
    const fine = [
      "true | cat",
      "yes | head -1",
      "grep none a.txt | wc -l",
      "false | cat; true",
      "false | cat | grep x",
      "grep none a.txt | while read -r line; do echo $line; done",
    ];
    for (const command of fine) expect((await session.run(command)).text).not.toContain("PIPESTATUS");
  });

  test("a condition that does not hold is no failed part of a pipe", async () => {
    await using session = await bashSession({ files: { "a.txt": "x\n" } });
    // The shell of a line with `cd` reports the codes of any line.
    const fine = [
      "cd .; if [ -d none ]; then echo; fi",
      "cd .; while read -r line; do echo $line; done < a.txt",
      "cd .; ! (exit 3)",
      "cd .; if grep none a.txt | grep x; then :; fi",
      "cd .; grep none a.txt | wc -l || echo none",
    ];
    for (const command of fine) expect((await session.run(command)).text).not.toContain("PIPESTATUS");
  });

  test("the report of the shell's end leaves the exit code of `set -e` alone", async () => {
    await using session = await bashSession();
    const { text } = await session.run("set -e; mkdir gone; cd gone; rmdir ../gone; true | cat");
    expect(text).toContain("[exit code 0]");
  });

  test("a duration over a second is reported", async () => {
    await using session = await bashSession();
    expect((await session.runTimed("sleep 1.05")).text).toMatch(/^\(no output\)\n\[exit code 0 after 1\.\d s\]$/);
  });

  test("a log that the model has seen whole is removed, one that was cut is kept with mode 0600", async () => {
    await using session = await bashSession();
    await session.run("echo small");
    const { text } = await session.run("seq 1 20000");
    const log = logPathIn(text);
    expect(readFileSync(log, "utf8").split("\n").length).toBe(20_001);
    expect(statSync(log).mode & 0o777).toBe(0o600);
    expect(statSync(session.directory).mode & 0o777).toBe(0o700);
    await session.shells.closeAll();
    expect(readdirSync(session.directory)).toEqual([log.split("/").at(-1) ?? ""]);
  });

  test("a long output keeps its head and its tail within the limit", async () => {
    await using session = await bashSession();
    const { text } = await session.run("seq 1 20000; echo the end >&2; exit 2");
    const output = text.slice(0, text.lastIndexOf("\n[exit code"));
    expect(output.length).toBeLessThanOrEqual(30_000);
    expect(output.length).toBeGreaterThan(28_000);
    expect(output).toStartWith("1\n2\n3\n");
    expect(output).toEndWith("\n19999\n20000\nthe end");
    expect(output).toMatch(/\n\[… \d+ lines \([\d.]+ KiB\) left out; all of it: \/\S+\.log …\]\n/);
    expect(text).toEndWith("\n[exit code 2]");
  });

  deepTest("one line of ten megabytes keeps both ends", async () => {
    await using session = await bashSession();
    const { text, display } = await session.run("echo -n START; yes x | head -c 10000000 | tr '\\n' ' '; echo END");
    expect(text.length).toBeLessThan(30_200);
    expect(text).toStartWith("STARTx x x");
    expect(text).toContain("x x END\n[exit code 0]");
    expect(text).toMatch(/left out; all of it: \/\S+\.log/);
    expect(display).toMatchObject({ totalLines: 1 });
  });

  test("Latin-1 is decoded and bytes that are no text are replaced, and the result says so", async () => {
    await using session = await bashSession();
    const note = "[bytes that are not UTF-8 are shown as Latin-1 or as \ufffd]";
    const said = async (command: string) => (await session.run(command)).text.replace("\n[exit code 0]", "");
    expect(await said("printf 'gr\\366\\337e\\n'")).toBe(`größe\n${note}`);
    expect(await said("printf 'a\\377b\\n'")).toBe(`aÿb\n${note}`);
    expect(await said("printf 'größe öä \\377\\nplain\\n'")).toBe(`größe öä \ufffd\nplain\n${note}`);
    expect(await said("printf 'größe\\n\\351t\\351\\n'")).toBe(`größe\nété\n${note}`);
    expect(await said("printf 'a\\0b\\0'")).toBe("a␀b␀");
    expect((await session.run("printf 'gr\\366\\337e\\n'")).display).toMatchObject({ tail: ["größe"] });
  });

  test("binary output is reported and kept, but not printed", async () => {
    await using session = await bashSession();
    const { text } = await session.run("head -c 5000 /dev/urandom");
    expect(text).toMatch(/^\[binary output of 5000 bytes, kept in \/\S+\.log\]\n\[exit code 0\]$/);
    expect(existsSync(logPathIn(text))).toBe(true);
  });

  test("output that is mostly text is shown, though its end is binary", async () => {
    await using session = await bashSession();
    const { text } = await session.run("seq 1 80; printf '\\0\\377\\0\\376\\0\\1\\2\\0'; head -c 40 /dev/zero");
    expect(text).toStartWith("1\n2\n3\n");
    expect(text).toContain("\n80\n");
    expect(text).toContain("not UTF-8");
    expect(text).not.toContain("binary output");
  });

  test("invalid UTF-8, colours and progress lines come out as readable text", async () => {
    await using session = await bashSession();
    const { text } = await session.run(
      "printf 'caf\\xe9 ok and more text to read\\n\\033[31mred\\033[0m\\n10%%\\r50%%\\r100%% done\\n'",
    );
    const note = "[bytes that are not UTF-8 are shown as Latin-1 or as \ufffd]";
    expect(text).toBe(`café ok and more text to read\nred\n100% done\n${note}\n[exit code 0]`);
  });

  test("a command that removes its own log is still heard", async () => {
    await using session = await bashSession();
    const { text } = await session.run(`echo before; rm -f ${session.directory}/*; echo after`);
    expect(text).toBe("before\nafter\n[exit code 0]");
  });

  deepTest("a flood is ended at the limit for output files, and the result says so", async () => {
    await using session = await bashSession({ limits: { maxOutputBytes: 1_000_000 } });
    const { text, isError } = await session.run("echo first; yes flood");
    expect(text).toStartWith("first\nflood\n");
    expect(text).toMatch(/flood\n(?:f|fl|flo|floo)?\n?\[ended/);
    expect(text).toContain("it printed more than 1000000 bytes");
    expect(isError).toBe(true);
    expect(session.alive()).toEqual([]);
  });
});

describe("while a command runs", () => {
  test("its last lines, lines, bytes and time are reported", async () => {
    await using session = await bashSession({ files: {} });
    const seen: Progress[] = [];
    await session.run("seq 1 12; until test -e go; do sleep 0.02; done", undefined, {
      report: (progress) => {
        seen.push(progress);
        void session.write("go", "");
      },
    });
    expect(seen.length).toBeGreaterThan(0);
    const [first] = seen;
    expect(first).toEqual({
      tail: ["8", "9", "10", "11", "12"],
      totalLines: 12,
      bytes: 27,
      elapsedMs: first?.elapsedMs ?? -1,
    });
  });

  test("its timeout ends it, and the partial output comes back as an error", async () => {
    await using session = await bashSession();
    const { text, isError, display } = await session.run("echo partial; sleep 60; echo never", { timeout: 1_000 });
    expect(text).toMatch(/^partial\n\[timed out after 1(?:\.0)? s/);
    expect(text).toContain("run_in_background");
    expect(text).not.toContain("never");
    expect({ isError, timedOut: display?.kind === "command" && display.timedOut }).toEqual({
      isError: true,
      timedOut: true,
    });
    expect(session.alive()).toEqual([]);
  });

  test("an output without a line end at the timeout is not lost", async () => {
    await using session = await bashSession();
    const { text } = await session.run("printf 'Continue? [y/N] '; sleep 60", { timeout: 1_000 });
    expect(text).toStartWith("Continue? [y/N] \n[timed out");
  });

  test("a longer timeout than allowed is cut to the longest", async () => {
    await using session = await bashSession({ limits: { maxTimeoutMs: 150 } });
    const { text } = await session.run("sleep 60", { timeout: 999_999 });
    expect(text).toMatch(/timed out after 0\.[12] s/);
    expect(text).toContain("Start it with run_in_background.");
  });

  test("an abort settles at once with what is there, though the command ignores SIGINT and SIGTERM", async () => {
    await using session = await bashSession({ limits: { ladder: { interruptMs: 100, terminateMs: 100 } } });
    const abort = new AbortController();
    const running = session.run(
      "trap '' INT TERM; echo working; touch ready; while :; do sleep 0.05; done",
      {},
      { signal: abort.signal },
    );
    await until(() => existsSync(session.path("ready")));
    abort.abort(new Error("Esc"));
    const { text, isError } = await running;
    expect(session.alive().length).toBeGreaterThan(0);
    expect({ text, isError }).toEqual({
      text: expect.stringMatching(
        /^working\n\[interrupted by the user.*the output stops there\]$/,
      ) as unknown as string,
      isError: true,
    });
    await session.shells.closeAll();
    expect(session.alive()).toEqual([]);
    expect(readdirSync(session.directory)).toEqual([]);
  });

  test("an abort during the ladder of a timeout settles too", async () => {
    await using session = await bashSession({ limits: { ladder: { interruptMs: 30_000, terminateMs: 30_000 } } });
    const abort = new AbortController();
    const running = session.run(
      "trap 'touch told' INT; while :; do sleep 0.02; done",
      { timeout: 1_000 },
      { signal: abort.signal },
    );
    await until(() => existsSync(session.path("told")));
    abort.abort(new Error("Esc"));
    expect((await running).text).toContain("interrupted by the user");
    // The loop may start and end a child meanwhile.
    for (const { pid } of processesWithTag(session.outer)) if (isRunning(pid)) process.kill(pid, "SIGKILL");
  });

  test("a call that was aborted before it started starts nothing", async () => {
    await using session = await bashSession();
    const signal = AbortSignal.abort(new Error("Esc"));
    await expect(session.run("touch started", {}, { signal })).rejects.toThrow("Esc");
    expect(existsSync(session.path("started"))).toBe(false);
  });
});

describe("the working folder", () => {
  test("is kept between calls inside the workspace", async () => {
    await using session = await bashSession({ files: { "sub/deep/a.txt": "" } });
    expect((await session.run("cd sub && cd deep")).text).toBe(
      `(no output)\n[exit code 0]\n[the working folder is now ${session.path("sub/deep")}]`,
    );
    expect((await session.run("pwd")).text).toBe(`${session.path("sub/deep")}\n[exit code 0]`);
  });

  test("stays when a command leaves the workspace, also through a link", async () => {
    await using session = await bashSession();
    await symlink("/usr", session.path("out"));
    expect((await session.run("cd /etc; pwd")).text).toBe(
      `/etc\n[exit code 0]\n[the working folder stays ${session.dir}: /etc lies outside the workspace]`,
    );
    expect((await session.run("cd out")).text).toContain("/usr lies outside the workspace");
    expect(session.workspace.cwd).toBe(session.dir);
  });

  test("moves after a failure and before an exit, as the shell does", async () => {
    await using session = await bashSession({ files: { "a/x": "", "b/x": "" } });
    expect((await session.run("cd a; false")).text).toContain("[exit code 1]\n[the working folder is now");
    expect((await session.run("set -euo pipefail; cd ../b; exit 4")).text).toContain("[exit code 4]\n");
    expect(session.workspace.cwd).toBe(session.path("b"));
  });

  test("is not moved by a subshell, nor lost by noclobber or tracing", async () => {
    await using session = await bashSession({ files: { "a/x": "" } });
    await session.run("(cd a)");
    expect(session.workspace.cwd).toBe(session.dir);
    const { text } = await session.run("set -C; set -x; cd a");
    expect(text).toBe(`+ cd a\n[exit code 0]\n[the working folder is now ${session.path("a")}]`);
  });

  test("stays when the command has its own EXIT trap or replaces the shell", async () => {
    await using session = await bashSession({ files: { "a/x": "" } });
    expect((await session.run("trap 'echo bye' EXIT; cd a")).text).toBe("bye\n[exit code 0]");
    expect((await session.run("cd a; exec echo replaced")).text).toBe("replaced\n[exit code 0]");
    expect(session.workspace.cwd).toBe(session.dir);
  });

  test("falls back to the root when a command removes it", async () => {
    await using session = await bashSession({ files: { "gone/x": "" } });
    await session.run("cd gone");
    const { text } = await session.run("rm -r ../gone");
    expect(text).toContain(`[the working folder ${session.path("gone")} is gone; it is now ${session.dir}]`);
    expect(session.workspace.cwd).toBe(session.dir);
  });

  test("falls back to the root when it vanished between two calls", async () => {
    await using session = await bashSession({ files: { "gone/x": "" } });
    await session.run("cd gone");
    await rm(session.path("gone"), { recursive: true });
    expect((await session.run("pwd")).text).toBe(
      `${session.dir}\n[exit code 0]\n[the working folder ${session.path("gone")} was gone; this ran in ${session.dir}]`,
    );
  });

  test("with an odd name is kept exactly", async () => {
    await using session = await bashSession();
    const odd = 'it\'s a $(touch pwned) "folder" `x` ü';
    await mkdir(session.path(odd));
    await session.run("cd it*");
    expect(session.workspace.cwd).toBe(session.path(odd));
    expect((await session.run('basename "$PWD"')).text).toBe(`${odd}\n[exit code 0]`);
    expect(existsSync(session.path("pwned"))).toBe(false);
  });
});

test("without a description the command stands in for it", async () => {
  await using session = await bashSession();
  await session.run("", { command: "sleep  60", description: undefined, run_in_background: true });
  expect(session.tasks.list().map(({ description }) => description)).toEqual(["sleep 60"]);
});

describe("bad input gets one clear line", () => {
  test.each([
    ["an empty command", { command: "  " }, "The command is empty."],
    ["a NUL", { command: "echo a\0b" }, "NUL"],
    ["a negative timeout", { command: "ls", timeout: -1 }, "timeout"],
  ])("%s", async (_name, input, message) => {
    await using session = await bashSession();
    await expect(session.run("", input)).rejects.toThrow(message);
  });

  test("a command longer than the system takes", async () => {
    await using session = await bashSession();
    await expect(session.run(`: ${"x".repeat(140_000)}`)).rejects.toThrow(
      /^The command is 140002 bytes long; the system takes at most 131071\. Write the text to a file first/,
    );
    expect(readdirSync(session.directory)).toEqual([]);
  });

  test("aliases and strings are corrected, and the corrections are named", async () => {
    await using session = await bashSession();
    const call = await session.prepareRaw({ cmd: "echo hi", description: "Says hi", timeout: "5000" });
    expect(call.title).toBe("echo hi");
    expect(call.corrections).toEqual([
      "`cmd` was taken as `command`",
      "`timeout` was sent as a string and read as a number",
    ]);
  });
});
