import { expect, test } from "bun:test";
import { statusCommand } from "../../src/commands/status.ts";
import type { CommandContext } from "../../src/contracts/command.ts";
import type { SessionFolders } from "../../src/contracts/session-actions.ts";

const state = {
  ...{ sessionId: "abc", mode: "plan", model: "opus", providerName: "anthropic", effort: "high" },
  ...{ usedTokens: 61_000, windowTokens: 200_000 },
};
const { signal } = new AbortController();

async function lines(extra: Partial<CommandContext>): Promise<readonly string[]> {
  const context = { engine: { state }, ...extra } as unknown as CommandContext;
  const result = await statusCommand.run("", context, signal);
  if (result.kind !== "view") throw new Error(result.kind);
  return result.lines.map((line) => line.trim().replace(/ {2,}/g, " | "));
}

test("the status names session, folder, model, key, limits, servers, settings and instruction files", async () => {
  const facts: CommandContext["facts"] = async () => ({
    ...{ version: "1.2.3", sessionFile: "~/s/abc.jsonl", folder: "~/trees/fix", startedIn: "~/shop", isTrusted: false },
    settingsFiles: ["~/user.json", ".quoll/settings.json"],
  });
  const accounts = {
    list: async () => [{ provider: "anthropic", access: "…x4f2", from: "ANTHROPIC_API_KEY", needsKey: true }],
  } as unknown as CommandContext["accounts"] & object;
  const cap = {
    name: "the day's spending cap",
    setting: "spend.dayUsd",
    unit: "usd",
    limit: 5,
    spent: 2,
    held: 0,
  } as const;
  const mcp = { states: () => [{ name: "docs", status: "connected", tools: 3 }] } as unknown as CommandContext["mcp"] &
    object;
  const files = [
    { name: "AGENTS.md", state: "active", tokens: 1_200 },
    { name: "CLAUDE.md", state: "duplicate", tokens: 0 },
  ];
  const instructions = { list: async () => files } as unknown as CommandContext["instructions"] & object;
  const folders = async () => ({ list: () => ["~/shop", "~/lib"] }) as unknown as SessionFolders;
  expect(
    await lines({ facts, folders, accounts, mcp, instructions, spend: { status: async () => ({ caps: [cap] }) } }),
  ).toEqual([
    "Quoll | 1.2.3",
    "session | abc",
    "~/s/abc.jsonl",
    "folder | ~/trees/fix (not trusted)",
    "started in ~/shop",
    "and ~/lib",
    "mode | plan",
    "sandbox | none: commands run without a sandbox",
    "settings | ~/user.json",
    ".quoll/settings.json",
    "model | opus of anthropic",
    "effort high, thinking default",
    "key | …x4f2 from ANTHROPIC_API_KEY",
    "window | 61k of 200k tokens used",
    expect.stringMatching(/^limits \| the day's spending cap: \$2\.\d* of \$5\.\d* spent$/),
    "MCP | docs: connected, 3 tools",
    "instructions | AGENTS.md, 1.2k tokens",
  ]);
});

test("the status of a session that knows little has no gaps", async () => {
  const known = await lines({});
  expect(known).toContain("key | none");
  expect(known).toContain("limits | no caps");
  expect(known).toContain("MCP | no servers");
  expect(known.join("\n")).not.toContain("undefined");
});
