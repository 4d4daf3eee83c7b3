import { describe, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename } from "node:path";
import { deepTest } from "../../../support/deep.ts";
import { until } from "../../../support/engine-harness.ts";
import { checkpointStage } from "./checkpoint-stage.ts";

const NEVER = new AbortController().signal;

type Stage = Awaited<ReturnType<typeof checkpointStage>>;

/** Saves as an editor does: another file takes the place of the old one. */
function saveByRename({ place }: Stage, name: string, content: string): void {
  writeFileSync(place.path(`${name}~`), content);
  renameSync(place.path(`${name}~`), place.path(name));
}

describe("a person's edit", () => {
  test("between the prompt and a call stays", async () => {
    await using stage = await checkpointStage({ "a.txt": "a\n", "b.txt": "b\n" });
    await stage.prompt("m1");
    await stage.place.write("a.txt", "person\n");
    await stage.bash(() => writeFileSync(stage.place.path("a.txt"), "agent\n"));
    await stage.checkpoints.settled();
    await stage.place.write("b.txt", "person\n");
    await stage.rewind("m1");
    expect(stage.picture()).toEqual({ "a.txt": "644 person\n", "b.txt": "644 person\n" });
  });

  deepTest("while a long state of the prompt is stored stays", async () => {
    let home = "";
    /** Git takes its time after it looked at the files. */
    const slowGit = (folder: string) => {
      home = folder;
      execFileSync("mkfifo", [`${folder}/go`]);
      const waits = `case "$*" in *diff-files*) [ -e ${folder}/slow ] && { mv ${folder}/slow ${folder}/waits; cat ${folder}/go; } ;; esac`;
      writeFileSync(`${folder}/git`, `#!/bin/sh\ngit "$@" || exit\n${waits}\nexit 0\n`, { mode: 0o755 });
      return { git: `${folder}/git` };
    };
    await using stage = await checkpointStage({ "a.txt": "a\n" }, { options: slowGit });
    await stage.prompt("m1");
    writeFileSync(`${home}/slow`, "");
    const prompt = stage.prompt("m2");
    await until(() => existsSync(`${home}/waits`));
    await stage.place.write("a.txt", "person\n");
    stage.clock.passedMs = 2_000;
    const call = stage.begin({});
    writeFileSync(`${home}/go`, "");
    (await call).end();
    await prompt;
    expect(await stage.preview("m2")).toMatchObject({ undone: [], conflicts: {} });
  });

  test("between two calls on the same file is a conflict", async () => {
    await using stage = await checkpointStage({ "a.txt": "a\n" });
    await stage.prompt("m1");
    await stage.edit("a.txt", "agent 1\n");
    await stage.checkpoints.settled();
    await stage.place.write("a.txt", "person\n");
    await stage.bash(() => writeFileSync(stage.place.path("a.txt"), "agent 2\n"));
    const { undone, conflicts } = await stage.preview("m1");
    expect([undone, Object.keys(conflicts)]).toEqual([[], ["a.txt"]]);
    await stage.rewind("m1");
    expect(stage.picture()).toEqual({ "a.txt": "644 agent 2\n" });
  });

  test("after the last call is a conflict", async () => {
    await using stage = await checkpointStage({ "a.txt": "a\n" });
    await stage.prompt("m1");
    await stage.edit("a.txt", "agent\n");
    await stage.checkpoints.settled();
    await stage.place.write("a.txt", "person\n");
    expect(Object.keys((await stage.preview("m1")).conflicts)).toEqual(["a.txt"]);
  });

  test("during a command counts as the command's if it is in place, one redo away", async () => {
    await using stage = await checkpointStage({ "a.txt": "a\n" });
    await stage.prompt("m1");
    await stage.bash(() => writeFileSync(stage.place.path("a.txt"), "person\n"));
    expect(await stage.preview("m1")).toMatchObject({ undone: ["a.txt"], conflicts: {} });
    await stage.rewind("m1");
    expect(stage.picture()).toEqual({ "a.txt": "644 a\n" });
    await stage.redo();
    expect(stage.picture()).toEqual({ "a.txt": "644 person\n" });
  });

  test("right after a command, before its end is stored, is a conflict", async () => {
    await using stage = await checkpointStage({ "a.txt": "a\n", "b.txt": "b\n" });
    await stage.prompt("m1");
    stage.clock.behindMs = 60_000;
    await stage.bash(() => writeFileSync(stage.place.path("a.txt"), "person\n"));
    await stage.checkpoints.settled();
    stage.clock.behindMs = 0;
    await stage.bash(() => writeFileSync(stage.place.path("b.txt"), "agent\n"));
    const { undone, conflicts } = await stage.preview("m1");
    expect([undone, Object.keys(conflicts)]).toEqual([["b.txt"], ["a.txt"]]);
    expect(conflicts["a.txt"]).toContain("had ended");
  });

  test("during an edit of another file stays", async () => {
    await using stage = await checkpointStage({ "a.txt": "a\n", "b.txt": "b\n" });
    await stage.prompt("m1");
    const open = await stage.begin({ level: "write", paths: [stage.place.path("a.txt")] });
    await stage.place.write("a.txt", "agent\n");
    await stage.place.write("b.txt", "person\n");
    open.end();
    expect(await stage.preview("m1")).toMatchObject({ undone: ["a.txt"], conflicts: {} });
  });
});

