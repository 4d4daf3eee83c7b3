/**
 * Ways out of the sandbox, tried from inside. Every one runs under the real mechanism of this machine; the victim is looked
 * at from outside afterwards, so a refusal that is only printed counts for nothing.
 */
import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { sandboxPlace } from "../services/sandbox/sandbox-fixture.ts";
import { eachOrDeep, testOrDeep } from "../support/deep.ts";
import { until } from "../support/eventually.ts";

const SECRET = "hunter2-the-secret";
const KINDS = ["bubblewrap", "landlock"] as const;
const HOME_FILES = {
  ".ssh/id_ed25519": SECRET,
  ".aws/credentials": SECRET,
  ".gnupg/secring": SECRET,
  ".npmrc": SECRET,
  ".config/gh/hosts.yml": SECRET,
  ".config/other/plain": "plain-text",
  ".bash_history": SECRET,
  ".claude/.credentials.json": SECRET,
  "notes.txt": "plain-text",
  "own/config/settings.json": SECRET,
  "own/data/sessions/p/other/session.jsonl": SECRET,
};
const FILES = {
  "src/a.ts": "1",
  "src/deep/b.ts": "2",
  "package.json": "{}",
  ".quoll/settings.json": "{}",
  "AGENTS.md": "x",
};
const GIT_CONFIG = "[core]";

type Way = readonly [name: string, script: string, made?: string | undefined];

const WAYS: { readonly outside: readonly Way[]; readonly secrets: readonly Way[] } = {
  /** To write outside, each with the file that it makes in the home folder. */
  outside: [
    ["a new file in the home folder", "echo x > $HOME/new", "new"],
    ["a shell start-up file", "echo x >> $HOME/.bashrc", ".bashrc"],
    ["an existing file outside", "echo x > $HOME/notes.txt", undefined],
    ["Quoll's own settings", "echo x > $HOME/own/config/settings.json", undefined],
    ["authorized_keys", "echo x > $HOME/.ssh/authorized_keys", ".ssh/authorized_keys"],
    ["a path with dots", "echo x > ../../../../../../$HOME/dots", "dots"],
    ["a rename to the outside", "echo x > src/x; mv src/x $HOME/moved", "moved"],
    ["a link to the outside, made inside", "cd src; ln -s $HOME out; echo x > out/through", "through"],
    ["a relative link", "cd src; ln -s ../../$(basename $HOME) out; echo x > out/through", "through"],
    ["a file that is a link", "cd src; ln -s $HOME/linked out; echo x > out", "linked"],
    ["a hard link from outside", "ln $HOME/notes.txt src/hard; echo x > src/hard", undefined],
    [
      "the file through /proc",
      "echo x > /proc/self/root/$HOME/proc-root; echo x > /proc/1/root/$HOME/proc-root",
      "proc-root",
    ],
    ["through the folder of a process", "echo x > /proc/self/cwd/../../$HOME/proc-cwd", "proc-cwd"],
    ["with dd and direct flags", "dd if=/dev/zero of=$HOME/dd bs=1 count=1 oflag=direct", "dd"],
    ["with truncate", "truncate -s 0 $HOME/notes.txt", undefined],
    ["by deleting", "rm -rf $HOME/notes.txt $HOME/.ssh", undefined],
  ],
  /** To read secrets of the home folder. */
  secrets: [
    ["SSH keys", "cat $HOME/.ssh/*"],
    ["cloud credentials", "cat $HOME/.aws/credentials"],
    ["PGP keys", "cat $HOME/.gnupg/secring"],
    ["registry tokens", "cat $HOME/.npmrc"],
    ["gh's token", "cat $HOME/.config/gh/hosts.yml"],
    ["the shell's history", "cat $HOME/.bash_history"],
    ["another agent's credentials", "cat $HOME/.claude/.credentials.json"],
    ["our own settings", "cat $HOME/own/config/settings.json"],
    ["another session", "cat $HOME/own/data/sessions/p/other/session.jsonl"],
    ["all of home, searched", "grep -r hunter2 $HOME"],
    ["through a link made inside", "cd src; ln -s $HOME/.ssh keys; cat keys/*"],
    ["through a hard link", "ln $HOME/.ssh/id_ed25519 src/key; cat src/key"],
    ["through /proc/self/root", "cat /proc/self/root/$HOME/.ssh/id_ed25519"],
    ["through the roots of others", "cat /proc/*/root/$HOME/.ssh/id_ed25519 2>/dev/null"],
    ["by a copy", "cp -r $HOME/.ssh src/copy; cat src/copy/*"],
    ["by moving the folder", "mv $HOME/.ssh src/moved; cat src/moved/*"],
  ],
};

