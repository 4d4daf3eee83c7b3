import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { reply } from "@quoll/model-twin/scenario";
import { startTwin } from "@quoll/model-twin/server";
import type { BuildMetafile } from "bun";
import { bundle } from "../../scripts/compile.ts";
import { builtArtefacts, ROOT } from "../support/built.ts";
import { deepTest } from "../support/deep.ts";
import { eventually } from "../support/eventually.ts";
import { otlpReceiver, treeOf, treeProblems } from "../support/otlp-receiver.ts";
import { runCommand } from "../support/run-command.ts";
import { tempProject } from "../support/temp-project.ts";

/** Modules that cost much at the start and are useless before the first request. */
const LATE =
  /node_modules\/(zod|react|react-reconciler|scheduler|ink|yoga-layout|web-tree-sitter|tree-sitter-bash|highlight\.js|marked|diff|@pydantic\/genai-prices|@ai-sdk\/[a-z-]+|@anthropic-ai\/(?:bedrock|vertex)-sdk|google-auth-library|@aws-sdk\/[a-z-]+|@opentelemetry\/(?!api\/)[a-z-]+)\/|(src\/services\/telemetry|src\/faces\/repl|packages\/bash-syntax\/src\/(load-parser|parse))/;

/** Kilobytes of code: Quoll's own, which must not grow, and all of it, libraries included. Libraries are loaded whole, so `all` changes with them. */
type Weight = { readonly own: number; readonly all: number };
/** Before the first paint. */
const PAINT: Weight = { own: 46, all: 130 };
/** Before the first frame. */
const FRAME: Weight = { own: 1_185, all: 1_300 };
/** Before the first request of `-p`, in a project without settings. */
const PRINT: Weight = { own: 925, all: 1_540 };

let place: Awaited<ReturnType<typeof tempProject>>;
/** The modules in each chunk, by the chunk's name. */
let modulesOf: ReadonlyMap<string, readonly string[]>;
let metafile: BuildMetafile | undefined;
/** The program, as it is built. */
let cli = "";

beforeAll(async () => {
  place = await tempProject({ "package.json": '{ "type": "module" }' });
  const built = await builtArtefacts();
  cli = built.cli;
  metafile = (await Bun.file(built.metafile).json()) as BuildMetafile;
  modulesOf = chunksOf(metafile);
}, 60_000);
afterAll(() => place[Symbol.asyncDispose]());

async function bundled(entry: string, outdir: string): Promise<ReadonlyMap<string, readonly string[]>> {
  return chunksOf((await bundle(entry, place.path(outdir))).metafile);
}

function chunksOf(metafile: BuildMetafile | undefined): ReadonlyMap<string, readonly string[]> {
  const outputs = Object.entries(metafile?.outputs ?? {});
  return new Map(outputs.map(([path, { inputs }]) => [basename(path), Object.keys(inputs)]));
}

/** Runs a bundle on Node. @returns the modules in the chunks that were loaded when the first request was started, and by the end. */
async function loadedBy(
  program: string,
  args: readonly string[],
  modules = modulesOf,
  more: Record<string, string> = {},
  awaited?: RegExp,
) {
  await using project = await tempProject({ "a.txt": "one\n" });
  const list = project.path("modules.list");
  const modulesIn = (lines: readonly string[]) =>
    lines.filter((line) => line.startsWith("file:")).flatMap((url) => modules.get(basename(url)) ?? []);
  const lines = async () => (existsSync(list) ? (await readFile(list, "utf8")).split("\n") : []);
  const read = async () => modulesIn(await lines());
  await using twin = await startTwin({
    scenario: async () => {
      if (awaited)
        await eventually(`${awaited} is loaded`, async () => (await read()).some((path) => awaited.test(path)));
      return reply("Fine.");
    },
  });
  const node = join(ROOT, "node_modules/.bin/node");
  const recorder = join(ROOT, "tests/support/record-chunks.mjs");
  const env = { HOME: place.dir, QUOLL_HOME: project.path("home"), QUOLL_LOAD_LIST: list };
  const access = { ANTHROPIC_BASE_URL: twin.url, ANTHROPIC_API_KEY: "test" };
  const command = [node, "--import", recorder, program, ...args];
  const result = await runCommand(command, { cwd: project.dir, env: { ...env, ...access, ...more } });
  const all = await lines();
  const before = all.slice(0, all.indexOf("request"));
  const builtins = [...new Set(before.filter((line) => line.startsWith("node:")))];
  return { result, beforeFirstRequest: modulesIn(before), builtins, atTheEnd: modulesIn(all) };
}

