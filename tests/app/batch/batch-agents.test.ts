import { expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { failing, fault, reply, type Scenario, type ScenarioRequest, toolUse } from "@quoll/model-twin/scenario";
import { batchCommand } from "../../../src/commands/batch.ts";
import type { CommandResult } from "../../../src/contracts/command-result.ts";
import type { HookInput, Hooks } from "../../../src/contracts/hook.ts";
import type { SessionConfig } from "../../../src/contracts/session-config.ts";
import { call, oneProcess, sessionIn } from "../../support/app-harness.ts";
import { deepTest, eachOrDeep } from "../../support/deep.ts";
import { until } from "../../support/engine-harness.ts";
import { linesOf } from "../../support/lines-of.ts";
import { tempProject } from "../../support/temp-project.ts";

setDefaultTimeout(60_000);

type Result = {
  readonly input: unknown;
  readonly status: string;
  readonly answer?: string;
  readonly error?: string;
  readonly contract?: string;
  readonly broken?: readonly string[];
  readonly worktree?: { readonly path: string; readonly branch: string; readonly work: string };
};

type More = {
  readonly scenario?: Scenario;
  readonly config?: Partial<SessionConfig>;
  readonly hooks?: Hooks;
  readonly isRepository?: boolean;
};

/** One session with /batch. */
async function playIn(files: Record<string, string>, { scenario, config, hooks, isRepository = false }: More = {}) {
  const here = await oneProcess(scenario);
  const project = await tempProject(files);
  const git = (...args: readonly string[]) =>
    Bun.spawnSync(["git", "-c", "user.name=a", "-c", "user.email=a@b.c", ...args], { cwd: project.dir })
      .stdout.toString()
      .trim();
  if (isRepository) for (const words of ["init -q -b main", "add -A", "commit -q -m one"]) git(...words.split(" "));
  const { session, warnings } = await sessionIn(
    here.app,
    project.dir,
    { answerer: "nobody", permissionMode: "acceptEdits", ...config },
    { commands: { builtin: [batchCommand] }, ...(hooks && { hooks }) },
  );
  const { signal } = new AbortController();
  const batch = async (words: string): Promise<CommandResult> => {
    const result = await session.commands.run(`/batch ${words}`, signal);
    if (!result) throw new Error("/batch is unknown.");
    return result.kind === "operation" ? result.run(() => undefined, signal) : result;
  };
  return {
    ...{ here, project, git, session, warnings, batch },
    task: (title: string) => session.tasks.list().find((one) => one.title.endsWith(title)),
    results: () => linesOf(readFileSync(project.path("out.jsonl"), "utf8")).map((line) => JSON.parse(line) as Result),
    async [Symbol.asyncDispose]() {
      await session.close();
      await here[Symbol.asyncDispose]();
      await project[Symbol.asyncDispose]();
    },
  };
}

const inputOf = ({ body }: ScenarioRequest) => /Handle (\w+)\./.exec(JSON.stringify(body))?.[1] ?? "";
const HANDLE = "--lines items.txt --out out.jsonl --yes -- Handle {input}.";

deepTest(
  "agents of a batch are agents of the session: tasks, records and hooks; the conversation hears nothing of them",
  async () => {
    const seen: HookInput[] = [];
    const hooks: Hooks = {
      wants: (event) => event === "SubagentStart" || event === "SubagentStop",
      run: async (input) => {
        seen.push(input);
        return {};
      },
    };
    await using play = await playIn({ "items.txt": "one\ntwo\n" }, { scenario: () => reply("handled"), hooks });
    await play.batch(`--agent Explore --parallel 1 ${HANDLE}`);
    const tasks = play.session.tasks.list();
    expect(tasks).toMatchObject(
      ["one", "two"].map((input, index) => ({
        ...{ id: `a${index + 1}`, kind: "agent", status: "completed", isBackground: false },
        ...{ title: `Explore: batch 1: ${input}`, agent: { type: "Explore" } },
      })),
    );
    const { id, outputFile } = tasks[0] ?? { id: "", outputFile: "" };
    expect(readFileSync(outputFile, "utf8")).toContain("Handle one.");
    const manifest = JSON.parse(readFileSync(join(outputFile, "..", `${id}.json`), "utf8"));
    expect(manifest).toMatchObject({ id: "a1", type: "Explore", status: "completed" });
    const heard = (name: string) => seen.filter(({ event }) => event === name).length;
    expect([heard("SubagentStart"), heard("SubagentStop")]).toEqual([2, 2]);
    expect(seen).toContainEqual(
      expect.objectContaining({ subagentType: "Explore", agentId: tasks[0]?.agent?.agentId }),
    );
    await play.session.main.engine.submit({ prompt: "well?" });
    expect(JSON.stringify(play.here.twin.requests.at(-1)?.body)).not.toContain("batch 1");
  },
);

deepTest("one agent of a batch receives a message and can be stopped alone; the other agents continue", async () => {
  const held = Promise.withResolvers<void>();
  const scenario: Scenario = async (request) => {
    const words = JSON.stringify(request.body);
    if (words.includes("Be brief.")) return reply("heard it");
    if (inputOf(request) === "bad") await new Promise<never>(() => undefined);
    if (inputOf(request) === "good") await held.promise;
    return reply("fine");
  };
  await using play = await playIn({ "items.txt": "bad\ngood\n" }, { scenario });
  const running = play.batch(HANDLE);
  await until(() => play.here.twin.requests.length === 2);
  const [bad, good] = [play.task("batch 1: bad")?.id ?? "", play.task("batch 1: good")?.id ?? ""];
  const { tasks } = play.session;
  expect(() => tasks.moveToBackground(good)).toThrow("batch");
  tasks.send(good, { message: "Be brief." });
  await tasks.stop(bad, new AbortController().signal, "person");
  held.resolve();
  await running;
  expect(play.results().map(({ input, status, answer, error }) => [input, status, answer, error])).toEqual([
    ["bad", "failed", "", "was stopped by the user"],
    ["good", "done", "heard it", undefined],
  ]);
});

deepTest("an interrupted batch stops its agents, and its inputs are left", async () => {
  const never = new Promise<never>(() => undefined);
  await using play = await playIn({ "items.txt": "one\ntwo\n" }, { scenario: () => never });
  const over = new AbortController();
  const command = await play.session.commands.run(`/batch ${HANDLE}`, over.signal);
  if (command?.kind !== "operation") throw new Error("no operation");
  const running = command.run(() => undefined, over.signal);
  await until(() => play.here.twin.requests.length === 2);
  over.abort(new Error("Esc"));
  await running;
  expect(play.session.tasks.list().map(({ state }) => state)).toEqual(Array(2).fill("was stopped with its batch"));
  expect(play.results().map(({ status }) => status)).toEqual(["left", "left"]);
});

test("more agents at once than the session runs are refused with the setting that allows them", async () => {
  await using play = await playIn({ "items.txt": "one\n" });
  await expect(play.batch(`--parallel 11 ${HANDLE}`)).rejects.toThrow("agents.maxRunning to 11");
});

const STEPS = [
  { name: "writer", step: call("Write", { file_path: "made.txt", content: "made\n" }) },
  { name: "reader", step: call("Read", { file_path: "a.txt" }) },
];
const JSONL = {
  "a.txt": "A\n",
  "steps.jsonl": STEPS.map((step) => JSON.stringify(step)).join("\n"),
};
const apart = JSON.stringify({ apart: { description: "Works apart", prompt: "Work.", isolation: "worktree" } });

eachOrDeep(
  "by %s each input has a worktree: one with work stays and is in the results, an unchanged one goes",
  1,
  [
    ["--worktree", "--worktree"],
    ["the type of the agents", "--agent apart"],
  ] as const,
  async (_, option) => {
    await using play = await playIn(JSONL, { isRepository: true, config: { agents: JSON.parse(apart) } });
    await play.batch(`--jsonl steps.jsonl --out ${play.project.path("out.jsonl")} ${option} --yes -- {name}:\n{step}`);
    const [reader, writer] = play
      .results()
      .sort((a, b) => JSON.stringify(a.input).localeCompare(JSON.stringify(b.input)));
    expect(reader).toMatchObject({ input: { name: "reader" }, status: "done" });
    expect(reader?.worktree).toBeUndefined();
    const { path = "", branch = "", work } = writer?.worktree ?? {};
    expect(work).toBe("1 changed file");
    expect(readFileSync(join(path, "made.txt"), "utf8")).toBe("made\n");
    expect(play.git("branch", "--list", "quoll/*", "--format=%(refname:short)")).toBe(branch);
    expect(play.git("status", "--porcelain")).toBe("?? out.jsonl");
    expect(play.warnings).toEqual([expect.stringContaining("quoll worktree remove")]);
  },
);

test("outside a repository, a batch with worktrees is refused before anything is saved", async () => {
  await using play = await playIn(JSONL);
  await expect(play.batch("--jsonl steps.jsonl --worktree --yes -- {step}")).rejects.toThrow("git repository");
  expect(await play.batch("")).toMatchObject({
    lines: expect.arrayContaining([expect.stringContaining("Run one prompt")]),
  });
});

deepTest(
  "a contract is filled in for each input: a broken one fails its input, and each result says which",
  async () => {
    const scenario: Scenario = (request) => {
      const isFirst = (request.body as { messages: readonly object[] }).messages.length === 1;
      if (inputOf(request) !== "made" || !isFirst) return reply("I am done.");
      return reply([toolUse("Write", { file_path: "made.txt", content: "made\n" })]);
    };
    await using play = await playIn(
      { "a.txt": "A\n", "items.txt": "made\na\n" },
      { scenario, config: { allow: ["Bash(test *)"] } },
    );
    const contract = "--expect-files '{input}.txt' --expect-command 'test -f {input}.txt'";
    const asked = await play.batch(`${contract} ${HANDLE.replace("--yes ", "")}`);
    if (asked.kind !== "choose") throw new Error("no question");
    expect(asked.before).toEqual(expect.arrayContaining(["  changed: made.txt", "  passes: test -f made.txt"]));
    const ended = await play.batch("run 1");
    expect(ended).toMatchObject({ problem: { reason: "failed" } });
    const results = play.results().sort((a, b) => a.status.localeCompare(b.status));
    expect(results).toMatchObject([
      { status: "done", contract: "kept" },
      { status: "failed", contract: "broken", broken: ["a.txt was not changed"] },
    ]);
    expect(results[1]?.error).toContain("a.txt was not changed");
  },
);

deepTest("the answers of a batch are checked with a schema, which is read once", async () => {
  const schema = JSON.stringify({ type: "object", required: ["n"] });
  const scenario: Scenario = (request) => reply(inputOf(request) === "one" ? '{"n":1}' : "none");
  await using play = await playIn({ "items.txt": "one\ntwo\n", "answer.json": schema, "no.json": "[]" }, { scenario });
  await expect(play.batch(`--schema no.json ${HANDLE}`)).rejects.toThrow("no JSON object");
  await expect(play.batch(`--schema gone.json ${HANDLE}`)).rejects.toThrow("gone.json");
  await play.batch(`--schema answer.json ${HANDLE.replace("--yes ", "")}`);
  await play.project.write("answer.json", "{}");
  await play.batch("run 1");
  const contracts = play.results().map(({ input, contract }) => `${input} ${contract}`);
  expect(contracts.sort()).toEqual(["one kept", "two broken"]);
});

test("the summary of a batch shows the whole error of an input", async () => {
  const why = `the model server refused this request: ${"a long reason ".repeat(6)}and its end`;
  await using play = await playIn({ "items.txt": "one\n" }, { scenario: () => failing(fault.badRequest(why)) });
  const result = await play.batch(HANDLE);
  expect(result.kind === "text" && result.lines.join("\n")).toMatch(/ {4}one: .*and its end\n/);
});
