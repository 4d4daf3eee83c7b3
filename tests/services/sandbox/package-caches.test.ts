import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { type CacheRequest, packageCaches } from "../../../src/services/sandbox/package-caches.ts";
import { tempProject } from "../../support/temp-project.ts";
import { sandboxPlace } from "./sandbox-fixture.ts";

const OFFLINE: CacheRequest = {
  env: {},
  home: "/h",
  project: { hasFile: () => false },
  folder: "/c",
  hasNetwork: false,
  isAllowedHost: () => false,
  isWritable: () => false,
};
const ONLINE: CacheRequest = { ...OFFLINE, hasNetwork: true, isAllowedHost: () => true };

describe("the variables of caches", () => {
  test("without a network only those that a manager can't do without", () => {
    expect(packageCaches(OFFLINE)).toEqual({
      UV_CACHE_DIR: "/c/uv",
      UV_LINK_MODE: "copy",
      GOCACHE: "/c/go-build",
      SWIFTPM_CACHE_PATH: "/c/swiftpm",
      GRADLE_USER_HOME: "/c/gradle",
      GRADLE_RO_DEP_CACHE: "/h/.gradle/caches",
    });
  });

  test("with one, those of each manager, and the person's own as a source that is read", () => {
    expect(packageCaches(ONLINE)).toMatchObject({
      npm_config_cache: "/c/npm",
      YARN_CACHE_FOLDER: "/c/yarn",
      BUN_INSTALL_CACHE_DIR: "/c/bun",
      PIP_CACHE_DIR: "/c/pip",
      CARGO_HOME: "/c/cargo",
      GOMODCACHE: "/c/go-mod",
      GOPROXY: "file:///h/go/pkg/mod/cache/download,https://proxy.golang.org,direct",
      GOFLAGS: "-modcacherw",
      MAVEN_OPTS: "-Dmaven.repo.local=/c/maven -Dmaven.repo.local.tail=/h/.m2/repository",
    });
  });

  test("leave out a registry that can't be reached where the person's own cache would be missed", () => {
    const found = packageCaches({ ...ONLINE, isAllowedHost: (host) => host === "static.crates.io" });
    for (const name of ["CARGO_HOME", "GOMODCACHE", "GOPROXY", "MAVEN_OPTS"]) expect(found).not.toHaveProperty(name);
    expect(found).toHaveProperty("npm_config_cache");
  });

  test("pnpm's and Yarn's of today where the project uses them, and npm hears of no setting that it does not know", () => {
    expect(packageCaches(ONLINE)).not.toHaveProperty("npm_config_store_dir");
    const pnpm = packageCaches({ ...ONLINE, project: { hasFile: (name) => name === "pnpm-lock.yaml" } });
    expect(pnpm).toMatchObject({ npm_config_store_dir: "/c/pnpm", pnpm_config_store_dir: "/c/pnpm" });
    const berry = packageCaches({ ...ONLINE, project: { hasFile: (name) => name === ".yarnrc.yml" } });
    expect(berry).toMatchObject({ YARN_GLOBAL_FOLDER: "/c/yarn-berry" });
    expect(berry).not.toHaveProperty("YARN_CACHE_FOLDER");
  });

  test("a cache that may be written to anyway stays as it is, wherever a variable puts it", () => {
    const env = { UV_CACHE_DIR: "/big/uv" };
    const found = packageCaches({ ...OFFLINE, env, isWritable: (path) => path.startsWith("/big") });
    expect(found).not.toHaveProperty("UV_CACHE_DIR");
    expect(packageCaches({ ...OFFLINE, env })["UV_CACHE_DIR"]).toBe("/c/uv");
  });

  test("Go's own file of settings counts", async () => {
    await using home = await tempProject({ ".config/go/env": "GOPROXY=https://corp.example\nGOPATH=/data/go\n" });
    expect(packageCaches({ ...ONLINE, home: home.dir })["GOPROXY"]).toBe(
      "file:///data/go/pkg/mod/cache/download,https://corp.example",
    );
  });
});

