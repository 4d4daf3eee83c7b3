import { expect, test } from "bun:test";
import { failing, fault, reply } from "@quoll/model-twin/scenario";
import type { Charge, PlannedSpend, SpendReservation } from "../../../src/contracts/spend.ts";
import { JUDGE_TIMEOUT_MS } from "../../../src/services/judge/create-judge.ts";
import { tempProject } from "../../support/temp-project.ts";
import { makeGuard } from "../spend/support.ts";
import { CALL, judgeOver, MODEL } from "./support.ts";

const never = () => new AbortController().signal;
const USAGE = { inputTokens: 900, outputTokens: 2, cacheReadTokens: 0, cacheCreationTokens: 0 };

/** Keeps in order what is reserved, sent and settled. */
function bookkeeper() {
  const steps: unknown[] = [];
  const reserve = async (plan: PlannedSpend): Promise<SpendReservation> => {
    steps.push({ ...plan, inputTokens: plan.inputTokens > 500 });
    return { settle: async (usage) => void steps.push(usage?.outputTokens) };
  };
  return { steps, spend: { reserve } };
}

const LOOK = { source: "judge", model: MODEL, provider: "anthropic", inputTokens: true, mayAsk: false };

test("each look is reserved at its worst before it is sent, and settled with what it used", async () => {
  const { steps, spend } = bookkeeper();
  const script = [reply("no", { usage: USAGE }), reply("VERDICT: yes", { usage: { ...USAGE, outputTokens: 40 } })];
  await using over = await judgeOver(script, spend);
  await over.judge.judge(CALL, never());
  expect(steps).toEqual([{ ...LOOK, maxOutputTokens: 16 }, 2, { ...LOOK, maxOutputTokens: 600 }, 40]);
});

test("the worst case of a look is no less than what a real tokenizer would count", async () => {
  const plans: PlannedSpend[] = [];
  const reserve = async (plan: PlannedSpend) => {
    plans.push(plan);
    return { settle: async () => {} };
  };
  await using over = await judgeOver([reply("yes")], { reserve });
  await over.judge.judge(CALL, never());
  const body = over.twin.requests[0]?.body ?? {};
  const { system, messages } = body as { system?: unknown; messages?: unknown };
  const words = JSON.stringify([system, messages]).match(/[\p{L}]+|\d|[^\s\p{L}\d]/gu)?.length ?? 0;
  expect(plans[0]?.inputTokens).toBeGreaterThan(words);
});

test("a look that broke off is settled as one of which nothing is known", async () => {
  const { steps, spend } = bookkeeper();
  await using over = await judgeOver([failing(fault.silence())], spend);
  const judging = over.judge.judge(CALL, never());
  await over.twin.request(0);
  await over.clock.advance(JUDGE_TIMEOUT_MS);
  await judging;
  await over.twin.answered(0);
  expect(steps).toEqual([{ ...LOOK, maxOutputTokens: 16 }, undefined]);
});

test("at a cap nothing is sent, nobody is asked for more, and the reason says which cap", async () => {
  await using project = await tempProject();
  const bySource = { judge: { sessionUsd: 0 } };
  const { guard, asked } = makeGuard({
    folder: project.path("spend"),
    spend: { bySource },
    replies: [{ decision: "once" }],
    models: { [MODEL]: "dear" },
  });
  await using over = await judgeOver([reply("yes")], guard);
  const answer = await over.judge.judge(CALL, never());
  expect(answer).toEqual({
    verdict: "unsure",
    reason: expect.stringMatching(
      /^no request was sent: The session's spending cap for the judge is reached: .* \(setting spend\.bySource\.judge\.sessionUsd\)\.$/,
    ),
  });
  expect([asked, over.twin.requests.length]).toEqual([[], 0]);
});

test("a second look that a cap forbids leaves what the first has cost", async () => {
  await using project = await tempProject();
  const { guard } = makeGuard({ folder: project.path("spend"), spend: { sessionTokens: 4_000 } });
  const usage = { ...USAGE, inputTokens: 3_000 };
  await using over = await judgeOver([reply("no", { usage }), reply("VERDICT: yes")], guard);
  const charges: Charge[] = [];
  guard.watch((charge) => charges.push(charge));
  const agent = { agentId: "child", parentAgentId: "main" };
  guard.openAgent(agent);
  const answer = await over.judge.judge({ ...CALL, agent }, never());
  expect(answer).toMatchObject({
    verdict: "unsure",
    reason: expect.stringContaining("(setting spend.sessionTokens)"),
  });
  expect(charges).toMatchObject([
    { agentIds: ["child", "main"], source: "judge", model: MODEL, usage: { inputTokens: 3_000 }, usd: undefined },
  ]);
});
