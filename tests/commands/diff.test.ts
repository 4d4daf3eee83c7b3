import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sessionChanges } from "../../src/app/session/session-changes.ts";
import { diffCommand } from "../../src/commands/diff.ts";
import { redoCommand } from "../../src/commands/rewind.ts";
import type { CommandResult } from "../../src/contracts/command-result.ts";
import { bash, call, oneProcess, sessionIn } from "../support/app-harness.ts";
import { deepTest } from "../support/deep.ts";
import { runCommand } from "../support/run-command.ts";
import { tempProject } from "../support/temp-project.ts";

setDefaultTimeout(60_000);

const NEVER = new AbortController().signal;
const TEXT = Array.from({ length: 30 }, (_, at) => `line ${at + 1}\n`).join("");

/** A real session in a repository with one commit; its model makes the call that each prompt names. */
async function diffing(files: Readonly<Record<string, string>>, more: { readonly isSaved?: boolean } = {}) {
  const here = await oneProcess();
  const project = await tempProject(files);
  const git = (...args: readonly string[]) =>
    runCommand(["git", "-c", "user.name=a", "-c", "user.email=a@b.c", ...args], { cwd: project.dir });
  await git("init", "-q");
  await git("add", "-A");
  await git("commit", "-qm", "first");
  const allow = ["Bash", "Write", "Edit", "Read"];
  const settings = '{"sandbox":{"enabled":false}}';
  const { session } = await sessionIn(here.app, project.dir, { allow, settings, ...more });
  const { context } = session.commands;
  const withChanges = { ...context, changes: async () => sessionChanges(session, context.rewinds) };
  return {
    path: (name: string) => join(project.dir, name),
    read: (name: string) =>
      existsSync(join(project.dir, name)) ? readFileSync(join(project.dir, name), "utf8") : undefined,
    edit: (name: string, text: string) => writeFileSync(join(project.dir, name), text),
    async say(prompt: string) {
      await session.main.engine.submit({ prompt });
      await context.rewinds?.points(NEVER);
    },
    diff: (argument = "") => diffCommand.run(argument, withChanges, NEVER),
    redo: () => redoCommand.run("", context, NEVER),
    async [Symbol.asyncDispose]() {
      await session.close();
      await project[Symbol.asyncDispose]();
      await here[Symbol.asyncDispose]();
    },
  };
}

function changes(result: CommandResult) {
  if (result.kind !== "changes") throw new Error(`It answered with ${result.kind}: ${JSON.stringify(result)}`);
  return result;
}

const titles = (result: CommandResult) => changes(result).groups.map(({ title }) => title.replace(/"Bash.*"/, '"…"'));
const paths = (result: CommandResult) => changes(result).groups.map(({ files }) => files.map(({ path }) => path));
/** The commands that take the changes of a file in the first group back. */
const backs = (result: CommandResult, path: string) =>
  (changes(result).groups[0]?.files.find((file) => file.path === path)?.takeBack ?? []).map((one) =>
    one.replace(/^\/diff /, ""),
  );

