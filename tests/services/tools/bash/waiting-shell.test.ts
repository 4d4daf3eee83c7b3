import { describe, expect, setDefaultTimeout, test } from "bun:test";
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../../../src/platform/clock.ts";
import { processesWithTag } from "../../../../src/platform/processes/process-table.ts";
import { PATH, until } from "./bash-session.ts";
import { confinedSession } from "./confined-session.ts";

setDefaultTimeout(20_000);

/** What Quoll made there, besides the session's folder for temporary files. */
const filesOf = (directory: string) => readdirSync(directory).filter((name) => name !== "tmp");

/** Prints 1 in a shell that waited: the sandbox's first process was started with its words. */
const WAITED = "{ grep -zc 'WOR[K] || exit' /proc/1/cmdline || true; }";

const REPOSITORY = { ".git/HEAD": "ref: refs/heads/main\n" };

/** A session in whose sandbox a shell waits for the next command. */
async function waitingSession(...[files = {}, options]: Parameters<typeof confinedSession>) {
  const session = await confinedSession(files, options);
  const untilWaiting = () => until(() => session.shells.waiting.isReady);
  /** What a waiting shell printed. Another test's mount makes the sandbox give a shell up, so this tries again. */
  const waited = async (command: string) => {
    for (let tries = 1; ; tries += 1) {
      await untilWaiting();
      const [, text, mark] = /^(.*?)\n?([01])$/s.exec(printed(await session.run(`${command}\n${WAITED}`))) ?? [];
      if (mark === "1") return text;
      if (tries === 5) throw new Error(`No waiting shell ran ${command}: ${text}`);
    }
  };
  await session.run("true");
  await untilWaiting();
  return { ...session, untilWaiting, waited };
}

/** What a command printed, without notes. */
const printed = ({ text }: { readonly text: string }) => text.replace(/(?:\n?\[[^\n]*\]\s*)+$/, "").trimEnd();