/**
 * Tries each way in a folder `src` of its own, then prints its name. A way that led out stays visible outside, so one confined
 * shell is enough for all.
 */
const oneAfterTheOther = (ways: readonly Way[]) =>
  ways
    .map(
      ([name, script]) =>
        `(${script}) 2>&1; rm -rf src; mkdir src; echo; echo 'tried: ${name.replaceAll("'", "'\\''")}'`,
    )
    .join("\n");

const machine = await sandboxPlace();
const { kind: available } = await machine.sandbox.state();
await machine[Symbol.asyncDispose]();
if (available !== "bubblewrap") console.warn(`bubblewrap does not work here (${available}): its escapes are not tried`);
const kinds = KINDS.filter((kind) => kind === "landlock" || available === "bubblewrap");

test("without the sandbox the same ways lead out: what follows would notice", async () => {
  await using at = await sandboxPlace({ files: FILES, homeFiles: HOME_FILES, git: true });
  const { out } = at.outside(
    "cd src; ln -s $HOME out; echo x > out/through; cat $HOME/.ssh/*; echo evil > ../.git/hooks/pre-commit",
  );
  expect(out).toBe(SECRET);
  const tries = at.outside(oneAfterTheOther(WAYS.secrets)).out.split(/^tried: /m);
  expect(WAYS.secrets.filter((_, way) => !tries[way]?.includes("hunter2")).map(([name]) => name)).toEqual([]);
  await using fresh = await sandboxPlace({ files: FILES, homeFiles: HOME_FILES, git: true });
  // The last one deletes.
  const made = WAYS.outside.slice(0, -1).flatMap(([, , file]) => file ?? []);
  fresh.outside(oneAfterTheOther(WAYS.outside.slice(0, -1)));
  expect(made.filter((file) => !existsSync(fresh.home.path(file)))).toEqual([]);
  expect(existsSync(at.home.path("through"))).toBe(true);
  expect(existsSync(at.project.path(".git/hooks/pre-commit"))).toBe(true);
});

