import { expect, setDefaultTimeout, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { reply, toolUse } from "@quoll/model-twin/scenario";
import { deepTest } from "../support/deep.ts";
import { quollPlace } from "../support/quoll-process.ts";

setDefaultTimeout(60_000);

const ID = "11111111-1111-4111-8111-111111111111";

type Place = Awaited<ReturnType<typeof quollPlace>>;
type State = {
  readonly id: string;
  readonly kind: string;
  readonly paths: readonly string[];
  readonly restore: readonly string[];
};

/** The model deletes a folder with uncommitted work, and tries to look into the store. */
async function deletedFolder(): Promise<Place> {
  const place = await quollPlace({
    files: { "src/a.txt": "a\n", "b.txt": "b\n" },
    scenario: [
      reply([toolUse("Bash", { command: "rm -rf src" })]),
      reply([
        toolUse("Glob", { pattern: "**/*", path: "~/own/data/checkpoints" }),
        toolUse("Read", { file_path: "~/own/data/backups" }),
      ]),
      reply("Done."),
      reply("Seen."),
    ],
  });
  writeFileSync(join(place.project.dir, "src/a.txt"), "uncommitted\n");
  const options = ["--session-id", ID, "--allowed-tools", "Bash", "Read", "Glob"];
  expect((await place.run(["-p", "delete", ...options])).code).toBe(0);
  return place;
}

async function listed(place: Place): Promise<readonly State[]> {
  return JSON.parse((await place.run(["backups", "list", "--json"])).out);
}

test("backups are listed with checkpoints, restored by id, and taken back", async () => {
  await using place = await deletedFolder();
  const file = join(place.project.dir, "src/a.txt");
  const states = await listed(place);
  expect(states.map(({ kind }) => kind).sort()).toEqual(["backup", "checkpoint"]);
  const backup = states.find(({ kind }) => kind === "backup");
  expect(backup?.paths).toEqual([join(place.project.dir, "src")]);
  const id = backup?.id ?? "";
  const { out } = await place.run(["backups", "list"]);
  expect(out).toMatch(new RegExp(`${id}  backup · .*\\n +deletes.* · src\\n`));
  expect(out).toMatch(/checkpoint of "delete" · .*\n +rm -rf src · src\/a.txt\n/);
  const wouldDo = await place.run(["backups", "restore", id, "--dry-run"]);
  expect([wouldDo.out.includes("+ src/a.txt"), existsSync(file)]).toEqual([true, false]);
  const done = await place.run(["backups", "restore", id.slice(0, 18)]);
  expect([done.out.split("\n")[0], readFileSync(file, "utf8")]).toEqual([
    `Backup ${id}: 1 file restored. \`quoll backups redo\` takes it back.`,
    "uncommitted\n",
  ]);
  writeFileSync(join(place.project.dir, "b.txt"), "mine\n");
  expect((await place.run(["backups", "redo"])).code).toBe(0);
  const again = await place.run(["backups", "redo"]);
  expect([again.code, again.err.includes("/redo"), again.err.includes("no rewind")]).toEqual([1, true, false]);
  expect(existsSync(file)).toBe(false);
  // The line that was printed works without Quoll.
  const [line = ""] = backup?.restore ?? [];
  execFileSync("sh", ["-c", / Undo: (.+)$/.exec(line)?.[1] ?? "false"]);
  expect(readFileSync(file, "utf8")).toBe("uncommitted\n");
});

deepTest("a restore that was killed before its first file is finished by the next start of any session", async () => {
  await using place = await deletedFolder();
  const file = join(place.project.dir, "src/a.txt");
  const backup = (await listed(place)).find(({ kind }) => kind === "backup");
  await place.run(["backups", "restore", backup?.id ?? ""]);
  const all = join(place.home.dir, "own/data/checkpoints");
  const [project = ""] = readdirSync(all).filter((name) => existsSync(join(all, name, "restores.jsonl")));
  const records = join(all, project, "restores.jsonl");
  // As they are when the process is killed right after the plan is on the disk.
  const lines = readFileSync(records, "utf8").split("\n");
  writeFileSync(records, lines.filter((line) => !line.includes('"rewind_done"')).join("\n"));
  mkdirSync(join(all, project, "rewinding"));
  writeFileSync(join(all, project, "rewinding/restores"), "");
  rmSync(join(place.project.dir, "src"), { recursive: true });
  const next = await place.run(["-p", "hello"]);
  expect([next.code, next.err.split("\n").filter((line) => line.includes("interrupted")).length]).toEqual([0, 1]);
  expect(readFileSync(file, "utf8")).toBe("uncommitted\n");
  expect(existsSync(join(all, project, "rewinding"))).toBe(false);
});

deepTest("a checkpoint of the list brings the files of its prompt back", async () => {
  await using place = await deletedFolder();
  const checkpoint = (await listed(place)).find(({ kind }) => kind === "checkpoint");
  expect((await place.run(["backups", "restore", checkpoint?.id ?? ""])).code).toBe(0);
  expect(readFileSync(join(place.project.dir, "src/a.txt"), "utf8")).toBe("uncommitted\n");
});

deepTest("a file that changed since stays without --overwrite; an unknown id is refused", async () => {
  await using place = await deletedFolder();
  const id = (await listed(place)).find(({ kind }) => kind === "backup")?.id ?? "";
  await place.project.write("src/a.txt", "mine\n");
  const kept = await place.run(["backups", "restore", id]);
  expect([kept.out.includes("--overwrite"), await place.project.read("src/a.txt")]).toEqual([true, "mine\n"]);
  await place.run(["backups", "restore", id, "--overwrite"]);
  expect(await place.project.read("src/a.txt")).toBe("uncommitted\n");
  const unknown = await place.run(["backups", "restore", "20990101"]);
  expect([unknown.code, unknown.err.includes("20990101")]).toEqual([1, true]);
  rmSync(join(place.project.dir, ".git"), { recursive: true });
  expect((await place.run(["backups", "restore", id])).err).toContain(id);
});

deepTest("a session restores a backup, tells the model, and /redo takes it back, also in another process", async () => {
  await using place = await deletedFolder();
  const file = join(place.project.dir, "src/a.txt");
  const id = (await listed(place)).find(({ kind }) => kind === "backup")?.id ?? "";
  const say = (prompt: string) => place.run(["-p", prompt, "--resume", ID]);
  expect((await say("/rewind backups")).out).toContain(`${id}  deletes`);
  expect((await say(`/rewind backup ${id}`)).out).toContain("+ src/a.txt");
  expect(existsSync(file)).toBe(false);
  const done = await say(`/rewind backup ${id} restore`);
  expect([done.out.split("\n")[0], readFileSync(file, "utf8")]).toEqual([
    `Backup ${id}: 1 file restored. /redo takes it back.`,
    "uncommitted\n",
  ]);
  expect((await say("/redo")).code).toBe(0);
  expect(existsSync(file)).toBe(false);
  const refused = await say(`/rewind backup ${id} everything`);
  expect([refused.code, existsSync(file)]).toEqual([1, false]);
  await say(`/rewind backup ${id} restore`);
  await say("go on");
  expect(JSON.stringify(place.sent().at(-1)?.messages)).toContain("an earlier state: src/a.txt");
});

deepTest(
  "processes that restore a backup after a rewind of the conversation take back the newest of both first",
  async () => {
    await using place = await deletedFolder();
    const file = join(place.project.dir, "src/a.txt");
    const id = (await listed(place)).find(({ kind }) => kind === "backup")?.id ?? "";
    const say = (prompt: string) => place.run(["-p", prompt, "--resume", ID]);
    expect((await say("/rewind 1 conversation")).code).toBe(0);
    expect((await say(`/rewind backup ${id} restore`)).code).toBe(0);
    expect(existsSync(file)).toBe(true);
    expect([(await say("/redo")).out, existsSync(file)]).toEqual([expect.stringContaining("1 file"), false]);
    expect((await say("/rewind")).out).toContain("no prompt");
    expect((await say("/redo")).code).toBe(0);
    expect((await say("/rewind")).out).toContain("delete");
  },
);

test("no tool of the model opens checkpoints and backups", async () => {
  await using place = await deletedFolder();
  const results = place.sent().flatMap(({ messages }) => messages.flatMap(({ content }) => content));
  const refused = results.filter(
    (block) => block.is_error && JSON.stringify(block.content).includes("checkpoints and backups"),
  );
  expect(new Set(refused.map((block) => block.tool_use_id)).size).toBe(2);
  const modes = place.ownFiles().filter(([path]) => /^data\/(?:checkpoints|backups)/.test(path));
  expect(modes.filter(([, mode]) => !mode.endsWith("00"))).toEqual([]);
});