describe("a shell that waits in the sandbox", () => {
  test("runs the next command, and another one waits after that", async () => {
    await using session = await waitingSession();
    expect(await session.waited("echo one")).toBe("one");
    expect(await session.waited("echo in > inside")).toBe("");
    expect(readFileSync(session.path("inside"), "utf8")).toBe("in\n");
  });

  test("is not used for a command outside the sandbox, or for a long one", async () => {
    await using session = await waitingSession();
    expect(printed(await session.run(`${WAITED}; : ${"x".repeat(9_000)}`))).toBe("0");
    expect(session.shells.waiting.isReady).toBe(true);
  });

  const commands = [
    "echo \"$0 $SHLVL $#\"; echo 'it''s'; printf '%s\\n' \"a  b\" '$HOME' `echo x`",
    'cat; read -r line; echo "read: $?"',
    "if",
    "no-such-program",
    "echo one\necho two >&2; exit 7",
    "kill -9 $$",
    "cat <<'END'\n\\ \"quoted\" 'too' $x\nEND",
    "set -o | grep -c on; shopt | grep -c on; trap | grep -c pwd; ls /proc/$$/fd",
    "env | grep -v '^QUOLL_SPAWN=' | sort; set | grep -E '^(BASH_EXECUTION_STRING|IFS|OPTIND|work)='",
    "ulimit -a; umask; pwd; ps -o pid=,ppid=,pgid=,tty=,args= -p $$",
    "echo ä€😀 $'\\x01\\xff' | od -c",
    "exec echo replaced",
  ];
  test.each(commands)("answers as one that was started for the command: %p", async (command) => {
    await using session = await confinedSession();
    const fresh = await session.run(command);
    await until(() => session.shells.waiting.isReady);
    const pids = session.alive().length;
    const waited = await session.run(command);
    expect(pids).toBeGreaterThan(0);
    expect(waited.text).toBe(fresh.text);
    expect(waited.isError).toBe(fresh.isError);
  });

  test("carries the folder over, and takes the variables of its own run", async () => {
    await using session = await waitingSession({ "sub/a": "x" });
    const variables = "env | grep -c -e BASH_ENV -e QUOLL_FOLDER -e QUOLL_PRELUDE";
    expect(await session.waited(`cd ${session.path("sub")}; ${variables}`)).toBe("0");
    expect(session.workspace.cwd).toBe(session.path("sub"));
    expect(await session.waited("pwd")).toBe(session.path("sub"));
  });

  test("ends with the session, and leaves no process, file or mount point", async () => {
    await using session = await waitingSession(REPOSITORY);
    const before = readdirSync(session.directory);
    expect(session.alive().length).toBeGreaterThan(0);
    await session.shells.closeAll();
    expect(session.alive()).toEqual([]);
    expect(before.length).toBeGreaterThan(0);
    expect(filesOf(session.directory)).toEqual([]);
    expect(readdirSync(session.path(".git"))).toEqual(["HEAD"]);
  });

  test("ends after a while, when the model thinks for longer", async () => {
    const late = Promise.withResolvers<void>();
    const sleep = (ms: number, signal: AbortSignal) => (ms === 20_000 ? late.promise : systemClock.sleep(ms, signal));
    await using session = await waitingSession({}, { clock: { ...systemClock, sleep } });
    expect(session.alive().length).toBeGreaterThan(0);
    late.resolve();
    await until(() => session.alive().length === 0);
    expect(session.shells.waiting.isReady).toBe(false);
    expect(printed(await session.run(WAITED))).toBe("0");
  });

  test("leaves the command the person's variables, and an unknown locale's warning", async () => {
    const environment = { work: "/home/me/work", TMOUT: "1", LC_ALL: "xx_YY.UTF-8", BASH_WORK: "mine" };
    const command = "env | grep -E '^(work|TMOUT|BASH_WORK|LC_ALL)=' | sort";
    await using session = await confinedSession({}, { environment });
    const fresh = printed(await session.run(command));
    expect(fresh).toContain("work=/home/me/work");
    await using other = await waitingSession({}, { environment });
    expect(await other.waited(command)).toBe(fresh);
  });

  test("is killed when it does not start in time, or is not needed when it has started", async () => {
    const sleep = (ms: number, signal: AbortSignal) =>
      ms === 2_000 ? Promise.resolve() : systemClock.sleep(ms, signal);
    await using late = await confinedSession({}, { clock: { ...systemClock, sleep } });
    await late.run("true");
    await late.shells.waiting.close();
    expect([late.alive(), filesOf(late.directory)]).toEqual([[], []]);
    for (const waitMs of [0, 14, 16, 18, 20, 22, 24, 26, 30]) {
      await using short = await confinedSession();
      await short.run("true");
      await systemClock.sleep(waitMs, new AbortController().signal);
      await short.shells.closeAll();
      expect([short.alive(), filesOf(short.directory)]).toEqual([[], []]);
    }
    await using idle = await confinedSession();
    await idle.run("true");
    idle.shells.waiting.rest();
    await until(() => idle.alive().length > 0);
    await until(() => idle.alive().length === 0);
    expect(idle.shells.waiting.isReady).toBe(false);
  });

  test("whose time is over has ended when the session has", async () => {
    const late = Promise.withResolvers<void>();
    const sleep = (ms: number, signal: AbortSignal) => (ms === 20_000 ? late.promise : systemClock.sleep(ms, signal));
    await using session = await waitingSession(REPOSITORY, { clock: { ...systemClock, sleep } });
    late.resolve();
    await late.promise;
    await session.shells.closeAll();
    expect([session.alive(), filesOf(session.directory)]).toEqual([[], []]);
    expect(readdirSync(session.path(".git"))).toEqual(["HEAD"]);
  });

  test("that dies while the sandbox is checked is replaced", async () => {
    let kills = async () => {};
    await using session = await confinedSession({}, { confined: () => kills() });
    await session.run("true");
    await until(() => session.shells.waiting.isReady);
    kills = async () => {
      const [outermost] = processesWithTag(session.outer);
      process.kill(outermost?.pid ?? Number.NaN, "SIGKILL");
      await until(() => session.alive().length === 0);
    };
    expect(printed(await session.run(`echo ran; ${WAITED}`))).toBe("ran\n0");
    kills = async () => {};
  });

  test("that was killed does not keep the next command from running", async () => {
    await using session = await waitingSession();
    const [outermost] = processesWithTag(session.outer);
    process.kill(outermost?.pid ?? Number.NaN, "SIGKILL");
    await until(() => session.alive().length === 0);
    expect(printed(await session.run(`echo ran; ${WAITED}`))).toBe("ran\n0");
  });
});

