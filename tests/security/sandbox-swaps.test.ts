/**
 * Ways out of the sandbox that lead through Quoll itself, which is not confined: paths that a confined command exchanges before
 * something outside makes, mounts, reads or puts back what lies there.
 */
import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { sandboxPlace } from "../services/sandbox/sandbox-fixture.ts";
import { deepTest, testOrDeep } from "../support/deep.ts";

const SECRET = "hunter2-the-secret";

const machine = await sandboxPlace();
const { kind: available } = await machine.sandbox.state();
await machine[Symbol.asyncDispose]();
const KINDS = ["bubblewrap", "landlock"] as const;
const kinds = KINDS.filter((kind) => kind === "landlock" || available === "bubblewrap");

describe.each(kinds)("a link that is put back, under %s", (kind) => {
  const place = (more: Parameters<typeof sandboxPlace>[0] = {}) =>
    sandboxPlace({ kind, git: true, files: { "s/plain": "", "evil.txt": "evil" }, ...more });

  test("is not put into another folder that has taken the place of its own", async () => {
    await using at = await place({ homeFiles: { "AGENTS.md": "mine", ".bashrc": "mine" } });
    symlinkSync("../evil.txt", at.project.path("s/AGENTS.md"));
    symlinkSync("../evil.txt", at.project.path("s/.bashrc"));
    const before = readdirSync(at.home.dir).sort();
    await at.run("mv s s2; ln -s $HOME s; ls -la");
    await at.run("rm -rf s2/AGENTS.md s2; ln -sfn $HOME s");
    expect(readdirSync(at.home.dir).sort()).toEqual(before);
    expect(await at.home.read("AGENTS.md")).toBe("mine");
    expect(await at.home.read(".bashrc")).toBe("mine");
  });

  testOrDeep(kind === kinds[0])(
    "is not put into a new folder of the same name, or through a replaced parent folder",
    async () => {
      await using at = await place({ homeFiles: { "deep/s/AGENTS.md": "mine" } });
      at.outside("mkdir -p deep/s; ln -s ../../evil.txt deep/s/AGENTS.md");
      await at.run("mv deep d2; ln -s $HOME/deep deep; mkdir -p s3/deep");
      expect(await at.home.read("deep/s/AGENTS.md")).toBe("mine");
      expect(readdirSync(at.home.path("deep/s"))).toEqual(["AGENTS.md"]);
    },
  );

  test("is put back where it was, what took its place beside it, and the person is told", async () => {
    await using at = await place();
    symlinkSync("../evil.txt", at.project.path("s/AGENTS.md"));
    const { spawn, confined } = await at.start("rm s/AGENTS.md; echo other > s/AGENTS.md");
    await spawn.exited;
    await confined.dispose();
    expect(readlinkSync(at.project.path("s/AGENTS.md"))).toBe("../evil.txt");
    expect(readdirSync(at.project.path("s")).filter((name) => name.includes("changed-in-sandbox"))).toHaveLength(1);
    expect(confined.changes?.()).toEqual([
      `${at.project.path("s/AGENTS.md")} was a link to ../evil.txt, and was put back; its replacement was moved aside.`,
    ]);
  });

  testOrDeep(kind === kinds[0])("means nothing for a start-up file of a shell outside of a home folder", async () => {
    await using at = await place();
    symlinkSync("../evil.txt", at.project.path("s/.bashrc"));
    await at.run("rm s/.bashrc; echo other > s/.bashrc");
    expect(await at.project.read("s/.bashrc")).toBe("other\n");
    expect(existsSync(at.project.path("s2"))).toBe(false);
  });
});

/** Exchanges two entries in one step, again and again, until a file `stop` appears (renameat2(2), RENAME_EXCHANGE). */
const exchanging = (a: string, b: string) =>
  `python3 -c "
import ctypes, os, time
libc = ctypes.CDLL(None)
end = time.time() + 12
while time.time() < end and not os.path.exists('stop'):
    libc.renameat2(-100, b'${a}', -100, b'${b}', 2)
    time.sleep(0.0009)
"`;

