import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, renameSync } from "node:fs";
import type { Asker, Reply } from "../../../src/contracts/question.ts";
import { NewEntryGuard } from "../../../src/services/sandbox/new-entry-guard.ts";
import { deepTest } from "../../support/deep.ts";
import { until } from "../../support/eventually.ts";
import { newPartsOf } from "../../support/question.ts";
import { tempProject } from "../../support/temp-project.ts";
import { sandboxPlace } from "./sandbox-fixture.ts";

const NAMES = ".mcp.json .npmrc .yarnrc .envrc CLAUDE.md AGENTS.md .gitmodules";
/** A command that is allowed to run outside. */
const COMMAND = { makes: [], mayMakeMore: true };
const signal = new AbortController().signal;

/** A person who gives this answer, and what was asked. */
function person(reply: Reply) {
  const asked: string[] = [];
  const asker: Asker = {
    canAsk: true,
    ask: async (question) => {
      const { preview } = newPartsOf(question);
      asked.push(preview.kind === "text" ? preview.text : "");
      return reply;
    },
  };
  return { asker, asked };
}

describe("a protected name that was missing", () => {
  test("is moved aside before the result, and model and person are told how to put it back", async () => {
    const told: string[] = [];
    await using at = await sandboxPlace({ deps: { onNotice: (line) => told.push(line) } });
    const { spawn, confined } = await at.start(`for n in ${NAMES}; do echo evil > $n; done; mkdir -p .vscode .husky/_`);
    await spawn.exited;
    await confined.dispose();
    const left = readdirSync(at.project.dir);
    expect(left.filter((name) => !name.includes(".set-aside-"))).toEqual([]);
    expect(left).toHaveLength(9);
    const changes = confined.changes?.() ?? [];
    expect(changes).toEqual(told);
    const [back = ""] = changes.flatMap((line) => /mv \.mcp\.json\.set-aside-\w+ \.mcp\.json$/.exec(line)?.[0] ?? []);
    expect(at.outside(`${back} && cat .mcp.json`).out).toBe("evil\n");
  });

  test("is reported as deleted for git only if git itself checked it out", async () => {
    await using at = await sandboxPlace({ git: true, files: { a: "" } });
    at.outside(
      "git add a; git commit -qm a; git switch -qc other; echo x > AGENTS.md; mkdir .vscode; echo y > .vscode/t",
    );
    at.outside("git add .; git commit -qm more; git switch -q main");
    const { spawn, confined } = await at.start("git checkout -q other; echo evil > .npmrc");
    await spawn.exited;
    await confined.dispose();
    const told = (confined.changes?.() ?? []).filter((line) => line.includes("deleted"));
    expect(told).toHaveLength(1);
    expect(told[0]).toContain("AGENTS.md");
    expect(told[0]).toContain(".vscode");
    expect(told[0]).not.toContain(".npmrc");
    expect(at.outside("git status --porcelain").out).toContain(" D AGENTS.md");
  });

  test("is gone while the command still runs", async () => {
    await using at = await sandboxPlace();
    const { spawn, confined } = await at.start("echo evil > .mcp.json; touch ready; sleep 30");
    await until(() => existsSync(at.project.path("ready")) && !existsSync(at.project.path(".mcp.json")));
    process.kill(-spawn.pid, "SIGKILL");
    await spawn.exited;
    await confined.dispose();
    expect(readdirSync(at.project.dir).filter((name) => name.startsWith(".mcp.json.set-aside-"))).toHaveLength(1);
  });

  test("stays in place and is not reported if it existed before", async () => {
    await using at = await sandboxPlace({ files: { "CLAUDE.md": "mine", ".npmrc": "mine", x: "" } });
    const { spawn, confined } = await at.start("cat CLAUDE.md .npmrc > x");
    await spawn.exited;
    await confined.dispose();
    expect(confined.changes?.()).toEqual([]);
    expect(readdirSync(at.project.dir).sort()).toEqual([".npmrc", "CLAUDE.md", "x"]);
  });

  test("is not touched where one of Quoll's own tools makes it meanwhile", async () => {
    await using at = await sandboxPlace();
    const { spawn, confined } = await at.start("touch ready; while [ ! -e stop ]; do sleep 0.01; done");
    await until(() => existsSync(at.project.path("ready")));
    const own = await at.sandbox.beginUnconfined(
      { makes: [at.project.path(".vscode/tasks.json")], mayMakeMore: false },
      signal,
    );
    await at.project.write(".vscode/tasks.json", "{}");
    own.end();
    at.outside("touch stop");
    await spawn.exited;
    await confined.dispose();
    expect(await at.project.read(".vscode/tasks.json")).toBe("{}");
    expect(readdirSync(at.project.dir).filter((name) => name.includes("set-aside"))).toEqual([]);
  });

  test("is moved aside before a program starts that is not confined, and the model is told with that one's result", async () => {
    await using at = await sandboxPlace();
    const { spawn, confined } = await at.start("touch ready; while [ ! -e stop ]; do sleep 0.01; done", {
      isBackground: true,
    });
    await until(() => existsSync(at.project.path("ready")));
    at.outside("echo evil > .envrc");
    const { lines, end } = await at.sandbox.beginUnconfined(COMMAND, signal);
    expect(existsSync(at.project.path(".envrc"))).toBe(false);
    expect(lines).toHaveLength(1);
    end();
    at.outside("touch stop");
    await spawn.exited;
    await confined.dispose();
  });
});