describe("a shell that waits is given up when the sandbox would now be another one", () => {
  const secret = { ".env": "SECRET=here\n", "sub/.env": "SECRET=there\n", "sub/b": "x" };
  const isHidden = (path: string) => path.endsWith("/.env");
  const changes: Readonly<Record<string, (dir: string) => void>> = {
    "a hidden file was replaced": (dir) => {
      writeFileSync(join(dir, "new"), "SECRET=new\n");
      renameSync(join(dir, "new"), join(dir, ".env"));
    },
    "a hidden file was removed and made anew": (dir) => {
      rmSync(join(dir, ".env"));
      writeFileSync(join(dir, ".env"), "SECRET=anew\n");
    },
    "a hidden file was linked elsewhere and back": (dir) => {
      linkSync(join(dir, ".env"), join(dir, "other"));
      rmSync(join(dir, ".env"));
      renameSync(join(dir, "other"), join(dir, ".env"));
    },
    "a folder with a hidden file was replaced": (dir) => {
      renameSync(join(dir, "sub"), join(dir, "old"));
      mkdirSync(join(dir, "sub"));
      writeFileSync(join(dir, "sub/.env"), "SECRET=second\n");
      rmSync(join(dir, "old"), { recursive: true });
    },
    "a file to hide has come": (dir) => {
      mkdirSync(join(dir, "more"));
      writeFileSync(join(dir, "more/.env"), "SECRET=third\n");
    },
  };
  test.each(Object.keys(changes))("%s", async (what) => {
    await using session = await waitingSession(secret, { isHidden, denyRead: ["**/.env"] });
    const look = `cat .env sub/.env more/.env 2>/dev/null; ${WAITED}`;
    expect(await session.waited("cat .env sub/.env 2>/dev/null")).toBe("");
    await session.untilWaiting();
    changes[what]?.(session.dir);
    expect(printed(await session.run(look))).toBe("0");
  });

  test.each([
    "mv sub old; mkdir sub",
    "rm -r sub; mkdir sub",
    'mv sub "$OUTSIDE"; mkdir sub',
    "ln -s . more; mv sub more/x; mkdir sub",
  ])("the working folder was replaced: %s", async (change) => {
    await using session = await waitingSession({ "sub/a": "x", b: "y" });
    await session.run("cd sub");
    await session.untilWaiting();
    const outer = Bun.spawnSync(["bash", "-c", change], { cwd: session.dir, env: { PATH, OUTSIDE: session.outside } });
    expect(outer.exitCode).toBe(0);
    expect(printed(await session.run(`echo written > here; ${WAITED}`))).toBe("0");
    expect(readdirSync(session.path("sub"))).toEqual(["here"]);
    rmSync(join(session.dir, "../sub"), { recursive: true, force: true });
  });

  test("a setting of git was replaced, or a link was put in the place of a protected file", async () => {
    await using session = await waitingSession({ ...REPOSITORY, ".git/config": "[core]\n" });
    writeFileSync(session.path("config"), "[core]\n\tbare = false\n");
    renameSync(session.path("config"), session.path(".git/config"));
    const write = `echo bad >> .git/config; ${WAITED}`;
    expect(printed(await session.run(write))).toEndWith("0");
    await session.untilWaiting();
    rmSync(session.path(".git/config"));
    writeFileSync(session.path("real"), "[core]\n");
    symlinkSync("../real", session.path(".git/config"));
    expect(printed(await session.run(WAITED))).toBe("0");
    expect(readFileSync(session.path("real"), "utf8")).toBe("[core]\n");
    expect(existsSync(session.path(".git/config"))).toBe(true);
  });
});