import { until } from "../support/eventually.ts";

describe.if(available === "bubblewrap")("what a running command exchanges, under bubblewrap", () => {
  /** A second Quoll in the same folder, with the same records. */
  const secondQuoll = (at: Awaited<ReturnType<typeof sandboxPlace>>, deps: Parameters<typeof sandboxPlace>[0] = {}) =>
    sandboxPlace({ ...deps, deps: { ...at.deps, ...deps.deps } });

  test("is neither mounted nor has anything made in it, by this Quoll or another", async () => {
    await using at = await sandboxPlace({ git: true, files: { "known/AGENTS.md": "mine", "known/x": "" } });
    await using other = await secondQuoll(at);
    const { spawn, confined } = await at.start(
      "mkdir -p new/repo/.git/objects new/repo/.git/refs; echo x > new/AGENTS.md; echo ref: refs/heads/m > new/repo/.git/HEAD; touch ready; sleep 60",
    );
    await until(() => existsSync(at.project.path("ready")));
    for (const quoll of [at, other]) {
      const second = await quoll.confineBash("true", { cwd: at.project.dir });
      const args = second.confined.args.join("\n");
      expect(args).not.toContain(at.project.path("new"));
      // The folders that the first Quoll has mounted on themselves are still safe.
      expect(args).toContain(`--ro-bind-try\n${at.project.path("known/AGENTS.md")}\n`);
      expect(args).toContain(`--bind\n${at.project.path(".git")}\n`);
      await second.confined.dispose();
    }
    expect(readdirSync(at.project.path("new/repo/.git")).sort()).toEqual(["HEAD", "objects", "refs"]);
    process.kill(-spawn.pid, "SIGKILL");
    await spawn.exited;
    await confined.dispose();
    const later = await other.confineBash("true", { cwd: at.project.dir });
    expect(later.confined.args).toContain(at.project.path("new/repo/.git/hooks"));
    await later.confined.dispose();
  });

  const showsNoSecret = async (attempts: number) => {
    await using at = await sandboxPlace({ homeFiles: { ".ssh/id_rsa": SECRET }, files: { "s/plain": "" } });
    const { spawn, confined } = await at.start(
      `: > s/AGENTS.md; ln -s $HOME/.ssh/id_rsa s/l; touch ready; ${exchanging("s/AGENTS.md", "s/l")}`,
    );
    await until(() => existsSync(at.project.path("ready")));
    for (let attempt = 0; attempt < attempts; attempt += 1)
      expect((await at.run("cat s/AGENTS.md s/l 2>/dev/null; true")).out).not.toContain("hunter2");
    writeFileSync(at.project.path("stop"), "");
    await spawn.exited;
    await confined.dispose();
  };

  test("does not show a secret file in the place of one with a protected name", () => showsNoSecret(12), 20_000);
  deepTest("shows no secret file in the place of one with a protected name, tried often", () => showsNoSecret(40));

  const leadsNobodyOut = async (attempts: number) => {
    await using at = await sandboxPlace({ homeFiles: { "outside/victim": "mine" } });
    await using other = await secondQuoll(at);
    const { spawn, confined } = await at.start(
      `mkdir -p n/.git/objects; echo ref: refs/heads/m > n/.git/HEAD; ln -s $HOME/outside l; touch ready; ${exchanging("n", "l")}`,
    );
    await until(() => existsSync(at.project.path("ready")));
    for (let attempt = 0; attempt < attempts; attempt += 1)
      await other.run("for d in n l; do echo PWNED > $d/victim2; echo PWNED > $d/victim; done 2>/dev/null", {
        cwd: at.project.dir,
      });
    writeFileSync(at.project.path("stop"), "");
    await spawn.exited;
    await confined.dispose();
    expect(readdirSync(at.home.path("outside"))).toEqual(["victim"]);
    expect(await at.home.read("outside/victim")).toBe("mine");
  };

  test("leads no other Quoll's command out, and has no Quoll make anything outside", () => leadsNobodyOut(10), 20_000);
  deepTest("leads no other Quoll's command out, tried often", () => leadsNobodyOut(30));

  test("are not the folders above a workspace that lies below /tmp, of which each command has its own view", async () => {
    await using at = await sandboxPlace({ files: { "deep/ws/AGENTS.md": "mine" } });
    const cwd = at.project.path("deep/ws");
    await using inner = await sandboxPlace({ deps: { ...at.deps, roots: [cwd], projectRoot: cwd } });
    const away = `mv /tmp/${basename(at.project.dir)} /tmp/gone && echo MOVED; mv ${at.project.path("deep")} /tmp/gone; ls -d /tmp/*`;
    const { out } = await inner.run(away, { cwd });
    expect(out).not.toContain("MOVED");
    const after = await inner.run("echo evil > AGENTS.md; echo x > /tmp/mine; ls AGENTS.md; cat /tmp/mine", { cwd });
    expect(after.out).toEndWith("AGENTS.md\nx\n");
    expect(await at.project.read("deep/ws/AGENTS.md")).toBe("mine");
  });

  test("can't be the workspace of another Quoll: it refuses, and says what to wait for", async () => {
    await using at = await sandboxPlace({ files: { "inner/x": "1" } });
    const inner = at.project.path("inner");
    await using other = await secondQuoll(at, { deps: { roots: [inner], projectRoot: inner } });
    const { spawn, confined } = await at.start("touch ready; sleep 60");
    await until(() => existsSync(at.project.path("ready")));
    expect(other.confineBash("true", { cwd: inner })).rejects.toThrow(
      `This can't run in the sandbox: a command still runs in the sandbox and could replace ${inner}. Wait until it ends, or stop it.`,
    );
    await other.confineBash("true", { cwd: inner }).catch(() => undefined);
    process.kill(-spawn.pid, "SIGKILL");
    await spawn.exited;
    await confined.dispose();
    // The other way round: what the inner one has mounted stays where it is.
    const first = await other.start("touch ready2; sleep 60", { cwd: inner });
    await until(() => existsSync(`${inner}/ready2`));
    await at.run("mv inner gone; mv inner/.quoll inner/q; rmdir inner/.mcp.json inner/.quoll; true");
    expect(existsSync(`${inner}/ready2`)).toBe(true);
    await other.run("echo ok > again", { cwd: inner });
    expect(readFileSync(`${inner}/again`, "utf8")).toBe("ok\n");
    process.kill(-first.spawn.pid, "SIGKILL");
    await first.spawn.exited;
    await first.confined.dispose();
    expect(readdirSync(inner).sort()).toEqual(["again", "ready2", "x"]);
  });

  test("is not hidden half: a file that settings hide, made meanwhile, stops the next command", async () => {
    await using at = await sandboxPlace({ files: { "app/x": "" } });
    const denyRead = [`${at.project.dir}/**/.env`];
    await using named = await secondQuoll(at, { deps: { settings: { filesystem: { denyRead } } } });
    const { spawn, confined } = await at.start("touch ready; sleep 60");
    await until(() => existsSync(at.project.path("ready")));
    writeFileSync(at.project.path("app/.env"), SECRET);
    await expect(named.confineBash("true", { cwd: at.project.dir })).rejects.toThrow(
      "app/.env. Wait until it ends, or stop it.",
    );
    process.kill(-spawn.pid, "SIGKILL");
    await spawn.exited;
    // bubblewrap's own child ends a moment later.
    await until(() => at.alive().length === 0);
    await confined.dispose();
    expect((await named.run("cat app/.env", { cwd: at.project.dir })).out).toBe("");
  });
});

