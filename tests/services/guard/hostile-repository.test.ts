import { describe, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, chmodSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Hazard } from "../../../src/contracts/subject.ts";
import { swapper } from "../../platform/files/swapper.ts";
import { deepTest } from "../../support/deep.ts";
import { commandIn, git, guardedPlace, made, runShell } from "./guard-fixture.ts";

const never = new AbortController().signal;
const HOOKS = [
  "post-checkout",
  "post-commit",
  "post-index-change",
  "pre-auto-gc",
  "pre-commit",
  "prepare-commit-msg",
  "reference-transaction",
  "fsmonitor-watchman",
];

/** A repository whose own configuration names a program for everything that git lets it; each leaves a mark in `marks`. */
async function hostilePlace() {
  const place = await guardedPlace({ a: "a", "src/b.txt": "b", ".gitignore": "*.local\n", "x.local": "x" });
  place.commitAll();
  const marks = `${place.dir}.marks`;
  mkdirSync(marks);
  const program = (name: string) => {
    const path = join(marks, `.${name}.sh`);
    writeFileSync(path, `#!/bin/sh\n: > '${marks}/${name}'\ncat\n`);
    chmodSync(path, 0o755);
    return path;
  };
  const settings: Record<string, string> = {
    "core.fsmonitor": program("fsmonitor"),
    "core.editor": program("editor"),
    "core.pager": program("pager"),
    "core.sshCommand": program("ssh"),
    "core.askPass": program("askpass"),
    "core.alternateRefsCommand": program("alternates"),
    "credential.helper": program("credential"),
    "diff.external": program("external-diff"),
    "diff.x.textconv": program("textconv"),
    "diff.x.command": program("diff-command"),
    "filter.x.clean": program("clean"),
    "filter.x.smudge": program("smudge"),
    "filter.x.required": "true",
    "filter.y.process": program("process"),
    "merge.x.driver": program("merge"),
    "gpg.program": program("gpg"),
    "commit.gpgSign": "true",
    "log.showSignature": "true",
    "gc.auto": "1",
    "remote.origin.url": `ext::${program("remote")} %S`,
    "remote.origin.promisor": "true",
    "remote.origin.partialCloneFilter": "blob:none",
    "protocol.ext.allow": "always",
    "core.worktree": "/",
    "core.attributesFile": place.path(".git/attributes"),
  };
  settings["core.hooksPath"] = place.path(".git/own-hooks");
  // As git writes them, without a process for each.
  const lines = Object.entries(settings).map(([key, value]) => {
    const [, section = "", name = ""] = /^(.*)\.(.*?)$/.exec(key) ?? [];
    const [first = "", ...more] = section.split(".");
    return `[${first}${more.length > 0 ? ` "${more.join(".")}"` : ""}]\n\t${name} = ${value}\n`;
  });
  appendFileSync(place.path(".git/config"), lines.join(""));
  mkdirSync(place.path(".git/own-hooks"));
  for (const folder of ["hooks", "own-hooks"]) {
    for (const hook of HOOKS) symlinkSync(program(`hook-${hook}`), place.path(`.git/${folder}/${hook}`));
  }
  for (const file of [".gitattributes", ".git/attributes", ".git/info/attributes"]) {
    mkdirSync(place.path(".git/info"), { recursive: true });
    writeFileSync(place.path(file), "* filter=x diff=x merge=x text=auto eol=crlf\nsrc/* filter=y\n");
  }
  writeFileSync(place.path("a"), "changed");
  writeFileSync(place.path("src/b.txt"), "changed\n");
  writeFileSync(place.path("new.txt"), "new\n");
  return {
    ...place,
    marks: () => readdirSync(marks).filter((name) => !name.startsWith(".")),
    [Symbol.asyncDispose]: async () => {
      runShell(`rm -rf '${marks}'`);
      await place[Symbol.asyncDispose]();
    },
  };
}

