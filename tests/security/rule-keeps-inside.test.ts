/**
 * An allow rule is consent to run, not to leave the sandbox: what an install under a rule can do and reach, tried with the
 * real program and the real npm, with a registry of the test's own.
 */

import { expect, setDefaultTimeout, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { quollPlace } from "../support/quoll-process.ts";

setDefaultTimeout(60_000);

/** The install script of a package in the project, which takes what it can and tells what it got. */
const TAKE = `const { readFileSync, writeFileSync } = require("node:fs");
const tried = (work) => { try { return String(work()).trim(); } catch (error) { return error.code; } };
const [home, top] = [process.env.HOME, process.env.INIT_CWD];
writeFileSync(top + "/loot.json", JSON.stringify({
  key: tried(() => readFileSync(home + "/.ssh/id_rsa", "utf8")),
  env: tried(() => readFileSync(top + "/.env", "utf8")),
  out: tried(() => writeFileSync(home + "/planted", "x") ?? "written"),
}));`;
const FILES = {
  "package.json":
    '{"name":"shop","version":"1.0.0","private":true,"scripts":{"dev":"node dev.js"},"dependencies":{"local":"file:./local"}}\n',
  "local/package.json": '{"name":"local","version":"1.0.0","scripts":{"postinstall":"node take.js"}}\n',
  "local/take.js": TAKE,
  "dev.js": "console.log(process.loadEnvFile('.env') ?? process.env.TOKEN.length);\n",
  ".env": "TOKEN=hunter2-the-secret\n",
};

/** A registry with one small package. */
async function registry(folder: string) {
  const requests: string[] = [];
  const made = join(folder, "package");
  mkdirSync(made, { recursive: true });
  writeFileSync(join(made, "package.json"), '{"name":"tiny","version":"1.0.0"}');
  execFileSync("tar", ["czf", "tiny.tgz", "package"], { cwd: folder });
  const archive = readFileSync(join(folder, "tiny.tgz"));
  const shasum = createHash("sha1").update(archive).digest("hex");
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    if (request.url?.endsWith(".tgz")) return void response.end(archive);
    const dist = { tarball: `http://${request.headers.host}/tiny.tgz`, shasum };
    const body = {
      name: "tiny",
      "dist-tags": { latest: "1.0.0" },
      versions: { "1.0.0": { name: "tiny", version: "1.0.0", dist } },
    };
    if (request.url === "/tiny")
      return void response.setHeader("content-type", "application/json").end(JSON.stringify(body));
    response.writeHead(404).end("{}");
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as { port: number };
  return { requests, port, [Symbol.asyncDispose]: async () => void server.close() };
}

async function shop(allow: readonly string[], sandbox: object = {}) {
  const here = await quollPlace({ files: FILES, settings: { permissions: { allow }, sandbox }, on: "disk" });
  mkdirSync(here.home.path(".ssh"));
  writeFileSync(here.home.path(".ssh/id_rsa"), "PRIVATE KEY\n");
  const web = await registry(here.home.path("registry"));
  writeFileSync(here.home.path(".npmrc"), `registry=http://127.0.0.1:${web.port}/\nfund=false\naudit=false\n`);
  const exec = (command: string) => here.run(["exec", "Bash", "--trust", "--input", JSON.stringify({ command })]);
  return {
    ...{ here, web, exec },
    loot: () => JSON.parse(readFileSync(here.project.path("loot.json"), "utf8")) as Record<string, string>,
    async [Symbol.asyncDispose]() {
      await web[Symbol.asyncDispose]();
      await here[Symbol.asyncDispose]();
    },
  };
}

test("an install under a rule runs confined, with the registry that the person's npm uses and without secrets", async () => {
  await using at = await shop(["Bash(npm install *)"]);
  const { code, out, err } = await at.exec("npm install --foreground-scripts tiny");
  expect([code, at.web.requests]).toEqual([0, ["GET /tiny", "GET /tiny.tgz"]]);
  expect(at.loot()).toEqual({ key: "ENOENT", env: "", out: "EROFS" });
  expect(existsSync(at.here.home.path("planted"))).toBe(false);
  expect(out).toContain(`in the sandbox, with the network: 127.0.0.1:${at.web.port}`);
  expect(out).toContain("hidden from this command: .env");
  expect(err).toContain("sandbox.excludedCommands");
  const again = await at.exec("npm install 2>&1");
  expect([again.code, again.err]).toEqual([0, ""]);
});

test("the rule opens nothing to another program of the line, and the refusal says what to do", async () => {
  await using at = await shop(["Bash(npm install *)", "Bash(node *)"]);
  const { code, out } = await at.exec("npm install tiny && node -e 1");
  expect([code, at.web.requests]).toEqual([4, []]);
  expect(out).toContain("run `npm install tiny` as a call of its own");
});

test("an install under a rule does not reach the hosts of another command of the line", async () => {
  await using at = await shop(["Bash(npm install *)", "Bash(curl *)", "Bash(pip install *)"]);
  for (const other of ["curl -s https://api.example/", "pip install a"]) {
    const { code, out } = await at.exec(`npm install tiny; ${other}`);
    expect([code, at.web.requests]).toEqual([4, []]);
    expect(out).toContain("run `npm install tiny` as a call of its own");
  }
  const same = await at.exec(`npm install tiny && curl -s http://127.0.0.1:${at.web.port}/tiny | head -c 9`);
  expect(same.out).not.toContain("call of its own");
});

test("npx of a missing package fails at once without a network, and the result says why", async () => {
  await using at = await shop(["Bash(npx *)"]);
  const { out } = await at.exec("npx --yes tiny");
  expect(out).toContain("npm error");
  expect([out.includes("The sandbox"), at.web.requests]).toEqual([true, []]);
});

test("publishing and pushing need a setting of the person, which the refusal names", async () => {
  await using at = await shop(["Bash(npm *)", "Bash(git *)"]);
  const pushed = await at.exec("git push origin main");
  expect([pushed.code, pushed.err.includes(`"excludedCommands":["git push *"]`)]).toEqual([4, true]);
  const published = await at.exec("npm publish");
  expect([published.code, at.web.requests]).toEqual([4, []]);
});

test("a command under hosts of the person's own settings reads what it always read", async () => {
  await using at = await shop(["Bash(npm run *)"], { network: { allowedDomains: ["registry.example"] } });
  const { code, out } = await at.exec("npm run dev");
  expect([code, out.includes("18"), out.includes("hidden from")]).toEqual([0, true, false]);
});

test("the line that a refused run prints lets the same command run outside", async () => {
  await using at = await shop(["Bash(git push *)"]);
  const { err } = await at.exec("git push origin main");
  const json = /--settings '(.*)'/.exec(err)?.[1] ?? "";
  const args = ["exec", "Bash", "--trust", "--settings", json, "--input", '{"command":"git push origin main"}'];
  const { code, out } = await at.here.run(args);
  expect([code, out.includes("[outside the sandbox]")]).toEqual([1, true]);
});