test.if(available === "bubblewrap")(
  "entries that a command keeps making under a protected name are gone before its result, however many processes make them",
  async () => {
    await using at = await sandboxPlace({ git: true, files: { x: "" } });
    const plant =
      "while :; do echo evil > .mcp.json; mkdir -p .claude; echo evil > .claude/settings.json; done 2>/dev/null";
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const { spawn, confined } = await at.start(
        `for i in $(seq 30); do (setsid sh -c '${plant}' &) ; done; sleep 0.05`,
      );
      await spawn.exited;
      await confined.dispose();
      expect(at.alive()).toEqual([]);
      const names = readdirSync(at.project.dir).filter((name) => !name.includes(".set-aside-"));
      expect(names.sort()).toEqual([".git", "x"]);
    }
  },
  60_000,
);

describe.if(available === "bubblewrap")("links that an earlier command has left, under bubblewrap", () => {
  test("open nothing by a path that settings name in the workspace", async () => {
    await using at = await sandboxPlace({ homeFiles: { ".ssh/id": SECRET, "docker.sock": "", "plain/x": "" } });
    const path = (name: string) => at.project.path(name);
    const settings = {
      network: { allowUnixSockets: [path("run.sock")] },
      filesystem: { allowWrite: [path("out")], allowRead: [path("cache")] },
    };
    mkdirSync(path("out"));
    await using named = await sandboxPlace({ deps: { ...at.deps, settings } });
    await at.run("rm -rf out; ln -s $HOME/plain out; ln -s $HOME/.ssh cache; ln -s $HOME/docker.sock run.sock");
    const { confined } = await named.confineBash("true", { cwd: at.project.dir });
    expect(confined.args).not.toContain(at.home.path("docker.sock"));
    await confined.dispose();
    const { out } = await named.run(`cat cache/id ${at.home.path(".ssh/id")}; echo x > ${at.home.path("plain/y")}`, {
      cwd: at.project.dir,
    });
    expect(out).not.toContain("hunter2");
    expect(readdirSync(at.home.path("plain"))).toEqual(["x"]);
  });

  test.each([
    ["the list of ignored files", "ln -s ../../../$(basename $HOME)/.netrc .git/info/exclude"],
    ["a list that the next one is to make", "ln -s ../../../$(basename $HOME)/none .git/info/exclude"],
  ])("don't show what is hidden in the place of %s", async (_, link) => {
    await using at = await sandboxPlace({ git: true, homeFiles: { ".netrc": SECRET } });
    await at.run("mv .git/info .git/info2 && mkdir .git/info; rm -f .git/info/exclude");
    // An unconfined program, or an older Quoll, may have left this link.
    at.outside(`rm -rf .git/info; mkdir -p .git/info; ${link}`);
    const { code, out } = await at.run("cat .git/info/exclude $HOME/.netrc; git status --short; echo done");
    expect(out).not.toContain("hunter2");
    expect({ code, end: out.slice(-5) }).toEqual({ code: 0, end: "done\n" });
    expect(readdirSync(at.home.dir)).not.toContain("none");
    expect(await at.home.read(".netrc")).toBe(SECRET);
  });

  test("open nothing in place of a git folder that is a link", async () => {
    await using at = await sandboxPlace({ git: true, homeFiles: { ".netrc": SECRET, "info/exclude": SECRET } });
    at.outside("rm -rf .git/info; ln -s ../../$(basename $HOME)/info .git/info");
    await using hiding = await sandboxPlace({
      deps: { ...at.deps, settings: { filesystem: { denyRead: [at.home.path("info")] } } },
    });
    const { out } = await hiding.run("cat .git/info/exclude $HOME/info/exclude", { cwd: at.project.dir });
    expect(out).not.toContain("hunter2");
  });

  test("don't become the workspace: what is a link by now is not confined", async () => {
    await using at = await sandboxPlace({ files: { "inner/x": "1" }, homeFiles: { "plain/x": "" } });
    const inner = at.project.path("inner");
    await using other = await sandboxPlace({ deps: { ...at.deps, roots: [inner], projectRoot: inner } });
    await at.run("mv inner old; ln -s $HOME/plain inner");
    expect(other.confineBash("true", { cwd: inner })).rejects.toThrow(
      `This can't run in the sandbox: the path ${inner} now contains a symbolic link. Restart Quoll.`,
    );
    await other.confineBash("true", { cwd: inner }).catch(() => undefined);
    expect(readdirSync(at.home.path("plain"))).toEqual(["x"]);
  });
});
