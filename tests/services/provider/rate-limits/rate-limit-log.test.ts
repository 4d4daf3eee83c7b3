import { expect, test } from "bun:test";
import { usageCommand } from "../../../../src/commands/usage.ts";
import type { CommandContext } from "../../../../src/contracts/command.ts";
import { linesOf } from "../../../../src/contracts/command-result.ts";
import { RateLimitLog } from "../../../../src/services/provider/rate-limits/rate-limit-log.ts";

const NOW = Date.UTC(2026, 10, 23, 12);

async function toldBy(headers: Readonly<Record<string, string>>, status = 200) {
  await using server = Bun.serve({ port: 0, fetch: () => new Response("", { status, headers }) });
  const log = new RateLimitLog(() => NOW);
  await log.noting("shop")(server.url);
  return { log, limits: (await log.list()).flatMap((one) => one.limits) };
}

test("the windows of a plan, limits per minute and durations are read, also from a refusal", async () => {
  const plan = {
    "anthropic-ratelimit-unified-status": "allowed",
    "anthropic-ratelimit-unified-reset": `${NOW / 1000 + 60}`,
    "anthropic-ratelimit-unified-5h-utilization": "0.42",
    "anthropic-ratelimit-unified-5h-reset": `${NOW / 1000 + 7_980}`,
    "anthropic-ratelimit-unified-5h-status": "allowed",
    "anthropic-ratelimit-unified-7d-utilization": "1",
    "anthropic-ratelimit-unified-overage-reset": `${NOW / 1000 + 60}`,
  };
  expect((await toldBy(plan, 429)).limits).toEqual([
    { name: "5h", used: 0.42, resetsAt: NOW + 7_980_000 },
    { name: "7d", used: 1 },
  ]);
  const minute = {
    "anthropic-ratelimit-input-tokens-limit": "50000",
    "anthropic-ratelimit-input-tokens-remaining": "12000",
    "anthropic-ratelimit-input-tokens-reset": "2026-11-23T12:00:30Z",
  };
  const tokens = { name: "input tokens", limit: 50_000, left: 12_000, resetsAt: NOW + 30_000 };
  expect((await toldBy(minute)).limits).toEqual([tokens]);
  const openAi = {
    "x-ratelimit-limit-requests": "60",
    "x-ratelimit-remaining-requests": "59",
    "x-ratelimit-reset-requests": "6m0s",
    "x-ratelimit-remaining-tokens": "soon",
    "x-ratelimit-reset-tokens": "12ms",
  };
  expect((await toldBy(openAi)).limits).toEqual([{ name: "requests", limit: 60, left: 59, resetsAt: NOW + 360_000 }]);
  expect((await toldBy({ "x-ratelimit-remaining": "3", "x-ratelimit-reset": `${NOW + 5}` })).limits).toEqual([
    { name: "requests", left: 3, resetsAt: NOW + 5 },
  ]);
});

test("/usage shows used shares with their resets, then the caps; without limits it says so", async () => {
  const { log } = await toldBy({
    "anthropic-ratelimit-unified-5h-utilization": "0.42",
    "anthropic-ratelimit-unified-5h-reset": `${NOW / 1000 + 7_980}`,
    "anthropic-ratelimit-requests-limit": "50",
    "anthropic-ratelimit-requests-remaining": "49",
  });
  const run = async (rateLimits: CommandContext["rateLimits"]) => {
    const engine = { state: { providerName: "anthropic" } };
    const context = { engine, rateLimits, now: () => NOW } as unknown as CommandContext;
    const result = await usageCommand.run("", context, new AbortController().signal);
    return result.kind === "text" ? linesOf(result) : [];
  };
  const [head, plan, minute] = await run(() => log.list());
  expect(head).toBe("shop, told just now");
  expect(plan).toMatch(/^ {2}5h +████░{6} {2}42% used · resets in 2 h 13 min \(\d\d:13\)$/);
  expect(minute).toMatch(/^ {2}requests +░{10} {2}49 of 50 left$/);
  expect((await run(async () => []))[0]).toContain("anthropic has reported no limits");
});
