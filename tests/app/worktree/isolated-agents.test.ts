import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync } from "node:fs";
import { reply, type Scenario, type ScenarioRequest, toolUse } from "@quoll/model-twin/scenario";
import { sandboxPlace } from "../../services/sandbox/sandbox-fixture.ts";
import { bash, call, oneProcess, sessionIn } from "../../support/app-harness.ts";
import { deepTest } from "../../support/deep.ts";
import { until } from "../../support/engine-harness.ts";
import { tempProject } from "../../support/temp-project.ts";

setDefaultTimeout(60_000);

const machine = await sandboxPlace();
const { kind: sandbox } = await machine.sandbox.state();
await machine[Symbol.asyncDispose]();

const agent = (prompt: string, more: object = {}) =>
  call("Agent", { description: "a change", prompt, isolation: "worktree", ...more });
const write = (file_path: string) => call("Write", { file_path, content: "new\n" });

async function repository(files: Record<string, string> = {}) {
  const project = await tempProject({ "a.txt": "A\n", ...files });
  const git = (...args: readonly string[]) => {
    const me = ["-c", "user.name=a", "-c", "user.email=a@b.c"];
    return Bun.spawnSync(["git", ...me, ...args], { cwd: project.dir })
      .stdout.toString()
      .trim();
  };
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-q", "-m", "one");
  return {
    ...project,
    git,
    branches: () => git("branch", "--list", "quoll/*", "--format=%(refname:short)").split("\n"),
  };
}

/** One session in a repository, its agents, and where they worked. */
async function playIn(files: Record<string, string>, more: Parameters<typeof sessionIn>[2] = {}, scenario?: Scenario) {
  const here = await oneProcess(scenario);
  const project = await repository(files);
  const { session, warnings, events } = await sessionIn(here.app, project.dir, {
    ...{ answerer: "nobody", permissionMode: "acceptEdits", ...more },
  });
  const { engine } = session.main;
  return {
    ...{ here, project, session, warnings, events },
    /** What the parent's model got. */
    say: async (prompt: string) => (await engine.submit({ prompt })).text,
    bodies: () => here.twin.requests.map(({ body }) => JSON.stringify(body)),
    async [Symbol.asyncDispose]() {
      await session.close();
      await here[Symbol.asyncDispose]();
      await project[Symbol.asyncDispose]();
    },
  };
}

deepTest("an isolated agent leaves its change on a branch of its own and the main checkout as it was", async () => {
  await using play = await playIn({ "sub/b.txt": "B\n", "AGENTS.md": "Committed advice.\n" });
  const { project } = play;
  await project.write("AGENTS.md", "Later advice.\n");
  await project.write("a.txt", "uncommitted\n");
  const text = await play.say(agent(write("new.txt")));
  const [branch = ""] = project.branches();
  const [, path = ""] = /stays in the worktree [\w-]+: (\S+), on the branch/.exec(text) ?? [];
  expect(branch).toStartWith("quoll/");
  expect(text).toContain(`(1 changed file) stays in the worktree`);
  expect(text).toContain(branch);
  expect(path).toStartWith(play.here.home.path(".local/share/quoll/worktrees/"));
  expect(readdirSync(path).sort()).toEqual([".git", "AGENTS.md", "a.txt", "new.txt", "sub"]);
  expect(project.git("status", "--porcelain")).toBe("M AGENTS.md\n M a.txt");
  expect(await project.read("a.txt")).toBe("uncommitted\n");
  const [, child = ""] = play.bodies();
  expect(child).toContain(`You work in ${path}`);
  expect(child).toContain("Committed advice.");
  expect(child).not.toContain("Later advice.");
  expect(child).toContain(`Working folder: ${path}\\n`);
  expect(child).toContain(`Git branch: ${branch}\\n`);
  expect(child).not.toContain("Project root:");
  expect(play.warnings).toEqual([expect.stringContaining("quoll worktree remove")]);
});

deepTest("a worktree without changes is removed with its branch", async () => {
  await using play = await playIn({});
  const text = await play.say(agent(call("Read", { file_path: "a.txt" })));
  expect(text).toContain("[its worktree had no changes and was removed]");
  expect(play.project.branches()).toEqual([""]);
  expect(play.project.git("worktree", "list", "--porcelain").match(/^worktree /gm)).toHaveLength(1);
  expect(play.warnings).toEqual([]);
});