// What one mechanism shows is tried with the one that this machine's commands have; the other is left to the deep run.
describe.each(kinds)("under %s", (kind) => {
  const place = (more: Parameters<typeof sandboxPlace>[0] = {}) =>
    sandboxPlace({ kind, files: FILES, homeFiles: HOME_FILES, git: true, ...more });

  test("the mechanism under test is the one that runs", async () => {
    await using at = await place();
    expect(await at.sandbox.state()).toMatchObject({
      kind,
      strength: kind === "landlock" ? "weak" : "full",
      hasNetwork: false,
    });
    expect(await at.run("echo $QUOLL_SANDBOX")).toEqual({ code: 0, out: `${kind}\n` });
  });

  test("writing outside fails, whichever way it is tried", async () => {
    await using at = await place();
    const { out } = await at.run(oneAfterTheOther(WAYS.outside));
    for (const [name, , made] of WAYS.outside) {
      expect(out).toContain(`tried: ${name}\n`);
      if (made !== undefined)
        expect({ name, isThere: existsSync(at.home.path(made)) }).toEqual({ name, isThere: false });
    }
    for (const [name, text] of Object.entries(HOME_FILES)) expect(readFileSync(at.home.path(name), "utf8")).toBe(text);
  });

  test("reading secrets fails, whichever way it is tried", async () => {
    await using at = await place();
    const { out } = await at.run(oneAfterTheOther(WAYS.secrets));
    const tries = out.split(/^tried: /m).slice(0, -1);
    expect(tries).toHaveLength(WAYS.secrets.length);
    expect(WAYS.secrets.filter((_, at) => tries[at]?.includes("hunter2")).map(([name]) => name)).toEqual([]);
  });

  testOrDeep(kind === kinds[0])("a secret folder that is a link hides what it leads to", async () => {
    await using at = await place({ homeFiles: { "vault/keys/id": SECRET } });
    symlinkSync(at.home.path("vault/keys"), at.home.path(".ssh"));
    expect((await at.run("cat $HOME/vault/keys/id $HOME/.ssh/id")).out).not.toContain("hunter2");
  });

  testOrDeep(kind === kinds[0])(
    "a command can read files that are no secret, and this session's artefacts",
    async () => {
      await using at = await place();
      writeFileSync(join(at.artifacts, "long.txt"), "artefact\n");
      const script = "cat $HOME/notes.txt $HOME/.config/other/plain; echo; cat $HOME/own/data/sessions/p/this/long.txt";
      expect(await at.run(script)).toEqual({ code: 0, out: "plain-textplain-text\nartefact\n" });
      expect((await at.run("echo x > $HOME/own/data/sessions/p/this/long.txt")).code).toBe(1);
    },
  );

  eachOrDeep(
    "what others obey is as it was before the result: %s",
    // Every fourth way in `npm test`, each under one of the two, where there are two.
    (at) => (kinds.length === 1 ? at % 4 === 0 : at % 8 === 4 * KINDS.indexOf(kind)),
    [
      ["a hook", "mkdir -p .git/hooks; echo x > .git/hooks/pre-commit", ".git/hooks/pre-commit"],
      [
        "the folder of hooks, replaced",
        "mv .git/hooks .git/h; mkdir .git/hooks; echo x > .git/hooks/pre-commit",
        ".git/hooks/pre-commit",
      ],
      ["the settings of git", "git config core.fsmonitor ./evil; echo '[core]evil=1' >> .git/config", undefined],
      ["the settings by rename", "echo '[core] evil = 1' > src/c; mv -f src/c .git/config", undefined],
      ["another common folder", "echo ../src > .git/commondir", undefined],
      ["a second .git over the first", "mv .git src/old; mkdir .git; echo x > .git/config", undefined],
      ["a link over .git", "ln -s src src/l; mv -T src/l .git; ln -sfn src .git; rmdir .git", undefined],
      ["settings of Quoll", "echo '{\"x\":1}' > .quoll/settings.json", undefined],
      [
        "settings of Quoll by another folder",
        "mv .quoll src/q; mkdir .quoll; echo evil > .quoll/settings.json",
        undefined,
      ],
      ["instructions", "echo evil > AGENTS.md; rm -f AGENTS.md; echo evil > AGENTS.md", undefined],
      ["instructions by rename", "echo evil > src/x; mv -f src/x AGENTS.md", undefined],
      ["new instructions", "echo evil > CLAUDE.md", "CLAUDE.md"],
      ["new MCP servers", "echo evil > .mcp.json", ".mcp.json"],
      ["new settings of an agent", "mkdir -p .claude; echo evil > .claude/settings.json", ".claude/settings.json"],
      ["a new skill", "mkdir -p .agents/skills/x; echo evil > .agents/skills/x/SKILL.md", ".agents/skills/x/SKILL.md"],
      ["tasks of an editor", "mkdir -p .vscode; echo evil > .vscode/tasks.json", ".vscode/tasks.json"],
      ["submodules", "echo evil > .gitmodules", ".gitmodules"],
      ["direnv", "echo evil > .envrc", ".envrc"],
      ["a link in the place of new settings", "ln -s src .claude; echo evil > src/settings.json", ".claude"],
    ],
    async (_, script, made) => {
      await using at = await place();
      await at.run(script);
      if (made !== undefined) expect(existsSync(at.project.path(made))).toBe(false);
      expect(readFileSync(at.project.path(".git/config"), "utf8")).toStartWith(GIT_CONFIG);
      expect(at.outside("cat .git/config; ls .git/hooks").out).not.toContain("evil");
      expect(await at.project.read(".quoll/settings.json")).toBe("{}");
      expect(await at.project.read("AGENTS.md")).toBe("x");
      expect(at.outside("git rev-parse --git-common-dir")).toEqual({ code: 0, out: ".git\n" });
    },
  );

  eachOrDeep(
    "what makes a repository of a folder without one is gone before the result: %s",
    (at) => at === KINDS.indexOf(kind),
    [
      ["a repository", "mkdir -p .git/hooks && echo x > .git/hooks/pre-commit; git init -q .; git config core.x 1"],
      ["a bare repository", "mkdir -p objects refs; echo 'ref: refs/heads/m' > HEAD; echo '[core]' > config"],
    ] as const,
    async (_, script) => {
      await using at = await place({ git: false });
      await at.run(script);
      expect(existsSync(at.project.path(".git"))).toBe(false);
      expect(existsSync(at.project.path("HEAD"))).toBe(false);
      expect(at.outside("git rev-parse --git-dir").code).not.toBe(0);
    },
  );

  eachOrDeep(
    "it can't %s",
    // In `npm test` a namespace of its own under one of the two, the namespaces of others under the other.
    (at) => at === (kind === "bubblewrap" ? 3 : 5),
    [
      ["mount a file system", "mount -t tmpfs none $HOME"],
      ["unmount one", "umount -l /tmp; umount -l $HOME/.ssh; umount -l .git/hooks"],
      ["remount writable", "mount -o remount,rw,bind /; mount -o remount,rw $HOME"],
      [
        "mount in namespaces of its own",
        "unshare -Urm bash -c 'umount -l $HOME/.ssh; mount -o remount,rw,bind /; cat $HOME/.ssh/*; echo x > $HOME/unshared'",
      ],
      ["change its root", "chroot /proc/1/root /bin/sh -c 'cat $HOME/.ssh/*; echo x > $HOME/unshared'"],
      [
        "enter the namespaces of others",
        "for p in /proc/[0-9]*; do nsenter -t $(basename $p) -m -- sh -c 'cat $HOME/.ssh/*; echo x > $HOME/unshared'; done",
      ],
    ],
    async (_, script) => {
      await using at = await place();
      const { out } = await at.run(`${script}; echo x > $HOME/after; cat $HOME/.ssh/*; echo x > .git/hooks/h`);
      expect(out).not.toContain("hunter2");
      for (const name of ["after", "unshared"]) expect(existsSync(at.home.path(name))).toBe(false);
      expect(existsSync(at.project.path(".git/hooks/h"))).toBe(false);
    },
  );

  test("a command can't end, trace or inspect processes outside", async () => {
    await using at = await place();
    const victim = Bun.spawn(["sleep", "30"], { env: { VICTIM: SECRET } });
    try {
      const { out } = await at.run(
        `kill -9 ${victim.pid}; kill -9 -1; cat /proc/${victim.pid}/environ | tr '\\0' ' '; ` +
          `python3 -c "import ctypes; print('attach', ctypes.CDLL(None).ptrace(16, ${victim.pid}, 0, 0))"; ` +
          `python3 -c "open('/proc/${victim.pid}/mem','rb+')"`,
      );
      expect(out).not.toContain("hunter2");
      expect(out).not.toContain("attach 0");
      expect(victim.exitCode).toBeNull();
      process.kill(victim.pid, 0);
    } finally {
      victim.kill("SIGKILL");
      await victim.exited;
    }
  });

  testOrDeep(kind === kinds[0])("a command has no capabilities and can't change kernel settings", async () => {
    await using at = await place();
    // The value that it has already: a test that fails must not change the machine.
    const script =
      "grep ^CapEff /proc/self/status; v=$(cat /proc/sys/vm/swappiness); echo $v > /proc/sys/vm/swappiness && echo CHANGED";
    const { out } = await at.run(script);
    expect(out).toContain("CapEff:\t0000000000000000");
    expect(out).not.toContain("CHANGED");
    expect((await at.run("grep NoNewPrivs /proc/self/status")).out).toBe("NoNewPrivs:\t1\n");
  });

  testOrDeep(kind === kinds[0])("the disk's own device can't be read", async () => {
    await using at = await place();
    const { out } = await at.run(
      "for d in /dev/vda /dev/sda /dev/nvme0n1 /dev/mem; do head -c 1 $d >/dev/null && echo READ; done",
    );
    expect(out).not.toContain("READ");
  });

  test("a command reaches no listener on loopback, no unix socket and no abstract socket", async () => {
    await using at = await place();
    const hits: string[] = [];
    const path = at.home.path("listen.sock");
    const listen = (name: string, where: Parameters<ReturnType<typeof createServer>["listen"]>[0]) =>
      new Promise<ReturnType<typeof createServer>>((done) => {
        const server = createServer((socket) => {
          hits.push(name);
          socket.destroy();
        });
        server.listen(where, () => done(server));
      });
    const abstract = `quoll-test-${process.pid}-${kind}`;
    const servers = [
      await listen("tcp", { host: "127.0.0.1", port: 0 }),
      await listen("unix", { path }),
      await listen("abstract", { path: `\0${abstract}` }),
    ];
    try {
      const { port } = servers[0]!.address() as { port: number };
      const { out } = await at.run(
        `exec 2>&1; (echo x > /dev/tcp/127.0.0.1/${port}) && echo REACHED; ` +
          `python3 - <<'PY'\nimport socket\n` +
          `for family, kind, to in ((socket.AF_UNIX, 1, "${path}"), (socket.AF_UNIX, 1, "\\0${abstract}"), (socket.AF_INET, 1, ("127.0.0.1", ${port})), (socket.AF_INET, 2, ("127.0.0.1", ${port})), (socket.AF_INET6, 1, ("::1", ${port}))):\n` +
          `    try:\n        s = socket.socket(family, kind); s.connect(to); s.send(b"x")\n` +
          `        if kind == 1: print("REACHED", to)\n    except OSError as e: print("refused", e.errno)\nPY`,
      );
      expect(out).not.toContain("REACHED");
      expect(out).toContain("refused");
      expect(hits).toEqual([]);
    } finally {
      for (const server of servers) server.close();
    }
  });

  test("nothing it leaves in the background outlives the end of its family", async () => {
    await using at = await place();
    const { spawn, confined } = await at.start("(setsid sleep 300 &) ; sleep 300 & echo started; wait");
    await until(() => at.alive().some((command) => command.includes("sleep 300")));
    process.kill(-spawn.pid, "SIGKILL");
    for (const row of kind === "landlock" ? at.alive() : []) expect(row).toBeString();
    if (kind === "bubblewrap") await until(() => at.alive().length === 0);
    await confined.dispose();
  });

  test("a secret of the workspace is hidden where settings say so, also by a pattern", async () => {
    const dir = await place({
      files: { ".env": SECRET, "app/.env.local": SECRET, "app/main.ts": "1", "vault/x": SECRET },
    });
    const denyRead = [`${dir.project.dir}/**/.env*`, `${dir.project.dir}/vault`];
    await using at = await sandboxPlace({
      kind,
      deps: { roots: [dir.project.dir], projectRoot: dir.project.dir, settings: { filesystem: { denyRead } } },
    });
    await using _ = dir;
    const cwd = dir.project.dir;
    expect((await at.run("cat .env app/.env.local vault/x; cat app/main.ts", { cwd })).out).not.toContain("hunter2");
    expect((await at.run("cat app/main.ts", { cwd })).out).toBe("1");
    await at.run("mv vault app/v; cp .env app/e; mv app/.env.local app/f", { cwd });
    expect((await at.run("cat app/v/x app/e app/f", { cwd })).out).not.toContain("hunter2");
  });
});

