import { describe, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, renameSync, rmdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { briefly, changesOf, checkpointPlace, stateOf } from "../checkpoint-place.ts";

const NEVER = new AbortController().signal;

describe("the states of a work root", () => {
  test("tell which files, links and folders came, changed and went", async () => {
    await using place = await checkpointPlace({ "a.txt": "a", "b/c.txt": "c", "gone/x.txt": "x" });
    const { root, path } = place;
    symlinkSync("a.txt", path("link"));
    mkdirSync(path("empty"));
    const { store } = place.open();
    const { changes, after } = await changesOf(store, root, async () => {
      await place.write("a.txt", "changed");
      await place.write("new/deep/n.txt", "n");
      rmSync(path("gone"), { recursive: true });
      rmSync(path("link"));
      symlinkSync("b/c.txt", path("link"));
      rmdirSync(path("empty"));
      mkdirSync(path("hollow/inner"), { recursive: true });
    });
    expect(briefly(root, changes)).toEqual([
      "+hollow/",
      "+hollow/inner/",
      "+new/",
      "+new/deep/",
      "+new/deep/n.txt",
      "-empty/",
      "-gone/",
      "-gone/x.txt",
      "~a.txt",
      "~link",
    ]);
    expect(after.notHeld).toEqual([]);
  });

  test("keep all permission bits, also those of a folder", async () => {
    await using place = await checkpointPlace({ "a.txt": "a", "run.sh": "#!/bin/sh\n", "secret/key": "k" });
    const { root, path } = place;
    chmodSync(path("a.txt"), 0o600);
    chmodSync(path("secret"), 0o700);
    const { store } = place.open();
    const { changes } = await changesOf(store, root, () => {
      chmodSync(path("a.txt"), 0o640);
      chmodSync(path("run.sh"), 0o755);
      rmSync(path("secret"), { recursive: true });
    });
    expect(
      changes.map(({ path, before, after }) => [path.slice(root.length + 1), before?.mode, after?.mode]).sort(),
    ).toEqual([
      ["a.txt", 0o600, 0o640],
      ["run.sh", 0o644, 0o755],
      ["secret", 0o700, undefined],
      ["secret/key", 0o644, undefined],
    ]);
  });

  test("without a change need no new tree, also in the next process", async () => {
    await using place = await checkpointPlace({ "a.txt": "a", "b/c.txt": "c" });
    const { store } = place.open();
    const { changes } = await changesOf(store, place.root, () => undefined);
    expect(changes).toEqual([]);
    const next = place.open({ sessionId: "session-b" });
    const again = await changesOf(next.store, place.root, () => place.write("a.txt", "b"));
    expect(briefly(place.root, again.changes)).toEqual(["~a.txt"]);
  });

  test("notice a change that left size and time as they were", async () => {
    await using place = await checkpointPlace();
    const { store } = place.open();
    for (let round = 0; round < 10; round += 1) {
      writeFileSync(place.path("a.txt"), `before ${round}`);
      const { changes } = await changesOf(store, place.root, () =>
        writeFileSync(place.path("a.txt"), `behind ${round}`),
      );
      expect(briefly(place.root, changes)).toEqual(["~a.txt"]);
    }
  });

  test("leave out what git ignores, and keep a file there that a tool names", async () => {
    await using place = await checkpointPlace({
      ".gitignore": "ignored/\n",
      "ignored/a.txt": "a",
      "ignored/b.txt": "b",
      "node_modules/x/index.js": "x",
    });
    const { root, path } = place;
    place.git("init", "-q");
    writeFileSync(path(".git/info/exclude"), "private.txt\n");
    await place.write("private.txt", "p");
    mkdirSync(`${place.home}/.config/git`, { recursive: true });
    writeFileSync(`${place.home}/.config/git/ignore`, "*.swp\n");
    await place.write("a.swp", "s");
    const { store } = place.open();
    const before = await stateOf(store, root, [path("ignored/b.txt"), path("ignored/new/c.txt")]);
    for (const name of ["ignored/a.txt", "ignored/b.txt", "node_modules/x/index.js", "private.txt", "a.swp"])
      await place.write(name, "changed");
    await place.write("ignored/new/c.txt", "c");
    const changes = await store.changesBetween(before, await stateOf(store, root), NEVER);
    expect(briefly(root, changes)).toEqual(["+ignored/new/", "+ignored/new/c.txt", "~ignored/b.txt"]);
  });

  test("leave out Quoll's own folders inside the root", async () => {
    await using place = await checkpointPlace({ "a.txt": "a", "[own] data/log.jsonl": "1" });
    const { store } = place.open({ folder: place.path("cp/p"), leftOut: [place.path("[own] data")] });
    const { changes } = await changesOf(store, place.root, () => place.write("[own] data/log.jsonl", "2"));
    expect(changes).toEqual([]);
  });

  test("hold folders of dependencies in which git tracks files", async () => {
    await using place = await checkpointPlace({ "node_modules/own/index.js": "x", "sub/node_modules/y.js": "y" });
    place.git("init", "-q");
    place.git("add", "-f", "node_modules/own/index.js");
    const { store } = place.open();
    const { changes } = await changesOf(store, place.root, async () => {
      await place.write("node_modules/own/index.js", "changed");
      await place.write("sub/node_modules/y.js", "changed");
    });
    expect(briefly(place.root, changes)).toEqual(["~node_modules/own/index.js"]);
  });

  test("hold the bytes as they are, and start no filter, hook or monitor of the project", async () => {
    const ran = "ran";
    await using place = await checkpointPlace({
      ".gitattributes": "* filter=evil text eol=crlf ident working-tree-encoding=UTF-16\n",
      "a.txt": "one\r\ntwo\n$Id$\n",
    });
    const { root, path } = place;
    place.git("init", "-q");
    for (const [key, value] of [
      ["filter.evil.clean", `touch ${path(ran)}`],
      ["filter.evil.process", `touch ${path(ran)}`],
      ["filter.evil.required", "true"],
      ["core.autocrlf", "true"],
      ["core.fsmonitor", `touch ${path(ran)}; false`],
      ["core.hooksPath", root],
    ] as const)
      place.git("config", key, value);
    const { store, rewinds } = place.open();
    const { changes } = await changesOf(store, root, () => place.write("a.txt", "three\r\nfour\n"));
    await store.record({ messageId: "m", toolUseIds: [], agentIds: [], files: changes, commands: ["x"], outside: [] });
    await rewinds.rewind({ messageId: "m", scope: "files", choices: { [path("a.txt")]: "checkpoint" } }, NEVER);
    expect(await place.read("a.txt")).toBe("one\r\ntwo\n$Id$\n");
    expect(existsSync(path(ran))).toBe(false);
  });

  test("name a file that another file was renamed over", async () => {
    await using place = await checkpointPlace({
      "a.txt": "a",
      "b.txt": "b",
      "d/a.txt": "a",
      "d/b.txt": "b",
      "é/a.txt": "a",
    });
    const { store } = place.open();
    const { changes } = await changesOf(store, place.root, async () => {
      await place.write("a.tmp", "saved by an editor");
      renameSync(place.path("a.tmp"), place.path("a.txt"));
      await place.write("d/a.tmp", "saved by an editor");
      renameSync(place.path("d/a.tmp"), place.path("d/a.txt"));
      for (const name of ["b.txt", "d/b.txt", "é/a.txt"]) writeFileSync(place.path(name), "written in place");
    });
    expect(changes.map(({ path, isReplaced }) => [path, isReplaced])).toEqual([
      [place.path("a.txt"), true],
      [place.path("b.txt"), undefined],
      [place.path("d/a.txt"), true],
      [place.path("d/b.txt"), undefined],
      [place.path("é/a.txt"), undefined],
    ]);
  });

  test("of a root inside a repository follow the ignore rules above it", async () => {
    await using place = await checkpointPlace({
      ".gitignore": "*.log\n",
      "sub/a.txt": "a",
      "sub/b.log": "b",
      "c.txt": "c",
    });
    place.git("init", "-q");
    const { store } = place.open();
    const { changes } = await changesOf(store, place.path("sub"), async () => {
      for (const name of ["sub/a.txt", "sub/b.log", "c.txt"]) await place.write(name, "changed");
      mkdirSync(place.path("outside"));
    });
    expect(briefly(place.root, changes)).toEqual(["~sub/a.txt"]);
  });
});