test("under Landlock no new name can be made at the top, whatever stands there", async () => {
  for (const files of [{}, { x: "" }, { "AGENTS.md": "mine", "src/a": "" }]) {
    await using at = await sandboxPlace({ kind: "landlock", files });
    await at.run(`for n in ${NAMES} plain; do echo evil > $n; done; mkdir .vscode`);
    expect(readdirSync(at.project.dir).sort()).toEqual(
      [...new Set(Object.keys(files).map((name) => name.split("/")[0] ?? ""))].sort(),
    );
  }
});

describe("while only a command in the background runs, the person is asked", () => {
  const watched = async (reply: Reply) => {
    const { asker, asked } = person(reply);
    const at = await sandboxPlace({ deps: { asker } });
    const { spawn, confined } = await at.start("touch ready; while [ ! -e stop ]; do sleep 0.01; done", {
      isBackground: true,
    });
    await until(() => existsSync(at.project.path("ready")));
    const end = async () => {
      at.outside("touch stop");
      await spawn.exited;
      await confined.dispose();
    };
    return { at, asked, end, [Symbol.asyncDispose]: () => at[Symbol.asyncDispose]() };
  };

  test("a command that was moved to the background counts as one", async () => {
    const { asker, asked } = person({ decision: "once" });
    await using at = await sandboxPlace({ deps: { asker } });
    const { spawn, confined } = await at.start("touch ready; while [ ! -e stop ]; do sleep 0.01; done");
    await until(() => existsSync(at.project.path("ready")));
    confined.movedToBackground?.();
    await at.project.write("CLAUDE.md", "mine");
    await until(() => asked.length === 1);
    at.outside("touch stop");
    await spawn.exited;
    await confined.dispose();
    expect(await at.project.read("CLAUDE.md")).toBe("mine");
  });

  deepTest("an entry that the person keeps stays, now and later", async () => {
    await using place = await watched({ decision: "once" });
    await place.at.project.write("CLAUDE.md", "mine");
    await until(() => place.asked.length > 0);
    (await place.at.sandbox.beginUnconfined(COMMAND, signal)).end();
    await place.end();
    expect(place.asked).toEqual(["CLAUDE.md"]);
    expect(await place.at.project.read("CLAUDE.md")).toBe("mine");
  });

  test("an entry that the person doesn't keep is moved aside, without a second question", async () => {
    await using place = await watched({ decision: "reject" });
    for (const attempt of [1, 2]) {
      await place.at.project.write(".mcp.json", `evil ${attempt}`);
      await until(() => !existsSync(place.at.project.path(".mcp.json")));
    }
    await place.end();
    expect(place.asked).toEqual([".mcp.json"]);
    const aside = readdirSync(place.at.project.dir).filter((name) => name.startsWith(".mcp.json.set-aside-"));
    expect(aside.map((name) => readFileSync(place.at.project.path(name), "utf8")).sort()).toEqual(["evil 1", "evil 2"]);
  });

  deepTest("files that an unconfined command was allowed to write cause no question", async () => {
    await using place = await watched({ decision: "reject" });
    const makes = [place.at.project.path(".npmrc")];
    const outside = await place.at.sandbox.beginUnconfined({ makes, mayMakeMore: true }, signal);
    place.at.outside("echo mine > .npmrc");
    outside.end();
    await place.end();
    expect(place.asked).toEqual([]);
    expect(await place.at.project.read(".npmrc")).toBe("mine\n");
  });

  deepTest("entries that appear while an allowed command runs outside cause a question", async () => {
    await using place = await watched({ decision: "once" });
    const outside = await place.at.sandbox.beginUnconfined(COMMAND, signal);
    place.at.outside("git init -q .");
    outside.end();
    await until(() => place.asked.length > 0);
    await place.end();
    expect(place.asked).toEqual([".git"]);
    expect(place.at.outside("git status --short").code).toBe(0);
  });
});

