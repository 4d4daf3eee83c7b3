import { describe, expect, setDefaultTimeout } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { reply, toolUse } from "@quoll/model-twin/scenario";
import { deepTest, longerInDeep } from "../support/deep.ts";
import { quollPlace, resultsIn, type SentBody } from "../support/quoll-process.ts";

setDefaultTimeout(60_000);

type Place = Awaited<ReturnType<typeof quollPlace>>;

const ALLOWED = ["--permission-mode", "acceptEdits", "--allowed-tools", "EnterWorktree,Bash(git *),Bash(pwd)"];
const enter = toolUse("EnterWorktree", { name: "fix" });

function git(place: Place, ...args: readonly string[]): string {
  const ended = Bun.spawnSync(["git", ...args], { cwd: place.project.dir, env: place.environmentOf({}) });
  if (ended.exitCode !== 0) throw new Error(`git ${args.join(" ")}: ${ended.stderr}`);
  return ended.stdout.toString().trim();
}

function committed(place: Place): void {
  git(place, "add", "-A");
  git(place, "commit", "-q", "-m", "one");
}

function tree(place: Place, name = "fix"): string {
  const all = join(place.home.dir, "own/data/worktrees");
  return join(all, existsSync(all) ? (readdirSync(all)[0] ?? "none") : "none", name);
}

function toolNames(body: SentBody | undefined): readonly string[] {
  return (body?.tools ?? []).map((tool) => (tool as { readonly name: string }).name);
}

