import { describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { systemClock } from "../../../src/platform/clock.ts";
import { stopSpawn } from "../../../src/platform/processes/stop-ladder.ts";
import { deepTest, eachOrDeep } from "../../support/deep.ts";
import { until } from "../../support/eventually.ts";
import { sandboxPlace } from "./sandbox-fixture.ts";

const FILES = { "src/a.ts": "1\n", "main.c": '#include <stdio.h>\nint main(){puts("built");return 0;}\n' };

/** Where programs of this repository are: a sandbox hides a clone below /tmp. */
const REPOSITORY = resolve(import.meta.dir, "../../..");

/** `npm test` tries every other kind of work under one of the two. */
const KINDS = ["bubblewrap", "landlock"] as const;

describe.each(KINDS)("under %s", (kind) => {
  const place = (more: Parameters<typeof sandboxPlace>[0] = {}) => sandboxPlace({ kind, files: FILES, ...more });

  eachOrDeep(
    "ordinary work goes on: %s",
    (at) => at % 4 === 2 * KINDS.indexOf(kind),
    [
      ["a pipeline", "printf 'b\\na\\n' | sort | head -1", "a\n"],
      ["a here-document", "cat <<X\nhello\nX", "hello\n"],
      ["process substitution", "cat <(echo one)", "one\n"],
      ["writing below an existing folder", "mkdir -p src/new && echo hi > src/new/f && cat src/new/f", "hi\n"],
      ["a change of an existing file", "echo 2 > src/a.ts; cat src/a.ts", "2\n"],
      ["renames within the workspace", "mkdir -p src/d && mv src/a.ts src/d/b.ts && ls src/d", "b.ts\n"],
      ["temporary files", "f=$(mktemp) && echo t > $f && cat $f && rm $f", "t\n"],
      [
        "python",
        'python3 -c \'import json,tempfile; print(json.dumps(tempfile.NamedTemporaryFile("w").write("x")))\'',
        "1\n",
      ],
      ["a compiler", "cc -o src/built main.c && src/built", "built\n"],
      ["devices", "echo x > /dev/null; head -c 2 /dev/zero | wc -c; head -c 3 /dev/urandom | wc -c", "2\n3\n"],
      ["its own output by name", "echo out >> /dev/stdout; echo err >> /dev/stderr", "out\nerr\n"],
      [
        "a pair of connected sockets",
        "python3 -c 'import socket; a,b=socket.socketpair(); a.send(b\"x\"); print(b.recv(1))'",
        "b'x'\n",
      ],
      ["its own processes", "sleep 50 & kill $!; wait $! 2>/dev/null; echo $?", "143\n"],
      ["the working folder", "cd src && pwd | sed 's,.*/,,'", "src\n"],
    ],
    async (_, script, out) => {
      await using at = await place();
      expect(await at.run(script)).toEqual({ code: 0, out });
    },
  );

  test("a script of Node's runs, with a child of its own", async () => {
    await using at = await place();
    await at.project.write(
      "src/build.mjs",
      'import { execFileSync, fork } from "node:child_process"; import { mkdirSync, writeFileSync } from "node:fs";' +
        'if (process.send) { process.send("hi"); process.disconnect(); } else { mkdirSync("src/out", { recursive: true });' +
        'writeFileSync("src/out/x.js", execFileSync("echo", ["made"]));' +
        'fork(process.argv[1]).on("message", (m) => console.log(m)); }',
    );
    expect(await at.run("node src/build.mjs && cat src/out/x.js")).toEqual({ code: 0, out: "hi\nmade\n" });
  });

  test("exit codes and the ends by signals are passed on", async () => {
    await using at = await place();
    expect((await at.run("exit 7")).code).toBe(7);
    expect((await at.run("false")).code).toBe(1);
    expect((await at.run("no-such-program")).code).toBe(127);
    expect((await at.run("bash -c 'kill -9 $$'; exit $?")).code).toBe(137);
  });

  test("a socket in memory that its program removes while a command starts does not keep the command from running", async () => {
    await using at = await place();
    const folder = mkdtempSync("/dev/shm/quoll-test-");
    await using _ = Bun.listen({ unix: join(folder, "s"), socket: { data: () => undefined } });
    const { confined } = await at.confineBash("exit 7");
    rmSync(folder, { recursive: true });
    const child = Bun.spawn([confined.file, ...confined.args], {
      cwd: confined.cwd,
      env: confined.env,
      stdio: ["ignore", "ignore", "ignore"],
    });
    expect(await child.exited).toBe(7);
    await confined.dispose();
  });

  test("names with spaces, quotes and signs of shells arrive as they are", async () => {
    await using at = await place();
    const odd = "a b'c\"d$e`f\\g*";
    const { out } = await at.run('printf "%s\\n" "$@"', { args: ["-c", 'printf "%s\\n" "$@"', "bash", odd, "", "é"] });
    expect(out).toBe(`${odd}\n\né\n`);
  });

  test("the stop ladder leaves nothing, whatever was started", async () => {
    await using at = await place();
    const { spawn, tag, confined } = await at.start(
      "trap '' INT TERM; (setsid sleep 300 &); sleep 300 & wait; sleep 300",
    );
    await until(() => at.alive().filter((command) => command.includes("sleep 300")).length >= 2);
    const { survivors } = await stopSpawn({ ...spawn, tag }, systemClock, { interruptMs: 50, terminateMs: 50 });
    expect(survivors).toEqual([]);
    await until(() => at.alive().length === 0);
    await confined.dispose();
  });

  test("a file that is named writable can be written to, its neighbours can't", async () => {
    await using at = await place();
    const file = `${at.artifacts}/folder`;
    await Bun.write(file, "");
    const more = { env: { F: file }, writableFiles: [file] };
    expect(await at.run('pwd -P >|$F; (echo x > "$F.2") 2>/dev/null; cat $F', more)).toEqual({
      code: 0,
      out: `${at.project.dir}\n`,
    });
    expect(readFileSync(file, "utf8")).toBe(`${at.project.dir}\n`);
    expect(existsSync(`${file}.2`)).toBe(false);
  });

  test("variables that name sockets are unset, and temporary files have a separate folder", async () => {
    await using at = await place();
    const env = {
      SSH_AUTH_SOCK: "/x",
      DISPLAY: ":0",
      DBUS_SESSION_BUS_ADDRESS: "unix:path=/x",
      HTTP_PROXY: "http://x",
      OWN: "1",
    };
    const { out } = await at.run(
      'echo "$SSH_AUTH_SOCK$DISPLAY$DBUS_SESSION_BUS_ADDRESS$HTTP_PROXY$OWN"; test -w $TMPDIR && [ $TMPDIR != "$OLD" ] && echo new',
      {
        env: { ...env, OLD: at.home.dir, TMPDIR: at.home.dir },
      },
    );
    expect(out).toBe("1\nnew\n");
  });

  test("nothing is left behind in the workspace or in our own folders", async () => {
    await using at = await place({ git: true });
    const names = () => readdirSync(at.project.dir).sort();
    const before = names();
    await at.run("ls -A > /dev/null");
    expect(names()).toEqual(before);
    await at.sandbox.close();
    expect(readdirSync(`${at.deps.stateFolder}/sandbox`)).toEqual([]);
  });
});

describe("under bubblewrap", () => {
  test("git works in a repository: status, add, commit, branch, stash, log", async () => {
    await using at = await sandboxPlace({ git: true, files: { "a.txt": "1\n" } });
    const { code, out } = await at.run(
      "set -e; git add -A; git commit -qm one; git switch -qc side; echo 2 > a.txt; git commit -qam two; git switch -q main; " +
        "git merge -q side; echo 3 > a.txt; git stash -q; git stash pop -q; git status --short; git log --format=%s; git tag v1; git gc -q",
    );
    expect({ code, out }).toEqual({ code: 0, out: " M a.txt\ntwo\none\n" });
    expect(at.outside("git status --short; git ls-files; git fsck --no-dangling 2>&1").out).toBe(" M a.txt\na.txt\n");
  });

  deepTest(
    "a repository without a folder for its list of ignored files, as some tools make them, is worked in",
    async () => {
      await using at = await sandboxPlace({ git: true, files: { "a.txt": "1\n" } });
      at.outside("rm -r .git/info");
      const { code, out } = await at.run("git add a.txt && git commit -qm one && git log --format=%s");
      expect({ code, out }).toEqual({ code: 0, out: "one\n" });
      expect(at.outside("ls .git").out).not.toContain("info");
    },
  );

  test("nothing stands in the folder that is not there anyway, inside or outside", async () => {
    await using at = await sandboxPlace({ git: true, files: { "app/a.txt": "1\n" } });
    expect(await at.run("ls -A; git status --short --untracked-files=all")).toEqual({
      code: 0,
      out: ".git\napp\n?? app/a.txt\n",
    });
    await using plain = await sandboxPlace({ files: { "a.txt": "1\n" } });
    const { spawn, confined, output } = await plain.start(
      "ls -A; touch ready; while [ -e ready ]; do sleep 0.01; done",
    );
    await until(() => existsSync(plain.project.path("ready")));
    expect(readdirSync(plain.project.dir).sort()).toEqual(["a.txt", "ready"]);
    plain.outside("rm ready");
    await spawn.exited;
    await confined.dispose();
    expect(output()).toBe("a.txt\n");
  });

  eachOrDeep(
    "npm pack and biome see the project as it is (a repository: %s)",
    1,
    ["yes", "no"] as const,
    async (isRepository) => {
      const git = isRepository === "yes";
      const json = (value: object) => `${JSON.stringify(value, null, "\t")}\n`;
      const files = {
        "package.json": json({ name: "x", version: "1.0.0" }),
        "biome.json": json({ root: true }),
        "a.js": "f();\n",
      };
      const settings = { filesystem: { allowRead: [REPOSITORY] } };
      await using at = await sandboxPlace({ git, files, settings });
      const packed = await at.run("npm pack --dry-run --json --offline --cache $TMPDIR/npm 2>/dev/null");
      const [{ files: names }] = JSON.parse(packed.out);
      expect(names.map(({ path }: { readonly path: string }) => path).sort()).toEqual(Object.keys(files).sort());
      const biome = join(REPOSITORY, "node_modules/.bin/biome");
      const checked = await at.run(`${biome} check --vcs-enabled=false .`);
      expect(checked.out).toStartWith("Checked 3 files");
      expect(checked.code).toBe(0);
    },
  );

  deepTest("git works in a worktree whose data lie elsewhere, and its hooks and settings stay", async () => {
    await using at = await sandboxPlace({ git: true, files: { "a.txt": "1\n" } });
    at.outside(
      "git add -A; git commit -qm one; git worktree add -q ../wt-$$ 2>&1; mv ../wt-$$ wt; git worktree repair wt >/dev/null 2>&1",
    );
    const wt = at.project.path("wt");
    const common = at.project.path(".git");
    await using inside = await sandboxPlace({
      deps: {
        roots: [wt],
        projectRoot: wt,
        gitFolders: [`${common}/worktrees/${readdirSync(`${common}/worktrees`)[0]}`, common],
      },
    });
    const { code, out } = await inside.run(
      "echo 2 > a.txt; git commit -qam two; git log --format=%s; echo x > ../.git/hooks/evil",
      { cwd: wt },
    );
    expect({ code, out: out.replace(/^.*hooks\/evil.*$/m, "refused") }).toEqual({
      code: 1,
      out: "two\none\nrefused\n",
    });
    expect(existsSync(`${common}/hooks/evil`)).toBe(false);
  });

  deepTest("the next command finds the files that one left in /tmp, and programs outside do not", async () => {
    await using at = await sandboxPlace();
    await at.run("echo kept > /tmp/between-calls");
    expect((await at.run("cat /tmp/between-calls")).out).toBe("kept\n");
    expect(existsSync("/tmp/between-calls")).toBe(false);
  });

  deepTest("a listener inside is reached from inside", async () => {
    await using at = await sandboxPlace();
    const { out } = await at.run(
      "python3 -m http.server 8123 --bind 127.0.0.1 >/dev/null 2>&1 & for i in $(seq 100); do (exec 3<>/dev/tcp/127.0.0.1/8123) 2>/dev/null && echo up && break; sleep 0.05; done; kill %1",
    );
    expect(out).toBe("up\n");
  });

  test("folders that settings name are writable, and paths in the workspace that they name are not", async () => {
    await using more = await sandboxPlace({ files: { "cache/x": "1" } });
    await using at = await sandboxPlace({
      files: { "locked/y": "1" },
      deps: {},
      settings: { filesystem: { allowWrite: [more.project.path("cache")] } },
    });
    await using locked = await sandboxPlace({
      deps: {
        roots: at.deps.roots,
        projectRoot: at.deps.projectRoot,
        settings: { filesystem: { denyWrite: [at.project.path("locked")] } },
      },
    });
    expect((await at.run(`echo 2 > ${more.project.path("cache/x")}`)).code).toBe(0);
    expect(await more.project.read("cache/x")).toBe("2\n");
    expect((await locked.run("echo 2 > locked/y", { cwd: at.project.dir })).code).toBe(1);
    expect(await at.project.read("locked/y")).toBe("1");
  });

  test("a secret that settings open can be read", async () => {
    await using at = await sandboxPlace({ homeFiles: { ".npmrc": "token" } });
    await using open = await sandboxPlace({
      deps: { home: at.home.dir, settings: { filesystem: { allowRead: [at.home.path(".npmrc")] } } },
    });
    expect((await at.run("cat $HOME/.npmrc")).out).toBe("");
    expect((await open.run(`cat ${at.home.path(".npmrc")}`)).out).toBe("token");
  });
});

test("a sandbox that closes while its first command is prepared leaves nothing behind", async () => {
  await using place = await sandboxPlace();
  const prepared = place.confineBash("true").catch(() => undefined);
  await place.sandbox.state();
  await place.sandbox.close();
  await prepared;
  const records = place.home.path("own/state/sandbox");
  expect(existsSync(records) ? readdirSync(records).filter((name) => name.startsWith("quoll-sandbox-")) : []).toEqual(
    [],
  );
});
