import { expect, setDefaultTimeout } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { reply, type ScenarioRequest, toolUse } from "@quoll/model-twin/scenario";
import { deepTest } from "../support/deep.ts";
import { eventually } from "../support/eventually.ts";
import { quollPlace } from "../support/quoll-process.ts";

setDefaultTimeout(60_000);

const AGENTS = 10;
const isChild = ({ body }: ScenarioRequest) => JSON.stringify(body).includes("You are an agent");
const start = (index: number) =>
  toolUse("Agent", { description: `part ${index}`, prompt: `Part ${index}.`, subagent_type: "Explore" });

deepTest(
  "kill -9 with ten agents: each is recorded as failed, named once at the next start, and none runs again",
  async () => {
    const never = new Promise<never>(() => undefined);
    await using place = await quollPlace({
      scenario: (request: ScenarioRequest) =>
        isChild(request) ? never : reply(Array.from({ length: AGENTS }, (_, index) => start(index + 1))),
    });
    const store = place.project.path("store");
    const env = { QUOLL_AGENT_STORE: store };
    const settings = ["--settings", '{"agents":{"maxRunning":7}}'];
    const { child, ended } = place.start(["-p", "do ten things", ...settings], { env });
    const manifests = () =>
      [...new Bun.Glob("**/a*.json").scanSync({ cwd: store, onlyFiles: true })].map((path) =>
        JSON.parse(readFileSync(join(store, path), "utf8")),
      );
    await eventually("ten agents are recorded", () => {
      try {
        const states = manifests().map(({ status }) => status);
        return states.length === AGENTS && states.filter((state) => state === "running").length === 7;
      } catch {
        return false;
      }
    });
    child.kill("SIGKILL");
    await ended;
    const twin = await place.nextTwin(() => reply("ok"));
    const second = await place.run(["-p", "go on", "--continue"], { env });
    const named = Array.from({ length: AGENTS }, (_, index) => `a${index + 1} (Explore: part ${index + 1})`).join(", ");
    expect(second.err).toContain(named);
    expect(second).toMatchObject({ code: 0, out: "ok\n" });
    expect(manifests().map(({ status, error }) => `${status} ${error}`)).toEqual(
      Array.from({ length: AGENTS }, () => "failed failed: interrupted"),
    );
    expect(twin.requests).toHaveLength(1);
    expect(JSON.stringify(twin.requests[0]?.body)).toContain("a10 (Explore: part 10)");
    const third = await place.run(["-p", "again", "--continue"], { env });
    expect(third.err).not.toContain("a10");
  },
);

deepTest("kill -9 with an agent in a worktree: the next start names the worktree once, with its work", async () => {
  const never = new Promise<never>(() => undefined);
  const write = toolUse("Write", { file_path: "new.txt", content: "new" });
  const isolated = { description: "x", prompt: "Do it.", isolation: "worktree" };
  await using place = await quollPlace({
    files: { "a.txt": "A" },
    scenario: (request: ScenarioRequest) => {
      if (!isChild(request)) return reply([toolUse("Agent", isolated)]);
      return JSON.stringify(request.body).includes("tool_result") ? never : reply([write]);
    },
  });
  const git = (...args: readonly string[]) =>
    Bun.spawnSync(["git", ...args], { cwd: place.project.dir, env: place.environmentOf({}) }).stdout.toString();
  git("add", "-A");
  git("commit", "-q", "-m", "one");
  const { child, ended } = place.start(["-p", "go", "--permission-mode", "acceptEdits"]);
  const trees = () => [...new Bun.Glob("own/**/worktrees/*/*/new.txt").scanSync({ cwd: place.home.dir, dot: true })];
  await eventually("the agent has written", () => trees().length === 1);
  child.kill("SIGKILL");
  await ended;
  await place.nextTwin(() => reply("ok"));
  const second = await place.run(["-p", "go on"]);
  expect(second.err).toMatch(/The worktree [\w-]+ stays \(its session was killed; 1 changed file\)/);
  expect((await place.run(["-p", "again"])).err).not.toContain("worktree");
  expect(trees()).toHaveLength(1);
});

deepTest("an agent that was killed with its process goes on with its context", async () => {
  const never = new Promise<never>(() => undefined);
  const begin = toolUse("Agent", { description: "look", prompt: "The first part.", subagent_type: "Explore" });
  const look = toolUse("Glob", { pattern: "*.txt" });
  await using place = await quollPlace({
    files: { "a.txt": "A" },
    scenario: (request: ScenarioRequest) => {
      if (!isChild(request)) return reply([begin]);
      return JSON.stringify(request.body).includes("tool_result") ? never : reply([look]);
    },
  });
  const { child, ended } = place.start(["-p", "go"]);
  await eventually("the agent has called", () => place.sent().length === 3);
  child.kill("SIGKILL");
  await ended;
  const resume = toolUse("Agent", { description: "more", prompt: "The second part.", resume: "a1" });
  const twin = await place.nextTwin((request: ScenarioRequest) => {
    if (isChild(request)) return reply("answer");
    return JSON.stringify(request.body).includes("goes on as a2") ? reply("ok") : reply([resume]);
  });
  expect(await place.run(["-p", "go on", "--continue"])).toMatchObject({ code: 0, out: "ok\n" });
  const request = twin.requests.find(isChild);
  expect(JSON.stringify(request?.body)).toMatch(/The first part\..*a\.txt.*The second part\./);
});
