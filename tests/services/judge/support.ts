import type { Scenario } from "@quoll/model-twin/scenario";
import { startTwin, type Twin } from "@quoll/model-twin/server";
import { addUsage, type Usage } from "../../../src/contracts/message.ts";
import type { JudgeRequest } from "../../../src/contracts/permission.ts";
import { createJudge, type JudgeDeps } from "../../../src/services/judge/create-judge.ts";
import { anthropicProvider } from "../../../src/services/provider/anthropic/anthropic-provider.ts";
import { modelCatalog } from "../../../src/services/provider/catalog.ts";
import { fakeClock } from "../../support/fake-clock.ts";

export const MODEL = "claude-sonnet-5-5";

export const CALL: JudgeRequest = {
  toolName: "Bash",
  touches: ["runs npm test -- checkout", "reads package.json"],
  input: JSON.stringify({ command: "npm test -- checkout", description: "Run the tests" }),
  userWords: ["fix the flaky checkout test", "and never push"],
  rules: ["deny Bash(git push *)"],
};

export const NO_CAPS: JudgeDeps["spend"] = { reserve: async () => ({ settle: async () => {} }) };

/** A judge over real HTTP, on a clock that is moved by hand. */
export async function judgeOver(scenario: Scenario, spend: JudgeDeps["spend"] = NO_CAPS) {
  const twin = await startTwin({ scenario });
  const clock = fakeClock();
  const provider = anthropicProvider({
    apiKey: "sk-test",
    baseUrl: twin.url,
    catalog: modelCatalog(),
    clock,
    random: () => 0.5,
  });
  const judge = createJudge({ provider: async () => ({ provider, model: MODEL }), spend, clock });
  return { twin, clock, judge, [Symbol.asyncDispose]: () => twin.close() };
}

/** Allows everything, and sums what was used. */
export function countedSpend() {
  const sum: { used?: Usage } = {};
  const settle = async (usage: Usage | undefined) => {
    if (usage) sum.used = sum.used ? addUsage(sum.used, usage) : usage;
  };
  const spend: JudgeDeps["spend"] = { reserve: async () => ({ settle }) };
  return { spend, sum };
}

/** The answer to one call, and what it used. */
export async function judged(scenario: Scenario, call: JudgeRequest = CALL) {
  const { spend, sum } = countedSpend();
  await using over = await judgeOver(scenario, spend);
  const answer = await over.judge.judge(call, new AbortController().signal);
  return { answer, used: sum.used, requests: requestsOf(over.twin), sleeping: over.clock.sleeping };
}

type SentRequest = {
  readonly model: string;
  readonly max_tokens: number;
  readonly system: readonly { readonly text: string }[];
  readonly messages: readonly { readonly role: string; readonly content: readonly { readonly text: string }[] }[];
  readonly tools?: unknown;
};

function requestsOf(twin: Twin): readonly SentRequest[] {
  return twin.requests.map(({ body }) => body as SentRequest);
}

/** The parts of a request: the object between the marker lines, and the question after them. */
export function partsOf(request: SentRequest | undefined) {
  const text = request?.messages[0]?.content[0]?.text ?? "";
  const [, code, json, end, question] =
    /^--- begin data ([0-9a-f]{24}) ---\n([\s\S]*)\n--- end data ([0-9a-f]{24}) ---\n\n([\s\S]*)$/.exec(text) ?? [];
  if (json === undefined || code !== end) throw new Error(`These are no marked data: ${text}`);
  return { text, code, json, data: JSON.parse(json) as Readonly<Record<string, unknown>>, question };
}
