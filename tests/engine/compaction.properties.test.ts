import { expect, setDefaultTimeout } from "bun:test";
import { failing, fault, type Reply, type ReplyBlock, reply, thinking, toolUse } from "@quoll/model-twin/scenario";
import { MAIN_AGENT } from "../../src/contracts/agent.ts";
import { type Message, NO_USAGE, type UserBlock } from "../../src/contracts/message.ts";
import type { SessionLog } from "../../src/contracts/session.ts";
import type { TokenSize } from "../../src/contracts/token-estimate.ts";
import { textResult } from "../../src/contracts/tool.ts";
import { Conversation } from "../../src/engine/conversation.ts";
import { project } from "../../src/engine/project.ts";
import { randomIds } from "../../src/platform/clock.ts";
import { messageTurns } from "../../src/services/context/accounting/context-pieces.ts";
import { editContext } from "../../src/services/context/accounting/edit-context.ts";
import { compactionStages } from "../../src/services/context/compaction/compaction-stages.ts";
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
    if (random.chance(0.03)) return failing(fault.badRequest("prompt is too long: 300000 tokens > 200000 maximum"));
    if (text.includes("image/png") && random.chance(0.1))
      return failing(fault.badRequest("messages.1.content.0.image: image exceeds 5 MB maximum"));
    const use = () => toolUse(random.pick(["Look", "Look", "Look", "Picture", "Child"]), { text: `call ${calls++}` });
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
  "whatever is compacted, cut, dropped, pinned or undone, the next request is valid and a resumed session sends the same",
  { seed: 20_261_123, cases: { quick: 2, deep: 150 } },
  async (seed, cases) => {
    for (let at = 0; at < cases; at += 1) await playRandomly(seededRandom(seed + at));
  },
);

type Harness = Awaited<ReturnType<typeof engineHarness>>;

async function playRandomly(random: Random): Promise<void> {
  let minutes = 0;
  let harness: Harness | undefined;
  const look = testTool("Look", { run: async (text) => textResult(`${text} seen `.repeat(1 + random.below(300))) });
  const picture = testTool("Picture", {
    run: async () => ({ content: [{ type: "text", text: "A picture." }, IMAGE] }),
  });
  const child = testTool("Child", {
    run: async (text) => {
      if (harness) workAsChild(harness.log, text, random);
      return textResult(`The child did ${text}.`);
    },
  });
  await using h = await engineHarness({
    tools: [look, picture, child],
    windowTokens: 8 * (750 + random.below(4_000)),
    compactor: compactionStages({ canRecall: random.chance(0.5) }),
    scenario: randomModel(random),
    maxSteps: 12,
    now: () => minutes * 60_000,
    options: random.chance(0.5) ? { thinking: 1_024 } : {},
  });
  harness = h;
  const pinned = new Map<string, string>();
  for (let turn = 0; turn < 6; turn += 1) {
    // A pause that is longer than the prompt cache lives.
    if (random.chance(0.2)) minutes += 10;
    const before = leftOut(h.events);
    const attachments: readonly UserBlock[] = random.chance(0.3) ? [IMAGE] : [];
    await h.engine.submit({ prompt: `wish ${turn} ${"please ".repeat(random.below(40))}`, attachments });
    await act(h.engine, random, pinned);
    const { messages } = h.engine.state;
    expect(pairingProblems(messages)).toEqual([]);
    // The last resort leaves out pins that would take most of the room.
    if (leftOut(h.events) > before) for (const id of pinned.keys()) if (!resultText(messages, id)) pinned.delete(id);
    for (const [id, text] of pinned) expect(resultText(messages, id)).toBe(text);
    const resumed = project(h.log.pathTo(h.engine.conversation.lastId ?? ""));
    expect(JSON.stringify(resumed.messages)).toBe(JSON.stringify(messages));
    expect(resumed.pinned).toEqual(h.engine.conversation.pinned);
  }
  await h.engine.submit({ prompt: "the last one" });
  // The scripted refusals are no faults of the request.
  expect(h.twin.requests.flatMap(({ rejected }) => rejected)).toEqual([]);
}

function leftOut(events: Harness["events"]): number {
  return events.filter((event) => event.type === "compacted" && event.note.startsWith("Left out")).length;
}

