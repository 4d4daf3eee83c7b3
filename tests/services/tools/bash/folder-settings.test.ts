import { expect, test } from "bun:test";
import { chmodSync } from "node:fs";
import { bashSession, PATH } from "./bash-session.ts";

const PROGRAMS = ["npm", "cargo", "rustc", "yarn", "pnpm"];

/** A workspace with these files, in which the programs are no more than names. */
async function isFree(command: string, files: Readonly<Record<string, string>>, isTrusted: boolean): Promise<boolean> {
  await using tools = await bashSession({
    files: Object.fromEntries(PROGRAMS.map((name) => [`bin/${name}`, "#!/bin/sh\n"])),
  });
  for (const name of PROGRAMS) chmodSync(tools.path(`bin/${name}`), 0o755);
  await using session = await bashSession({ files, isTrusted, path: `${tools.path("bin")}:${PATH}` });
  return (await session.prepare(command)).level === "read";
}

test.each(["npm view zod", "npm outdated", "npm ls", "npm config get registry", "timeout 5 npm view zod"])(
  "%s, which reads the folder's .npmrc, is free in a trusted folder alone",
  async (command) => {
    expect([await isFree(command, {}, true), await isFree(command, {}, false)]).toEqual([true, false]);
  },
);

test("npm --version reads nothing of the folder", async () => {
  expect(await isFree("npm --version", { ".npmrc": "//x/:_authToken=abc" }, false)).toBe(true);
});

test.each([
  ["cargo --version", "rust-toolchain.toml"],
  ["cargo --version", ".cargo/config.toml"],
  ["rustc --version", "rust-toolchain"],
  ["yarn --version", ".yarnrc"],
  ["yarn list --depth=0", ".yarnrc.yml"],
  ["pnpm ls", ".npmrc"],
  ["pnpm --version", "pnpm-workspace.yaml"],
  ["pnpm list --depth 0", ".pnpmfile.cjs"],
] as const)("%s is free, but in an untrusted folder with %s", async (command, file) => {
  expect(await isFree(command, { a: "" }, false)).toBe(true);
  expect(await isFree(command, { [file]: "x" }, false)).toBe(false);
  expect(await isFree(command, { [file]: "x" }, true)).toBe(true);
  expect(await isFree(`cd sub && ${command}`, { [file]: "x", "sub/a": "" }, false)).toBe(false);
});

test("a package.json that names its package manager leads yarn and pnpm elsewhere", async () => {
  for (const command of ["yarn --version", "pnpm --version"]) {
    expect(await isFree(command, { "package.json": '{"name":"a"}' }, false)).toBe(true);
    expect(await isFree(command, { "package.json": '{"packageManager":"yarn@4.0.0"}' }, false)).toBe(false);
  }
});
