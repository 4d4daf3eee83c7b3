import { expect, setDefaultTimeout, test } from "bun:test";
import { cpSync, mkdirSync } from "node:fs";
import { failing, fault, reply, type Scenario, thinking, toolUse } from "@quoll/model-twin/scenario";
import { startTwin } from "@quoll/model-twin/server";
import type { CompactionStage } from "../../src/contracts/compactor.ts";
import type { SessionLog } from "../../src/contracts/session.ts";
import { textResult } from "../../src/contracts/tool.ts";
import { randomIds, systemClock } from "../../src/platform/clock.ts";
import { clearResults } from "../../src/services/context/compaction/clear-results.ts";
import { anthropicProvider } from "../../src/services/provider/anthropic/anthropic-provider.ts";
import { modelCatalog } from "../../src/services/provider/catalog.ts";
import { reopenSessionLog } from "../../src/services/session/reopen-session-log.ts";
import { openSessionLog } from "../../src/services/session/session-log.ts";
import { eachOrDeep } from "../support/deep.ts";
import { engineHarness, hastySleep, pairingProblems, testTool, until } from "../support/engine-harness.ts";
import { summaryStage } from "../support/summary-stage.ts";
import { tempProject } from "../support/temp-project.ts";

setDefaultTimeout(60_000);

type Harness = Awaited<ReturnType<typeof engineHarness>>;
type Case = {
  readonly scenario: Scenario;
  /** The actions in the live session before the compared request. */
  readonly act: (live: Harness) => Promise<unknown>;
  readonly more?: Partial<Parameters<typeof engineHarness>[0]>;
  /** The text that the compared request must or must not contain, which shows that the case really happened. */
  readonly holds?: string;
  readonly lacks?: string;
};

const BIG = testTool("Big", { run: async (text) => textResult(`${text} `.repeat(3_000)) });
const TOOLS = [testTool("Look"), testTool("Change", { level: "write" }), BIG];
const image = { type: "image", mediaType: "image/png", data: "aGVsbG8=" } as const;
const smallerImages: CompactionStage = {
  name: "pictures",
  async run({ why, messages }) {
    if (why !== "image_too_large") return undefined;
    const stubs = messages.flatMap(({ id: messageId, content }) =>
      content.flatMap(({ type }, at) =>
        type === "image" ? [{ messageId, at, block: { type: "text", text: "(smaller)" } as const }] : [],
      ),
    );
    return { stubs, note: "" };
  },
};
const tooLong = failing(fault.badRequest("prompt is too long: 300000 tokens > 200000 maximum"));
const call = (name: string, text: string) => reply([toolUse(name, { text })]);
const submit = (prompt: string) => (live: Harness) => live.engine.submit({ prompt });