deepTest(
  "three agents side by side have a worktree each, also where git changes its settings for sparse ones",
  async () => {
    const settings = JSON.stringify({ worktree: { sparse: ["src"] } });
    const isChild = ({ body }: ScenarioRequest) => JSON.stringify(body).includes("You are an agent");
    const use = (name: string) =>
      toolUse("Agent", { description: name, prompt: `make:${name}.`, isolation: "worktree" });
    const scenario = (request: ScenarioRequest) => {
      const { messages } = request.body as { messages: readonly object[] };
      if (!isChild(request)) return messages.length > 1 ? reply("End.") : reply([use("one"), use("two"), use("three")]);
      const [, name] = /make:(\w+)\./.exec(JSON.stringify(messages)) ?? [];
      return messages.length > 1
        ? reply("Made.")
        : reply([toolUse("Write", { file_path: "same.txt", content: `${name}` })]);
    };
    await using play = await playIn({ "src/c.txt": "C\n" }, { settings }, scenario);
    await play.say("go");
    const trees =
      play.project
        .git("worktree", "list", "--porcelain")
        .match(/^worktree .*$/gm)
        ?.slice(1) ?? [];
    const made = await Promise.all(trees.map((line) => Bun.file(`${line.slice(9)}/same.txt`).text()));
    expect(made.sort()).toEqual(["one", "three", "two"]);
    expect(play.project.git("status", "--porcelain")).toBe("");
  },
);

test("an isolated agent is never wider than its parent: rules, protected names and the main checkout hold", async () => {
  const permissions = { deny: ["Edit(/secrets/**)", "Read(/private/**)"], allow: ["Edit(/**)"] };
  await using play = await playIn(
    { "secrets/s.txt": "S\n", "private/p.txt": "hidden words\n" },
    { settings: JSON.stringify({ permissions }) },
  );
  const { project } = play;
  const refused = async (prompt: string) => {
    const text = await play.say(agent(prompt));
    expect(text).toContain("no changes and was removed");
    return text;
  };
  expect(await refused(write("secrets/new.txt"))).toContain("Edit(/secrets/**)");
  expect(await refused(call("Read", { file_path: "private/p.txt" }))).toContain("Read(/private/**)");
  expect(await refused(call("Grep", { pattern: "hidden", output_mode: "content" }))).not.toContain("hidden words");
  expect(await refused(write(".quoll/settings.json"))).toContain("Refused");
  expect(await refused(write(project.path(".git/hooks/pre-commit")))).toContain("Refused by the deny rule");
  expect(await refused(write(project.path("main.txt")))).toContain("Refused by the deny rule");
  expect(await refused(call("Read", { file_path: project.path("private/p.txt") }))).toContain("Read(/private/**)");
  expect(await play.say(agent(call("Read", { file_path: project.path("a.txt") })))).toContain("A");
  expect(project.git("status", "--porcelain")).toBe("");
});

deepTest(
  "a definition isolates its agents, a contract means the agent's files, and without a repository none starts",
  async () => {
    const agents = { apart: { description: "Works apart", prompt: "Work.", isolation: "worktree" } };
    await using play = await playIn({}, { agents });
    const expected = { files: [play.project.path("a.txt")] };
    const prompt = call("Agent", { description: "x", prompt: "Say it.", subagent_type: "apart", expect: expected });
    const text = await play.say(prompt);
    expect(text).toContain("a.txt was not changed");
    expect(text).toContain("its worktree had no changes");
    await using plain = await tempProject();
    const { session } = await sessionIn(play.here.app, plain.dir, { agents });
    expect((await session.main.engine.submit({ prompt: agent("x") })).text).toContain("needs a git repository");
  },
);

