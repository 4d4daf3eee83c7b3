import { describe, expect, test } from "bun:test";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { ToolFailedError } from "../../../../src/contracts/errors.ts";
import { ownIdentity } from "../../../../src/platform/process-identity.ts";
import {
  type MountPlan,
  MountPoints,
  makeScratch,
  removeScratch,
} from "../../../../src/services/sandbox/io/mount-points.ts";
import { type MountPoint, type RecordFile, readRecord } from "../../../../src/services/sandbox/io/mount-record.ts";
import { tempProject } from "../../../support/temp-project.ts";

async function mountPlace() {
  const project = await tempProject({ "keep.txt": "x" });
  const records = project.path("records");
  const folder: MountPoint = { path: project.path("folder"), kind: "folder" };
  const file: MountPoint = { path: project.path("file"), kind: "file" };
  const filled: MountPoint = { path: project.path("filled"), kind: "file", content: ".\n" };
  return {
    ...project,
    records,
    all: [folder, file, filled],
    names: () =>
      readdirSync(project.dir)
        .filter((name) => name !== "records")
        .sort(),
    points: (scratch = "") => new MountPoints(records, scratch),
    /** Another process confines a program. */
    recover: async () => {
      const points = new MountPoints(records, "");
      await (await points.acquire(() => planOf([]))).release();
      points.close();
    },
    recordFiles: () => readdirSync(records).filter((name) => name.endsWith(".json")),
  };
}

/** Mount points, with nothing said of what will be mounted. */
const planOf = (points: readonly MountPoint[]): MountPlan => ({ points, mounts: [] });

test("a missing mount point is made, and removed at its release", async () => {
  await using place = await mountPlace();
  const points = place.points();
  const lease = await points.acquire(() => planOf(place.all));
  expect(place.names()).toEqual(["filled", "file", "folder", "keep.txt"].sort());
  expect(await place.read("filled")).toBe(".\n");
  expect(statSync(place.path("folder")).isDirectory()).toBe(true);
  await lease.release();
  expect(place.names()).toEqual(["keep.txt"]);
  points.close();
  expect(place.recordFiles()).toEqual([]);
});

test("a process that ends while its mount points are used leaves its record", async () => {
  await using place = await mountPlace();
  const points = place.points();
  const lease = await points.acquire(() => planOf(place.all));
  points.close();
  expect(place.recordFiles().length).toBe(1);
  await lease.release();
  expect(place.recordFiles()).toEqual([]);
});

describe("the record of a process", () => {
  const record = (command: string): RecordFile => ({
    owner: ownIdentity(),
    scratch: "",
    made: [],
    planned: [],
    sinceMs: 1,
    running: [[]],
    commands: [command],
  });

  test("of an older Quoll is the newest line that is complete", async () => {
    await using place = await tempProject();
    const path = place.path("own.json");
    writeFileSync(path, `${JSON.stringify(record("first"))}\n${JSON.stringify(record("second"))}\n`);
    expect(readRecord(path)?.commands).toEqual(["second"]);
    appendFileSync(path, JSON.stringify(record("third")).slice(0, -5));
    expect(readRecord(path)?.commands).toEqual(["second"]);
  });

  test("is one line that only the person can read, and is made anew if somebody removed it", async () => {
    await using place = await mountPlace();
    const points = place.points();
    const first = await points.acquire(() => planOf(place.all));
    const path = join(place.records, place.recordFiles()[0] ?? "");
    expect([readFileSync(path, "utf8").split("\n").length, statSync(path).mode & 0o777]).toEqual([2, 0o600]);
    rmSync(path);
    await (await points.acquire(() => planOf([]))).release();
    expect(readRecord(path)?.running).toHaveLength(1);
    await first.release();
    points.close();
  });
});

test("an existing entry is left alone", async () => {
  await using place = await mountPlace();
  const point = { path: place.path("keep.txt"), kind: "file" } as const;
  const lease = await place.points().acquire(() => planOf([point]));
  await lease.release();
  expect(await place.read("keep.txt")).toBe("x");
});

test("two that run at once share a mount point; the last one removes it", async () => {
  await using place = await mountPlace();
  const points = place.points();
  const first = await points.acquire(() => planOf(place.all));
  const second = await points.acquire(() => planOf(place.all));
  await first.release();
  await first.release();
  expect(place.names()).toHaveLength(4);
  await second.release();
  expect(place.names()).toEqual(["keep.txt"]);
});