/** A child agent writes into the same log: a conversation of its own, or one that goes on from its parent's. */
function workAsChild(log: SessionLog, task: string, random: Random): void {
  const agent = { ...MAIN_AGENT, agentId: `child of ${task}`, parentAgentId: MAIN_AGENT.agentId };
  const conversation = new Conversation({ log, agent, ids: randomIds }, undefined);
  for (let round = random.below(3); round >= 0; round -= 1) {
    const use = { type: "tool_use", id: `${task} ${round}`, name: "Look", input: {} } as const;
    const usage = NO_USAGE;
    conversation.append({
      kind: "user",
      prompt: task,
      message: { role: "user", id: randomIds.next(), content: [{ type: "text", text: task }] },
    });
    const answer = { role: "assistant", id: randomIds.next(), model: "m", content: [use], usage } as const;
    conversation.append({ kind: "assistant", message: { ...answer, stopReason: "tool_use" } });
    const result = { type: "tool_result", toolUseId: use.id, content: "x".repeat(500), isError: false } as const;
    conversation.append({ kind: "results", message: { role: "user", id: randomIds.next(), content: [result] } });
    if (random.chance(0.5)) {
      const block = { ...result, content: "Cleared." };
      const messageId = conversation.messages.at(-1)?.id ?? "";
      conversation.compact({ stubs: [{ messageId, at: 0, block }], note: "" }, "full");
    }
  }
  expect(pairingProblems(conversation.messages)).toEqual([]);
  const resumed = project(log.pathTo(conversation.lastId ?? ""));
  expect(JSON.stringify(resumed.messages)).toBe(JSON.stringify(conversation.messages));
}

function resultText(messages: readonly Message[], toolUseId: string): string | undefined {
  const blocks = messages.flatMap(({ content }): readonly unknown[] => [...content]) as readonly UserBlock[];
  const result = blocks.find((block) => block.type === "tool_result" && block.toolUseId === toolUseId);
  // A picture that the provider refuses becomes smaller, or is left out, also where it is pinned.
  const picture = /\{"type":"image"[^}]*\}|\{"type":"text","text":"\[An image was here[^"]*"\}/g;
  return result && JSON.stringify(result).replace(picture, "picture");
}

async function act(engine: Harness["engine"], random: Random, pinned: Map<string, string>): Promise<void> {
  const users = engine.state.messages.filter(({ role, content }) => role === "user" && content.at(-1)?.type === "text");
  const id = users[random.below(Math.max(1, users.length))]?.id ?? "";
  const what = random.below(9);
  if (what === 0) await engine.compact();
  if (what === 1) await engine.compact({ part: { upTo: id } });
  if (what === 2) await engine.compact({ part: { from: id } });
  if (what >= 5) edit(engine, random, pinned);
  if (what === 3)
    try {
      engine.undoCompaction();
      // A pinned result that was taken out before comes back whole.
      for (const id of pinned.keys()) pinned.set(id, resultText(engine.state.messages, id) ?? "");
    } catch (error) {
      expect(String(error)).toContain("no compaction to undo");
    }
}

/** Drops, collapses and pins turns and results at random. */
function edit(engine: Harness["engine"], random: Random, pinned: Map<string, string>): void {
  const { messages, tokens, pinned: before } = engine.conversation;
  // A first prompt that was too long has left the conversation.
  if (messages.length === 0) return;
  const results = messages.flatMap(({ content }) =>
    [...content].flatMap((block) => (block.type === "tool_result" ? [block.toolUseId] : [])),
  );
  const turn = () => String(1 + random.below(messageTurns(messages).at(-1) ?? 1));
  const verb = () => random.pick(["drop", "collapse", "pin", "unpin"] as const);
  const marks = Array.from({ length: 1 + random.below(2) }, () => ({
    verb: verb(),
    id: results.length > 0 && random.chance(0.7) ? random.pick(results) : turn(),
  }));
  const view = {
    messages,
    pinned: before,
    usable: 20_000,
    canRecall: false,
    measure: (size: TokenSize) => tokens.calibrated(size),
  };
  try {
    engine.editContext(editContext(view, marks));
  } catch (error) {
    expect(String(error)).toContain("unpin something");
  }
  pinned.clear();
  for (const id of results) {
    const text = engine.conversation.pinned.has(id) && resultText(engine.conversation.messages, id);
    if (text) pinned.set(id, text);
  }
}