describe("a file that another one was renamed over while a command ran", () => {
  test("is a conflict", async () => {
    await using stage = await checkpointStage({ "a.txt": "a\n", "b.txt": "b\n" });
    await stage.prompt("m1");
    await stage.bash(() => {
      saveByRename(stage, "a.txt", "person\n");
      writeFileSync(stage.place.path("b.txt"), "agent\n");
    });
    const { undone, conflicts } = await stage.preview("m1");
    expect([undone, Object.keys(conflicts)]).toEqual([["b.txt"], ["a.txt"]]);
  });

  test.each([
    ["the command names the file", (stage: Stage) => ({ paths: [stage.place.path("a.txt")] })],
    ["a program of the command replaces files", () => ({ programs: ["/usr/bin/sed"] })],
  ])("is the agent's if %s", async (_, more) => {
    await using stage = await checkpointStage({ "a.txt": "a\n" });
    await stage.prompt("m1");
    await stage.bash(() => saveByRename(stage, "a.txt", "agent\n"), more(stage));
    expect(await stage.preview("m1")).toMatchObject({ undone: ["a.txt"], conflicts: {} });
  });
});

describe("a command in the background", () => {
  test("makes what changes while only it runs a conflict that names it", async () => {
    await using stage = await checkpointStage({ "a.txt": "a\n", "b.txt": "b\n" });
    await stage.prompt("m1");
    await stage.bash(() => stage.background.push("npm run dev"));
    await stage.checkpoints.settled();
    await stage.place.write("a.txt", "either\n");
    const { undone, conflicts } = await stage.preview("m1");
    expect([undone, Object.keys(conflicts)]).toEqual([[], ["a.txt"]]);
    expect(conflicts["a.txt"]).toContain('"npm run dev"');
  });

  test("leaves edits of tools certain, also of files that it changed before", async () => {
    await using stage = await checkpointStage({ "a.txt": "a\n" });
    await stage.prompt("m1");
    await stage.bash(() => stage.background.push("npm run dev"));
    await stage.edit("a.txt", "agent\n");
    expect(await stage.preview("m1")).toMatchObject({ undone: ["a.txt"], conflicts: {} });
  });

  test("that ended before an edit leaves the edit certain", async () => {
    await using stage = await checkpointStage({ "a.txt": "a\n", "b.txt": "b\n" });
    await stage.prompt("m1");
    await stage.bash(() => stage.background.push("npm run dev"));
    await stage.checkpoints.settled();
    await stage.place.write("b.txt", "either\n");
    stage.background.length = 0;
    await stage.edit("a.txt", "agent\n");
    const { undone, conflicts } = await stage.preview("m1");
    expect([undone, Object.keys(conflicts)]).toEqual([["a.txt"], ["b.txt"]]);
  });

  deepTest("goes on to be watched after a preview and after a prompt", async () => {
    await using stage = await checkpointStage({ "a.txt": "a\n", "b.txt": "b\n" });
    await stage.prompt("m1");
    await stage.bash(() => stage.background.push("npm run dev"));
    await stage.preview("m1");
    await stage.place.write("a.txt", "either\n");
    await stage.prompt("m2");
    await stage.place.write("b.txt", "either\n");
    expect(Object.keys((await stage.preview("m1")).conflicts)).toEqual(["a.txt", "b.txt"]);
    expect(Object.keys((await stage.preview("m2")).conflicts)).toEqual(["b.txt"]);
  });
});

