import { describe, expect, test } from "bun:test";
import { chmodSync, symlinkSync } from "node:fs";
import { hashTree } from "../../../src/services/plugins/io/copy-tree.ts";
import { fetchRepository } from "../../../src/services/plugins/io/fetch-repository.ts";
import { entryOrigin, typedOrigin } from "../../../src/services/plugins/plugin-origin.ts";
import { gitMarketplace } from "../../support/git-marketplace.ts";
import { tempProject } from "../../support/temp-project.ts";

const signal = new AbortController().signal;
const typed = (text: string) => typedOrigin(text, { cwd: "/work", home: "/home/a" });

test("a person names a plugin's origin as a folder, a name on GitHub or a git address", () => {
  const rows: readonly (readonly [string, object])[] = [
    ["./a", { kind: "folder", path: "/work/a" }],
    ["~/a", { kind: "folder", path: "/home/a/a" }],
    ["/a", { kind: "folder", path: "/a" }],
    ["ann/shop", { kind: "git", url: "https://github.com/ann/shop.git" }],
    ["ann/shop#v1.2", { kind: "git", url: "https://github.com/ann/shop.git", ref: "v1.2" }],
    ["https://example.com/a.git#main", { kind: "git", url: "https://example.com/a.git", ref: "main" }],
    ["git@example.com:a/b.git", { kind: "git", url: "git@example.com:a/b.git" }],
  ];
  for (const [text, origin] of rows) expect(typed(text)).toEqual(origin as never);
  for (const text of [
    "http://example.com/a",
    "ext::sh -c id",
    "-oProxyCommand=id@x:y",
    "git://a/b",
    "https://-x/y",
    "a@-x:y",
  ])
    expect(() => typed(text)).toThrow("git address");
  expect(() => typed("ann/shop#--upload-pack=id")).toThrow("the name of a branch");
});

test("the source of a marketplace's entry is a path in it, or a repository", async () => {
  await using place = await tempProject({ "plugins/a/x": "" });
  symlinkSync("/etc", place.path("out"));
  const sha = "a".repeat(40);
  expect(entryOrigin("./plugins/a", place.dir)).toEqual({ kind: "folder", path: place.path("plugins/a") });
  expect(entryOrigin("a", place.dir, "./plugins")).toEqual({ kind: "folder", path: place.path("plugins/a") });
  const hub = { source: "github", repo: "ann/shop", ref: "main", sha };
  expect(entryOrigin(hub, place.dir)).toEqual({
    kind: "git",
    url: "https://github.com/ann/shop.git",
    ref: "main",
    sha,
  });
  const part = { source: "git-subdir", url: "https://example.com/a.git", path: "tools/p" };
  expect(entryOrigin(part, place.dir)).toMatchObject({ kind: "git", url: part.url, path: "tools/p" });
  for (const source of [
    "../x",
    "/etc",
    "./out",
    { source: "npm", package: "x" },
    { source: "url", url: "http://x/y" },
    { ...part, path: "../x" },
    undefined,
  ])
    expect(typeof entryOrigin(source, place.dir)).toBe("string");
});

describe("a repository", () => {
  test("is fetched at its head, at a branch or at a commit, without its history", async () => {
    await using market = await gitMarketplace();
    await market.write("new.txt", "new");
    market.git("checkout", "-q", "-b", "next");
    const second = market.commit("More");
    market.git("checkout", "-q", "main");
    for (const [wanted, commit] of [
      [{}, market.first],
      [{ ref: "next" }, second],
      [{ sha: second }, second],
    ] as const) {
      await using into = await tempProject();
      const request = { folder: into.dir, environment: process.env };
      expect(await fetchRepository({ url: market.url, ...wanted }, request, signal)).toBe(commit);
      expect(await Bun.file(into.path("new.txt")).exists()).toBe(commit === second);
    }
  });

  test("runs no hook of a template, and leaves submodules out", async () => {
    await using template = await tempProject({ "hooks/post-checkout": "#!/bin/sh\ntouch ran\n" });
    chmodSync(template.path("hooks/post-checkout"), 0o755);
    await using home = await tempProject({
      ".gitconfig": `[init]\n\ttemplateDir = ${template.dir}\n[core]\n\thooksPath = ${template.path("hooks")}\n`,
    });
    await using market = await gitMarketplace();
    await using into = await tempProject();
    market.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", market.url, "inner");
    market.commit("Submodule");
    const environment = { PATH: process.env["PATH"] ?? "", HOME: home.dir };
    await fetchRepository({ url: market.url }, { folder: into.dir, environment }, signal);
    expect(await Bun.file(into.path("ran")).exists()).toBe(false);
    expect(await Bun.file(into.path("inner/.claude-plugin/marketplace.json")).exists()).toBe(false);
  });

  test("that does not exist gives one line", async () => {
    await using into = await tempProject();
    const request = { folder: into.dir, environment: process.env };
    expect(fetchRepository({ url: `file://${into.dir}/gone` }, request, signal)).rejects.toThrow(
      /can't be fetched: .+\.$/,
    );
  });
});

describe("the hash of a plugin", () => {
  test("changes with names, contents, executable bits and links, and not with git's data", async () => {
    await using place = await tempProject({ a: "1", "b/c": "2", ".git/x": "3" });
    const seen = new Set([await hashTree(place.dir)]);
    await place.write(".git/x", "4");
    seen.add(await hashTree(place.dir));
    expect(seen.size).toBe(1);
    await place.write("a", "2");
    seen.add(await hashTree(place.dir));
    chmodSync(place.path("a"), 0o755);
    seen.add(await hashTree(place.dir));
    symlinkSync("a", place.path("d"));
    seen.add(await hashTree(place.dir));
    await place.write("b/e", "2");
    seen.add(await hashTree(place.dir));
    expect(seen.size).toBe(5);
    await using copy = await tempProject();
    expect(await hashTree(place.dir, copy.path("to"))).toBe(await hashTree(copy.path("to")));
    expect(await Bun.file(copy.path("to/.git/x")).exists()).toBe(false);
  });

  test("is refused for a link out of the plugin and for an entry that is no file", async () => {
    for (const target of ["/etc/passwd", "../x", "b/../../x"]) {
      await using place = await tempProject({ "b/c": "2" });
      symlinkSync(target, place.path("link"));
      expect(hashTree(place.dir)).rejects.toThrow('"link": it is a link out of the plugin');
    }
    await using place = await tempProject({ a: "1" });
    Bun.spawnSync(["mkfifo", place.path("pipe")]);
    expect(hashTree(place.dir)).rejects.toThrow('"pipe": it is neither a file nor a folder');
  });
});