test("where nobody can be asked, what an allowed command makes outside stays, and it is said", async () => {
  const told: string[] = [];
  await using at = await sandboxPlace({ deps: { onNotice: (line) => told.push(line) } });
  const { spawn, confined } = await at.start("touch ready; while [ ! -e stop ]; do sleep 0.01; done");
  await until(() => existsSync(at.project.path("ready")));
  const outside = await at.sandbox.beginUnconfined(COMMAND, signal);
  at.outside("git init -q .");
  outside.end();
  at.outside("touch stop");
  await spawn.exited;
  await confined.dispose();
  expect(existsSync(at.project.path(".git/HEAD"))).toBe(true);
  expect(told).toEqual([".git appeared while commands ran inside and outside the sandbox: check it."]);
});

deepTest(
  "a program that keeps making one does not fill the folder, and the last is gone before the result",
  async () => {
    await using at = await sandboxPlace();
    await at.run("for i in $(seq 300); do echo evil > .mcp.json; sleep 0.001; done");
    const left = readdirSync(at.project.dir);
    expect(left).not.toContain(".mcp.json");
    expect(left.length).toBeLessThanOrEqual(4);
  },
);

deepTest("a folder that is away for a while makes nothing new of what stands in it", async () => {
  await using at = await tempProject({ "w/CLAUDE.md": "mine", "w/.npmrc": "mine" });
  const root = at.path("w");
  const names = new NewEntryGuard({ roots: [root], homes: [], asker: undefined });
  const end = names.begin({ isBackground: true, absent: [] });
  renameSync(root, at.path("away"));
  (await names.beginUnconfined(COMMAND, signal)).end();
  renameSync(at.path("away"), root);
  expect(end()).toEqual([]);
  await names.close();
  expect(readdirSync(root).sort()).toEqual([".npmrc", "CLAUDE.md"]);
});

deepTest("a thousand names that differ by case are all moved aside, and reported in a few lines", async () => {
  const told: string[] = [];
  await using at = await sandboxPlace({ deps: { onNotice: (line) => told.push(line) } });
  const script = `python3 -c "
name = 'agents.override'
for n in range(1000):
    open(''.join(c.upper() if n >> i & 1 else c for i, c in enumerate(name)) + '.md', 'w').close()"`;
  const { spawn, confined } = await at.start(script);
  await spawn.exited;
  await confined.dispose();
  const left = readdirSync(at.project.dir);
  expect(left.filter((name) => !name.includes(".set-aside-"))).toEqual([]);
  expect(new Set(left.map((name) => name.split(".set-aside-")[0])).size).toBeGreaterThan(400);
  expect(told.length).toBeLessThanOrEqual(13);
  expect(told.at(-1)).toMatch(/^\d+ more such entries were moved aside/);
});

test("a folder that is added while a command runs is open and guarded for the next one, and nothing in it counts as new", async () => {
  await using added = await tempProject({ "CLAUDE.md": "mine", ".vscode/tasks.json": "{}" });
  await using here = await tempProject();
  const roots = [here.dir];
  await using at = await sandboxPlace({ deps: { roots, projectRoot: here.dir } });
  const first = await at.start(`touch ready; while [ ! -e stop ]; do sleep 0.01; done; echo x > ${added.dir}/early`, {
    cwd: here.dir,
  });
  await until(() => existsSync(here.path("ready")));
  roots.push(added.dir);
  const second = await at.start(`echo x > late; echo evil > .mcp.json; echo evil >> CLAUDE.md`, { cwd: added.dir });
  await second.spawn.exited;
  await second.confined.dispose();
  await Bun.write(here.path("stop"), "");
  await first.spawn.exited;
  await first.confined.dispose();
  const names = readdirSync(added.dir).filter((name) => !name.includes(".set-aside-"));
  expect(names.sort()).toEqual([".vscode", "CLAUDE.md", "late"]);
  expect(readFileSync(added.path("CLAUDE.md"), "utf8")).toBe("mine");
  expect(second.confined.changes?.().join()).toContain(".mcp.json");
  expect(first.confined.changes?.()).toEqual([]);
});
