import { expect, test } from "bun:test";
import type { PermissionMode } from "../../../src/contracts/permission-mode.ts";
import type { Level } from "../../../src/contracts/tool.ts";
import { mcpTool } from "../../../src/services/mcp/tools/mcp-tool.ts";
import { serverPart, ToolNames } from "../../../src/services/mcp/tools/tool-names.ts";
import { evaluate } from "../../../src/services/permission/judge/evaluate.ts";
import { situation } from "../permission/support.ts";
import { toolContext } from "./mcp-harness.ts";

type Hints = { readOnlyHint?: boolean; destructiveHint?: boolean; openWorldHint?: boolean };

async function callOf(annotations: Hints, server = "files", name = "look") {
  const [full = ""] = new ToolNames(serverPart(server, new Set())).assign([name]);
  const tool = mcpTool({
    server,
    name: full,
    definition: { name, description: "", inputSchema: {}, annotations },
    checker: () => () => undefined,
    call: async () => ({ content: "" }),
  });
  const { level, subjects } = await tool.prepare({}, toolContext());
  return { toolName: full, level, subjects };
}

type Lists = Parameters<typeof situation>[0];
const decide = async (hints: Hints, lists?: Lists, mode: PermissionMode = "default") =>
  evaluate(await callOf(hints), situation(lists, { mode })).decision;

const LEVELS: readonly (readonly [Hints, Level])[] = [
  [{}, "execute"],
  [{ readOnlyHint: true }, "read"],
  [{ readOnlyHint: true, openWorldHint: true }, "read"],
  [{ destructiveHint: true }, "execute"],
  [{ destructiveHint: false }, "network"],
  [{ destructiveHint: false, openWorldHint: false }, "write"],
];

test.each(LEVELS)("hints %p make a call of level %s, which is asked for like any other", async (hints, level) => {
  expect((await callOf(hints)).level).toBe(level);
  expect(await decide(hints)).toBe("ask");
  expect(await decide(hints, {}, "acceptEdits")).toBe("ask");
  expect(await decide(hints, {}, "dontAsk")).toBe("deny");
  expect(await decide(hints, {}, "plan")).toBe(level === "read" ? "ask" : "deny");
});

test.each(["mcp__files", "mcp__files__*", "mcp__files__look"])("the rule %s means the tool", async (rule) => {
  expect(await decide({}, { allow: [rule] })).toBe("allow");
  expect(await decide({ readOnlyHint: true }, { deny: [rule] })).toBe("deny");
});

test.each(["mcp__file", "mcp__files__look2", "mcp__other", "Read", "Edit", "Bash"])(
  "the rule %s does not",
  async (rule) => {
    expect(await decide({ readOnlyHint: true }, { allow: [rule] })).toBe("ask");
  },
);

test("no name of a server or a tool brings a call under another server's rule", async () => {
  const lists = { allow: ["mcp__files"] };
  for (const [server, name] of [
    ["files__x", "look"],
    ["files_", "look"],
    ["file", "s__look"],
    ["_files", "x"],
  ] as const) {
    const taken = new Set(["files"]);
    const [full = ""] = new ToolNames(serverPart(server, taken)).assign([name]);
    const call = { ...(await callOf({}, server, name)), toolName: full };
    expect([full, evaluate(call, situation(lists)).decision]).toEqual([full, "ask"]);
  }
});
