import { expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { failing, fault, reply, type ScenarioRequest } from "@quoll/model-twin/scenario";
import { deepTest } from "../support/deep.ts";
import { eventually } from "../support/eventually.ts";
import { linesOf } from "../support/lines-of.ts";
import { quollPlace } from "../support/quoll-process.ts";

setDefaultTimeout(60_000);

const COUNT = 20;
const LINES = Array.from({ length: COUNT }, (_, index) => `item-${index + 1}`);
const FILES = { "items.txt": `${LINES.join("\n")}\n` };

/** The input of the agent that asks. */
function inputOf({ body }: ScenarioRequest): string {
  return /Handle (item-\d+)\./.exec(JSON.stringify(body))?.[1] ?? "";
}

type Result = {
  readonly input: unknown;
  readonly status: string;
  readonly answer?: string;
  readonly error?: string;
  readonly tokens: number;
  readonly cost_usd: number;
  readonly usage?: { readonly outputTokens: number };
};

function resultsIn(path: string): readonly Result[] {
  return linesOf(readFileSync(path, "utf8")).map((line) => JSON.parse(line) as Result);
}

test("/batch without --yes shows the first prompt, the count and the command that runs it, and asks no model", async () => {
  await using here = await quollPlace({ files: FILES, scenario: () => reply("ok") });
  const { code, out } = await here.run(["-p", "/batch --lines items.txt --max-usd 2 -- Handle {input}."]);
  expect(code).toBe(0);
  expect(out).toContain("Handle item-1.");
  expect(out).toContain("20 inputs");
  expect(out).toContain("/batch run 1");
  expect(here.sent()).toEqual([]);
});

deepTest(
  "each input has an agent and a result; one that fails does not stop the others, and runs again only when asked",
  async () => {
    let isFixed = false;
    await using here = await quollPlace({
      files: { "docs/b.md": "b", "docs/a.md": "a", "docs/deep/c.md": "c", "docs/no.txt": "" },
      scenario: ({ body }) => {
        const path = /Check (docs\S+?md)/.exec(JSON.stringify(body))?.[1] ?? "";
        return path === "docs/b.md" && !isFixed ? failing(fault.badRequest("too long")) : reply(`checked ${path}`);
      },
    });
    const words = "/batch --files 'docs/**/*.md' --agent Explore --out found.jsonl --yes -- Check {input} well.";
    const { code, out, err } = await here.run(["-p", words]);
    expect(code).toBe(1);
    expect(out).toMatch(/Done +2\n.*Failed +1\n {4}docs\/b\.md: /);
    expect(linesOf(err).at(-1)).toMatch(/^quoll: 1 of 3 inputs failed\. `\/batch run 1 --retry-failed`/);
    const results = resultsIn(here.project.path("found.jsonl"));
    expect(results.map(({ input, status, answer }) => `${input} ${status} ${answer}`).sort()).toEqual([
      "docs/a.md done checked docs/a.md",
      "docs/b.md failed ",
      "docs/deep/c.md done checked docs/deep/c.md",
    ]);
    const done = results.find(({ status }) => status === "done");
    expect(done?.usage?.outputTokens).toBeGreaterThan(0);
    expect(done?.cost_usd).toBeGreaterThan(0);
    expect(results.find(({ status }) => status === "failed")?.error).not.toBe("");
    isFixed = true;
    const before = here.sent().length;
    const { code: unchanged } = await here.run(["-p", "/batch run 1", "--output-format", "json"]);
    expect(here.sent()).toHaveLength(before);
    const { code: repaired } = await here.run(["-p", "/batch run 1 --retry-failed"]);
    expect([unchanged, repaired]).toEqual([1, 0]);
    expect(here.sent()).toHaveLength(before + 1);
    expect(resultsIn(here.project.path("found.jsonl")).map(({ status }) => status)).toEqual(["done", "done", "done"]);
  },
);

deepTest(
  "after kill -9 in the middle, a run does only what is left, and the results name each input once",
  async () => {
    const never = new Promise<never>(() => undefined);
    await using here = await quollPlace({
      files: FILES,
      // Eight answers, then silence.
      scenario: (_, index) => (index < 8 ? reply("first") : never),
    });
    const words = "/batch --lines items.txt --parallel 3 --out found.jsonl --yes -- Handle {input}.";
    const { child, ended } = here.start(["-p", words]);
    const first = here.twin;
    await eventually("eight are done and three run", () => first.requests.length === 11);
    const results = here.project.path("found.jsonl");
    await eventually("eight results", () => resultsIn(results).length === 8);
    child.kill("SIGKILL");
    await ended;
    const done = new Set(resultsIn(results).map(({ input }) => input));
    const twin = await here.nextTwin(() => reply("second"));
    const { out } = await here.run(["-p", "/batch run 1"]);
    expect(out).toMatch(/Done +20\n/);
    const asked = twin.requests.map((request) => inputOf(request as unknown as ScenarioRequest));
    expect(asked.toSorted()).toEqual(LINES.filter((line) => !done.has(line)).toSorted());
    const after = resultsIn(results);
    expect(after.map(({ input }) => String(input)).toSorted()).toEqual(LINES.toSorted());
    expect(after.filter(({ answer }) => answer === "first")).toHaveLength(8);
  },
);

deepTest(
  "a budget in tokens holds for agents side by side: new ones stop, the rest is named, and a larger budget goes on",
  async () => {
    await using here = await quollPlace({
      files: FILES,
      scenario: () => reply("ok", { usage: { inputTokens: 20_000, outputTokens: 100 } }),
    });
    const words =
      "/batch --lines items.txt --parallel 5 --max-tokens 150000 --out found.jsonl --yes -- Handle {input}.";
    const { code, out, err } = await here.run(["-p", words]);
    const results = resultsIn(here.project.path("found.jsonl"));
    const count = (status: string) => results.filter((one) => one.status === status).length;
    expect(count("done")).toBeGreaterThan(2);
    expect(count("left")).toBeGreaterThan(5);
    expect(count("failed")).toBe(0);
    expect(results.reduce((sum, { tokens }) => sum + tokens, 0)).toBeLessThanOrEqual(150_000);
    expect(code).toBe(3);
    expect(err).toContain(`The budget is reached. Left: ${count("left")} of 20 inputs. \`/batch run 1\``);
    expect(out).toContain(`Left    ${count("left")}\n    item-`);
    const more = await here.run(["-p", "/batch run 1 --max-tokens 9000000"]);
    expect(more.out).toMatch(/Done +20\n/);
    expect(here.sent()).toHaveLength(COUNT);
  },
);

deepTest("fields of a JSONL are filled in by name; words that can't be used are said in one line", async () => {
  const cases = ['{"name":"Ada","age":36}', '{"name":"Grace","age":85}'].join("\n");
  await using here = await quollPlace({ files: { "cases.jsonl": cases }, scenario: () => reply("ok") });
  await here.run(["-p", "/batch --jsonl cases.jsonl --parallel 1 --yes -- Greet {name} ({age}), keep {this}."]);
  const prompts = here.sent().map(({ messages }) => JSON.stringify(messages));
  expect(prompts[0]).toContain("Greet Ada (36), keep {this}.");
  expect(prompts[1]).toContain("Greet Grace (85), keep {this}.");
  const saidOf = async (words: string) => (await here.run(["-p", words])).err;
  expect(await saidOf("/batch --jsonl cases.jsonl -- Greet everyone.")).toContain("{name}");
  expect(await saidOf("/batch --jsonl missing.jsonl -- Greet {name}.")).toMatch(
    /missing\.jsonl\. Example: \/batch --jsonl \S+ -- /,
  );
  expect(await saidOf("/batch --jsonl cases.jsonl --agent Nobody -- Greet {name}.")).toContain('"Nobody"');
  expect(await saidOf("/batch run 7")).toContain("There is no batch 7");
  expect(here.sent()).toHaveLength(2);
});

deepTest("a rule that denies the agent refuses the batch before anything is sent", async () => {
  await using here = await quollPlace({ files: FILES, scenario: () => reply("ok") });
  const deny = ["--disallowedTools", "Agent(Explore)"];
  const words = "/batch --lines items.txt --agent Explore --yes -- Handle {input}.";
  const { code, err } = await here.run(["-p", words, ...deny]);
  expect(code).toBe(1);
  expect(err).toContain("Explore");
  expect(here.sent()).toEqual([]);
});
