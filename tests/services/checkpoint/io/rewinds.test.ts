import { describe, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import iconv from "iconv-lite";
import { deepTest } from "../../../support/deep.ts";
import { agentStep, agentTurn, checkpointPlace } from "../checkpoint-place.ts";

const NEVER = new AbortController().signal;
const FILES = { scope: "files" } as const;

describe("a rewind of files", () => {
  test("undoes all that a command did: files, folders, links and permissions", async () => {
    await using place = await checkpointPlace({ "a.txt": "a", "b/c.txt": "c", "run.sh": "#!/bin/sh", "kept.txt": "k" });
    const { root, path } = place;
    symlinkSync("a.txt", path("link"));
    mkdirSync(path("empty"), { mode: 0o700 });
    const { store, rewinds } = place.open();
    await agentTurn(store, root, {
      messageId: "m1",
      work: async () => {
        await place.write("a.txt", "changed");
        rmSync(path("b"), { recursive: true });
        await place.write("b", "a file in the place of the folder");
        await place.write("new/deep/n.txt", "n");
        chmodSync(path("run.sh"), 0o755);
        rmSync(path("link"));
        mkdirSync(path("link"));
        await place.write("link/inside.txt", "i");
        rmSync(path("empty"), { recursive: true });
      },
    });
    const preview = await rewinds.preview("m1", NEVER);
    expect(preview.conflicts).toEqual([]);
    expect(preview.deletes.map((one) => one.path).sort()).toEqual(["b", "link/inside.txt", "new/deep/n.txt"].map(path));
    const result = await rewinds.rewind({ messageId: "m1", ...FILES }, NEVER);
    expect(result.kept).toEqual([]);
    expect(await place.read("a.txt")).toBe("a");
    expect(await place.read("b/c.txt")).toBe("c");
    expect(readlinkSync(path("link"))).toBe("a.txt");
    expect(lstatSync(path("run.sh")).mode & 0o777).toBe(0o644);
    expect(lstatSync(path("empty")).mode & 0o777).toBe(0o700);
    expect(readdirSync(root).sort()).toEqual(["a.txt", "b", "empty", "kept.txt", "link", "run.sh"]);
  });

  test("leaves what the person changed since, names it, and can be taken back", async () => {
    await using place = await checkpointPlace({ "a.txt": "a", "b.txt": "b" });
    const { root, path } = place;
    const { store, rewinds } = place.open();
    await agentTurn(store, root, {
      messageId: "m1",
      work: async () => {
        for (const name of ["a.txt", "b.txt", "c.txt"]) await place.write(name, `agent\n${name}\n`);
      },
    });
    await place.write("b.txt", "person\nb.txt\n");
    await place.write("mine.txt", "person");
    expect(await rewinds.preview("m1", NEVER)).toEqual({
      messageId: "m1",
      restores: [{ path: path("a.txt"), status: "changed", added: 1, removed: 2 }],
      deletes: [{ path: path("c.txt"), status: "deleted", added: 0, removed: 2 }],
      conflicts: [{ path: path("b.txt"), status: "changed", added: 1, removed: 2, reason: "it changed since" }],
      notUndone: [],
      notCovered: [],
    });
    expect(await rewinds.diffOf("m1", path("b.txt"), NEVER)).toMatchObject({ kind: "diff", added: 1, removed: 2 });
    expect(await rewinds.rewind({ messageId: "m1", ...FILES }, NEVER)).toEqual({
      restored: [path("a.txt")],
      deleted: [path("c.txt")],
      kept: [{ path: path("b.txt"), reason: "it changed since" }],
      notUndone: [],
    });
    expect([await place.read("a.txt"), await place.read("b.txt"), existsSync(path("c.txt"))]).toEqual([
      "a",
      "person\nb.txt\n",
      false,
    ]);
    expect(rewinds.redoable()).toMatchObject({ scope: "files" });
    expect(await rewinds.redo({}, NEVER)).toMatchObject({ restored: [path("a.txt"), path("c.txt")], kept: [] });
    expect([await place.read("a.txt"), await place.read("c.txt")]).toEqual(["agent\na.txt\n", "agent\nc.txt\n"]);
    expect(rewinds.redoable()).toBeUndefined();
  });

  test("overwrites the person's file only if the person chose so, and a redo brings it back", async () => {
    await using place = await checkpointPlace({ "b.txt": "b" });
    const { root, path } = place;
    const { store, rewinds } = place.open();
    await agentTurn(store, root, { messageId: "m1", work: () => place.write("b.txt", "agent") });
    await place.write("b.txt", "person");
    const choices = { [path("b.txt")]: "checkpoint" } as const;
    await rewinds.rewind({ messageId: "m1", ...FILES, choices }, NEVER);
    expect(await place.read("b.txt")).toBe("b");
    await rewinds.redo({}, NEVER);
    expect(await place.read("b.txt")).toBe("person");
  });

  test("keeps the person's edits between the prompt and the agent's first change", async () => {
    await using place = await checkpointPlace({ "a.txt": "a" });
    const { store, rewinds } = place.open();
    await store.takeState({ cause: { kind: "prompt", messageId: "m1" }, roots: [place.root] }, NEVER);
    await place.write("a.txt", "person");
    await agentStep(store, place.root, { messageId: "m1", work: () => place.write("a.txt", "agent") });
    await rewinds.rewind({ messageId: "m1", ...FILES }, NEVER);
    expect(await place.read("a.txt")).toBe("person");
  });

  test("goes back over several prompts, and lists what each of them changed", async () => {
    await using place = await checkpointPlace({ "a.txt": "1\n" });
    const { root, path } = place;
    const { store, rewinds } = place.open();
    await agentTurn(store, root, { messageId: "m1", command: "first", work: () => place.write("a.txt", "1\n2\n") });
    await agentStep(store, root, { messageId: "m1", command: "again", work: () => place.write("a.txt", "1\n2\n3\n") });
    await agentTurn(store, root, { messageId: "m2", command: "second", work: () => place.write("b.txt", "b\n") });
    const points = await rewinds.points(NEVER);
    expect(points.map(({ time: _time, ...point }) => point)).toEqual([
      {
        messageId: "m1",
        files: [{ path: path("a.txt"), status: "changed", added: 2, removed: 0 }],
        commands: ["first", "again"],
      },
      {
        messageId: "m2",
        files: [{ path: path("b.txt"), status: "created", added: 1, removed: 0 }],
        commands: ["second"],
      },
    ]);
    await rewinds.rewind({ messageId: "m2", ...FILES }, NEVER);
    await rewinds.rewind({ messageId: "m1", ...FILES }, NEVER);
    expect([await place.read("a.txt"), existsSync(path("b.txt"))]).toEqual(["1\n", false]);
  });

  test("works in another process, and without git for what tools named", async () => {
    await using place = await checkpointPlace({ "a.txt": "a" });
    const { path } = place;
    const first = place.open({ git: undefined });
    const state = await first.store.takeState(
      { cause: { kind: "prompt", messageId: "m1" }, roots: [place.root] },
      NEVER,
    );
    expect(state.notHeld).toEqual(["without git, only files that Edit and Write name are kept"]);
    const before = await first.store.keepCopies([path("a.txt"), path("new/b.txt")], NEVER);
    await place.write("a.txt", "agent");
    await place.write("new/b.txt", "agent");
    const files = await first.store.changesSince(before, NEVER);
    await first.store.record({ messageId: "m1", toolUseIds: [], agentIds: [], files, commands: [], outside: [] });
    const { rewinds } = place.open({ git: undefined });
    const result = await rewinds.rewind({ messageId: "m1", ...FILES }, NEVER);
    expect(result).toMatchObject({ restored: [path("a.txt")], deleted: [path("new/b.txt")], kept: [] });
    expect([await place.read("a.txt"), existsSync(path("new"))]).toEqual(["a", false]);
  });

  test("keeps copies of named files in the home folder, which is never stored as a whole", async () => {
    await using place = await checkpointPlace({ "a.txt": "a", "b.txt": "b" });
    const { root, path } = place;
    const { store } = place.open({ home: `${root}/person` });
    const before = await store.takeState({ cause: { kind: "before" }, roots: [root], named: [path("a.txt")] }, NEVER);
    expect(before.notHeld).toEqual([`${root} is too wide: only files that are named are kept`]);
    for (const name of ["a.txt", "b.txt"]) await place.write(name, "changed");
    const after = await store.takeState({ cause: { kind: "after" }, roots: [root] }, NEVER);
    expect((await store.changesBetween(before, after, NEVER)).map((one) => one.path)).toEqual([path("a.txt")]);
  });

  test("does not write through a link that took the place of a folder", async () => {
    await using place = await checkpointPlace({ "d/a.txt": "a" });
    const { root, path } = place;
    const { store, rewinds } = place.open();
    await agentTurn(store, root, { messageId: "m1", work: () => place.write("d/a.txt", "agent") });
    const elsewhere = await place.place.write("elsewhere/a.txt", "agent");
    rmSync(path("d"), { recursive: true });
    symlinkSync(place.place.path("elsewhere"), path("d"));
    const { kept } = await rewinds.rewind({ messageId: "m1", ...FILES }, NEVER);
    expect(kept).toEqual([{ path: path("d/a.txt"), reason: "its folder is a link now" }]);
    expect(await Bun.file(elsewhere).text()).toBe("agent");
  });

  test("leaves the files of the person in a folder of the agent", async () => {
    await using place = await checkpointPlace({ "a.txt": "a" });
    const { root, path } = place;
    const { store, rewinds } = place.open();
    await agentTurn(store, root, { messageId: "m1", work: () => place.write("new/agent.txt", "agent") });
    await place.write("new/mine.txt", "person");
    expect(await rewinds.rewind({ messageId: "m1", ...FILES }, NEVER)).toMatchObject({ kept: [] });
    expect(readdirSync(path("new"))).toEqual(["mine.txt"]);
  });

  test("reads a session's file that a crash has cut, with garbage and unknown kinds", async () => {
    await using place = await checkpointPlace({ "a.txt": "a" });
    const { root, path } = place;
    const first = place.open();
    await agentTurn(first.store, root, { messageId: "m1", work: () => place.write("a.txt", "agent") });
    await first.store.close();
    const file = `${place.folder}/session-a.jsonl`;
    const text = await Bun.file(file).text();
    writeFileSync(file, `\0\0garbage\n{"kind":"of tomorrow"}\n${text}{"kind":"prompt","id":"x`);
    const { store, rewinds } = place.open();
    await agentTurn(store, root, { messageId: "m2", work: () => place.write("b.txt", "agent") });
    expect((await rewinds.points(NEVER)).map((one) => one.messageId)).toEqual(["m1", "m2"]);
    await rewinds.rewind({ messageId: "m1", ...FILES }, NEVER);
    expect([await place.read("a.txt"), existsSync(path("b.txt"))]).toEqual(["a", false]);
  });

  test("of a fork knows the prompts of the session that it came from, up to the fork", async () => {
    await using place = await checkpointPlace({ "a.txt": "a" });
    const { root } = place;
    const parent = place.open();
    await agentTurn(parent.store, root, { messageId: "m1", work: () => place.write("a.txt", "one") });
    const untilMs = place.now();
    await agentTurn(parent.store, root, { messageId: "m2", work: () => place.write("b.txt", "two") });
    const fork = place.open({ sessionId: "fork", forkedFrom: { sessionId: "session-a", untilMs } });
    expect((await fork.rewinds.points(NEVER)).map((one) => one.messageId)).toEqual(["m1"]);
    await fork.rewinds.rewind({ messageId: "m1", ...FILES }, NEVER);
    expect([await place.read("a.txt"), await place.read("b.txt")]).toEqual(["a", "two"]);
  });

  deepTest("brings hundreds of files back that the first state holds in one pack", async () => {
    const many = Object.fromEntries(Array.from({ length: 600 }, (_, at) => [`d${at % 7}/f${at}.txt`, `before ${at}`]));
    await using place = await checkpointPlace(many);
    const { root, folder } = place;
    const { store, rewinds } = place.open();
    await agentTurn(store, root, {
      messageId: "m1",
      work: () => {
        for (let at = 0; at < 7; at += 1) rmSync(place.path(`d${at}`), { recursive: true });
      },
    });
    expect(readdirSync(`${folder}/objects.git/objects/pack`).length).toBeGreaterThan(0);
    expect((await rewinds.rewind({ messageId: "m1", ...FILES }, NEVER)).kept).toEqual([]);
    for (const [name, content] of Object.entries(many)) expect(await place.read(name)).toBe(content);
  });

  test("leaves a file whose stored content is damaged, and names it", async () => {
    await using place = await checkpointPlace({ "a.txt": "a", "b.txt": "b" });
    const { root, path, folder } = place;
    const { store, rewinds } = place.open();
    const changes = await agentTurn(store, root, {
      messageId: "m1",
      work: async () => {
        for (const name of ["a.txt", "b.txt"]) await place.write(name, "agent");
      },
    });
    const entry = changes.find((one) => one.path === path("a.txt"))?.before;
    const oid = entry && entry.kind !== "folder" ? entry.oid : "";
    const object = `${folder}/objects.git/objects/${oid.slice(0, 2)}/${oid.slice(2)}`;
    chmodSync(object, 0o600);
    writeFileSync(object, Buffer.concat([readFileSync(object).subarray(0, 8), Buffer.from("damaged")]));
    const { restored, kept } = await rewinds.rewind({ messageId: "m1", ...FILES }, NEVER);
    expect({ restored, kept }).toEqual({
      restored: [path("b.txt")],
      kept: [{ path: path("a.txt"), reason: "its content is missing in the store" }],
    });
    expect(await place.read("a.txt")).toBe("agent");
  });

  test("spares what another session of the same folder changed at the same time", async () => {
    await using place = await checkpointPlace({ "a.txt": "a", "b.txt": "b", "both.txt": "0" });
    const { root, path } = place;
    const [one, two] = [place.open({ sessionId: "one" }), place.open({ sessionId: "two" })];
    await agentTurn(one.store, root, { messageId: "m1", work: () => place.write("a.txt", "one") });
    await agentTurn(two.store, root, { messageId: "n1", work: () => place.write("b.txt", "two") });
    await Promise.all([
      one.store.takeState({ cause: { kind: "before" }, roots: [root] }, NEVER),
      two.store.takeState({ cause: { kind: "before" }, roots: [root] }, NEVER),
    ]);
    await agentStep(one.store, root, { messageId: "m1", work: () => place.write("both.txt", "one") });
    await agentStep(two.store, root, { messageId: "n1", work: () => place.write("both.txt", "two") });
    const { kept } = await one.rewinds.rewind({ messageId: "m1", ...FILES }, NEVER);
    expect(kept).toEqual([{ path: path("both.txt"), reason: "it changed since" }]);
    expect([await place.read("a.txt"), await place.read("b.txt"), await place.read("both.txt")]).toEqual([
      "a",
      "two",
      "two",
    ]);
    await two.rewinds.rewind({ messageId: "n1", ...FILES }, NEVER);
    expect([await place.read("b.txt"), await place.read("both.txt")]).toEqual(["b", "one"]);
  });

  test("is refused for a prompt without a checkpoint", async () => {
    await using place = await checkpointPlace({ "a.txt": "a" });
    const { rewinds } = place.open();
    await expect(rewinds.preview("m9", NEVER)).rejects.toThrow(/no checkpoint/);
    await expect(rewinds.redo({}, NEVER)).rejects.toThrow(/no rewind/);
  });
});

describe("a file in Shift_JIS", () => {
  const table = "id,name\n1,りんごとみかんの商品一覧\n2,カタカナの名前と漢字\n";
  const sjis = (text: string) => iconv.encode(text, "Shift_JIS");
  const shown = (path: string) => path;

  test("is shown as its letters in a preview and among the changes, and a part goes back as its bytes", async () => {
    await using place = await checkpointPlace({ "old.csv": sjis(table), "gone.csv": sjis(table) });
    const { root, path } = place;
    const { store, rewinds } = place.open();
    const work = async () => {
      await place.write("old.csv", sjis(table.replace("りんご", "ぶどう")));
      await place.write("new.csv", sjis(table));
      rmSync(path("gone.csv"));
    };
    await agentTurn(store, root, { messageId: "m1", work });
    expect(JSON.stringify(await rewinds.diffOf("m1", path("old.csv"), NEVER))).toMatch(/ぶどう.*りんご/);
    const found = await rewinds.changes({ until: "now" }, shown, NEVER);
    const fileNamed = (name: string) => {
      const file = found?.files.find((one) => one.path === path(name));
      if (!file?.parts?.[0]) throw new Error(`${name} is not among the changes.`);
      return { file, part: file.parts[0] };
    };
    expect(JSON.stringify(fileNamed("new.csv").file.hunks)).toContain("商品一覧");
    for (const name of ["old.csv", "gone.csv"]) {
      const { file, part } = fileNamed(name);
      await rewinds.takeBack(file, part, NEVER);
      expect(readFileSync(path(name)).equals(sjis(table))).toBe(true);
    }
  });

  test("that only became UTF-8 is said to differ in its encoding", async () => {
    await using place = await checkpointPlace({ "old.csv": sjis(table) });
    const { store, rewinds } = place.open();
    await agentTurn(store, place.root, { messageId: "m1", work: () => place.write("old.csv", table) });
    expect(await rewinds.diffOf("m1", place.path("old.csv"), NEVER)).toContain("encoding");
    expect((await rewinds.changes({ until: "now" }, shown, NEVER))?.notes[0]).toContain("in another encoding");
  });
});