const CASES: { readonly [name: string]: Case } = {
  "plain rounds with thinking": {
    scenario: [reply([thinking("Hm."), toolUse("Look", { text: "a" })]), reply("Done."), reply("Next.")],
    act: submit("go"),
    holds: "Hm.",
  },
  "old results taken out of a full window": {
    scenario: [...[0, 1, 2, 3, 4, 5].map((at) => call("Big", `big${at}`)), reply("Done."), reply("Next.")],
    act: submit("go"),
    more: { windowTokens: 24_000 },
    holds: "Cleared to make room",
  },
  "old results taken out of a prompt that was too long": {
    scenario: [...[0, 1, 2].map((at) => call("Big", `big${at}`)), tooLong, reply("Done."), reply("Next.")],
    act: submit("go"),
    holds: "Cleared to make room",
  },
  "a summary": {
    scenario: [call("Look", "early"), reply("One."), reply("Two."), reply("the gist"), reply("Next.")],
    act: async (live) => {
      await live.engine.submit({ prompt: "first" });
      await live.engine.submit({ prompt: "second" });
      expect(await live.engine.compact()).toBeNumber();
    },
    more: { compactor: [clearResults(), summaryStage()] },
    holds: "Summary: the gist",
    lacks: "early",
  },
  "pictures made smaller": {
    scenario: [
      failing(fault.badRequest("messages.0.content.0.image.source.base64: image exceeds 5 MB maximum")),
      reply("I see."),
      reply("Next."),
    ],
    act: (live) => live.engine.submit({ prompt: "look", attachments: [image] }),
    more: { compactor: [smallerImages, clearResults()] },
    holds: "(smaller)",
    lacks: "aGVsbG8=",
  },
  "an answer that was dropped after its call had run": {
    scenario: [
      reply([toolUse("Look", { text: "dropped" }, "call_1"), toolUse("Look", { text: "x" }, "call_2")], {
        stopReason: "max_tokens",
        paceMs: 2,
      }),
      reply([toolUse("Look", { text: "kept" }, "call_1")]),
      reply("Done."),
      reply("Next."),
    ],
    act: submit("go"),
    holds: "Look: kept",
    lacks: "dropped",
  },
  "an interrupted answer": {
    scenario: [reply("word ".repeat(300), { paceMs: 1 }), reply("Next.")],
    act: async (live) => {
      live.engine.subscribe(({ event }) => {
        if (event.type === "text_delta") live.engine.interrupt();
      });
      const { outcome } = await live.engine.submit({ prompt: "go" });
      expect(outcome.reason).toBe("aborted");
    },
    holds: "word",
  },
  "an interrupted call": {
    scenario: [reply([toolUse("Slow", { text: "a" }), toolUse("Change", { text: "b" })]), reply("Next.")],
    act: async (live) => {
      live.engine.subscribe(({ event }) => {
        if (event.type === "tool_started") live.engine.interrupt();
      });
      await live.engine.submit({ prompt: "go" });
    },
    more: {
      tools: [
        ...TOOLS,
        testTool("Slow", {
          level: "write",
          run: (_, signal) =>
            new Promise((_resolve, reject) => {
              signal.addEventListener("abort", () => reject(signal.reason), { once: true });
            }),
        }),
      ],
    },
    holds: "Cancelled by the user",
  },
  "words in the middle of a turn": {
    scenario: [call("Look", "a"), reply("Done."), reply("Next.")],
    act: async (live) => {
      live.engine.subscribe(({ event }) => {
        if (event.type === "tool_started") live.engine.enqueue({ prompt: "steer left" }, "steer");
      });
      await live.engine.submit({ prompt: "go" });
    },
    holds: "steer left",
  },
  "a conversation that was cleared": {
    scenario: [reply("One."), reply("Two."), reply("Next.")],
    act: async (live) => {
      await live.engine.submit({ prompt: "forget this" });
      live.engine.clear();
      await live.engine.submit({ prompt: "start again" });
    },
    holds: "start again",
    lacks: "forget this",
  },
  "going back": {
    scenario: [reply("One."), reply("Two."), reply("Three."), reply("Next.")],
    act: async (live) => {
      await live.engine.submit({ prompt: "first" });
      const here = live.engine.conversation.lastId ?? "";
      await live.engine.submit({ prompt: "a dead end" });
      live.engine.moves.moveTo(here);
      await live.engine.submit({ prompt: "another way" });
    },
    holds: "another way",
    lacks: "a dead end",
  },
};

const bodyOf = (twin: Harness["twin"] | undefined) => twin?.requests.at(-1)?.body;

/** The session in a folder of its own, as `kill -9` leaves it: nothing is closed, nothing written any more. */
function afterKill(folder: string, copy: string) {
  mkdirSync(copy);
  cpSync(`${folder}/s1.jsonl`, `${copy}/s1.jsonl`);
  return reopened(copy);
}

function reopened(folder: string) {
  return reopenSessionLog("s1", place(folder));
}

const place = (folder: string) => ({ folder, cwd: "/p", version: "1", clock: systemClock, ids: randomIds }) as const;

test.each(Object.entries(CASES))("a resumed session sends what the live one sends, after %s", async (_, given) => {
  const { scenario, act, more = {}, holds, lacks } = given;
  await using folder = await tempProject();
  const options = { tools: TOOLS, ...more };
  const log = openSessionLog("s1", place(folder.dir));
  await using live = await engineHarness({ ...options, scenario, session: { log } });
  await act(live);
  const session = afterKill(folder.dir, folder.path("copy"));
  await using resumed = await engineHarness({ ...options, scenario: [reply("Next.")], session });
  await live.engine.submit({ prompt: "and now?" });
  await resumed.engine.submit({ prompt: "and now?" });
  const [body, again] = [bodyOf(live.twin), bodyOf(resumed.twin)];
  expect(again).toEqual(body);
  const text = JSON.stringify(body);
  if (holds !== undefined) expect(text).toContain(holds);
  if (lacks !== undefined) expect(text).not.toContain(lacks);
  expect(live.engine.state.usedTokens).toBe(resumed.engine.state.usedTokens);
  log.close();
  session.log.close();
});

