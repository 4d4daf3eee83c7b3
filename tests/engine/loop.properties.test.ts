import { expect, setDefaultTimeout } from "bun:test";
import {
  type Fault,
  fault,
  type Reply,
  type ReplyBlock,
  rawToolUse,
  reply,
  text,
  thinking,
  toolUse,
} from "@quoll/model-twin/scenario";
import { ToolFailedError } from "../../src/contracts/errors.ts";
import { type ToolResult, textResult } from "../../src/contracts/tool.ts";
import { isDeep, seededTest } from "../support/deep.ts";
import { answering, engineHarness, pairingProblems, testTool } from "../support/engine-harness.ts";
import { seededRandom } from "../support/seeded-random.ts";

setDefaultTimeout(isDeep ? 240_000 : 30_000);

/** The seed of the first history; each history has its own seed. */
const FIRST = 1_000;
const TURNS = 3;
type Random = ReturnType<typeof seededRandom>;

const FAULTS: readonly ((random: Random) => Fault)[] = [
  (random) => fault.cut({ deltas: random.below(6) }),
  (random) => fault.cut({ bytes: random.below(400) }),
  (random) => fault.errorEvent(random.below(6)),
  (random) => fault.noStop(random.below(6)),
  () => fault.overloaded(),
  () => fault.serverError(),
  () => fault.hangUp(),
  () => fault.badRequest("scripted"),
  () => fault.badRequest("prompt is too long: 300000 tokens > 200000 maximum"),
];

function randomBlock(random: Random): ReplyBlock {
  const word = () => ({ text: "w".repeat(1 + random.below(60)) });
  return random.pick<() => ReplyBlock>([
    () => text("Some words 漢字 👍. "),
    () => toolUse("Safe", word()),
    () => toolUse("Safe", word()),
    () => toolUse("Unsafe", word()),
    () => toolUse("Failing", word()),
    () => toolUse("unsafe", word()),
    () => toolUse("Nothing", word()),
    () => toolUse("Safe", { wrong: true }),
    () => rawToolUse("Unsafe", '{"text": "cut sh'),
    () => toolUse("Refused", word()),
  ])();
}

function randomReply(random: Random): Reply {
  const blocks = [
    ...(random.chance(0.3) ? [thinking("Let me see.")] : []),
    text("Well. "),
    ...(random.chance(0.75) ? random.some(5, () => randomBlock(random)) : []),
  ];
  return reply(blocks, {
    deltaChars: 1 + random.below(20),
    cutBytes: { seed: random.below(1_000) },
    ...(random.chance(0.2) && { pings: { every: 2 } }),
    ...(random.chance(0.3) && { fault: random.pick(FAULTS)(random) }),
    ...(random.chance(0.3) && { paceMs: 1 }),
  });
}

const soon = (random: Random, signal: AbortSignal, result: () => ToolResult) =>
  new Promise<ToolResult>((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    setTimeout(() => resolve(result()), random.below(4));
  });

/** Runs a random conversation with random faults and random interrupts. @returns the broken rules. */
async function problemsOf(seed: number): Promise<readonly string[]> {
  const random = seededRandom(seed);
  const running = { safe: 0, unsafe: 0 };
  const problems: string[] = [];
  const counted = (kind: "safe" | "unsafe", act: () => Promise<ToolResult>) => {
    if (running.unsafe > 0 || (kind === "unsafe" && running.safe > 0)) problems.push(`a call ran beside an unsafe one`);
    running[kind] += 1;
    return act().finally(() => {
      running[kind] -= 1;
    });
  };
  const tools = [
    testTool("Safe", { run: (t, signal) => counted("safe", () => soon(random, signal, () => textResult(t))) }),
    testTool("Unsafe", {
      level: "write",
      run: (t, signal) => counted("unsafe", () => soon(random, signal, () => textResult(t))),
    }),
    testTool("Failing", {
      run: async (t, signal) => {
        await soon(random, signal, () => textResult(""));
        throw new ToolFailedError(`failed ${t}`);
      },
    }),
    testTool("Refused", { level: "execute" }),
  ];
  const permissions = answering(({ toolName }) =>
    toolName === "Refused"
      ? { decision: "deny", message: "No.", decidedBy: { kind: "rule" }, unanswered: false }
      : undefined,
  );
  await using h = await engineHarness({ tools, permissions, scenario: () => randomReply(random), maxSteps: 8 });
  for (let turn = 0; turn < TURNS; turn += 1) {
    const interrupting = random.chance(0.5) ? setTimeout(() => h.engine.interrupt(), random.below(30)) : undefined;
    const { outcome } = await h.engine.submit({ prompt: `turn ${turn}` });
    clearTimeout(interrupting);
    if (h.engine.state.busy) problems.push(`turn ${turn} ended, and the engine is busy`);
    if (h.events.at(-2)?.type !== "turn_finished" || h.events.at(-1)?.type !== "busy_changed")
      problems.push(`turn ${turn} did not end its events: ${outcome.reason}`);
    if (running.safe + running.unsafe > 0) problems.push(`turn ${turn} ended, and a call still runs`);
    problems.push(...pairingProblems(h.engine.state.messages));
  }
  problems.push(...h.twin.requests.flatMap(({ rejected }) => rejected));
  problems.push(...toldWrongly(h.events));
  return problems;
}

/** Every call that was told to have started was told to have finished or to be void, once. */
function toldWrongly(events: Awaited<ReturnType<typeof engineHarness>>["events"]): readonly string[] {
  const open = new Set<string>();
  const wrong: string[] = [];
  for (const event of events) {
    if (event.type === "tool_started") open.add(event.use.id);
    if (event.type === "tool_finished" && !open.delete(event.result.toolUseId)) wrong.push(`finished without start`);
    if (event.type === "tool_discarded") open.delete(event.toolUseId);
  }
  return [...wrong, ...[...open].map((id) => `${id} never finished`)];
}

seededTest(
  "whatever happens, the history stays valid and every turn ends",
  { seed: FIRST, cases: { quick: 3, deep: 400 } },
  async (first, count) => {
    for (let seed = first; seed < first + count; seed += 1)
      expect({ seed, problems: await problemsOf(seed) }).toEqual({ seed, problems: [] });
  },
);
