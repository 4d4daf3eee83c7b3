import { expect, setDefaultTimeout } from "bun:test";
import { copyFileSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { deepTest } from "../support/deep.ts";
import { runCommand } from "../support/run-command.ts";
import { tempProject } from "../support/temp-project.ts";

setDefaultTimeout(60_000);

const ROOT = join(import.meta.dir, "../..");
const LOCK = "package-lock.json";

deepTest(
  "npm install leaves the lock file as it is, though another version of npm would write it otherwise",
  async () => {
    await using clone = await tempProject();
    const packages = [...new Bun.Glob("packages/*/package.json").scanSync({ cwd: ROOT })];
    for (const file of ["package.json", ".npmrc", ...packages]) {
      mkdirSync(dirname(clone.path(file)), { recursive: true });
      copyFileSync(join(ROOT, file), clone.path(file));
    }
    // npm 10 leaves this field out, npm 11 adds other fields: an older lock file stands for both.
    const lock = readFileSync(join(ROOT, LOCK), "utf8").replace('  "requires": true,\n', "");
    await clone.write(LOCK, lock);
    const args = ["install", "--offline", "--package-lock-only", "--ignore-scripts"];
    expect(await runCommand(["npm", ...args], { cwd: clone.dir })).toMatchObject({ code: 0 });
    expect(await clone.read(LOCK)).toBe(lock);
  },
);