let printed: ReturnType<typeof loadedBy> | undefined;
/** One run of `-p` for all tests. */
const runPrint = () => (printed ??= loadedBy(cli, ["-p", "hello"], modulesOf, {}, /confined-runner\.ts$/));

test("-p loads no screen, parser, highlighter, diff, prices or other vendors before its first request", async () => {
  const { result, beforeFirstRequest, builtins } = await runPrint();

  expect(result).toEqual({ code: 0, out: "Fine.\n", err: "" });
  expect(beforeFirstRequest).toEqual(expect.arrayContaining([expect.stringContaining("src/cli/session/run-print.ts")]));
  expect(beforeFirstRequest.some((path) => path.includes("@anthropic-ai/sdk"))).toBe(true);
  expect(beforeFirstRequest.filter((path) => LATE.test(path))).toEqual([]);
  expect(builtins).toContain("node:path");
  expect(builtins.filter((name) => /^node:(?:stream|url|http|tty|net)/.test(name))).toEqual([]);
  const sizes = moduleSizes();
  expectAtMost(PRINT, new Map(beforeFirstRequest.map((path) => [path, sizes.get(path) ?? 0])));
});

test("-p with a settings file loads the table of settings, and no library that checks schemas", async () => {
  await using home = await tempProject({
    "config/settings.json": '{ "permissions": { "deny": ["Read(./.env)"] }, "tools": { "bashTimeoutMs": 60000 } }',
  });
  const { result, beforeFirstRequest } = await loadedBy(cli, ["-p", "hello"], modulesOf, { QUOLL_HOME: home.dir });
  expect(result).toEqual({ code: 0, out: "Fine.\n", err: "" });
  expect(beforeFirstRequest.filter((path) => path.endsWith("contracts/settings-table.ts"))).toHaveLength(1);
  expect(beforeFirstRequest.filter((path) => path.includes("node_modules/zod/"))).toEqual([]);
});

test("the parser, the first tools and the redactor are loaded while the first answer is awaited", async () => {
  const { result, beforeFirstRequest, atTheEnd } = await runPrint();

  const first =
    /bash-syntax\/src\/load-parser|tools\/(?:bash\/bash|read\/read|grep\/grep|edit\/edit)\.ts|create-redactor/;
  const names = (paths: readonly string[]) => [...new Set(paths.flatMap((path) => first.exec(path)?.[0] ?? []))].sort();
  expect(result).toEqual({ code: 0, out: "Fine.\n", err: "" });
  expect(names(beforeFirstRequest)).toEqual([]);
  expect(names(atTheEnd)).toEqual([
    "bash-syntax/src/load-parser",
    "create-redactor",
    "tools/bash/bash.ts",
    "tools/edit/edit.ts",
    "tools/grep/grep.ts",
    "tools/read/read.ts",
  ]);
});

/** The bytes of each module in the bundle. */
function moduleSizes(): ReadonlyMap<string, number> {
  const sizes = new Map<string, number>();
  for (const { inputs } of Object.values(metafile?.outputs ?? {}))
    for (const [path, { bytesInOutput }] of Object.entries(inputs)) sizes.set(path, bytesInOutput);
  return sizes;
}

/** The bytes that each module that is statically imported by an entry, or by its imports, has in the bundle. */
function loadedWith(entries: readonly string[]): ReadonlyMap<string, number> {
  const sizes = moduleSizes();
  const waiting = Object.keys(metafile?.inputs ?? {}).filter((path) => entries.some((entry) => path.endsWith(entry)));
  expect(waiting).toHaveLength(entries.length);
  const loaded = new Map<string, number>();
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (loaded.has(path)) continue;
    loaded.set(path, sizes.get(path) ?? 0);
    for (const { path: next, kind } of metafile?.inputs[path]?.imports ?? [])
      if (kind === "import-statement") waiting.push(next);
  }
  return loaded;
}