deepTest("changes of hooks after a call are undone with the call, and no other call waits for them", async () => {
  await using stage = await checkpointStage({ "a.ts": "a\n", "b.ts": "b\n" });
  await stage.prompt("m1");
  await stage.edit("a.ts", "agent\n");
  const call = { toolUseId: "t", agentId: "main", level: "write", folder: stage.root, title: "a.ts" } as const;
  const hooks = await stage.checkpoints.hooksBegin({ ...call, paths: [stage.place.path("a.ts")] }, [stage.root]);
  await stage.place.write("a.ts", "formatted\n");
  await stage.edit("b.ts", "another agent\n");
  hooks.end();
  expect(await stage.preview("m1")).toMatchObject({ undone: ["a.ts", "b.ts"], conflicts: {} });
  await stage.rewind("m1");
  expect(stage.picture()).toEqual({ "a.ts": "644 a\n", "b.ts": "644 b\n" });
});

test("a command that follows another at once begins with the state after it, without another look", async () => {
  let log = "";
  const loggingGit = (folder: string) => {
    log = `${folder}/log`;
    writeFileSync(`${folder}/git`, `#!/bin/sh\necho "$*" >>${log}\nexec git "$@"\n`, { mode: 0o755 });
    return { git: `${folder}/git` };
  };
  await using stage = await checkpointStage({ "a.txt": "a\n" }, { options: loggingGit });
  await stage.prompt("m1");
  writeFileSync(log, "");
  await stage.bash(() => writeFileSync(stage.place.path("a.txt"), "one\n"));
  await stage.bash(() => writeFileSync(stage.place.path("a.txt"), "two\n"));
  await stage.checkpoints.settled();
  const looks = readFileSync(log, "utf8")
    .split("\n")
    .filter((line) => line.includes("diff-files"));
  expect(looks).toHaveLength(3);
  const changes = (await stage.records()).flatMap((record) => (record.kind === "changes" ? record.files : []));
  expect(changes).toHaveLength(2);
  expect(changes[1]?.before).toEqual(changes[0]?.after);
});

