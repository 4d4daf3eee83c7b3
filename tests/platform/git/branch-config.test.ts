import { describe, expect, test } from "bun:test";
import { chmodSync, existsSync, linkSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { type BranchChange, changeBranchConfig } from "../../../src/platform/git/branch-config.ts";
import { findConfigFile } from "../../../src/platform/git/held-config.ts";
import { findProgram } from "../../../src/platform/processes/find-program.ts";
import { tempProject } from "../../support/temp-project.ts";

const { signal } = new AbortController();
const env = { PATH: process.env["PATH"] ?? "" };
const TRACKED = '[branch "f"]\n\tremote = origin\n\tmerge = refs/heads/f\n';
const OTHERS = '[core]\n\t# mine\n\tbare = false\n[odd "a b"]\n\tkey = "a # b"\n';
const track = (branch: string, more: object = {}): BranchChange => ({
  branch,
  values: { remote: "origin", merge: `refs/heads/${branch}`, ...more },
});

/** A folder of settings, and a git that runs `meanwhile` in the project each time before it starts. */
async function place(config: string, meanwhile = "") {
  const project = await tempProject({ "sub/.git/config": config, "home/config": "[user]\n\tname = victim\n" });
  const real = ["/usr/bin", "/bin", "/usr/local/bin"].map((folder) => findProgram("git", folder)).find(Boolean);
  const git = project.path("git");
  await project.write(
    "git",
    `#!/bin/sh\n(cd '${project.dir}'; echo . >> runs; ${meanwhile || ":"}) >&2\nexec ${real} "$@"\n`,
  );
  chmodSync(git, 0o755);
  const file = findConfigFile(project.path("sub/.git"));
  const change = (...changes: readonly BranchChange[]) =>
    file ? changeBranchConfig({ git, env, file }, changes, signal) : Promise.resolve(false);
  const text = (path = "sub/.git/config") => readFileSync(project.path(path), "utf8");
  return { ...project, change, text, [Symbol.asyncDispose]: () => project[Symbol.asyncDispose]() };
}

describe("the tracking of a branch", () => {
  test.each<[string, string, BranchChange, string]>([
    ["is added", OTHERS, track("f"), OTHERS + TRACKED],
    [
      "is added to a file without a last line break",
      "[core]\n\tbare = false",
      track("f"),
      `[core]\n\tbare = false\n${TRACKED}`,
    ],
    [
      "is replaced, and a rebase stays",
      `${TRACKED}\trebase = true\n`,
      track("f", { merge: "refs/heads/g" }),
      `[branch "f"]\n\trebase = true\n${TRACKED.replace("heads/f", "heads/g")}`,
    ],
    ["is removed with its section", `${TRACKED}${OTHERS}`, { branch: "f", values: undefined }, OTHERS],
    [
      "is removed, and a description stays",
      `${TRACKED}\tdescription = kept\n${OTHERS}`,
      { branch: "f", values: undefined },
      `[branch "f"]\n\tdescription = kept\n${OTHERS}`,
    ],
    [
      "may have a name beyond ASCII, with quotes",
      OTHERS,
      track('ä"x', { remote: "my remote" }),
      `${OTHERS}[branch "ä\\"x"]\n\tremote = "my remote"\n\tmerge = "refs/heads/ä\\"x"\n`,
    ],
  ])("%s", async (_, before, change, after) => {
    await using at = await place(before);
    expect(await at.change(change)).toBe(true);
    expect(at.text()).toBe(after);
    // Both texts are read once; no lock is left.
    expect(at.text("runs")).toBe(".\n.\n");
    expect(readdirSync(at.path("sub/.git"))).toEqual(["config"]);
  });

  test("is left alone where a person wrote it in a way that is not known", async () => {
    const odd = '[branch "f"] remote = origin\n';
    await using at = await place(odd);
    expect([await at.change({ branch: "f", values: undefined }), at.text()]).toEqual([false, odd]);
  });
});

describe("nothing is written", () => {
  test.each([
    ["the folder above is exchanged for a link", "[ -e old ] || { mv sub old; mkdir sub; ln -s ../home sub/.git; }"],
    ["the folder is exchanged for another", "[ -e old ] || { mv sub/.git old; cp -r home sub/.git; }"],
    ["the file is exchanged for a link", "ln -sf ../../home/config sub/.git/config"],
    ["the file gets a second name", "ln -f sub/.git/config home/more"],
    // The old file stays: its inode would be given out again.
    ["the file is exchanged", "mv sub/.git/config old-$$; cp old-$$ sub/.git/config"],
    ["the file is written to", "echo '#' >> sub/.git/config"],
    ["somebody takes git's lock", "echo theirs > sub/.git/config.lock"],
  ])("when %s meanwhile", async (_, meanwhile) => {
    await using at = await place(OTHERS, meanwhile);
    expect(await at.change(track("f"))).toBe(false);
    expect(at.text()).not.toContain("branch");
    expect(at.text("home/config")).toBe("[user]\n\tname = victim\n");
    expect(existsSync(at.path("home/config.lock"))).toBe(false);
  });

  test("to a file that is a link, or has a second name", async () => {
    await using at = await place(OTHERS);
    linkSync(at.path("sub/.git/config"), at.path("second"));
    expect(findConfigFile(at.path("sub/.git"))).toBeUndefined();
    rmSync(at.path("sub/.git/config"));
    symlinkSync("../../second", at.path("sub/.git/config"));
    expect(findConfigFile(at.path("sub/.git"))).toBeUndefined();
  });
});