describe("a repository that names programs for everything", () => {
  test("has none of them run, whatever is kept", async () => {
    await using place = await hostilePlace();
    for (const kind of ["deletes", "overwrites", "discards", "refs", "history", "ownership"] as const) {
      const names =
        kind === "discards" || kind === "refs" || kind === "history" ? [] : ["a", "src", "new.txt", "x.local"];
      const lines = await made(await place.guard.assess([place.hazard(kind, names)], never));
      expect(lines.length).toBeGreaterThan(0);
      expect(place.marks()).toEqual([]);
      await place.clock.advance(32 * 24 * 3_600_000);
    }
    // An unrestricted git does run these programs; otherwise the test would show nothing.
    place.git("config", "--unset", "core.worktree");
    place.git("add", "a");
    expect(place.marks()).toContain("clean");
    place.git("update-ref", "refs/heads/x", "HEAD");
    expect(place.marks()).toContain("hook-reference-transaction");
  });

  deepTest("is kept byte for byte, and comes back so where no filter stands in the way", async () => {
    await using place = await hostilePlace();
    const [line] = await place.keep("deletes", "src", "new.txt");
    const ref = /refs\/quoll\/\S+/.exec(line ?? "")?.[0];
    expect([
      place.git("cat-file", "blob", `${ref}:src/b.txt`),
      place.git("cat-file", "blob", `${ref}:new.txt`),
    ]).toEqual(["changed", "new"]);
  });

  test("with a `.git` that names no repository is a plain folder", async () => {
    await using place = await guardedPlace({ "d/.git": "gitdir: ../../../../etc\n", "d/a": "a" });
    const [line] = await place.keep("deletes", "d/a");
    expect(line).toContain("restore.sh");
  });
});

describe("a race", () => {
  test("a folder swapped for a link to outside never brings what lies there into a backup", async () => {
    await using place = await guardedPlace({ "in/f": "inside", "in/x.local": "inside", ".gitignore": "*.local\n" });
    await using outside = await guardedPlace({ f: "outside", "x.local": "outside" });
    place.commitAll();
    appendFileSync(place.path("in/f"), " changed");
    {
      await using _ = await swapper({ path: place.path("in"), to: outside.dir, kind: "link" });
      for (let round = 0; round < 25; round += 1) {
        const hazards: readonly Hazard[] = [place.hazard("deletes", ["in/f", "in/x.local"])];
        const backup = await place.guard.assess(hazards, never).catch(() => undefined);
        if (backup?.kind === "possible") await backup.make(never).catch(() => []);
      }
    }
    const blobs = place.git("cat-file", "--batch-all-objects", "--batch-check=%(objecttype) %(objectname)").split("\n");
    const texts = blobs
      .filter((line) => line.startsWith("blob"))
      .map((line) => place.git("cat-file", "blob", line.slice(5)));
    expect(texts.filter((text) => text.includes("outside"))).toEqual([]);
    const found = runShell(
      `mkdir -p '${place.backups}' && { grep -rl outside '${place.backups}' --include=x.local --include=f || true; }`,
    );
    expect(found).toBe("");
  }, 60_000);
});

