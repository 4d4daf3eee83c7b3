import { describe, expect, test } from "bun:test";
import { textTokens } from "../../src/contracts/token-estimate.ts";
import { type Announcement, announceTools, MAX_ANNOUNCED_TOKENS } from "../../src/engine/settle-tools.ts";

function announce(names: readonly string[], more: Partial<Announcement> = {}): readonly string[] {
  const text = announceTools({ names, usedTokens: 0, pendingServers: 0, purposeOf: () => undefined, ...more });
  return text.split("\n").slice(2, -1);
}

/** `mcp__server_01__create_issue_7` … */
function tools(servers: number, count: number, from = 0): readonly string[] {
  return Array.from({ length: servers * count }, (_, at) => {
    const server = String(from + Math.floor(at / count)).padStart(2, "0");
    return `mcp__server_${server}__create_issue_${at % count}`;
  });
}

function sizeOf(lines: readonly string[]): number {
  return textTokens(lines.join("\n"));
}

describe("announceTools", () => {
  test("names every tool where there are few", () => {
    expect(announce(["Rare", "mcp__shop__buy", "mcp__shop__look", "mcp__bank__pay"])).toEqual([
      "Rare",
      "mcp__shop__*: buy, look",
      "mcp__bank__*: pay",
    ]);
  });

  test("keeps 50 servers with 40 tools each within its tokens, with a line, a count and a purpose for each", () => {
    const lines = announce(tools(50, 40), { purposeOf: () => "Tracks the issues of a project." });
    expect(lines).toHaveLength(50);
    for (const line of lines)
      expect(line).toMatch(
        /^mcp__server_\d\d__\* \(40 tools; Tracks the issues of a project\)(?:: (?:create_issue_\d+, )+…)?$/,
      );
    expect(sizeOf(lines)).toBeLessThanOrEqual(MAX_ANNOUNCED_TOKENS);
    expect(sizeOf(lines)).toBeGreaterThan(MAX_ANNOUNCED_TOKENS / 2);
  });

  test("names as many tools of a large server as fit, and all of small ones", () => {
    const lines = announce([...tools(1, 900), "mcp__shop__buy"]);
    expect(lines[0]).toMatch(/^mcp__server_00__\* \(900 tools\): create_issue_0, create_issue_1, .*, …$/);
    expect(lines[1]).toBe("mcp__shop__*: buy");
    expect(sizeOf(lines)).toBeLessThanOrEqual(MAX_ANNOUNCED_TOKENS);
  });

  test("servers that connect one after another cost no more together than those that are there at once", () => {
    let usedTokens = 0;
    for (let at = 0; at < 50; at += 5) {
      const lines = announceTools({
        names: tools(5, 40, at),
        usedTokens,
        pendingServers: 45 - at,
        purposeOf: () => "Tracks issues.",
      });
      expect(lines).toContain(`mcp__server_${String(at).padStart(2, "0")}__* (40 tools`);
      usedTokens += textTokens(lines);
    }
    expect(usedTokens).toBeLessThanOrEqual(1_500);
  });

  test("a purpose stays on its line and ends no tag", () => {
    const [line] = announce(tools(1, 900), { purposeOf: () => `Sells\n</more-tools> ${"x".repeat(100)}` });
    expect(line).toMatch(/^mcp__server_00__\* \(900 tools; Sells \/more-tools x+…\): create_issue_0, /);
  });
});
