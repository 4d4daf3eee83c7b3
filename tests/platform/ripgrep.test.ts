import { describe, expect, test } from "bun:test";
import { chmodSync, existsSync } from "node:fs";
import { delimiter } from "node:path";
import { unpackExecutable } from "../../src/platform/assets.ts";
import { findRipgrep, type Ripgrep, ripgrepFinder } from "../../src/platform/ripgrep.ts";
import { tempProject } from "../support/temp-project.ts";

/** A folder with scripts in the place of rg; what each prints for `--version` tells which one ran. */
async function scripts(files: Record<string, string>) {
  const project = await tempProject(
    Object.fromEntries(Object.entries(files).map(([name, body]) => [name, `#!/bin/sh\n${body}\n`])),
  );
  for (const name of Object.keys(files)) chmodSync(project.path(name), 0o755);
  return project;
}

const says = (version: string) => `echo 'ripgrep ${version}'`;

async function versionOf(rg: Ripgrep | undefined): Promise<string | undefined> {
  let output = "";
  await rg?.({
    args: ["--version"],
    cwd: "/",
    signal: new AbortController().signal,
    timeoutMs: 25_000,
    onOutput: (chunk) => {
      output += chunk;
      return true;
    },
  });
  return output.split("\n")[0];
}

const path = (...folders: string[]) => ({ PATH: folders.join(delimiter) });

describe("which rg is taken", () => {
  test("the program's own, embedded or from its package, rather than one on PATH", async () => {
    await using bin = await scripts({ "path/rg": says("99.0.0"), "own/rg": says("15.9.0") });
    const search = { environment: path(bin.path("path")), isTrusted: () => true };
    expect(await versionOf(await findRipgrep({ ...search, embedded: () => bin.path("own/rg") }))).toBe(
      "ripgrep 15.9.0",
    );
    expect(await versionOf(await findRipgrep(search))).toStartWith("ripgrep 15.");
  });

  test("without one of its own, the first on PATH of version 13 or newer", async () => {
    await using bin = await scripts({
      "old/rg": says("12.1.1"),
      "broken/rg": "exit 3",
      "good/rg": says("13.0.0"),
      "later/rg": says("14.1.0"),
    });
    const embedded = () => undefined;
    const environment = path(
      bin.path("none"),
      bin.path("old"),
      bin.path("broken"),
      bin.path("good"),
      bin.path("later"),
    );
    expect(await versionOf(await findRipgrep({ environment, isTrusted: () => true, embedded }))).toBe("ripgrep 13.0.0");
  });

  test("never one that a stranger could have put there: of the workspace, of node_modules, by a relative PATH", async () => {
    await using bin = await scripts({
      "work/rg": says("99.0.0"),
      "node_modules/.bin/rg": says("98.0.0"),
      "system/rg": says("97.0.0"),
    });
    const environment = path("work", ".", bin.path("work"), bin.path("node_modules/.bin"), bin.path("system"));
    const search = {
      environment,
      isTrusted: (at: string) => !at.startsWith(bin.path("work")),
      embedded: () => undefined,
    };
    expect(await versionOf(await findRipgrep(search))).toBe("ripgrep 97.0.0");
  });

  test("the one on PATH where the disk takes no copy of the embedded one", async () => {
    await using bin = await scripts({ "path/rg": says("14.1.0"), cache: "" });
    const embedded = () => unpackExecutable(bin.path("path/rg"), bin.path("cache/bin/rg-1"));
    const search = { environment: path(bin.path("path")), isTrusted: () => true, embedded };
    expect(await versionOf(await findRipgrep(search))).toBe("ripgrep 14.1.0");
  });

  test("no package is looked for where an embedded one was promised", async () => {
    expect(await findRipgrep({ environment: {}, isTrusted: () => true, embedded: () => undefined })).toBeUndefined();
  });

  test("is searched once, at the first use", async () => {
    let times = 0;
    const find = ripgrepFinder({
      environment: {},
      isTrusted: () => true,
      embedded: () => {
        times += 1;
        return undefined;
      },
    });
    expect(times).toBe(0);
    await Promise.all([find(), find()]);
    await find();
    expect(times).toBe(1);
  });
});

describe("a run", () => {
  async function run(
    body: string,
    options: { signal?: AbortSignal; timeoutMs?: number; onOutput?: (chunk: Buffer) => boolean } = {},
  ) {
    await using bin = await scripts({ rg: body });
    const rg = await findRipgrep({
      environment: { HOME: "/home/x", SECRET: "s" },
      isTrusted: () => true,
      embedded: () => bin.path("rg"),
    });
    return await rg?.({
      args: [],
      cwd: bin.dir,
      signal: new AbortController().signal,
      timeoutMs: 25_000,
      onOutput: () => true,
      ...options,
    });
  }

  test("gives its exit code and what it said of errors", async () => {
    expect(await run("echo oops >&2; exit 2")).toEqual({ endedBy: "itself", exitCode: 2, stderr: "oops\n" });
  });

  test("gets little of the environment and no input", async () => {
    let output = "";
    await run('read -r line; echo "[$line] $HOME $SECRET."', {
      onOutput: (chunk) => {
        output += chunk;
        return true;
      },
    });
    expect(output).toBe("[] /home/x .\n");
  });

  test("is ended at its time limit, at its size limit and by an abort", async () => {
    expect(await run("exec sleep 60", { timeoutMs: 100 })).toMatchObject({ endedBy: "time", exitCode: undefined });
    expect(await run("exec yes", { onOutput: () => false })).toMatchObject({ endedBy: "size" });
    const abort = new AbortController();
    let pid = 0;
    const running = run("echo $$; exec sleep 60", {
      signal: abort.signal,
      onOutput: (chunk) => {
        pid = Number(chunk.toString());
        abort.abort(new Error("Esc"));
        return true;
      },
    });
    expect(await running.catch((error: Error) => error.message)).toBe("Esc");
    expect(existsSync(`/proc/${pid}/status`)).toBe(false);
  });

  test("that can't be started fails with the reason, and an abort before it starts nothing", async () => {
    const rg = await findRipgrep({ environment: {}, isTrusted: () => true, embedded: () => "/nonexistent/rg" });
    const request = {
      args: [],
      cwd: "/",
      signal: new AbortController().signal,
      timeoutMs: 1_000,
      onOutput: () => true,
    };
    expect(await rg?.(request).catch((error: Error) => error.message)).toContain("rg could not be started");
    expect(
      await rg?.({ ...request, signal: AbortSignal.abort(new Error("Esc")) }).catch((error: Error) => error.message),
    ).toBe("Esc");
  });
});