describe("files that may not be read", () => {
  // Root reads everything: the guard runs as somebody else, over folders that anyone may enter.
  test.skipIf(process.getuid?.() !== 0)("has no way back, and the assessment says so", async () => {
    await using place = await guardedPlace({ "d/a": "a", "d/secret": "s", "e/closed/x": "x" });
    for (const name of [".", "d", "e", "d/a"]) chmodSync(place.path(name), 0o755);
    chmodSync(place.path("d/secret"), 0o600);
    chmodSync(place.path("e/closed"), 0o700);
    const asNobody = async (name: string) => {
      const script = `
        const { createDestructiveGuard } = await import(${JSON.stringify(join(import.meta.dir, "../../../src/services/guard/destructive-guard.ts"))});
        process.setgid(65534); process.setuid(65534);
        const guard = createDestructiveGuard({ backups: "/nonexistent/b", clock: { now: () => 0, monotonicMs: () => 0 }, environment: { PATH: process.env.PATH }, projectRoot: ${JSON.stringify(place.dir)} });
        const hazard = { kind: "deletes", text: "", paths: [${JSON.stringify(place.path(name))}], folder: "/" };
        console.log(JSON.stringify(await guard.assess([hazard], new AbortController().signal)));`;
      const child = spawn(process.execPath, ["-e", script], {
        stdio: ["ignore", "pipe", "inherit"],
        cwd: join(import.meta.dir, "../../.."),
      });
      let output = "";
      child.stdout.on("data", (chunk) => (output += chunk));
      await once(child, "close");
      return JSON.parse(output);
    };
    expect(await asNobody("d")).toEqual({
      kind: "impossible",
      why: `${place.path("d/secret")} can't be read`,
    });
    expect(await asNobody("e")).toEqual({
      kind: "impossible",
      why: `${place.path("e/closed")} can't be listed`,
    });
    expect(await asNobody("d/a")).toMatchObject({ kind: "possible" });
  });

  test("names that are not UTF-8 neither, in git or out of it", async () => {
    await using place = await guardedPlace({ "d/a": "a" });
    runShell(`printf x > "${place.path("d")}/$(printf 'n\\377')"`);
    const why = async () => (await place.assess("deletes", "d")) as { kind: string; why: string };
    expect((await why()).why).toContain("has a name that is not UTF-8");
    git(place.dir, "init", "--quiet");
    git(place.dir, "add", "--all");
    expect((await why()).why).toContain("has a name that is not UTF-8");
  });
});

describe("submodules", () => {
  deepTest("go with the folder that is deleted, and stay out of what only concerns the outer one", async () => {
    await using place = await guardedPlace({ "lib/f": "f", "outer/a": "a" });
    git(place.path("lib"), "init", "--quiet");
    git(place.path("lib"), "add", "f");
    git(place.path("lib"), "commit", "--quiet", "-m", "lib");
    const outer = place.path("outer");
    git(outer, "init", "--quiet");
    git(outer, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", place.path("lib"), "vendor/lib");
    git(outer, "add", "--all");
    git(outer, "commit", "--quiet", "-m", "outer");
    writeFileSync(join(outer, "vendor/lib/f"), "worked on");
    const lines = await place.keep("deletes", "outer/vendor");
    runShell(`rm -rf '${join(outer, "vendor")}'`);
    runShell(commandIn(lines.find((line) => line.includes("restore.sh"))));
    expect(await place.read("outer/vendor/lib/f")).toBe("worked on");
    const discard: Hazard = { kind: "discards", text: "", paths: [], folder: outer };
    expect(await place.guard.assess([discard], never)).toBeUndefined();
    // In a submodule itself its own repository keeps.
    const [line] = await place.keep("deletes", "outer/vendor/lib/f");
    expect(line).toContain(`git -C ${join(outer, "vendor/lib")} restore`);
  });
});

describe("speed", () => {
  deepTest("5,000 files, half of them new, are kept within seconds", async () => {
    await using place = await guardedPlace();
    place.git("init", "--quiet");
    const names = (word: string) => Array.from({ length: 2_500 }, (_, index) => `src/${index % 50}/${word}-${index}`);
    for (let index = 0; index < 50; index += 1) mkdirSync(place.path(`src/${index}`), { recursive: true });
    for (const name of names("tracked")) writeFileSync(place.path(name), name);
    const addedAt = performance.now();
    place.git("add", "--all");
    const addMs = performance.now() - addedAt;
    for (const name of names("new")) writeFileSync(place.path(name), name);
    const startedAt = performance.now();
    const [line] = await place.keep("deletes", "src");
    // On a busy machine git itself is slower too.
    expect(performance.now() - startedAt).toBeLessThan(Math.max(20_000, 50 * addMs));
    const ref = /refs\/quoll\/\S+/.exec(line ?? "")?.[0] ?? "";
    const kept = place.git("ls-tree", "-r", "--name-only", ref).split("\n");
    expect(kept.toSorted()).toEqual([...names("tracked"), ...names("new")].toSorted());
    expect(place.git("cat-file", "blob", `${ref}:src/7/new-7`)).toBe("src/7/new-7");
  });
});
