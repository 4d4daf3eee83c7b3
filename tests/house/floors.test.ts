import { expect, setDefaultTimeout, test } from "bun:test";
import { cycles, edgeProblem, edgesOf, sourceFiles, textProblems } from "./house-rules.ts";

setDefaultTimeout(60_000);

/** Each file is read once, for both tests. */
const edges = new Map(sourceFiles().map((file) => [file, edgesOf(file)]));

test("no file imports from a floor above it, from a neighbour, or a library of another room", () => {
  const problems = [...edges.values()].flatMap((ofFile) => ofFile.map(edgeProblem));
  expect(problems.filter((problem) => problem !== undefined)).toEqual([]);
}, 60_000);

test("no import cycle exists, types included", () => {
  const graph = new Map(
    [...edges].map(([file, ofFile]) => [file, ofFile.flatMap(({ target }) => (target ? [target] : []))]),
  );
  expect(cycles(graph)).toEqual([]);
});

test("no file is a barrel, reads the environment elsewhere, acts at import or outgrows its size", () => {
  expect(sourceFiles().flatMap((file) => textProblems(file))).toEqual([]);
});

const FORBIDDEN: readonly (readonly [from: string, specifier: string])[] = [
  ["packages/bash-syntax/src/parse.ts", "../../terminal-text/src/wrap.ts"],
  ["packages/bash-syntax/src/parse.ts", "../../../src/contracts/tool.ts"],
  ["src/contracts/tool.ts", "../platform/env.ts"],
  ["src/contracts/tool.ts", "../protocol/session-port.ts"],
  ["src/contracts/tool.ts", "lru-cache"],
  ["src/contracts/tool.ts", "@quoll/bash-syntax/types"],
  ["src/platform/env.ts", "../services/config/load.ts"],
  ["src/platform/env.ts", "../engine/query.ts"],
  ["src/platform/env.ts", "../protocol/session-port.ts"],
  ["src/services/tools/read/read.ts", "../../permission/evaluate.ts"],
  ["src/services/tools/read/read.ts", "../../../engine/query.ts"],
  ["src/services/tools/read/read.ts", "../../../faces/repl/app.tsx"],
  ["src/services/tools/read/read.ts", "../../../protocol/session-port.ts"],
  ["src/services/tools/read/read.ts", "node:fs"],
  ["src/services/tools/read/read.ts", "node:child_process"],
  ["src/services/tools/read/read.ts", "execa"],
  ["src/services/tools/read/read.ts", "@anthropic-ai/sdk"],
  ["src/services/sandbox/policy.ts", "node:fs"],
  ["src/services/sandbox/io/mount-points.ts", "@anthropic-ai/sdk"],
  ["src/services/sandbox/io/mount-points.ts", "../../guard/io/run-git.ts"],
  ["src/services/sandbox/io/mount-points.ts", "../../../engine/query.ts"],
  ["src/services/guard/plan-backup.ts", "node:child_process"],
  ["src/services/guard/plan-backup.ts", "../sandbox/io/mount-points.ts"],
  ["src/platform/files/read.ts", "../../services/sandbox/io/mount-points.ts"],
  ["packages/bash-syntax/src/parse.ts", "../../../src/protocol/session-port.ts"],
  ["src/protocol/engine-port.ts", "../platform/clock.ts"],
  ["src/protocol/engine-port.ts", "../services/config/load.ts"],
  ["src/protocol/engine-port.ts", "../engine/query.ts"],
  ["src/protocol/engine-port.ts", "../app/open-app.ts"],
  ["src/protocol/engine-port.ts", "../faces/repl/app.tsx"],
  ["src/protocol/engine-port.ts", "../commands/help.ts"],
  ["src/protocol/engine-port.ts", "../cli/program.ts"],
  ["src/protocol/engine-port.ts", "node:net"],
  ["src/protocol/engine-port.ts", "react"],
  ["src/engine/query.ts", "../platform/clock.ts"],
  ["src/engine/query.ts", "../services/tools/read/read.ts"],
  ["src/engine/query.ts", "@quoll/bash-syntax/types"],
  ["src/engine/query.ts", "node:net"],
  ["src/faces/repl/app.tsx", "../headless/run-headless.ts"],
  ["src/faces/repl/app.tsx", "../../services/config/load.ts"],
  ["src/faces/repl/app.tsx", "../../platform/env.ts"],
  ["src/faces/repl/app.tsx", "../../engine/query.ts"],
  ["src/faces/headless/run-headless.ts", "react"],
  ["src/faces/headless/run-headless.ts", "ink"],
  ["src/cli/program.ts", "ink"],
  ["src/commands/help.ts", "../faces/repl/app.tsx"],
  ["src/commands/help.ts", "../platform/env.ts"],
  ["src/app/open-app.ts", "../cli/program.ts"],
  ["src/app/open-app.ts", "../faces/headless/run-headless.ts"],
  ["src/app/open-app.ts", "../commands/help.ts"],
  ["src/app/open-app.ts", "commander"],
  ["src/app/open-app.ts", "node:fs"],
  ["src/engine/query.ts", "../app/open-app.ts"],
  ["src/services/tools/read/read.ts", "../../../app/open-app.ts"],
  ["src/faces/headless/run-headless.ts", "../../app/open-app.ts"],
  ["src/services/provider/catalog.ts", "commander"],
  ["src/engine/query.ts", "@opentelemetry/api"],
  ["src/faces/headless/run-headless.ts", "@modelcontextprotocol/sdk/server/index.js"],
  ["src/platform/files/read.ts", "bun:sqlite"],
  ["src/services/agents/guide-pages.ts", "../../../docs/protocol.md"],
  ["src/services/agents/find-agent.ts", "../../../docs/guide/agents.md"],
];

test.each(FORBIDDEN)("the guard refuses %s importing %s", (from, specifier) => {
  for (const statement of [`import type { X } from "${specifier}";`, `const x = await import("${specifier}");`]) {
    const problems = edgesOf(from, statement).map(edgeProblem);
    expect(problems).toEqual([expect.stringContaining(from)]);
  }
});

test("the guard sees a cycle of types", () => {
  const graph = new Map([
    ["a.ts", ["b.ts"]],
    ["b.ts", ["c.ts"]],
    ["c.ts", ["a.ts"]],
  ]);
  expect(cycles(graph)).toEqual([["a.ts", "b.ts", "c.ts", "a.ts"]]);
});

test.each([
  ['export { a } from "./a.ts";', "no barrels"],
  ["const home = process.env.HOME;", "process.env"],
  ["export const now = () => process.hrtime();", "process global"],
  ["export const read = () => Bun.file('x');", "Bun-only"],
  ["start();", "at import"],
  ["deps.log.append(entry);", "beside the conversation"],
])("the guard refuses a file with %j", (text, problem) => {
  expect(textProblems("src/engine/query.ts", text).join("\n")).toContain(problem);
});

test.each([
  ["src/engine/query.ts", 150],
  ["src/engine/turn.ts", 300],
  ["src/cli/run.ts", 600],
])("the guard lets %s have %d lines", (file, most) => {
  const lines = (count: number) => "// a line\n".repeat(count);
  expect(textProblems(file, lines(most))).toEqual([]);
  expect(textProblems(file, lines(most + 1))).toEqual([expect.stringContaining(`${most} at most`)]);
});
