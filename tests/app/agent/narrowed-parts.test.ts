import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { SessionParts } from "../../../src/app/session/session-parts.ts";
import type { AgentScope } from "../../../src/contracts/agent-scope.ts";
import type { Hooks } from "../../../src/contracts/hook.ts";
import { bash, call, oneProcess, sessionIn } from "../../support/app-harness.ts";
import { tempProject } from "../../support/temp-project.ts";

/** A repository with a second checkout beside it. */
async function twoCheckouts() {
  const place = await tempProject({
    "main/a.txt": "A\n",
    "main/closed.txt": "hidden words\n",
    "main/sub/b.txt": "B\n",
  });
  const git = (...args: readonly string[]) =>
    Bun.spawnSync(["git", "-c", "user.name=a", "-c", "user.email=a@b.c", ...args], { cwd: place.path("main") });
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-q", "-m", "one");
  git("worktree", "add", "-q", place.path("other"));
  const checkout = { top: place.path("other"), cwd: place.path("other/sub"), replaces: place.path("main") };
  return { ...place, checkout };
}

function ledgerAgents(home: string): readonly unknown[] {
  const folder = join(home, ".local/share/quoll/spend");
  const files = readdirSync(folder).filter((name) => name.endsWith(".jsonl"));
  const lines = files.flatMap((name) => readFileSync(join(folder, name), "utf8").trim().split("\n"));
  return lines.map((line) => (JSON.parse(line) as { agentId: unknown }).agentId);
}

const scopes: Readonly<Record<string, AgentScope>> = {
  "in a subfolder": {},
  "with a definition's prompt": { systemPrompt: "Work.", label: "worker: a change" },
  "with tools of its own": { tools: ["Bash", "Read", "Write"], permissionMode: "acceptEdits" },
};

for (const [name, scope] of Object.entries(scopes))
  test(`the calls, hooks and requests of a child ${name} have the child's folder, rules, limits and name`, async () => {
    await using here = await oneProcess();
    await using place = await twoCheckouts();
    const asked: (readonly [string | undefined, string])[] = [];
    const hooks: Hooks = {
      wants: (event) => event === "PreToolUse",
      run: async ({ agentId, cwd }) => {
        asked.push([agentId, cwd]);
        return {};
      },
    };
    const more = { answerer: "nobody", permissionMode: "acceptEdits", allow: ["Bash(pwd)"], maxSteps: 5 } as const;
    const { session } = await sessionIn(here.app, place.path("main"), more, { hooks });
    for (const where of [{ cwd: place.path("main/sub") }, { checkout: place.checkout }]) {
      asked.length = 0;
      const child = await session.main.spawn({ ...scope, ...where, maxSteps: 9, deny: ["Read(/closed.txt)"] });
      const cwd = "cwd" in where ? where.cwd : where.checkout.cwd;
      expect((await child.run(bash("pwd"))).text).toContain(cwd);
      await child.run(call("Write", { file_path: "made.txt", content: "x" }));
      expect(existsSync(join(cwd, "made.txt"))).toBe(true);
      const secret = "cwd" in where ? place.path("main/closed.txt") : place.path("other/closed.txt");
      expect((await child.run(call("Read", { file_path: secret }))).text).not.toContain("hidden words");
      expect(asked.length).toBeGreaterThan(1);
      for (const one of asked) expect(one).toEqual([child.source.agentId, cwd]);
      const request = JSON.stringify(here.twin.requests.at(-1)?.body);
      expect(request).toContain(`Working folder: ${cwd}\\n`);
      if ("systemPrompt" in scope) expect(request).toContain('"text":"Work."');
      if ("checkout" in where) {
        const outside = place.path("main/outside.txt");
        expect((await child.run(call("Write", { file_path: outside, content: "x" }))).text).toContain("Refused");
        expect(existsSync(outside)).toBe(false);
      }
      await child.close();
      expect(new Set(ledgerAgents(here.home.dir)).has(child.source.agentId)).toBe(true);
    }
    expect(new Set(ledgerAgents(here.home.dir)).has("main")).toBe(false);
    expect(session.main.workspace.cwd).toBe(place.path("main"));
    const read = await session.main.engine.submit({
      prompt: call("Read", { file_path: place.path("main/closed.txt") }),
    });
    expect(read.text).toContain("hidden words");
  });

test("a child makes no more steps than its scope, and than its session, allows", async () => {
  await using here = await oneProcess();
  await using place = await tempProject({ "a.txt": "A\n" });
  const { session } = await sessionIn(here.app, place.dir, { maxSteps: 1 });
  const wider = await session.main.spawn({ maxSteps: 9 });
  const read = call("Read", { file_path: place.path("a.txt") });
  expect(await wider.run(read)).toMatchObject({ reason: "step_limit", steps: 1 });
  await wider.close();
  const second = await sessionIn(here.app, place.dir, { maxSteps: 9 });
  const narrower = await second.session.main.spawn({ maxSteps: 1 });
  expect(await narrower.run(read)).toMatchObject({ reason: "step_limit", steps: 1 });
  await narrower.close();
  expect(await second.session.main.engine.submit({ prompt: read })).toMatchObject({ outcome: { reason: "completed" } });
});

test("the parts that agents share have none that a child has narrower", () => {
  type Narrower = "environment" | "workspace" | "sandbox" | "spend" | "state" | "restored" | "maxSteps";
  type Leaks = Extract<keyof SessionParts, Narrower> | Extract<keyof SessionParts["config"], "maxSteps">;
  type LeakOfConversation = Extract<keyof SessionParts["conversation"], "restored">;
  const leaks: readonly (Leaks | LeakOfConversation)[] = [];
  // @ts-expect-error A part with one of these names would be a leak.
  const leaked: readonly (Leaks | LeakOfConversation)[] = ["spend"];
  expect([leaks.length, leaked.length]).toEqual([0, 1]);
});