describe.each(["bubblewrap", "landlock"] as const)("under %s", (kind) => {
  test("files that a command puts into a cache reach the project's next session and no other project", async () => {
    await using first = await sandboxPlace({ kind, homeFiles: { ".cache/uv/x": "the person's\n" } });
    expect((await first.run("mkdir -p $GOCACHE && echo built > $GOCACHE/x")).code).toBe(0);
    await first.sandbox.close();
    const { cacheFolder, ownFolders, stateFolder, home } = first.deps;
    const again = { cacheFolder, ownFolders, stateFolder, home };
    await using next = await sandboxPlace({ kind, deps: again });
    expect((await next.run("cat $GOCACHE/x")).out).toBe("built\n");
    await using other = await sandboxPlace({ kind, deps: { ...again, cacheFolder: `${cacheFolder}-other` } });
    expect((await other.run(`cat $GOCACHE/x; ls ${cacheFolder}`)).out).not.toContain("built");
  });

  test("the person's own caches stay read-only, and Quoll's marks out of reach", async () => {
    await using at = await sandboxPlace({ kind, homeFiles: { ".cache/uv/x": "the person's\n" } });
    const { out } = await at.run(
      "echo bad > $HOME/.cache/uv/x; echo bad > $GOCACHE/../../last-use; cat $HOME/.cache/uv/x",
    );
    expect(out).toMatch(/the person's\n$/);
    expect(await Bun.file(`${at.deps.cacheFolder}/last-use`).text()).toBe("");
  });
});

test("npm adds to the project's cache and finds it again", async () => {
  await using at = await sandboxPlace({
    settings: { network: { allowedDomains: ["registry.npmjs.org"] } },
    files: { "thing/package.json": '{ "name": "thing", "version": "1.0.0" }' },
  });
  const { code, out } = await at.run("npm pack ./thing --silent && npm cache add ./thing-1.0.0.tgz && npm cache ls");
  expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining("thing-1.0.0.tgz") });
  expect(existsSync(`${at.deps.cacheFolder}/files/npm/_cacache`)).toBe(true);
  expect(existsSync(at.home.path(".npm"))).toBe(false);
}, 60_000);

test.skipIf(!Bun.which("go"))(
  "go builds with a module that only the person's cache holds",
  async () => {
    const download = "go/pkg/mod/cache/download/example.com/dep/@v";
    await using at = await sandboxPlace({
      settings: { network: { allowedDomains: ["proxy.golang.org"] } },
      homeFiles: {
        [`${download}/v1.0.0.mod`]: "module example.com/dep\n",
        [`${download}/v1.0.0.info`]: '{"Version":"v1.0.0"}',
      },
      files: {
        "go.mod": "module app\n\ngo 1.18\n\nrequire example.com/dep v1.0.0\n",
        "main.go": 'package main\n\nimport "example.com/dep"\n\nfunc main() { println(dep.Name) }\n',
        "example.com/dep@v1.0.0/go.mod": "module example.com/dep\n",
        "example.com/dep@v1.0.0/dep.go": 'package dep\n\nconst Name = "found"\n',
      },
    });
    const zip = at.home.path(`${download}/v1.0.0.zip`);
    // Go takes no archive with entries for folders.
    const pack = `import zipfile; z = zipfile.ZipFile("${zip}", "w"); [z.write("example.com/dep@v1.0.0/" + f) for f in ("go.mod", "dep.go")]`;
    expect(at.outside(`python3 -c '${pack}' && rm -r example.com`)).toEqual({ code: 0, out: "" });
    const { code, out } = await at.run('export GONOSUMDB=* GOFLAGS="$GOFLAGS -mod=mod"; go run . 2>&1');
    expect({ code, out: out.slice(-6) }).toEqual({ code: 0, out: "found\n" });
    expect((await at.run("ls $GOMODCACHE/example.com")).out).toBe("dep@v1.0.0\n");
  },
  60_000,
);
