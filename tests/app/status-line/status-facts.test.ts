import { expect, test } from "bun:test";
import { modelName } from "../../../src/app/status-line/model-name.ts";
import { NO_TALLY, tallied } from "../../../src/app/status-line/session-tally.ts";
import { originOf } from "../../../src/app/status-line/status-facts.ts";
import type { EngineEvent } from "../../../src/contracts/event.ts";

test.each([
  ["https://user:secret@github.com/acme/shop.git", { host: "github.com", owner: "acme", name: "shop" }],
  ["git@gitlab.com:group/sub/shop.git", { host: "gitlab.com", owner: "group/sub", name: "shop" }],
  ["ssh://git@example.com:2222/acme/shop", { host: "example.com", owner: "acme", name: "shop" }],
  ["/srv/shop.git", undefined],
])("the repository of %s", (url, repo) => {
  const config = `[core]\n\tbare = false\n[remote "other"]\n\turl = https://x.y/no/no\n[remote "origin"]\n\tfetch = +refs/*\n\turl = ${url}\n[branch "main"]\n\tremote = origin\n`;
  expect(originOf(config)).toEqual(repo as ReturnType<typeof originOf>);
  expect(originOf(config.replace('"origin"', '"up"'))).toBeUndefined();
});

test.each([
  ["claude-sonnet-4-5-20250929", "Sonnet 4.5"],
  ["claude-opus-5", "Opus 5"],
  ["anthropic/claude-3-7-sonnet-20250219", "Sonnet 3.7"],
  ["openai/gpt-5.2-mini", "gpt-5.2-mini"],
])("%s is called %s", (model, name) => {
  expect(modelName(model)).toBe(name);
});

test("changed lines count of all agents, waiting and cache misses of the main conversation alone", () => {
  const result = { type: "tool_result", toolUseId: "t", content: "", isError: false } as const;
  const display = { kind: "diff", path: "a", isNew: false, added: 3, removed: 1, hunks: [] } as const;
  const finished: EngineEvent = { type: "tool_finished", result, durationMs: 1, display };
  const failed: EngineEvent = { ...finished, result: { ...result, isError: true } };
  const missed: EngineEvent = { type: "cache_missed", changed: "tools", missedTokens: 9 };
  const by = (event: EngineEvent, parentAgentId: string | null) =>
    ({ sessionId: "s", agentId: "a", parentAgentId, parentToolUseId: null, event }) as const;
  const all = [by(finished, null), by(finished, "main"), by(failed, null), by(missed, null), by(missed, "main")];
  expect(all.reduce(tallied, NO_TALLY)).toEqual({ addedLines: 6, removedLines: 2, apiMs: 0, cacheMisses: 1 });
});