function expectAtMost(most: Weight, loaded: ReadonlyMap<string, number>): void {
  const kilobytes = (isCounted: (path: string) => boolean) =>
    Math.round([...loaded].reduce((sum, [path, size]) => sum + (isCounted(path) ? size : 0), 0) / 1_000);
  expect(kilobytes((path) => !path.includes("node_modules/"))).toBeLessThanOrEqual(most.own);
  expect(kilobytes(() => true)).toBeLessThanOrEqual(most.all);
}

// A bound that is reached says that code which the first frame does not need is to be imported later, not that the bound is to grow.
test("the first paint is drawn with little code, the first frame without Ink, React or a layout engine", () => {
  const paint = loadedWith(["src/main.ts", "src/cli/run.ts", "src/faces/repl/terminal/first-paint.ts"]);
  expect([...paint.keys()].filter((path) => /node_modules\/(?:zod|react|ink)\//.test(path))).toEqual([]);
  expectAtMost(PAINT, paint);

  const entries = ["src/main.ts", "src/cli/run.ts", "src/cli/session/run-interactive.ts", "src/faces/repl/run-repl.ts"];
  const frame = loadedWith(entries);
  const late = /node_modules\/(?:react|react-reconciler|ink|yoga-layout|highlight\.js|marked|diff)\//;
  expect([...frame.keys()].filter((path) => late.test(path))).toEqual([]);
  expectAtMost(FRAME, frame);
});

/** The Anthropic SDK loads OpenTelemetry's API. */
const TELEMETRY = /node_modules\/@opentelemetry\/(?!api\/)|src\/services\/telemetry\/|src\/cli\/wire-telemetry/;

deepTest("no telemetry code is loaded while telemetry is off, regardless of other variables", async () => {
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1", OTEL_TRACES_EXPORTER: "otlp" };
  const { result, atTheEnd } = await loadedBy(cli, ["-p", "hello"], modulesOf, env);

  expect(result).toEqual({ code: 0, out: "Fine.\n", err: "" });
  expect(atTheEnd.filter((path) => TELEMETRY.test(path))).toEqual([]);
});

deepTest("where it is on, it works on Node too, and loads the one form that it speaks", async () => {
  await using collector = otlpReceiver();
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, QUOLL_TELEMETRY: "1" };
  const { result, atTheEnd } = await loadedBy(cli, ["-p", "hello"], modulesOf, env);

  expect(result).toEqual({ code: 0, out: "Fine.\n", err: "" });
  expect(treeProblems(collector.spans())).toEqual([]);
  expect(treeOf(collector.spans())).toEqual(["session", "  invoke_agent quoll", "    chat claude-sonnet-5-5"]);
  const exporters = atTheEnd.flatMap(
    (path) => /@opentelemetry\/(exporter-(?:trace|logs)-[a-z-]+)/.exec(path)?.[1] ?? [],
  );
  expect([...new Set(exporters)].sort()).toEqual(["exporter-logs-otlp-proto", "exporter-trace-otlp-proto"]);
});

test("--version loads its own entry and nothing else", async () => {
  const { result, atTheEnd } = await loadedBy(cli, ["--version"]);

  expect(result.code).toBe(0);
  expect(atTheEnd.map((path) => basename(path)).sort()).toEqual(["main.ts", "package.json"]);
});

test("the list sees static, dynamic and required packages", async () => {
  const from = (name: string) => JSON.stringify(Bun.resolveSync(name, ROOT));
  const text = `import * as marked from ${from("marked")};\nimport { createRequire } from "node:module";\nconsole.log(marked, createRequire, await import(${from("react")}), require(${from("diff")}));\n`;
  const modules = await bundled(await place.write("late.ts", text), "late");

  const { atTheEnd } = await loadedBy(place.path("late/cli.js"), [], modules);

  const late = atTheEnd.flatMap((path) => LATE.exec(path)?.[1] ?? []);
  expect([...new Set(late)].sort()).toEqual(["diff", "marked", "react"]);
});

test("late modules are in chunks of the bundle, so their absence at the start is significant", () => {
  const late = [...modulesOf.values()].flat().flatMap((path) => LATE.exec(path)?.[1] ?? []);
  expect([...new Set(late)].sort()).toEqual(
    expect.arrayContaining([
      "@opentelemetry/sdk-trace",
      "diff",
      "highlight.js",
      "ink",
      "marked",
      "react",
      "web-tree-sitter",
      "yoga-layout",
    ]),
  );
});