describe("/diff", () => {
  test("shows what the session changed, by commands too and until now, and what differs from the last commit", async () => {
    await using here = await diffing({ "a.txt": TEXT, "gone.txt": "g\n", "mine.txt": "m\n" });
    await here.say(call("Write", { file_path: here.path("new.txt"), content: "n\n" }));
    await here.say(bash("sed -i 's/line 3$/three/' a.txt; rm gone.txt"));
    here.edit("mine.txt", "person\n");
    const result = await here.diff();
    expect(titles(result)).toEqual([
      "Changed in this session: 3 files +2 −2",
      "Against the last commit: 4 files +3 −3",
    ]);
    expect(paths(result)[0]?.toSorted()).toEqual(["a.txt", "gone.txt", "new.txt"]);
    expect(paths(result)[1]?.toSorted()).toEqual(["a.txt", "gone.txt", "mine.txt", "new.txt"]);
    expect(titles(await here.diff("commit"))).toEqual(["Against the last commit: 4 files +3 −3"]);
    expect(titles(await here.diff("mine.txt"))).toEqual(["Against the last commit: 1 file +1 −1"]);
    expect(await here.diff("nothing.txt")).toMatchObject({ kind: "text", lines: ["No change in nothing.txt."] });
  });

  deepTest("limits itself to what changed since a prompt, or in its turn", async () => {
    await using here = await diffing({ "a.txt": "a\n", "b.txt": "b\n" });
    await here.say(bash("echo 1 >> a.txt"));
    await here.say(bash("echo 2 >> a.txt; echo 2 >> b.txt"));
    await here.say(bash("echo 3 >> b.txt"));
    expect(titles(await here.diff("2"))).toEqual(['Changed since "…": 2 files +3']);
    expect(titles(await here.diff("2 b.txt"))).toEqual(['Changed since "…": 1 file +2']);
    expect(titles(await here.diff("turn 2"))).toEqual(['Changed by "…": 2 files +2']);
    expect(titles(await here.diff("turn"))).toEqual(['Changed by "…": 1 file +1']);
    await expect(here.diff("9")).rejects.toThrow("from 1 (the newest) to 3");
  });

  test("takes changes back one by one, and each redo brings one of them back", async () => {
    await using here = await diffing({ "a.txt": TEXT });
    await here.say(bash("sed -i -e 's/line 3$/three/' -e 's/line 15$/fifteen/' -e 28d a.txt"));
    const agent = here.read("a.txt") ?? "";
    const [first = "", , third = ""] = backs(await here.diff("1"), "a.txt");
    const after = changes(await here.diff(third));
    expect(after.said).toBe("Taken back: one change of a.txt. /redo brings it back.");
    expect(here.read("a.txt")).toBe(agent.replace("line 27\n", "line 27\nline 28\n"));
    expect(backs(after, "a.txt")).toHaveLength(2);
    expect(changes(await here.diff(third)).said).toBe("Nothing was changed: a.txt has changed since it was shown.");
    await here.diff(first);
    expect(here.read("a.txt")).toBe(TEXT.replace("line 15", "fifteen"));
    await here.redo();
    expect(here.read("a.txt")).toBe(agent.replace("line 27\n", "line 27\nline 28\n"));
    await here.redo();
    expect(here.read("a.txt")).toBe(agent);
    await expect(here.redo()).rejects.toThrow("nothing to redo");
  });

  deepTest(
    "a new file goes, a deleted one comes back with its permissions; the last one says that nothing is left",
    async () => {
      await using here = await diffing({ "run.sh": "#!/bin/sh\n" });
      await here.say(bash("chmod 755 run.sh"));
      await here.say(bash("rm run.sh; mkdir -p new; echo n > new/n.txt"));
      const [back = ""] = backs(await here.diff("turn"), "run.sh");
      await here.diff(back);
      expect(here.read("run.sh")).toBe("#!/bin/sh\n");
      expect((await runCommand(["stat", "-c", "%a", here.path("run.sh")], { cwd: "/" })).out).toBe("755\n");
      const [gone = ""] = backs(await here.diff("1"), "new/n.txt");
      expect(changes(await here.diff(gone)).notes).toEqual([
        "Taken back: one change of new/n.txt. /redo brings it back.",
        "No other change is left.",
      ]);
      expect(here.read("new/n.txt")).toBeUndefined();
    },
  );

  deepTest("a change of an older turn is taken back if the file still holds it, and refused otherwise", async () => {
    await using here = await diffing({ "a.txt": TEXT });
    await here.say(bash("sed -i -e 's/line 3$/three/' -e 's/line 20$/twenty/' a.txt"));
    here.edit("a.txt", `mine\n${(here.read("a.txt") ?? "").replace("twenty", "20")}`);
    const [first = "", second = ""] = backs(await here.diff("turn 1"), "a.txt");
    await here.diff(first);
    expect(here.read("a.txt")).toBe(`mine\n${TEXT.replace("line 20\n", "20\n")}`);
    expect(changes(await here.diff(second)).said).toContain("no longer holds this change");
    expect(here.read("a.txt")).toBe(`mine\n${TEXT.replace("line 20\n", "20\n")}`);
  });

  deepTest("a difference from the last commit is taken back too", async () => {
    await using here = await diffing({ "a.txt": "a\nb" });
    await here.say(bash("echo o > other.txt"));
    here.edit("a.txt", "a\nc\n");
    const [back = ""] = backs(await here.diff("commit a.txt"), "a.txt");
    expect(back).toMatch(/^commit a\.txt back [0-9a-f]{8} a\.txt$/);
    await here.diff(back);
    expect(here.read("a.txt")).toBe("a\nb");
    await here.redo();
    expect(here.read("a.txt")).toBe("a\nc\n");
  });

  test("a session without checkpoints shows what Edit and Write changed, and takes nothing back", async () => {
    await using here = await diffing({ "a.txt": "a\n" }, { isSaved: false });
    await here.say(call("Write", { file_path: here.path("new.txt"), content: "n\n" }));
    const [own] = changes(await here.diff()).groups;
    expect(own).toMatchObject({ title: "Changed in this session: 1 file +1" });
    expect(own?.files[0]?.takeBack).toBeUndefined();
    await expect(here.diff("1")).rejects.toThrow("keeps no checkpoints");
  });
});
