import { describe, expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import type { OpenedNetwork } from "../../../src/contracts/subject.ts";
import { isSecret } from "../../../src/services/permission/judge/secrets.ts";
import { until } from "../../support/eventually.ts";
import { sandboxPlace } from "./sandbox-fixture.ts";

async function webServer() {
  const hits: string[] = [];
  const server = createServer((request, response) => {
    hits.push(`${request.method} ${request.url}`);
    response.end("served\n");
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as { port: number };
  return { hits, port, [Symbol.asyncDispose]: async () => void server.close() };
}

const CURL = "curl -sS --max-time 20 -o /dev/null -w '%{http_code}'";
const SECRETS = {
  ".env": "A=secret\n",
  "app/.env.local": "B=secret\n",
  "keys/tls.key": "secret\n",
  ".aws/x": "secret\n",
};
const place = (options: Parameters<typeof sandboxPlace>[0] = {}) =>
  sandboxPlace({ ...options, deps: { isSecret, ...options.deps } });
const reaching = (port: number, settings: readonly string[] = []): { readonly opened: OpenedNetwork } => ({
  opened: { hosts: [{ host: "127.0.0.1", port, isOwn: true }], settings },
});

describe("a network opened to one command", () => {
  test("reaches its host and port alone", async () => {
    await using web = await webServer();
    await using other = await webServer();
    await using at = await place();
    const both = `${CURL} http://127.0.0.1:${web.port}/a; ${CURL} http://127.0.0.1:${other.port}/b; ${CURL} http://registry.example/c`;
    expect(await at.run(both, reaching(web.port))).toEqual({ code: 0, out: "200403403" });
    expect([web.hits, other.hits]).toEqual([["GET /a"], []]);
    expect(at.sandbox.explainFailure("", 60_000)).toContain("registry.example");
  });

  test("does not reach a command that runs at the same time or later", async () => {
    await using web = await webServer();
    await using at = await place();
    const url = `http://127.0.0.1:${web.port}`;
    const script = `until [ -e go ]; do sleep 0.02; done; ${CURL} ${url}/opened`;
    const { spawn, confined, output } = await at.start(script, reaching(web.port));
    const tries = `for port in 3128 3129 8080; do ${CURL} -x http://127.0.0.1:$port ${url}/stolen; done; ${CURL} ${url}/plain; ls /run/quoll '${at.deps.stateFolder}' 2>/dev/null; touch go`;
    const { out } = await at.run(tries);
    await spawn.exited;
    await confined.dispose();
    expect([out.includes("200"), out.includes(".sock"), output()]).toEqual([false, false, "200"]);
    expect((await at.run(`NO_PROXY= ${CURL} ${url}/later`)).out).not.toContain("200");
    expect(web.hits).toEqual(["GET /opened"]);
  });

  test("is closed when the command ends, also if a process that it started survives", async () => {
    await using web = await webServer();
    await using at = await place();
    const left = `${CURL} http://127.0.0.1:${web.port}/first; until [ -e go ]; do sleep 0.02; done; ${CURL} http://127.0.0.1:${web.port}/late`;
    const { spawn, confined } = await at.start(left, reaching(web.port));
    await until(() => web.hits.length > 0);
    await confined.dispose();
    await at.project.write("go", "");
    await spawn.exited;
    expect(web.hits).toEqual(["GET /first"]);
  });

  test("a host that the person denied stays closed, and so does a private address that only the words name", async () => {
    await using web = await webServer();
    await using at = await place({ settings: { network: { deniedDomains: ["127.0.0.1"] } } });
    expect((await at.run(`${CURL} http://127.0.0.1:${web.port}/`, reaching(web.port))).out).toBe("403");
    await using open = await place();
    const opened = { hosts: [{ host: "127.0.0.1", port: web.port }], settings: [] };
    expect((await open.run(`${CURL} http://127.0.0.1:${web.port}/`, { opened })).out).toBe("403");
    expect(web.hits).toEqual([]);
    const name = { opened: { hosts: [{ host: "localhost" }], settings: [] } };
    await open.run(`NO_PROXY= no_proxy= ${CURL} http://localhost:${web.port}/`, name);
    expect([web.hits, open.sandbox.explainFailure("", 60_000)?.includes("localhost")]).toEqual([[], true]);
  });

  test("a host that the person named leads to this machine only by a port that they named", async () => {
    await using web = await webServer();
    await using at = await place();
    for (const host of ["localhost", "2130706433", "[::ffff:127.0.0.1]"]) {
      const get = `NO_PROXY= no_proxy= ${CURL} http://${host}:${web.port}/`;
      await at.run(get, { opened: { hosts: [{ host, isOwn: true }], settings: [] } });
      expect([host, web.hits]).toEqual([host, []]);
    }
    await at.run(`NO_PROXY= no_proxy= ${CURL} http://localhost:${web.port}/named`, {
      opened: { hosts: [{ host: "localhost", port: web.port, isOwn: true }], settings: [] },
    });
    expect(web.hits).toEqual(["GET /named"]);
  });

  test("hides the workspace's secrets by name, tells which, and leaves them to other commands", async () => {
    await using web = await webServer();
    await using at = await place({ files: { ...SECRETS, "a.txt": "text\n" } });
    const show = "cat .env app/.env.local keys/tls.key .aws/x a.txt 2>/dev/null; true";
    const { spawn, confined, output } = await at.start(show, reaching(web.port));
    await spawn.exited;
    await confined.dispose();
    expect(output()).toBe("text\n");
    const names = confined.hiddenSecrets?.map((path) => path.slice(at.project.dir.length + 1));
    expect(names?.toSorted()).toEqual([".aws", ".env", "app/.env.local", "keys/tls.key"]);
    expect((await at.run("cat .env")).out).toBe("A=secret\n");
  });

  test("its package manager's settings, files that allowRead opens, samples and public certificates stay readable", async () => {
    const files = {
      ...{ ".npmrc": "fund=false\n", ".env.example": "sample\n", "app/.env": "opened\n", ".pypirc": "secret\n" },
      ...{ "env/pyvenv.cfg": "home = /usr\n", "env/lib/certifi/cacert.pem": "public\n", "env/x.pem": "packaged\n" },
    };
    await using at = await place({
      files,
      homeFiles: { ".npmrc": "token\n", ".pypirc": "secret\n", ".ssh/id_rsa": "secret\n" },
      deps: {},
    });
    const settings = [at.home.path(".npmrc"), ".npmrc"];
    await using opening = await place({
      files,
      settings: { filesystem: { allowRead: [] } },
    });
    expect((await opening.run("cat app/.env; true", reaching(1))).out).toBe("");
    const shown =
      "cat .npmrc .env.example env/lib/certifi/cacert.pem env/x.pem .pypirc $HOME/.npmrc $HOME/.pypirc $HOME/.ssh/id_rsa";
    const { out } = await at.run(`${shown} 2>/dev/null; true`, reaching(1, settings));
    expect(out).toBe("fund=false\nsample\npublic\npackaged\ntoken\n");
    expect((await at.run("cat $HOME/.npmrc; true")).out).not.toContain("token");
  });

  test("hides the outputs of earlier commands, which may contain secrets", async () => {
    await using at = await place();
    writeFileSync(join(at.artifacts, "1.log"), "secret\n");
    expect((await at.run(`cat ${at.artifacts}/1.log`)).out).toBe("secret\n");
    expect((await at.run(`cat ${at.artifacts}/1.log 2>&1; true`, reaching(1))).out).not.toContain("secret");
  });

  test("gives pnpm and both kinds of Yarn a cache that they can write, also without files that tell the manager", async () => {
    await using at = await place();
    const managers = { opened: { ...reaching(1).opened, managers: ["pnpm", "yarn"] } };
    const names = "npm_config_store_dir YARN_CACHE_FOLDER YARN_GLOBAL_FOLDER";
    const { out } = await at.run(`for name in ${names}; do mkdir -p "\${!name}" && echo made; done`, managers);
    expect(out).toBe("made\nmade\nmade\n");
  });

  test("allowRead opens a secret to a command with a network too", async () => {
    await using at = await place({ files: SECRETS });
    Object.assign(at.deps.settings, { filesystem: { allowRead: [at.project.path(".env")] } });
    expect((await at.run("cat .env app/.env.local; true", reaching(1))).out).toBe("A=secret\n");
  });

  test("secrets between the workspace and the top of its project are hidden too", async () => {
    await using at = await place({ files: { ".env": "A=secret\n", "packages/shop/a.txt": "text\n" } });
    const root = at.project.path("packages/shop");
    await using inner = await place({ deps: { roots: [root], projectRoot: at.project.dir } });
    const { out } = await inner.run("cat ../../.env a.txt; true", { cwd: root, ...reaching(1) });
    expect(out).toBe("text\n");
  });

  test("the secrets of the checkout to which a worktree belongs are hidden too", async () => {
    await using main = await place({ files: { ".env": "A=secret\n", "a.txt": "text\n" }, git: true });
    await using at = await place({ deps: { gitFolders: [main.project.path(".git")] } });
    const { confined } = await at.confineBash("true", reaching(1));
    await confined.dispose();
    expect(confined.hiddenSecrets).toEqual([main.project.path(".env")]);
  });

  test("hides secrets while another command runs that could replace them", async () => {
    await using at = await place({ files: SECRETS });
    const { spawn, confined } = await at.start("until [ -e done ]; do sleep 0.02; done");
    expect((await at.run("cat .env; true", reaching(1))).out).toBe("");
    await at.run("touch done");
    await spawn.exited;
    await confined.dispose();
  });

  test("ends with its command and leaves no socket behind", async () => {
    await using web = await webServer();
    await using at = await place();
    const { spawn, confined } = await at.start(`${CURL} http://127.0.0.1:${web.port}/`, reaching(web.port));
    const folder = confined.args.find((word) => word.includes("/net-"));
    expect(folder && existsSync(folder)).toBe(true);
    await spawn.exited;
    await confined.dispose();
    expect(folder && existsSync(folder)).toBe(false);
  });

  test("can't be opened under Landlock", async () => {
    await using at = await place({ kind: "landlock" });
    await expect(at.run("true", reaching(1))).rejects.toThrow("can't open a network");
  });
});