describe("calls that overlap", () => {
  test("share one interval and are recorded once", async () => {
    await using stage = await checkpointStage({ "a.txt": "a\n", "b.txt": "b\n" });
    await stage.prompt("m1");
    const first = await stage.begin({ agentId: "one", command: "make a" });
    await stage.place.write("a.txt", "one\n");
    const second = await stage.begin({ agentId: "two", command: "make b" });
    first.end();
    first.end();
    await stage.place.write("b.txt", "two\n");
    second.end();
    const changes = (await stage.records()).flatMap((one) => (one.kind === "changes" ? [one] : []));
    expect(changes.map(({ agentIds, commands, files }) => [agentIds, commands, files.length])).toEqual([
      [["one", "two"], ["make a", "make b"], 2],
    ]);
    expect(await stage.preview("m1")).toMatchObject({ undone: ["a.txt", "b.txt"], conflicts: {} });
  });

  deepTest("an edit beside a command, before it, or right after it, is no conflict", async () => {
    await using stage = await checkpointStage({ "a.txt": "a\n" });
    await stage.prompt("m1");
    const name = "a.txt";
    for (let at = 0; at < 5; at += 1) {
      stage.checkpoints.expectWrite([stage.root]);
      await stage.edit(name, `edit ${at}\n`);
      await stage.bash(() => stage.edit(name, `inside ${at}\n`));
      await stage.edit(name, `after ${at}\n`);
      const editing = stage.edit(name, `beside ${at}\n`);
      await stage.bash(() => writeFileSync(stage.place.path(name), `command ${at}\n`));
      await editing;
    }
    expect(await stage.preview("m1")).toMatchObject({ undone: ["a.txt"], conflicts: {} });
    await stage.rewind("m1");
    expect(stage.picture()).toEqual({ "a.txt": "644 a\n" });
  });

  deepTest("a prompt parts what a running command changed before it from what came after", async () => {
    await using stage = await checkpointStage({ "a.txt": "a\n", "b.txt": "b\n" });
    await stage.prompt("m1");
    const open = await stage.begin({ agentId: "one" });
    await stage.place.write("a.txt", "one\n");
    await stage.prompt("m2");
    await stage.place.write("b.txt", "one\n");
    open.end();
    expect((await stage.preview("m2")).undone).toEqual(["b.txt"]);
    expect((await stage.preview("m1")).undone).toEqual(["a.txt", "b.txt"]);
  });

  deepTest("a preview shows what a running command changed by now, and a later one the rest", async () => {
    await using stage = await checkpointStage({ "a.txt": "a\n" });
    await stage.prompt("m1");
    const open = await stage.begin({ agentId: "one" });
    await stage.place.write("a.txt", "one\n");
    expect((await stage.preview("m1")).undone).toEqual(["a.txt"]);
    await stage.place.write("a.txt", "two\n");
    open.end();
    expect(await stage.preview("m1")).toMatchObject({ undone: ["a.txt"], conflicts: {} });
  });

  deepTest("agents in other folders have intervals of their own", async () => {
    await using stage = await checkpointStage({ "a.txt": "a\n" });
    const other = stage.place.place.path("worktree");
    await stage.place.place.write("worktree/w.txt", "w\n");
    await stage.prompt("m1");
    const inOther = await stage.begin({ agentId: "one" }, [other]);
    await stage.place.write("a.txt", "person\n");
    await stage.place.place.write("worktree/w.txt", "agent\n");
    inOther.end();
    await stage.rewind("m1");
    expect([await stage.place.read("a.txt"), await stage.place.place.read("worktree/w.txt")]).toEqual([
      "person\n",
      "w\n",
    ]);
  });
});

describe("a call", () => {
  test("that fails is recorded with what it had changed", async () => {
    await using stage = await checkpointStage({ "a.txt": "a\n" });
    await stage.prompt("m1");
    const failing = stage.bash(async () => {
      await stage.place.write("a.txt", "half\n");
      throw new Error("it failed");
    });
    await expect(failing).rejects.toThrow("it failed");
    expect((await stage.preview("m1")).undone).toEqual(["a.txt"]);
  });

  test.each(["execute", "write"] as const)(
    "of level %s that is aborted before it begins leaves nothing behind",
    async (level) => {
      await using stage = await checkpointStage({ "a.txt": "a\n" });
      await stage.prompt("m1");
      const abort = new AbortController();
      const paths = level === "write" ? [stage.place.path("a.txt")] : [];
      const call = stage.begin({ level, paths }, [stage.root], abort.signal);
      abort.abort(new Error("stopped"));
      await expect(call).rejects.toThrow("stopped");
      await stage.place.write("a.txt", "person\n");
      await stage.edit("a.txt", "agent\n");
      await stage.rewind("m1");
      expect(stage.picture()).toEqual({ "a.txt": "644 person\n" });
    },
  );

  deepTest("of another tool that writes without naming files is watched as a command", async () => {
    await using stage = await checkpointStage({ "a.txt": "a\n" });
    await stage.prompt("m1");
    await stage.bash(() => writeFileSync(stage.place.path("a.txt"), "server\n"), { level: "write" });
    expect((await stage.preview("m1")).undone).toEqual(["a.txt"]);
  });

  deepTest(
    "that changes nothing leaves only the notes of its begin and end, unless it had effects outside",
    async () => {
      await using stage = await checkpointStage({ "a.txt": "a\n" });
      await stage.prompt("m1");
      await stage.bash(() => undefined);
      await stage.edit("a.txt", "a\n");
      const records = await stage.records();
      expect(records.map(({ kind }) => kind)).toEqual(["prompt", "begun", "changes", "begun", "changes"]);
      for (const one of records) if (one.kind === "changes") expect([one.files, one.commands]).toEqual([[], []]);
      await stage.bash(() => undefined, { outside: ["npm publish"] });
      expect(await stage.preview("m1")).toEqual({ undone: [], conflicts: {}, notUndone: ["npm publish"] });
    },
  );
});