test.each([...kinds])("a folder that settings close stays so around what is kept in it, under %s", async (kind) => {
  await using at = await sandboxPlace({ files: { "a/b/AGENTS.md": "mine", "a/b/x": "mine" } });
  const settings = { filesystem: { denyWrite: [at.project.path("a")] } };
  await using closed = await sandboxPlace({
    kind,
    deps: { roots: at.deps.roots, projectRoot: at.project.dir, settings },
  });
  await closed.run("echo evil > a/b/x; echo evil > a/b/new; echo evil > a/b/AGENTS.md; mv a/b a/c; mv a d", {
    cwd: at.project.dir,
  });
  expect(at.outside("cat a/b/*").out).toBe("minemine");
});

describe.if(available === "bubblewrap")("under bubblewrap alone", () => {
  test("the repositories that lie deeper keep their hooks and settings, and can't be moved away", async () => {
    await using at = await sandboxPlace({ git: true, files: { "sub/inner/a": "1" } });
    at.outside("git init -q sub/inner");
    const config = await at.project.read("sub/inner/.git/config");
    await at.run(
      "echo evil > sub/inner/.git/hooks/pre-commit; echo evil >> sub/inner/.git/config; mv sub old; mv sub/inner sub/old; " +
        "mv sub/inner/.git sub/inner/g; mkdir -p sub/inner/.git; echo evil > sub/inner/.git/config; echo .. > sub/inner/.git/commondir",
    );
    expect(await at.project.read("sub/inner/.git/config")).toBe(config);
    expect(at.outside("ls sub/inner/.git/hooks | grep -v sample; ls -A sub/inner").out).toBe(".git\na\n");
  });

  test("hooks that git's settings name elsewhere in the workspace stay as they are", async () => {
    await using at = await sandboxPlace({ git: true, files: { "tools/hooks/pre-commit": "#!/bin/sh\n" } });
    at.outside("git config core.hooksPath tools/hooks");
    await at.run("echo evil > tools/hooks/pre-commit; echo evil > tools/hooks/post-commit");
    expect(at.outside("cat tools/hooks/*").out).toBe("#!/bin/sh\n");
  });

  test.each([
    [
      "a folder of hooks that git's settings name",
      "git config core.hooksPath tools/hooks; mkdir -p tools/hooks; echo mine > tools/hooks/pre-commit",
      "tools",
      "tools/hooks/pre-commit",
    ],
    [
      "a submodule's data",
      "git init -q x; mkdir -p .git/modules; mv x/.git .git/modules/sub; rm -r x; echo mine >> .git/modules/sub/config",
      ".git/modules",
      ".git/modules/sub/config",
    ],
    [
      "settings that git's settings include",
      "git config include.path ../conf/git.inc; mkdir conf; echo '# mine' > conf/git.inc",
      "conf",
      "conf/git.inc",
    ],
  ])("%s can't be moved away with the folder around it", async (_, prepare, folder, file) => {
    await using at = await sandboxPlace({ git: true });
    expect(at.outside(`set -e; ${prepare}`).code).toBe(0);
    await at.run(
      `mv ${folder} $(dirname ${folder})/moved; rm -rf ${folder}; mkdir -p $(dirname ${file}); echo '# evil' > ${file}`,
    );
    expect(await at.project.read(file)).toContain("mine");
    expect(await at.project.read(file)).not.toContain("evil");
  });

  test("in a workspace that holds Quoll's own folders, they can neither be made, moved nor replaced", async () => {
    await using at = await sandboxPlace();
    const home = at.home.dir;
    await using inHome = await sandboxPlace({
      deps: {
        roots: [home],
        projectRoot: home,
        home,
        ownFolders: [`${home}/.config/quoll`, `${home}/.local/share/quoll`, `${home}/.local/state/quoll`],
        stateFolder: `${home}/.local/state/quoll`,
      },
    });
    at.writeHome(".local/share/quoll/x", "mine");
    await inHome.run(
      "mkdir -p .config/quoll && echo evil > .config/quoll/settings.json; mv .local .l; mkdir -p .local/share/quoll; echo evil > .local/share/quoll/x; mv .local/share .s",
      { cwd: home },
    );
    expect(readdirSync(at.home.path(".config/quoll"))).toEqual([]);
    expect(await at.home.read(".local/share/quoll/x")).toBe("mine");
    expect((await inHome.run("cat .local/share/quoll/x; echo ok > plain; cat plain", { cwd: home })).out).toEndWith(
      "ok\n",
    );
  });

  test("the way to a link's target can't be exchanged, and a link that leads nowhere stays so", async () => {
    await using at = await sandboxPlace({ git: true, files: { "docs/agents.txt": "mine", "notes/x": "" } });
    symlinkSync("docs/agents.txt", at.project.path("AGENTS.md"));
    symlinkSync("notes/none.md", at.project.path("CLAUDE.md"));
    await at.run(
      "mv docs d; mkdir docs; echo evil > docs/agents.txt; echo evil > notes/none.md; mv notes n; mkdir notes; echo evil > notes/none.md",
    );
    expect(await at.project.read("AGENTS.md")).toBe("mine");
    expect(existsSync(at.project.path("CLAUDE.md"))).toBe(false);
  });

  test("a protected link that is replaced is put back, and its target was never writable", async () => {
    await using at = await sandboxPlace({ git: true, files: { "docs/agents.txt": "mine" } });
    symlinkSync("docs/agents.txt", at.project.path("AGENTS.md"));
    await at.run("echo evil > AGENTS.md; rm AGENTS.md; echo evil > AGENTS.md");
    expect(readlinkSync(at.project.path("AGENTS.md"))).toBe("docs/agents.txt");
    expect(await at.project.read("AGENTS.md")).toBe("mine");
  });

  test("a workspace that is reached through a link is confined by its real path", async () => {
    await using outer = await sandboxPlace({ files: FILES });
    symlinkSync(outer.home.path("."), outer.project.path("home"));
    await outer.run("echo x > home/through-link");
    expect(existsSync(outer.home.path("through-link"))).toBe(false);
  });

  test("the sockets of a workspace's own servers are cut, those that settings name are not", async () => {
    await using at = await sandboxPlace();
    mkdirSync(at.project.path("run"));
    const paths = ["run/a.sock", "run/b.sock"].map((name) => at.project.path(name));
    const hits: string[] = [];
    const servers = await Promise.all(
      paths.map(
        (path) =>
          new Promise<ReturnType<typeof createServer>>((done) => {
            const server = createServer((socket) => {
              hits.push(path);
              socket.destroy();
            });
            server.listen(path, () => done(server));
          }),
      ),
    );
    try {
      await using named = await sandboxPlace({
        deps: {
          roots: at.deps.roots,
          projectRoot: at.deps.projectRoot,
          settings: { network: { allowUnixSockets: [paths[1] ?? ""] } },
        },
      });
      const connect = `python3 -c 'import socket,sys\nfor p in sys.argv[1:]:\n  try: socket.socket(1,1).connect(p)\n  except OSError as e: print(e.errno)' ${paths.join(" ")}`;
      await named.run(connect, { cwd: at.project.dir });
      await until(() => hits.length > 0);
      expect(hits).toEqual([paths[1] ?? ""]);
    } finally {
      for (const server of servers) server.close();
    }
  });
});