test("two Quolls share a mount point, and the second learns which entries exist only because of the first", async () => {
  await using place = await mountPlace();
  const [mine, other] = [place.points(), place.points()];
  const first = await mine.acquire(() => planOf(place.all));
  let made: readonly string[] = [];
  const second = await other.acquire((scene) => {
    made = [...scene.made];
    return planOf(place.all);
  });
  expect(made.toSorted()).toEqual(place.all.map(({ path }) => path).toSorted());
  await first.release();
  expect(place.names()).toHaveLength(4);
  await second.release();
  expect(place.names()).toEqual(["keep.txt"]);
});

test("entries that the user wrote meanwhile stay: in a folder, in a file, or in place of one", async () => {
  await using place = await mountPlace();
  const more = { path: place.path("replaced"), kind: "file" } as const;
  const lease = await place.points().acquire(() => planOf([...place.all, more]));
  writeFileSync(place.path("folder/inner"), "mine");
  writeFileSync(place.path("file"), "mine");
  writeFileSync(place.path("filled"), "x\n");
  writeFileSync(place.path("new"), "");
  renameSync(place.path("new"), place.path("replaced"));
  await lease.release();
  expect(place.names()).toEqual(["file", "filled", "folder", "keep.txt", "replaced"]);
  expect(await place.read("file")).toBe("mine");
  expect(await place.read("filled")).toBe("x\n");
  expect(await place.read("folder/inner")).toBe("mine");
});

test("an entry that the user has filled is no mount point for the next command", async () => {
  await using place = await mountPlace();
  const points = place.points();
  const lease = await points.acquire(() => planOf(place.all));
  writeFileSync(place.path("file"), "mine");
  let made: ReadonlySet<string> = new Set();
  const next = await points.acquire((scene) => {
    made = scene.made;
    return planOf([]);
  });
  expect(made.has(place.path("file"))).toBe(false);
  expect(made.has(place.path("folder"))).toBe(true);
  await next.release();
  await lease.release();
});

test("a mount point that can't be made leaves none behind, and says so", async () => {
  await using place = await mountPlace();
  const impossible = { path: place.path("no/such/folder/x"), kind: "file" } as const;
  const points = place.points();
  const attempt = points.acquire(() => planOf([...place.all, impossible]));
  expect(attempt).rejects.toThrow(ToolFailedError);
  await attempt.catch(() => undefined);
  expect(place.names()).toEqual(["keep.txt"]);
  points.close();
  expect(place.recordFiles()).toEqual([]);
});