test("a resumed session sends what the live one sends, after a fallback to another model", async () => {
  await using folder = await tempProject();
  await using other = await startTwin({ scenario: [reply("From the other."), reply("Next.")] });
  const catalog = modelCatalog();
  const clock = { ...systemClock, sleep: hastySleep };
  const provider = anthropicProvider({ apiKey: "key", baseUrl: other.url, catalog, clock, random: () => 0.5 });
  const log = openSessionLog("s1", place(folder.dir));
  const overloaded = failing(fault.overloaded());
  await using live = await engineHarness({
    tools: TOOLS,
    scenario: [reply([thinking("Hm."), toolUse("Look", { text: "a" })]), overloaded, overloaded, overloaded],
    session: { log },
    options: { fallbackModels: ["haiku"] },
    selectModel: async (name) => ({ provider, model: catalog.resolve(name) }),
  });
  await live.engine.submit({ prompt: "go" });
  const session = afterKill(folder.dir, folder.path("copy"));
  await using resumed = await engineHarness({ tools: TOOLS, model: "haiku", scenario: [reply("Next.")], session });
  await live.engine.submit({ prompt: "and now?" });
  await resumed.engine.submit({ prompt: "and now?" });
  expect(bodyOf(resumed.twin)).toEqual(other.requests.at(-1)?.body);
  log.close();
  session.log.close();
});

test("a session killed during a call resumes with a result that says what is known", async () => {
  await using folder = await tempProject();
  const log = openSessionLog("s1", place(folder.dir));
  const started = testTool("Change", { level: "write", run: () => new Promise(() => undefined) });
  await using live = await engineHarness({
    tools: [started],
    scenario: [reply([toolUse("Change", { text: "a" }), toolUse("Change", { text: "b" })])],
    session: { log },
  });
  void live.engine.submit({ prompt: "go" });
  await until(
    () =>
      live.types().includes("tool_started") &&
      live.written.some((one) => one !== "sync" && one.kind === "tool_started"),
  );
  const session = afterKill(folder.dir, folder.path("copy"));
  await using resumed = await engineHarness({ tools: [started], scenario: [reply("Next.")], session });
  await resumed.engine.submit({ prompt: "and now?" });
  const text = JSON.stringify(bodyOf(resumed.twin));
  expect(text).toContain("Interrupted: Quoll ended while this call was running");
  expect(text).toContain("Not run: Quoll ended before this call began.");
  live.engine.interrupt();
  session.log.close();
});

const failAt = Array.from({ length: 14 }, (_, at) => at);

eachOrDeep(
  "a log that can't take entry %i keeps the live session what the resumed one is",
  (at) => at % 3 === 0,
  failAt,
  async (at) => {
    await using folder = await tempProject();
    const file = openSessionLog("s1", place(folder.dir));
    let count = 0;
    const log: SessionLog = {
      sessionId: file.sessionId,
      append(body, where) {
        if (count++ === at) throw new Error("ENOSPC: no space left");
        return file.append(body, where);
      },
      sync: () => file.sync(),
      pathTo: (entryId, kinds) => file.pathTo(entryId, kinds),
      viewTo: (entryId) => file.viewTo(entryId),
      linksTo: (entryId) => file.linksTo(entryId),
    };
    const scenario = ({ body }: { readonly body: unknown }) => {
      const { messages } = body as { messages: readonly { content: readonly { type: string }[] }[] };
      const isAnswered = messages.at(-1)?.content.some(({ type }) => type === "tool_result");
      return isAnswered ? reply("Done.") : reply([toolUse("Look", { text: "a" }), toolUse("Change", { text: "b" })]);
    };
    await using live = await engineHarness({ tools: TOOLS, scenario, session: { log } });
    await live.engine.submit({ prompt: "first" });
    const { outcome } = await live.engine.submit({ prompt: "second" });
    expect(["completed", "failed"]).toContain(outcome.reason);
    const session = afterKill(folder.dir, folder.path("copy"));
    await using resumed = await engineHarness({ tools: TOOLS, scenario, session });
    expect(pairingProblems(live.engine.state.messages)).toEqual([]);
    const all = [live, resumed].map(async ({ engine, twin }) => {
      const { length } = twin.requests;
      await engine.submit({ prompt: "and now?" });
      return twin.requests[length]?.body;
    });
    const [body, again] = await Promise.all(all);
    expect(again).toEqual(body);
    expect(live.twin.requests.flatMap(({ rejected }) => rejected)).toEqual([]);
    file.close();
    session.log.close();
  },
);
