import { expect, test } from "bun:test";
import type { EventName } from "@quoll/extension-api";
import type { ExtensionCode } from "../../../src/contracts/extension.ts";
import { type ConfigurableEvent, HOOK_EVENT_FACTS } from "../../../src/contracts/hook-events.ts";
import { loadExtension } from "../../../src/services/extensions/load-extension.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { tempProject } from "../../support/temp-project.ts";

const code: ExtensionCode = { call: (run) => run(), leave: (run) => run() };
const facts = { apiVersion: 1, quollVersion: "0.0.0", projectRoot: "/" } as const;

test.each([
  ["its module", "await new Promise(() => {}); export const extension = {};"],
  ["its setup", "export const extension = { apiVersion: 1, setup: () => new Promise(() => {}) };"],
])("an extension is given up after 5 seconds if %s never ends", async (_, text) => {
  await using project = await tempProject({ "hang.mjs": text });
  const clock = fakeClock();
  const loading = loadExtension({ name: "hang", file: project.path("hang.mjs") }, { clock, code, facts });
  const failure = loading.catch((error: unknown) => error);
  await clock.advance(5_000);
  expect(await failure).toEqual(new Error("it did not finish within 5 s"));
  expect(clock.sleeping).toBe(0);
});

test("an extension can't define anything after its setup", async () => {
  const text = `export const kept = {};
    export const extension = { apiVersion: 1, setup(quoll) { kept.quoll = quoll; } };`;
  await using project = await tempProject({ "late.mjs": text });
  const file = project.path("late.mjs");
  await loadExtension({ name: "late", file }, { clock: fakeClock(), code, facts });
  const { kept } = await import(file);
  expect(() => kept.quoll.on("Stop", () => undefined)).toThrow("on works only until setup is done");
});

const tool = (more: string) =>
  `quoll.defineTool({ name: "A", description: "x", input: { type: "object" }, level: "none", run: () => "x", ${more} });`;

test.each([
  ["65 tools", `for (let at = 0; at < 65; at += 1) ${tool("name: 'T' + at")}`, "an extension may have 64 tools"],
  ["a schema of 40 KB", tool(`input: { type: "object", x: "y".repeat(40_000) }`), "at most 32000 characters"],
  ["a schema with a circle", `const o = { type: "object" }; o.o = o; ${tool("input: o")}`, "must be plain JSON"],
  ["a description of 5 KB", tool(`description: "x".repeat(5_000)`), "description: Too big"],
  ["a handler of an hour", `quoll.on("Stop", () => {}, { timeoutMs: 3_600_000 });`, "options.timeoutMs: Too big"],
])("an extension with %s is not loaded", async (_, setup, why) => {
  const text = `export const extension = { apiVersion: 1, setup(quoll) { ${setup} } };`;
  await using project = await tempProject({ "large.mjs": text });
  const loading = loadExtension(
    { name: "large", file: project.path("large.mjs") },
    { clock: fakeClock(), code, facts },
  );
  expect(String(await loading.catch((error: unknown) => error))).toContain(why);
});

test("the API names each event of hooks", () => {
  // The types fail to check if one of the two lists has an event more.
  const ofApi: Readonly<Record<EventName, unknown>> = HOOK_EVENT_FACTS;
  const ofHooks: Readonly<Record<ConfigurableEvent, unknown>> = ofApi;
  expect(Object.keys(ofHooks).length).toBeGreaterThan(0);
});

test.each([
  ["a syntax error", "export const a = 1;\nexport const extension = {", /^line 2, column \d+: /],
  [
    "several syntax errors",
    "export const extension = {\n  setup(api { return 1 }\n};",
    /^line 2, column \d+: Expected/,
  ],
  ["a default export", "export default {};", /^it has no export named `extension`: write `export const extension`$/],
  [
    "a misspelled event",
    "export const extension = { apiVersion: 1, setup: (quoll) => quoll.on('PreTolUse', () => {}) };",
    /^on: event: there is no event "PreTolUse"; the nearest is PreToolUse$/,
  ],
])("an extension with %s is refused with one line that helps", async (_, text, problem) => {
  await using project = await tempProject({ "broken.ts": text });
  const loading = loadExtension(
    { name: "broken", file: project.path("broken.ts") },
    { clock: fakeClock(), code, facts },
  );
  expect(await loading.catch((error: Error) => error.message)).toMatch(problem);
});