deepTest("an isolated agent that is interrupted leaves its work, and the person hears where", async () => {
  await using play = await playIn({}, { answerer: "program" }, ({ body }: ScenarioRequest) => {
    const words = JSON.stringify(body);
    if (!words.includes("You are an agent"))
      return reply([toolUse("Agent", { description: "x", prompt: "Do it.", isolation: "worktree" })]);
    return words.includes("tool_result")
      ? reply([toolUse("Bash", { command: "make all", description: "x" })])
      : reply([toolUse("Write", { file_path: "half.txt", content: "half" })]);
  });
  const { engine } = play.session.main;
  const turn = engine.submit({ prompt: "go" });
  await until(() => engine.questions.pending.length === 1);
  engine.interrupt();
  await turn;
  const told = () => play.events.flatMap(({ event }) => (event.type === "notice" ? [event.message] : [])).join("\n");
  await until(() => /stays \(1 changed file\)/.test(`${told()}${play.warnings.join()}`));
  expect(play.project.git("status", "--porcelain")).toBe("");
});

deepTest("a continued isolated agent works in the worktree with its earlier work", async () => {
  await using play = await playIn({});
  await play.say(agent(write("first.txt")));
  await play.say(call("Agent", { description: "more", prompt: write("second.txt"), resume: "a1" }));
  await until(() => play.warnings.length === 2);
  const named = play.warnings.map((line) => /The worktree (\S+) stays \(([^)]*)\)/.exec(line)?.slice(1));
  const [name] = named[0] ?? [];
  expect(named).toEqual([
    [name ?? "", "1 changed file"],
    [name ?? "", "2 changed files"],
  ]);
});

deepTest("a fork can be isolated: it has the conversation, and its calls run in the worktree", async () => {
  await using play = await playIn({});
  const text = await play.say(agent(write("forked.txt"), { subagent_type: "fork" }));
  expect(text).toContain("(1 changed file) stays in the worktree");
  expect(await Bun.file(play.project.path("forked.txt")).exists()).toBe(false);
  const [first = "", child = ""] = play.bodies();
  const { system, tools } = JSON.parse(child);
  expect({ system, tools }).toEqual((({ system, tools }) => ({ system, tools }))(JSON.parse(first)));
  expect(child).toContain("You work in ");
});

deepTest("a hook's worktree inside of the repository is refused for an agent", async () => {
  await using tools = await tempProject();
  const hook = await tools.write(
    "hook.sh",
    'mkdir -p "$QUOLL_PROJECT_DIR/inside" && echo "$QUOLL_PROJECT_DIR/inside"\n',
  );
  const hooks = { WorktreeCreate: [{ hooks: [{ type: "command", command: `sh ${hook}` }] }] };
  await using play = await playIn({}, { settings: JSON.stringify({ hooks }) });
  expect(await play.say(agent(write("x.txt")))).toContain("needs one outside");
});

describe.if(sandbox === "bubblewrap")("a confined command of an isolated agent", () => {
  test("commits on its branch, and can change neither the main checkout nor closed paths", async () => {
    const settings = JSON.stringify({
      sandbox: { enabled: true, autoAllowBashIfSandboxed: true },
      permissions: { deny: ["Edit(/secrets/**)", "Read(/private/**)"] },
    });
    const script = `top=$(dirname $(git rev-parse --git-common-dir))
echo x > secrets/s.txt; cat private/p.txt; echo x > $top/a.txt; echo x > $top/new.txt; echo x >> $top/.git/hooks/pre-commit
echo x >> $top/.git/config
echo B > b.txt && git add b.txt && git -c user.name=a -c user.email=a@b.c commit -qm 'add b'
git log --format=%s -1
`;
    await using play = await playIn(
      { "try.sh": script, "secrets/s.txt": "S\n", "private/p.txt": "hidden words\n" },
      { settings },
    );
    const { project } = play;
    const config = await project.read(".git/config");
    const text = await play.say(agent(bash("sh try.sh")));
    const [branch = ""] = project.branches();
    expect(text).not.toContain("hidden words");
    expect(text).toContain("(1 commit)");
    expect(project.git("show", `${branch}:b.txt`)).toBe("B");
    expect(project.git("show", `${branch}:secrets/s.txt`)).toBe("S");
    expect(project.git("status", "--porcelain")).toBe("");
    expect(await project.read(".git/config")).toBe(config);
    expect(readdirSync(project.path(".git/hooks"))).not.toContain("pre-commit");
    // The commands of the main conversation still write in the main checkout.
    await play.say(bash("echo main > main.txt"));
    expect(project.git("status", "--porcelain")).toBe("?? main.txt");
  });
});
