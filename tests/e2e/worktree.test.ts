import { describe, expect, setDefaultTimeout } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { reply, text, toolUse } from "@quoll/model-twin/scenario";
import { deepTest } from "../support/deep.ts";
import { eventually } from "../support/eventually.ts";
import { quollPlace, resultsIn } from "../support/quoll-process.ts";

setDefaultTimeout(60_000);

type Place = Awaited<ReturnType<typeof quollPlace>>;

function git(place: Place, ...args: readonly string[]): string {
  const ended = Bun.spawnSync(["git", ...args], { cwd: place.project.dir, env: place.environmentOf({}) });
  if (ended.exitCode !== 0) throw new Error(`git ${args.join(" ")}: ${ended.stderr}`);
  return ended.stdout.toString().trim();
}

function committed(place: Place): void {
  git(place, "add", "-A");
  git(place, "commit", "-q", "-m", "one");
}

function trees(place: Place): string {
  const all = join(place.home.dir, "own/data/worktrees");
  return join(all, readdirSync(all)[0] ?? "none");
}

describe("quoll -w", () => {
  deepTest("a run that commits ends in a branch with the change and an untouched main checkout", async () => {
    const write = toolUse("Write", { file_path: "b.txt", content: "B\n" });
    const commit = toolUse("Bash", { command: "git add b.txt && git commit -q -m 'add b' && pwd" });
    await using place = await quollPlace({
      files: { "a.txt": "A\n" },
      scenario: [reply([write, commit]), reply("Done.")],
    });
    committed(place);
    const before = git(place, "rev-parse", "HEAD");
    const ended = await place.run([
      "-p",
      "add b",
      "-w",
      "fix",
      "--permission-mode",
      "acceptEdits",
      "--allowed-tools",
      "Bash(git *),Bash(pwd)",
    ]);
    expect(ended).toMatchObject({ code: 0, out: "Done.\n" });
    const path = join(trees(place), "fix");
    expect(resultsIn(place.sent()[1]).join("\n")).toContain(path);
    expect(git(place, "show", "quoll/fix:b.txt")).toBe("B");
    expect(git(place, "rev-parse", "HEAD")).toBe(before);
    expect(git(place, "status", "--porcelain")).toBe("");
    expect(existsSync(place.project.path("b.txt"))).toBe(false);
    expect(ended.err).toContain("1 commit");
    expect(ended.err).toContain("quoll/fix");
    expect(ended.err).toContain("quoll worktree remove fix");
    const listed = await place.run(["worktree", "list", "--json"]);
    expect(JSON.parse(listed.out)).toMatchObject([{ name: "fix", path, files: 0, commits: 1, isInUse: false }]);
    expect(await place.run(["worktree", "remove", "fix"])).toMatchObject({ code: 1 });
    git(place, "merge", "-q", "quoll/fix");
    expect(await place.run(["worktree", "remove", "fix"])).toMatchObject({ code: 0, err: "" });
    expect(existsSync(path)).toBe(false);
    expect(git(place, "branch", "--format=%(refname:short)")).toBe("main");
  });

  deepTest(
    "leaves nothing behind and says nothing when nothing was done; the session belongs to the project",
    async () => {
      await using place = await quollPlace({ files: { "a.txt": "A\n" }, scenario: [reply("Hello."), reply("Again.")] });
      committed(place);
      const ended = await place.run(["-p", "hi", "-w"]);
      expect(ended).toEqual({ code: 0, out: "Hello.\n", err: "" });
      expect(readdirSync(trees(place))).toEqual([]);
      expect(git(place, "branch", "--format=%(refname:short)")).toBe("main");
      expect(await place.run(["-p", "and now?", "-c"])).toMatchObject({ code: 0, out: "Again.\n" });
      expect(place.sent()[1]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    },
  );

  deepTest("has the trust of the project, and the user's rules for it", async () => {
    const calls = [toolUse("Bash", { command: "make check" })];
    await using place = await quollPlace({
      files: {
        Makefile: "check:\n\t@echo checked, `ls made`\n",
        ".quoll/settings.json": JSON.stringify({
          permissions: { allow: ["Bash(make check)"] },
          worktree: { setup: "touch made" },
        }),
        ".gitignore": "made\n",
      },
      scenario: [
        ...[reply(calls), reply("Done."), reply(calls), reply("Done.")],
        ...[reply([toolUse("Write", { file_path: "kept.txt", content: "" })]), reply("Done.")],
        ...[reply(calls), reply("Done.")],
      ],
    });
    committed(place);
    expect((await place.run(["-p", "check", "-w"])).code).toBe(4);
    const folders = { [place.project.dir]: { trustedAt: new Date().toISOString() } };
    await place.home.write("own/state/trusted-folders.json", JSON.stringify({ version: 1, folders }));
    expect((await place.run(["-p", "check", "-w"])).code).toBe(0);
    expect(resultsIn(place.sent().at(-1)).join()).toContain("checked, made");
    // A worktree of a worktree has the trust of the project, too.
    await place.run(["-p", "keep", "-w", "outer", "--permission-mode", "acceptEdits"]);
    expect(await place.run(["-p", "check", "-w"], { cwd: join(trees(place), "outer") })).toMatchObject({ code: 0 });
  });

  deepTest("a session that starts inside of a worktree holds it until its end", async () => {
    const said: Awaited<ReturnType<Place["run"]>>[] = [];
    const inside = () => join(trees(place), "fix");
    await using place = await quollPlace({
      files: { "a.txt": "A\n" },
      scenario: async ({ body }) => {
        const words = JSON.stringify(body);
        if (words.includes("keep") && !words.includes("tool_result"))
          return reply([toolUse("Write", { file_path: "kept.txt", content: "" })]);
        if (words.includes("hold it")) {
          said.push(await place.run(["worktree", "remove", "fix", "--discard"]));
          said.push(await place.run(["-p", "me too"], { cwd: inside() }));
        }
        return reply("Done.");
      },
    });
    committed(place);
    await place.run(["-p", "keep", "-w", "fix", "--permission-mode", "acceptEdits"]);
    const { code, err } = await place.run(["-p", "hold it"], { cwd: inside() });
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const [removal, second] = said;
    expect(removal).toMatchObject({ code: 1, err: expect.stringContaining("in use by process") });
    expect(second).toMatchObject({ code: 0, err: expect.stringContaining("worktree fix too") });
    expect(await place.run(["worktree", "remove", "fix", "--discard"])).toMatchObject({ code: 0 });
    expect(existsSync(inside())).toBe(false);
  });

  deepTest("prepares the worktree with the user's set-up command, and removes it again when that fails", async () => {
    await using place = await quollPlace({
      files: { "a.txt": "A\n", ".gitignore": "made\n" },
      settings: {
        sandbox: { enabled: false },
        worktree: { setup: "echo $QUOLL_PROJECT_DIR > made; exit $(cat a.txt | wc -c)" },
      },
      scenario: [reply("Hello.")],
    });
    committed(place);
    const failed = await place.run(["-p", "hi", "-w", "x"]);
    expect(failed).toMatchObject({ code: 1, out: "" });
    expect(failed.err).toContain("worktree.setup");
    expect(failed.err).toMatch(/exit code \d+/);
    expect(readdirSync(trees(place))).toEqual([]);
    await place.project.write("a.txt", "");
    git(place, "commit", "-qam", "two");
    expect(await place.run(["-p", "hi", "-w", "x"])).toMatchObject({ code: 0, err: "" });
  });

  deepTest("outside of a repository, and with a wrong name, one line says what to do", async () => {
    await using place = await quollPlace({ files: { "a.txt": "A\n" } });
    const empty = await place.run(["-p", "hi", "-w"], { model: false });
    expect(empty).toMatchObject({ code: 1, out: "" });
    expect(empty.err).toContain("no commit yet");
    const wrong = await place.run(["-p", "hi", "-w", "../x"], { model: false });
    expect(wrong).toMatchObject({ code: 2, out: "" });
    const outside = await place.run(["-p", "hi", "-w"], { model: false, cwd: place.home.dir });
    expect(outside.err).toContain("git init");
  });

  deepTest("hooks hear of the worktree, may refuse it, and may give its folder", async () => {
    const hook = (command: string) => [{ hooks: [{ type: "command", command }] }];
    await using place = await quollPlace({
      files: { "a.txt": "A\n" },
      settings: {
        sandbox: { enabled: false },
        hooks: {
          WorktreeCreate: hook(
            "cat > $HOME/created; case $(cat $HOME/created) in *no-name*) echo not this one >&2; exit 2;; *made-by-hook*) git worktree add -q $HOME/mine >&2; echo $HOME/mine;; esac",
          ),
          WorktreeRemove: hook("cat > $HOME/removed"),
        },
      },
      scenario: [reply("Hello."), reply([text("Where?"), toolUse("Bash", { command: "pwd" })]), reply("There.")],
    });
    committed(place);
    expect((await place.run(["-p", "hi", "-w", "good"])).code).toBe(0);
    const heard = (name: string) => JSON.parse(readFileSync(place.home.path(name), "utf8"));
    expect(heard("created")).toMatchObject({ hook_event_name: "WorktreeCreate", name: "good", cwd: place.project.dir });
    expect(heard("removed")).toMatchObject({ worktree_path: join(trees(place), "good") });
    const refused = await place.run(["-p", "hi", "-w", "no-name"]);
    expect(refused).toMatchObject({ code: 1, out: "" });
    expect(refused.err).toContain("not this one");
    const given = await place.run(["-p", "hi", "-w", "made-by-hook", "--allowed-tools", "Bash(pwd)"]);
    expect(resultsIn(place.sent().at(-1)).join()).toContain(place.home.path("mine"));
    expect(given.err).toContain("made-by-hook");
  });

  deepTest("a session that is killed leaves its worktree, which the next start names once", async () => {
    const work = toolUse("Write", { file_path: "new.txt", content: "work" });
    const wait = toolUse("Bash", { command: "sleep 60" });
    await using place = await quollPlace({
      files: { "a.txt": "A\n" },
      scenario: [reply([work, wait]), reply("Hello."), reply("Hello.")],
    });
    committed(place);
    const { child, ended } = place.start(["-p", "work", "-w", "fix", "--allowed-tools", "Bash,Write"]);
    const all = join(place.home.dir, "own/data/worktrees");
    await eventually("the file is written", () => existsSync(all) && existsSync(join(trees(place), "fix/new.txt")));
    child.kill("SIGKILL");
    await ended;
    expect((await place.run(["-p", "hi"])).err).toContain("quoll worktree remove fix");
    expect((await place.run(["-p", "hi"])).err).toBe("");
    expect(await place.run(["worktree", "remove", "--discard", "fix"])).toMatchObject({ code: 0 });
    expect(git(place, "worktree", "list").split("\n")).toHaveLength(1);
  });
});
