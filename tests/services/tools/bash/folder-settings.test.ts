import { afterAll, expect, test } from "bun:test";
import { chmodSync } from "node:fs";
import { programIsTrusted } from "../../../../src/services/tools/bash/trusted-program.ts";
import { tempProject } from "../../../support/temp-project.ts";
import { bashSession, PATH, shellParser } from "./bash-session.ts";

const PROGRAMS = ["npm", "cargo", "rustc", "yarn", "pnpm"];

const tools = await tempProject(Object.fromEntries(PROGRAMS.map((name) => [`bin/${name}`, "#!/bin/sh\n"])));
for (const name of PROGRAMS) chmodSync(tools.path(`bin/${name}`), 0o755);
afterAll(() => tools[Symbol.asyncDispose]());

/** A workspace with these files, in which the programs are no more than names. */
async function isFree(command: string, files: Readonly<Record<string, string>>, isTrusted: boolean): Promise<boolean> {
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

test.each([
  ["cargo --version", "rust-toolchain.toml", '[toolchain]\npath = "./tools"', '[toolchain]\nchannel = "stable"'],
  ["rustc -V", ".cargo/config.toml", '[build]\nrustc-wrapper = "./x"', "[net]\nretry = 2"],
  ["yarn list", ".yarnrc.yml", "yarnPath: .yarn/releases/yarn-4.cjs", "nodeLinker: node-modules"],
  ["yarn why zod", ".yarnrc", 'yarn-path "./x.js"', "--install.frozen-lockfile true"],
  ["pnpm ls", ".npmrc", "script-shell=./x", "auto-install-peers=true"],
  ["pnpm ls", ".pnpmfile.cjs", "x", undefined],
  ["bun pm ls", "bunfig.toml", 'preload = ["./x.ts"]', "telemetry = false"],
  ["bun ls", "package.json", '{"scripts":{"ls":"touch x"}}', '{"scripts":{"test":"x"}}'],
  ["mvn -v", ".mvn/jvm.config", "-javaagent:x.jar", "-Xmx1g"],
  ["dotnet --info", "global.json", '{"sdk":{"paths":[".dotnet"]}}', '{"sdk":{"version":"9.0.100"}}'],
  ["go version", "go.mod", "module a\ntoolchain go1.22-evil\n", "module a\ngo 1.22\ntoolchain go1.22.3\n"],
  ["go list ./...", "go.work", "toolchain x\n", "use ./a\n"],
  ["jest --version", "node_modules/.bin/jest", "x", undefined],
  ["lerna --version", "node_modules/lerna/package.json", "x", undefined],
  ["turbo --version", "node_modules/turbo-linux-64/bin/turbo", "x", undefined],
  ["turbo --version", ".yarn/unplugged/turbo-linux-64/bin/turbo", "x", undefined],
  ["nx --version", ".nx/installation/node_modules/nx/bin/nx.js", "x", undefined],
  ["cargo tree", "Cargo.toml", "[package]", undefined],
] as const)("%s asks in a trusted folder where %s leads to code of the project", async (command, file, code, plain) => {
  expect(await isFree(command, { a: "" }, true)).toBe(true);
  expect(await isFree(command, { [file]: code }, true)).toBe(false);
  expect(await isFree(`cd sub && ${command}`, { [file]: code, "sub/a": "" }, true)).toBe(false);
  if (plain !== undefined) expect(await isFree(command, { [file]: plain }, true)).toBe(true);
});

test("a query of cargo is free beside a lock file, and in no folder that is not trusted", async () => {
  const files = { "Cargo.toml": "[package]", "Cargo.lock": "" };
  expect(await isFree("cargo tree", files, true)).toBe(true);
  expect(await isFree("cargo metadata --format-version 1", files, true)).toBe(true);
  expect(await isFree("cargo tree", files, false)).toBe(false);
});

test("a package manager that package.json names by an address leads to code also in a trusted folder", async () => {
  const named = (manager: string) => ({ "package.json": JSON.stringify({ packageManager: manager }) });
  expect(await isFree("yarn list", named("yarn@4.1.0"), true)).toBe(true);
  expect(await isFree("yarn list", named("yarn@https://example.com/x.tgz"), true)).toBe(false);
});

test("go asks in any folder whose go.mod names a toolchain that is no release", async () => {
  for (const isTrusted of [true, false]) {
    expect(await isFree("go list ./...", { "go.mod": "module a\ntoolchain evil\n" }, isTrusted)).toBe(false);
    expect(await isFree("go list ./...", { "go.mod": "module a\ngo 1.22\n" }, isTrusted)).toBe(true);
  }
});

test("pnpm asks where the project names both its version and its registry", async () => {
  const files = { "package.json": '{"packageManager":"pnpm@9.0.0"}' };
  expect(await isFree("pnpm ls", files, true)).toBe(true);
  expect(await isFree("pnpm ls", { ...files, ".npmrc": "registry=https://example.com/" }, true)).toBe(false);
});

async function level(command: string, options: Parameters<typeof bashSession>[0] = {}): Promise<string> {
  await using session = await bashSession({ files: { "a.txt": "x\n", "bin/quolltool": "" }, ...options });
  return (await session.prepare(command)).level;
}

test("a known program that does not exist can't harm, unless a folder of the path is in the workspace", async () => {
  const empty = { path: "/nonexistent" };
  expect(await level("gh pr list", empty)).toBe("read");
  expect(await level("gh pr merge 1", empty)).toBe("execute");
  expect(await level("quolltool --version", empty)).toBe("execute");
  const parsed = (await shellParser()).parse("gh pr list");
  const [command] = parsed.understood ? parsed.commands : [];
  if (!command) throw new Error("the command is understood");
  const isTrusted = (path: string) =>
    programIsTrusted(command, undefined, {
      workspace: { contains: (file) => file === "/work" || file.startsWith("/work/") },
      env: { PATH: path },
      cwd: "/work",
      isTrusted: true,
    });
  expect(await isTrusted("/nonexistent:/none")).toBe(true);
  for (const path of ["/nonexistent:/work/bin", "/nonexistent:bin", "/nonexistent:", ".:/nonexistent"])
    expect([path, await isTrusted(path)]).toEqual([path, false]);
});

test("a program of the workspace is never taken for the known one", async () => {
  await using session = await bashSession({ files: { "bin/node": "#!/bin/sh\n" } });
  chmodSync(session.path("bin/node"), 0o755);
  for (const command of ["./bin/node --version", "bin/node --version", `${session.path("bin/node")} --version`])
    expect([command, (await session.prepare(command)).level]).toEqual([command, "execute"]);
});

test("a pager asks where the environment makes it start a program", async () => {
  expect(await level("less a.txt")).toBe("read");
  expect(await level("less a.txt", { environment: { LESSOPEN: "|./x %s" } })).toBe("execute");
  expect(await level("man ls", { environment: { MANPATH: "/x" } })).toBe("execute");
});

test("a request to this machine asks about a port on which Quoll itself listens", async () => {
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("x") });
  try {
    expect(await level(`curl -s http://localhost:${server.port}/a`)).toBe("execute");
    expect(await level("curl -s http://localhost:1/a")).toBe("read");
  } finally {
    await server.stop(true);
  }
});
