import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { failing, fault, reply, type Scenario } from "@quoll/model-twin/scenario";
import type { StatusLineSettings } from "../../../src/contracts/settings.ts";
import { oneProcess, sessionIn } from "../../support/app-harness.ts";
import { deepTest, eachOrDeep } from "../../support/deep.ts";
import { until } from "../../support/engine-harness.ts";
import { eventually, isRunning } from "../../support/eventually.ts";
import { tempProject } from "../../support/temp-project.ts";

const SCRIPTS = join(import.meta.dir, "scripts");
const CONFIG = `[remote "origin"]\n\turl = git@github.com:acme/shop.git\n`;
const FILES = { ".git/HEAD": "ref: refs/heads/main\n", ".git/objects/x": "", ".git/config": CONFIG };

/** A session with this status line in the user's settings, and what it shows. */
async function opened(statusLine: StatusLineSettings, more: object = {}, scenario?: Scenario) {
  const stack = new AsyncDisposableStack();
  const here = stack.use(await oneProcess(scenario));
  const project = stack.use(await tempProject(FILES));
  const write = (line: object) =>
    here.home.write(".config/quoll/settings.json", JSON.stringify({ sandbox: { enabled: false }, statusLine: line }));
  await write(statusLine);
  const { session } = await sessionIn(here.app, project.dir, more);
  const shows = async (wanted: RegExp | string) => {
    const plain = () => session.statusLine.lines.map(stripVTControlCharacters).join("\n");
    const isShown = () => (typeof wanted === "string" ? plain().includes(wanted) : wanted.test(plain()));
    await eventually(`${wanted} is shown`, isShown);
    return plain();
  };
  session.statusLine.start();
  return { here, project, session, shows, write, [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose]() };
}

eachOrDeep(
  "a script in %s reads the documented fields",
  1,
  [
    ["bash with jq", "bash", "window.sh"],
    ["node", "node", "cost.mjs"],
    ["python", "python3", "place.py"],
  ],
  async (_, program, script) => {
    if (Bun.which(program) === null || Bun.which("jq") === null) return;
    await using line = await opened({ type: "command", command: `${program} ${join(SCRIPTS, script)}` });
    line.session.statusLine.look({ columns: 91, rows: 30, vim: "normal" });
    await line.session.main.engine.submit({ prompt: "hello" });
    const shown = await line.shows(/after/);
    const expected = {
      "window.sh":
        /^\[Sonnet 4\.5\] after 1000 tokens in, 10 out: 1% of 200000, 99% left$\n^now 1000\+0\+0, large: false, cached: false 0 0$/m,
      "cost.mjs":
        /^after \$0\.003\d* in \d+ ms \(\d+ ms api\), \+0 -0 as default, default, thinking true, vim NORMAL$/m,
      "place.py": /^after .+ in .+ \+\[\] of github\.com acme\/shop, v0\.0\.0, 91x\d+, .+\.jsonl$/m,
    }[script];
    expect(shown).toMatch(expected ?? /never/);
  },
  60_000,
);

deepTest("a command gets the plan's windows from the last answer, and the session's title", async () => {
  const unified = "anthropic-ratelimit-unified";
  const headers = {
    ...{ [`${unified}-5h-utilization`]: "0.235", [`${unified}-5h-reset`]: "1738425600" },
    ...{ [`${unified}-7d-utilization`]: "1", "anthropic-ratelimit-requests-remaining": "9" },
  };
  let requests = 0;
  const limited = () =>
    ++requests === 1 ? failing(fault.status(429, { headers, retryAfter: 0 })) : reply("Done.", { usage: {} });
  await using line = await opened({ command: "cat > new.json && mv new.json facts.json" }, {}, limited);
  const file = line.project.path("facts.json");
  const facts = () => (existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined);
  await eventually("the first facts are there", () => facts() !== undefined);
  expect(Object.keys(facts())).not.toContain("rate_limits");
  expect(Object.keys(facts())).not.toContain("session_name");
  expect(Object.keys(facts())).not.toContain("prompt_id");
  await line.session.main.engine.submit({ prompt: "Repair\nthe  tests" });
  await eventually("the limits are there", () => facts()?.rate_limits !== undefined && "session_name" in facts());
  expect(facts()).toMatchObject({
    session_name: "Repair the tests",
    prompt_id: expect.stringMatching(/^[\da-f-]{36}$/),
  });
  expect(facts().rate_limits).toEqual({
    five_hour: { used_percentage: 23.5, resets_at: 1_738_425_600 },
    seven_day: { used_percentage: 100 },
  });
});

test("a template needs no program, follows the settings, and is indented", async () => {
  await using line = await opened({ template: "{model} · {folder} on {branch} · {cost} · {oops}", padding: 2 });
  await line.shows(/^ {2}Sonnet 4\.5 · .+ on main · \{oops\}$/);
  expect((await line.session.statusLine.state()).problems.join()).toContain("oops");
  await line.write({ template: "now {mode}" });
  await line.session.main.engine.submit({ prompt: "hello" });
  await line.shows("now default");
  line.session.main.engine.setMode("plan");
  await line.shows("now plan");
});

test("a failing command shows nothing and says why; one that hangs is ended with its children, also those of a session of their own", async () => {
  await using line = await opened({ command: "echo some; echo broken >&2; exit 3" });
  await line.session.main.engine.submit({ prompt: "hello" });
  const problems = async () => (await line.session.statusLine.state()).problems.join();
  await eventually("the problem is told", async () => (await problems()).includes("exit code 3: broken"));
  expect(line.session.statusLine.lines).toEqual([]);
  const pid = line.project.path("pid");
  await line.write({ command: `sleep 600 & setsid sleep 601 & echo $(jobs -p) > ${pid}; wait` });
  await line.session.main.engine.submit({ prompt: "again" });
  await until(() => existsSync(pid) && readFileSync(pid, "utf8").endsWith("\n"));
  const running = readFileSync(pid, "utf8").trim().split(" ").map(Number);
  expect(running.map(isRunning)).toEqual([true, true]);
  await line.session.close();
  await until(() => !running.some(isRunning));
});

test("a project's command runs only if it was approved as it is now; until then the person's own line is shown", async () => {
  await using here = await oneProcess();
  await using project = await tempProject({
    ...FILES,
    "line.sh": "echo of the project",
    ".quoll/settings.json": JSON.stringify({ statusLine: { type: "command", command: "bash ./line.sh; touch ran" } }),
  });
  await here.home.write(".config/quoll/settings.json", JSON.stringify({ statusLine: { template: "mine {mode}" } }));
  const lines = async (isTrusted: boolean, change?: string) => {
    const config = isTrusted ? {} : ({ isTrusted: undefined } as object);
    const { session } = await sessionIn(here.app, project.dir, config);
    if (change !== undefined) await project.write("line.sh", change);
    session.statusLine.start();
    await until(() => session.statusLine.lines.length > 0);
    const { problems } = await session.statusLine.state();
    const shown = session.statusLine.lines.join();
    await session.close();
    return { shown, problems: problems.join() };
  };
  expect(await lines(false)).toEqual({ shown: "mine default", problems: expect.stringContaining("not trusted") });
  expect(existsSync(project.path("ran"))).toBe(false);
  expect((await lines(true)).shown).toBe("of the project");
  expect(await lines(true, "echo changed")).toEqual({
    shown: "mine default",
    problems: expect.stringContaining("has changed since"),
  });
});
