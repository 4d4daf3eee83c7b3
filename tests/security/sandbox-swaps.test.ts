/**
 * Ways out of the sandbox that lead through Quoll itself, which is not confined: paths that a confined command exchanges before
 * something outside makes, mounts, reads or puts back what lies there.
 */
import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readlinkSync, symlinkSync } from "node:fs";
import { sandboxPlace } from "../services/sandbox/sandbox-place.ts";

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

  test("nor into a new folder of the same name, nor by a folder above that is exchanged", async () => {
    await using at = await place({ homeFiles: { "deep/s/AGENTS.md": "mine" } });
    at.outside("mkdir -p deep/s; ln -s ../../evil.txt deep/s/AGENTS.md");
    await at.run("mv deep d2; ln -s $HOME/deep deep; mkdir -p s3/deep");
    expect(await at.home.read("deep/s/AGENTS.md")).toBe("mine");
    expect(readdirSync(at.home.path("deep/s"))).toEqual(["AGENTS.md"]);
  });

  test("is put back where it was, what took its place beside it, and the person is told", async () => {
    await using at = await place();
    symlinkSync("../evil.txt", at.project.path("s/AGENTS.md"));
    const { spawn, confined } = await at.start("rm s/AGENTS.md; echo other > s/AGENTS.md");
    await spawn.exited;
    await confined.dispose();
    expect(readlinkSync(at.project.path("s/AGENTS.md"))).toBe("../evil.txt");
    expect(readdirSync(at.project.path("s")).filter((name) => name.includes("changed-in-sandbox"))).toHaveLength(1);
    expect(confined.changes?.()).toEqual([
      `${at.project.path("s/AGENTS.md")} was a link to ../evil.txt, and was put back; what had taken its place lies beside it.`,
    ]);
  });

  test("means nothing for a start-up file of a shell outside of a home folder", async () => {
    await using at = await place();
    symlinkSync("../evil.txt", at.project.path("s/.bashrc"));
    await at.run("rm s/.bashrc; echo other > s/.bashrc");
    expect(await at.project.read("s/.bashrc")).toBe("other\n");
    expect(existsSync(at.project.path("s2"))).toBe(false);
  });
});