test("records that can't be written are an error in one line, and nothing is made", async () => {
  await using place = await mountPlace();
  writeFileSync(place.records, "a file where the folder would be");
  const attempt = place.points().acquire(() => planOf(place.all));
  expect(attempt).rejects.toThrow(/^The sandbox keeps a record of its mount points in \S+, which can't be written/);
  await attempt.catch(() => undefined);
  expect(place.names()).toEqual(["keep.txt"]);
});

const CRASHER = `
import { MountPoints, makeScratch } from "${resolve(import.meta.dir, "../../../../src/services/sandbox/io/mount-points.ts")}";
const [records, scratch, ...paths] = process.argv.slice(2);
await new MountPoints(records, scratch).acquire(() => ({ points: paths.map((path) => ({ path, kind: path.endsWith("file") ? "file" : "folder" })), mounts: [] }));
process.kill(process.pid, "SIGKILL");
`;

test("the next process removes the entries and the private folder of a crashed one", async () => {
  await using place = await mountPlace();
  const script = await place.write("records-of/crash.mjs", CRASHER);
  const scratch = makeScratch(place.dir);
  const paths = [place.path("a-folder"), place.path("a-file"), place.path("b-folder")];
  const child = Bun.spawn([process.execPath, script, place.records, scratch, ...paths], { stderr: "inherit" });
  await child.exited;
  for (const path of paths) expect(existsSync(path)).toBe(true);
  writeFileSync(join(paths[2] ?? "", "inner"), "the user's");
  await place.recover();
  expect(existsSync(scratch)).toBe(false);
  expect(place.names()).toEqual(["b-folder", "keep.txt", "records-of"]);
  expect(place.recordFiles()).toEqual([]);
});

test("a record that was cut off in the middle of the making is worked off by what it planned", async () => {
  await using place = await mountPlace();
  mkdirSync(place.records);
  const owner = {
    pid: 2 ** 22 + 1,
    startTime: "1",
    host: (await import("node:os")).hostname(),
    bootId: "",
    pidNamespace: "",
  };
  const dead = { ...ownIdentity(), ...owner, bootId: ownIdentity().bootId, pidNamespace: ownIdentity().pidNamespace };
  mkdirSync(place.path("folder"));
  writeFileSync(place.path("file"), "");
  const record = { owner: dead, scratch: "", made: [], planned: place.all, sinceMs: Date.now() - 100 };
  writeFileSync(join(place.records, "1-x.json"), JSON.stringify(record));
  await place.recover();
  expect(place.names()).toEqual(["keep.txt"]);
});

test("a record that is no record removes nothing", async () => {
  await using place = await mountPlace();
  mkdirSync(place.records);
  for (const [name, text] of [
    ["a.json", "{"],
    ["b.json", "[]"],
    ["c.json", '{"owner":{}}'],
  ] as const)
    writeFileSync(join(place.records, name), text);
  await place.recover();
  expect(readFileSync(join(place.records, "a.json"), "utf8")).toBe("{");
  expect(place.names()).toEqual(["keep.txt"]);
});

test("only a private folder of this kind is ever removed whole", async () => {
  await using place = await mountPlace();
  removeScratch(place.dir);
  expect(place.names()).toEqual(["keep.txt"]);
});

describe("the set of paths that a running program could replace", () => {
  const scenePlace = async () => {
    const place = await tempProject({ "ws/kept/file": "1", "ws/other/file": "1", outside: "1" });
    const points = () => new MountPoints(place.path("records"), "");
    const mounts = [
      { path: place.path("ws"), isWritable: true },
      { path: place.path("ws/kept"), isWritable: true },
      { path: place.path("ws/kept/file"), isWritable: false },
      { path: place.path("ws/missing"), isWritable: false },
    ];
    const settled = async (by: MountPoints) => {
      let found: readonly string[] = [];
      const names = ["ws", "ws/kept", "ws/kept/file", "ws/kept/new", "ws/other", "ws/missing", "outside", "none/x"];
      const lease = await by.acquire((scene) => {
        found = names.filter((name) => scene.isStable(place.path(name)));
        return planOf([]);
      });
      await lease.release();
      return found;
    };
    return { ...place, points, mounts, settled };
  };
  const ALL = ["ws", "ws/kept", "ws/kept/file", "ws/kept/new", "ws/other", "ws/missing", "outside", "none/x"];
  const HELD = ["ws", "ws/kept", "ws/kept/file", "outside", "none/x"];

  test("is all that it may write to and has not mounted, for this Quoll and for another", async () => {
    await using place = await scenePlace();
    const [mine, other] = [place.points(), place.points()];
    expect(await place.settled(mine)).toEqual(ALL);
    const lease = await mine.acquire(() => ({ points: [], mounts: place.mounts, command: "npm run dev" }));
    for (const by of [mine, other]) {
      const look = await by.acquire((scene) => {
        expect(scene.replacerOf(place.path("ws/other"))).toBe("npm run dev");
        expect(scene.replacerOf(place.path("ws/kept"))).toBe("");
        return planOf([]);
      });
      await look.release();
    }
    expect(await place.settled(mine)).toEqual(HELD);
    expect(await place.settled(other)).toEqual(HELD);
    await lease.release();
    expect(await place.settled(other)).toEqual(ALL);
  });

  test("includes what was put there by others after its start, and all below", async () => {
    await using place = await scenePlace();
    const points = place.points();
    const lease = await points.acquire(() => ({ points: [], mounts: place.mounts }));
    renameSync(place.path("ws/kept"), place.path("ws/moved"));
    mkdirSync(place.path("ws/kept"));
    writeFileSync(place.path("ws/kept/file"), "1");
    expect(await place.settled(points)).toEqual(["ws", "outside", "none/x"]);
    await lease.release();
  });

  test("is, with two of them, what either of them can exchange", async () => {
    await using place = await scenePlace();
    const [mine, other] = [place.points(), place.points()];
    const first = await mine.acquire(() => ({ points: [], mounts: place.mounts }));
    const second = await other.acquire(() => ({ points: [], mounts: place.mounts.slice(0, 1) }));
    expect(await place.settled(place.points())).toEqual(["ws", "outside", "none/x"]);
    await second.release();
    expect(await place.settled(place.points())).toEqual(HELD);
    await first.release();
  });

  test("is everything when its record says nothing of mounts, and a plan that fails leaves nothing behind", async () => {
    await using place = await scenePlace();
    const lease = await place.points().acquire(() => ({ points: [], mounts: place.mounts }));
    const [name = ""] = readdirSync(place.path("records")).filter((file) => file.endsWith(".json"));
    const { running: _, ...record } = { running: [], ...readRecord(place.path(`records/${name}`)) };
    writeFileSync(place.path(`records/${name}`), JSON.stringify(record));
    expect(await place.settled(place.points())).toEqual([]);
    await lease.release();
    const failing = place.points().acquire(() => {
      throw new ToolFailedError("no");
    });
    expect(failing).rejects.toThrow("no");
    await failing.catch(() => undefined);
    expect(await place.settled(place.points())).toEqual(ALL);
  });
});
