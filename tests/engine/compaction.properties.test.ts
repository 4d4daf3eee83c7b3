import { expect, setDefaultTimeout } from "bun:test";
import { type Reply, type ReplyBlock, reply, thinking, toolUse } from "@quoll/model-twin/scenario";
import type { UserBlock } from "../../src/contracts/message.ts";
import { textResult } from "../../src/contracts/tool.ts";
import { project } from "../../src/engine/project.ts";
import { clearResults } from "../../src/services/context/compaction/clear-results.ts";
import { summarise } from "../../src/services/context/compaction/summarise.ts";
import { seededTest } from "../support/deep.ts";
import { engineHarness, pairingProblems, testTool } from "../support/engine-harness.ts";
import { seededRandom } from "../support/seeded-random.ts";

setDefaultTimeout(120_000);

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const IMAGE = { type: "image", mediaType: "image/png", data: PIXEL } as const;
const SUMMARY = "<summary>\n## Goal\nDo the work.\n## Next step\nGo on.\n</summary>";

type Random = ReturnType<typeof seededRandom>;

/** Answers with text, thinking and parallel calls at random; a question for a summary gets one, or something else. */
function randomModel(random: Random) {
  let calls = 0;
  return ({ body }: { readonly body: unknown }): Reply => {
    const text = JSON.stringify(body);
    const use = () => toolUse(random.chance(0.2) ? "Picture" : "Look", { text: `call ${calls++}` });
    if (text.includes("write a summary that will stand in place"))
      return random.chance(0.2) ? reply([use()]) : reply(random.chance(0.1) ? "" : SUMMARY);
    const blocks: ReplyBlock[] = random.chance(0.4) ? [thinking(`thought ${calls}`)] : [];
    if (random.chance(0.5)) blocks.push({ type: "text", text: "word ".repeat(1 + random.below(60)) });
    if (random.chance(0.65)) for (let at = random.below(3); at >= 0; at -= 1) blocks.push(use());
    else blocks.push({ type: "text", text: "Done." });
    return reply(blocks);
  };
}

seededTest(
  "whatever is compacted, cut or undone, the next request is valid and a resumed session sends the same",
  { seed: 20_261_123, cases: { quick: 6, deep: 150 } },
  async (seed, cases) => {
    for (let at = 0; at < cases; at += 1) await playRandomly(seededRandom(seed + at));
  },
);

async function playRandomly(random: Random): Promise<void> {
  const look = testTool("Look", { run: async (text) => textResult(`${text} seen `.repeat(1 + random.below(300))) });
  const picture = testTool("Picture", {
    run: async () => ({ content: [{ type: "text", text: "A picture." }, IMAGE] }),
  });
  await using h = await engineHarness({
    tools: [look, picture],
    windowTokens: 8 * (750 + random.below(4_000)),
    compactor: [clearResults({ onlyIfEnough: true }), summarise(), clearResults()],
    scenario: randomModel(random),
    maxSteps: 12,
    options: random.chance(0.5) ? { thinking: 1_024 } : {},
  });
  for (let turn = 0; turn < 6; turn += 1) {
    const attachments: readonly UserBlock[] = random.chance(0.3) ? [IMAGE] : [];
    await h.engine.submit({ prompt: `wish ${turn} ${"please ".repeat(random.below(40))}`, attachments });
    await act(h.engine, random);
    expect(pairingProblems(h.engine.state.messages)).toEqual([]);
    expect(JSON.stringify(project(h.entries).messages)).toBe(JSON.stringify(h.engine.state.messages));
  }
  await h.engine.submit({ prompt: "the last one" });
  expect(h.twin.requests.flatMap(({ rejected }) => rejected)).toEqual([]);
}

async function act(engine: Awaited<ReturnType<typeof engineHarness>>["engine"], random: Random): Promise<void> {
  const users = engine.state.messages.filter(({ role, content }) => role === "user" && content.at(-1)?.type === "text");
  const id = users[random.below(Math.max(1, users.length))]?.id ?? "";
  const what = random.below(6);
  if (what === 0) await engine.compact();
  if (what === 1) await engine.compact({ part: { upTo: id } });
  if (what === 2) await engine.compact({ part: { from: id } });
  if (what === 3)
    try {
      engine.undoCompaction();
    } catch (error) {
      expect(String(error)).toContain("no compaction to undo");
    }
}