test("calls that a kill interrupted are conflicts in the next process, together with those that ran beside them", async () => {
  await using stage = await checkpointStage({ "a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n" });
  await stage.prompt("m1");
  const first = await stage.begin({ command: "make" });
  await stage.place.write("a.txt", "agent\n");
  await stage.prompt("m2");
  await stage.begin({ command: "make more" });
  await stage.place.write("b.txt", "agent\n");
  const next = stage.place.open();
  expect(await next.store.recover([stage.root], NEVER)).toEqual(["make", "make more"]);
  const { restores, conflicts } = await next.rewinds.preview("m1", NEVER);
  const names = (files: readonly { readonly path: string }[]) => files.map(({ path }) => basename(path)).sort();
  expect([names(restores), names(conflicts)]).toEqual([["a.txt"], ["b.txt"]]);
  first.end();
});

test("prompts without calls have one state each and no other record", async () => {
  await using stage = await checkpointStage({ "a.txt": "a\n" });
  await stage.prompt("m1");
  await stage.place.write("a.txt", "person\n");
  await stage.prompt("m2");
  expect((await stage.records()).map((one) => [one.kind, "messageId" in one && one.messageId])).toEqual([
    ["prompt", "m1"],
    ["prompt", "m2"],
  ]);
});

test("a rewind brings back modes, links' targets, folders and deleted files, whatever made the change", async () => {
  await using stage = await checkpointStage({ "run.sh": "#!/bin/sh\n", "d/x": "x\n" });
  const before = stage.picture();
  await stage.prompt("m1");
  await stage.bash(() => {
    chmodSync(stage.place.path("run.sh"), 0o700);
    rmSync(stage.place.path("d"), { recursive: true });
  });
  await stage.edit("new/y.txt", "y\n");
  await stage.rewind("m1");
  expect(stage.picture()).toEqual(before);
});

test.each([
  ["to its new place", "real"],
  ["to itself", "src"],
])("a rewind brings back a folder that a command moved, with a link %s in its place", async (_, target) => {
  await using stage = await checkpointStage({ "src/f": "f\n", "src/sub/g": "g\n" });
  const before = stage.picture();
  await stage.prompt("m1");
  await stage.bash(() => {
    renameSync(stage.place.path("src"), stage.place.path("real"));
    symlinkSync(target, stage.place.path("src"));
  });
  const after = stage.picture();
  expect(await stage.preview("m1")).toMatchObject({ conflicts: {} });
  await stage.rewind("m1");
  expect(stage.picture()).toEqual(before);
  await stage.redo();
  expect(stage.picture()).toEqual(after);
});

test("a rewind brings back a file that a command put nested folders in the place of", async () => {
  await using stage = await checkpointStage({ a: "a\n" });
  const before = stage.picture();
  await stage.prompt("m1");
  await stage.bash(() => {
    rmSync(stage.place.path("a"));
    mkdirSync(stage.place.path("a/b"), { recursive: true });
    writeFileSync(stage.place.path("a/b/c"), "c\n");
  });
  await stage.rewind("m1");
  expect(stage.picture()).toEqual(before);
});
