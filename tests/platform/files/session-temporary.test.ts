import { expect, test } from "bun:test";
import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { resolvePath } from "../../../src/platform/files/resolve-path.ts";
import { tempProject } from "../../support/temp-project.ts";

const FILES = { "session/mine": "session", "session/both": "session", "elsewhere/key": "key" };

test("a name means the session's file, else the machine's, else a new file of the session", async () => {
  await using at = await tempProject(FILES);
  mkdirSync(at.path("tmp"));
  const view = { folder: at.path("session"), inside: at.path("tmp"), kept: [at.path("tmp/work")], writable: [] };
  await at.write("tmp/theirs", "machine");
  await at.write("tmp/both", "machine");
  await at.write("tmp/work/a.ts", "work");
  const find = async (name: string, isWrite = false) => {
    const base = { cwd: at.dir, home: "/home/ann", temporary: async () => view, isWrite };
    const { path, inside, isOfMachine = false } = await resolvePath(at.path(`tmp/${name}`), base);
    return { path, ...(inside !== undefined && { inside }), isOfMachine };
  };
  const session = (name: string) => ({
    path: at.path(`session/${name}`),
    inside: at.path(`tmp/${name}`),
    isOfMachine: false,
  });
  expect(await find("mine")).toEqual(session("mine"));
  expect(await find("both")).toEqual(session("both"));
  expect(await find("new")).toEqual(session("new"));
  expect(await find("theirs")).toEqual({ path: at.path("tmp/theirs"), isOfMachine: true });
  // A confined command writes a file of its own.
  expect(await find("theirs", true)).toEqual(session("theirs"));
  expect(await find("work/a.ts")).toEqual({ path: at.path("tmp/work/a.ts"), isOfMachine: false });
  expect(await find("../tmp/./mine")).toEqual(session("mine"));
});

test("links of the session's folder are followed as a program inside would follow them", async () => {
  await using at = await tempProject(FILES);
  mkdirSync(at.path("tmp"));
  const view = { folder: at.path("session"), inside: at.path("tmp"), kept: [], writable: [] };
  const find = async (name: string) => {
    const base = { cwd: at.dir, home: "/home/ann", temporary: async () => view };
    const { path, inside } = await resolvePath(at.path(name), base);
    return { path, inside };
  };
  symlinkSync(at.path("elsewhere/key"), at.path("session/out"));
  symlinkSync("../elsewhere", at.path("session/up"));
  symlinkSync(join(at.path("tmp"), "mine"), at.path("session/round"));
  symlinkSync(join(at.path("tmp"), "mine"), at.path("link"));
  symlinkSync("loop", at.path("session/loop"));
  expect(await find("tmp/out")).toEqual({ path: at.path("elsewhere/key"), inside: undefined });
  expect(await find("tmp/up/key")).toEqual({ path: at.path("elsewhere/key"), inside: undefined });
  const mine = { path: at.path("session/mine"), inside: at.path("tmp/mine") };
  expect(await find("tmp/round")).toEqual(mine);
  expect(await find("link")).toEqual(mine);
  expect(find("tmp/loop")).rejects.toThrow("circle");
});

test("where nothing is mounted, the session's folder has only its own name, and the machine's is the machine's", async () => {
  await using at = await tempProject(FILES);
  mkdirSync(at.path("tmp"));
  const view = { folder: at.path("artefacts/tmp"), inside: at.path("artefacts/tmp"), kept: [], writable: [] };
  const find = (name: string) => resolvePath(at.path(name), { cwd: at.dir, home: "/", temporary: async () => view });
  expect(await find("artefacts/tmp/x")).toMatchObject({ inside: at.path("artefacts/tmp/x") });
  expect(await find("tmp/x")).toEqual({ path: at.path("tmp/x"), given: at.path("tmp/x") });
  expect(existsSync(view.folder)).toBe(false);
});