describe("EnterWorktree", () => {
  deepTest("tells a server that asked for the roots that they have changed", async () => {
    const server = join(import.meta.dir, "../services/mcp/servers/raw-server.ts");
    const echo = reply([toolUse("mcp__raw__echo", { text: "x" })]);
    await using place = await quollPlace({
      files: { "a.txt": "A\n" },
      settings: { sandbox: { enabled: false } },
      scenario: [echo, reply([enter]), echo, reply("Done.")],
    });
    committed(place);
    const log = place.home.path("server.log");
    const raw = { command: process.execPath, args: [server, "follows-roots"], env: { QUOLL_TEST_LOG: log } };
    const config = JSON.stringify({ mcpServers: { raw } });
    const tools = "EnterWorktree,mcp__raw__echo";
    const ended = await place.run(["-p", "work in a worktree", "--mcp-config", config, "--allowed-tools", tools]);
    expect(ended).toMatchObject({ code: 0, out: "Done.\n" });
    const methods = [...readFileSync(log, "utf8").matchAll(/"method":"([^"]+)"/g)].map(([, method]) => method);
    expect(methods.slice(methods.indexOf("tools/call"))).toEqual([
      ...["tools/call", "notifications/roots/list_changed", "tools/call"],
    ]);
  });

  longerInDeep(
    "moves tools, rules, hooks and the log into the worktree; a resumed session goes on there",
    async (isWhole) => {
      const hook = [{ matcher: "Bash", hooks: [{ type: "command", command: "cat > $HOME/heard" }] }];
      await using place = await quollPlace({
        files: { "a.txt": "A\n", "secrets/key.txt": "K\n", "CLAUDE.md": "Be kind.\n" },
        settings: {
          sandbox: { enabled: false },
          permissions: { deny: ["Edit(/secrets/**)"] },
          hooks: { PreToolUse: hook },
        },
        scenario: [
          reply([enter]),
          reply([
            toolUse("Write", { file_path: "b.txt", content: "B\n" }),
            toolUse("Write", { file_path: "secrets/new.txt", content: "" }),
            toolUse("Bash", { command: "git add b.txt && git commit -q -m 'add b' && pwd" }),
          ]),
          reply("Done."),
          ...[reply([toolUse("Bash", { command: "pwd" })]), reply("There.")],
          ...[reply([toolUse("Bash", { command: "pwd" })]), reply("Back.")],
        ],
      });
      committed(place);
      const ended = await place.run(["-p", "work in a worktree", ...ALLOWED]);
      expect(ended).toMatchObject({ code: 0, out: "Done.\n" });
      expect(toolNames(place.sent()[0])).toContain("EnterWorktree");
      const path = tree(place);
      const results = resultsIn(place.sent()[2]);
      expect(results.join("\n")).toContain(`\n${path}`);
      expect(results.join("\n")).toContain("Edit(/secrets/**)");
      expect(git(place, "show", "quoll/fix:b.txt")).toBe("B");
      expect(git(place, "status", "--porcelain")).toBe("");
      expect(JSON.parse(readFileSync(place.home.path("heard"), "utf8"))).toMatchObject({ cwd: path });
      expect(ended.err).toContain("quoll worktree remove fix");
      if (!isWhole) return;
      expect(JSON.parse((await place.run(["worktree", "list", "--json"])).out)).toMatchObject([{ isInUse: false }]);
      const again = await place.run(["-p", "and now?", "-c", ...ALLOWED]);
      expect(resultsIn(place.sent().at(-1)).join()).toContain(path);
      expect(again.err).toContain("fix");
      git(place, "merge", "-q", "quoll/fix");
      expect(await place.run(["worktree", "remove", "fix"])).toMatchObject({ code: 0 });
      const gone = await place.run(["-p", "and now?", "-c", ...ALLOWED]);
      expect(gone).toMatchObject({ code: 0, out: "Back.\n" });
      expect(gone.err).toContain("gone");
      expect(resultsIn(place.sent().at(-1)).join()).toContain(place.project.dir);
    },
  );

  deepTest("keeps the conversation from changing the checkout of the start", async () => {
    await using place = await quollPlace({
      files: { "a.txt": "A\n" },
      scenario: (_, index) => {
        const steps = [
          reply([enter]),
          reply([toolUse("Read", { file_path: place.project.path("a.txt") })]),
          reply([toolUse("Write", { file_path: place.project.path("a.txt"), content: "B\n" })]),
          reply("Done."),
        ];
        return steps[index] ?? reply("?");
      },
    });
    committed(place);
    await place.run(["-p", "work in a worktree", "--dangerously-skip-permissions"], { env: { IS_SANDBOX: "1" } });
    const results = resultsIn(place.sent().at(-1));
    expect(results.at(-2)).toContain("A");
    expect(results.at(-1)).toContain("deny");
    expect(readFileSync(place.project.path("a.txt"), "utf8")).toBe("A\n");
    expect(existsSync(tree(place))).toBe(false);
  });

  deepTest("is not offered before the person names a worktree, and needs consent", async () => {
    await using place = await quollPlace({
      files: { "a.txt": "A\n" },
      scenario: [reply("Hello."), reply([enter]), reply("Refused.")],
    });
    committed(place);
    await place.run(["-p", "hi"]);
    expect(toolNames(place.sent()[0])).not.toContain("EnterWorktree");
    const ended = await place.run(["-p", "use a worktree", "--output-format", "stream-json", "--verbose"]);
    expect(ended.code).toBe(4);
    expect(toolNames(place.sent()[1])).toContain("EnterWorktree");
    expect(ended.out).not.toContain("New tools:");
    expect(existsSync(tree(place))).toBe(false);
  });

  deepTest("tells hooks, may begin at another branch, and brings its instruction files", async () => {
    const said = (words: string) => [{ hooks: [{ type: "command", command: `cat > $HOME/${words}` }] }];
    await using place = await quollPlace({
      files: { "CLAUDE.md": "Count from one.\n" },
      settings: {
        sandbox: { enabled: false },
        hooks: { WorktreeCreate: said("created"), WorktreeRemove: said("removed"), CwdChanged: said("moved") },
      },
      scenario: [
        reply([toolUse("EnterWorktree", { name: "fix", base: "other" })]),
        reply([toolUse("ExitWorktree", { action: "remove" })]),
        reply("Done."),
      ],
    });
    committed(place);
    git(place, "checkout", "-q", "-b", "other");
    await place.project.write("CLAUDE.md", "Count from zero.\n");
    git(place, "commit", "-q", "-a", "-m", "two");
    git(place, "checkout", "-q", "main");
    await place.run(["-p", "work in a worktree", ...ALLOWED]);
    const heard = (name: string) => JSON.parse(readFileSync(place.home.path(name), "utf8"));
    expect(heard("created")).toMatchObject({ name: "fix", cwd: place.project.dir });
    expect(heard("removed")).toMatchObject({ worktree_path: tree(place), cwd: place.project.dir });
    expect(heard("moved")).toMatchObject({ new_cwd: place.project.dir });
    const [first, second] = place.sent().map(({ messages }) => JSON.stringify(messages));
    expect(first).toContain("from one");
    expect(first).not.toContain("from zero");
    expect(second).toContain("from zero");
  });

  deepTest("refuses an agent, also a fork that has the tool", async () => {
    const fork = { description: "try", prompt: "enter one", subagent_type: "fork" };
    await using place = await quollPlace({
      files: { "a.txt": "A\n" },
      scenario: [reply([toolUse("Agent", fork)]), reply([enter]), reply("It was refused."), reply("Done.")],
    });
    committed(place);
    await place.run(["-p", "work in a worktree", ...ALLOWED]);
    expect(toolNames(place.sent()[2])).toContain("EnterWorktree");
    expect(resultsIn(place.sent()[2]).at(-1)).toContain("main conversation");
    expect(existsSync(tree(place))).toBe(false);
  });

  deepTest("background work continues in its first folder, and keeps its worktree", async () => {
    const sleep = toolUse("Bash", { command: "sleep 100", run_in_background: true });
    const leave = (action: string) => toolUse("ExitWorktree", { action });
    await using place = await quollPlace({
      files: { "a.txt": "A\n" },
      scenario: [
        reply([sleep, enter]),
        reply([sleep, leave("remove"), toolUse("TaskStop", { task_id: "b2" }), leave("remove")]),
        reply([toolUse("TaskOutput", {})]),
        reply("Done."),
      ],
    });
    committed(place);
    const ended = await place.run(["-p", "go on in a worktree", "--allowed-tools", "EnterWorktree,Bash(sleep *)"]);
    const [, refused, , removed] = resultsIn(place.sent()[2]).slice(-4);
    expect(refused).toContain("b2");
    expect(removed).toContain("removed");
    expect(resultsIn(place.sent()[3]).at(-1)).toMatch(/b1.*running/);
    expect(existsSync(tree(place))).toBe(false);
    expect(ended.err).toContain("b1");
  });

  deepTest("ExitWorktree leads back; a removal is refused while work would be lost", async () => {
    await using place = await quollPlace({
      files: { "a.txt": "A\n" },
      scenario: [
        reply([enter]),
        reply([toolUse("Write", { file_path: "b.txt", content: "B\n" })]),
        reply([toolUse("ExitWorktree", { action: "remove" }), toolUse("Bash", { command: "pwd" })]),
        reply([toolUse("ExitWorktree", { action: "remove", discard: true })]),
        reply([toolUse("ExitWorktree", { action: "keep" }), toolUse("Bash", { command: "pwd" })]),
        reply([enter, toolUse("Bash", { command: "git clean -qf" })]),
        reply([toolUse("ExitWorktree", { action: "remove" }), toolUse("Bash", { command: "pwd" })]),
        reply("Done."),
      ],
    });
    committed(place);
    const ended = await place.run(["-p", "work in a worktree", ...ALLOWED]);
    const path = tree(place);
    const results = place.sent().map((body) => resultsIn(body));
    expect(results[3]?.slice(-2).join("\n")).toContain("1 changed file");
    expect(results[3]?.at(-1)).toContain(path);
    expect(results[4]?.at(-1)).not.toContain("removed");
    expect(results[5]?.at(-1)).toContain(place.project.dir);
    expect(results[7]?.at(-1)).toContain(place.project.dir);
    expect(existsSync(path)).toBe(false);
    expect(git(place, "branch", "--format=%(refname:short)")).toBe("main");
    expect(ended.err).not.toContain("stays");
  });
});
