import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { failing, fault, type JsonObject, reply, thinking, toolUse } from "@quoll/model-twin/scenario";
import type { CompactOptions } from "../../../../src/contracts/engine.ts";
import { UserFacingError } from "../../../../src/contracts/errors.ts";
import type { EngineEvent } from "../../../../src/contracts/event.ts";
import type { HookInput, Hooks } from "../../../../src/contracts/hook.ts";
import { textResult } from "../../../../src/contracts/tool.ts";
import { clearResults } from "../../../../src/services/context/compaction/clear-results.ts";
import { summarise } from "../../../../src/services/context/compaction/summarise.ts";
import { deepTest } from "../../../support/deep.ts";
import { engineHarness, pairingProblems, testTool } from "../../../support/engine-harness.ts";

setDefaultTimeout(60_000);

const COMPACTOR = [clearResults({ onlyIfEnough: true }), summarise(), clearResults()];
const LOOK = testTool("Look", { run: async (text) => textResult(`${text} seen `.repeat(60)) });
const FAILS = testTool("Bash", { run: async () => textResult("exit code 7: no such table", { isError: true }) });
const GOOD = `<summary>
## Goal
Fix the parser.
## Decisions
Keep the old format, since clients depend on it.
## Files
src/parse.ts: reads tokens.
## Open points
None.
## Next step
Run the tests of src/parse.ts.
</summary>`;

type Options = Partial<Parameters<typeof engineHarness>[0]> & Pick<Parameters<typeof engineHarness>[0], "scenario">;
type Harness = Awaited<ReturnType<typeof engineHarness>>;

const harness = (options: Options) => engineHarness({ compactor: COMPACTOR, tools: [LOOK, FAILS], ...options });
const of = <Type extends EngineEvent["type"]>(h: Harness, type: Type) =>
  h.events.filter((event): event is Extract<EngineEvent, { type: Type }> => event.type === type);
const notices = (h: Harness) => of(h, "notice").map(({ message }) => message);
const body = (h: Harness, at: number) => h.twin.requests.at(at)?.body as JsonObject & { messages: JsonObject[] };
const sent = (h: Harness, at = -1) => JSON.stringify(body(h, at).messages);
const lookReplies = (texts: readonly string[]) =>
  texts.map((text) => reply([thinking(`About ${text}.`), toolUse("Look", { text })]));

/** Two turns with calls, then what the test says. */
const before = [...lookReplies(["a", "b", "c", "d"]), reply("Found it."), reply("And more.")];
async function talked(h: Harness) {
  await h.engine.submit({ prompt: "fix the parser, ticket ABC-123, never touch `legacy.ts`" });
  await h.engine.submit({ prompt: "now the second part" });
}
async function compacted(h: Harness, options?: CompactOptions) {
  await talked(h);
  return h.engine.compact(options);
}

describe("a summary", () => {
  test("takes the place of old messages; words of the user stay, and the newest messages too", async () => {
    await using h = await harness({ windowTokens: 6_000, scenario: [...before, reply(GOOD), reply("Three.")] });
    expect(await compacted(h)).toBeGreaterThan(0);
    expect((await h.engine.submit({ prompt: "third" })).text).toBe("Three.");
    const text = sent(h);
    expect(text).toContain("Keep the old format");
    expect(text).toContain("fix the parser, ticket ABC-123, never touch `legacy.ts`");
    expect(text).toContain("<environment>test</environment>");
    expect(text).toContain("now the second part");
    expect(text).not.toContain("a seen a seen");
    expect(pairingProblems(h.engine.state.messages)).toEqual([]);
    expect(h.twin.requests.flatMap(({ rejected }) => rejected)).toEqual([]);
    expect(h.forgotten.length).toBeGreaterThan(0);
  });

  test("is asked for with the system text, tools, thinking and effort of the session, so that the cached prefix holds", async () => {
    const options = { thinking: 2_000 } as const;
    await using h = await harness({ options, windowTokens: 20_000, scenario: [...before, reply(GOOD)] });
    await compacted(h, { instructions: "names of tables" });
    const { messages: last, max_tokens: _, ...asked } = body(h, -1);
    const { messages: earlier, max_tokens: __, ...usual } = body(h, -2);
    expect(asked).toEqual(usual);
    const plain = (messages: readonly JsonObject[]) =>
      JSON.stringify(messages).replaceAll(/,"cache_control":\{[^}]*\}/g, "");
    expect(plain(last)).toStartWith(plain(earlier).slice(0, -1));
    expect(JSON.stringify(last)).toContain("names of tables");
  });

  test("is asked for with the number of the newest messages, which the request contains and the summary need not repeat", async () => {
    await using h = await harness({ windowTokens: 6_000, scenario: [...before, reply(GOOD)] });
    await compacted(h);
    const kept = of(h, "compacted")[0]?.report?.keptMessages ?? 0;
    expect(kept).toBeGreaterThan(1);
    const question = sent(h).slice(sent(h).lastIndexOf('{"role":"user"'));
    expect(question).toContain(`the last ${kept} messages above`);
    expect(question).not.toContain("not shown");
    expect(sent(h)).toContain("now the second part");
  });

  test("is reported when it begins, grows and ends, with the checked facts", async () => {
    await using h = await harness({
      windowTokens: 6_000,
      scenario: [...before, reply(GOOD.replace("None.", "word ".repeat(60)))],
    });
    await compacted(h);
    expect(of(h, "compaction_started")).toMatchObject([{ why: "manual" }]);
    expect(of(h, "compaction_progress").length).toBeGreaterThan(0);
    const [done] = of(h, "compacted");
    expect(done).toMatchObject({ why: "manual", report: { keptMessages: expect.any(Number), added: [] } });
    expect(done?.preTokens).toBeGreaterThan(done?.freedTokens ?? 0);
    expect(h.written).toContainEqual(expect.objectContaining({ kind: "compacted", report: done?.report }));
  });

  test("brings back of the log what it left out", async () => {
    const edit = testTool("Edit", { level: "write" });
    const calls = [
      reply([toolUse("Edit", { text: "x", file_path: "/p/src/forgotten.ts" })]),
      reply([toolUse("Bash", { text: "x", command: "npm run migrate" })]),
    ];
    const loose = {
      ...edit,
      prepare: async (raw: Readonly<Record<string, unknown>>, context: Parameters<typeof edit.prepare>[1]) =>
        edit.prepare({ text: String(raw["text"]) }, context),
    };
    const looseBash = {
      ...FAILS,
      prepare: async (raw: Readonly<Record<string, unknown>>, context: Parameters<typeof FAILS.prepare>[1]) =>
        FAILS.prepare({ text: String(raw["text"]) }, context),
    };
    const scenario = [...calls, ...before, reply(GOOD), reply("Next.")];
    await using h = await harness({ tools: [LOOK, loose, looseBash], windowTokens: 6_000, scenario });
    await compacted(h);
    await h.engine.submit({ prompt: "go on" });
    expect(sent(h)).toContain("/p/src/forgotten.ts");
    expect(sent(h)).toContain("npm run migrate");
    expect(sent(h)).toContain("no such table");
    expect(of(h, "compacted")[0]?.report?.added).toEqual(["npm run migrate\nexit code 7: no such table"]);
  });

  test("of an earlier summary keeps every prompt of the user", async () => {
    const more = lookReplies(["e", "f", "g", "h"]);
    const scenario = [
      ...before,
      reply(GOOD),
      ...more,
      reply("Three."),
      reply("Four."),
      reply(GOOD.replace("Fix", "Mend")),
      reply("Five."),
    ];
    await using h = await harness({ windowTokens: 6_000, scenario });
    await compacted(h);
    await h.engine.submit({ prompt: "third wish" });
    await h.engine.submit({ prompt: "fourth wish" });
    expect(await h.engine.compact()).toBeGreaterThan(0);
    await h.engine.submit({ prompt: "fifth wish" });
    for (const words of ["never touch `legacy.ts`", "now the second part", "third wish", "fourth wish", "fifth wish"])
      expect(sent(h).split(words).length).toBe(2);
    expect(sent(h)).toContain("Mend the parser");
    expect(h.twin.requests.flatMap(({ rejected }) => rejected)).toEqual([]);
  });

  deepTest("is made automatically if clearing results is not enough, and the turn continues", async () => {
    const long = lookReplies(Array.from({ length: 40 }, (_, at) => `step ${at} ${"of the work ".repeat(40)}`));
    let at = 0;
    const scenario = ({ body: asked }: { readonly body: unknown }) => {
      if (JSON.stringify(asked).includes("write a summary that will stand in place")) return reply(GOOD);
      const next = long[at] ?? reply("Done.");
      at += 1;
      return next;
    };
    await using h = await harness({ windowTokens: 12_000, scenario });
    expect(await h.engine.submit({ prompt: "work" })).toMatchObject({
      outcome: { reason: "completed" },
      text: "Done.",
    });
    expect(of(h, "compacted").filter(({ report }) => report !== undefined).length).toBeGreaterThan(0);
    expect(h.twin.requests.flatMap(({ rejected }) => rejected)).toEqual([]);
    expect(pairingProblems(h.engine.state.messages)).toEqual([]);
  });
});

describe("an answer that is no summary", () => {
  const unusable = {
    "calls a tool": [reply([toolUse("Look", { text: "x" })]), "called a tool"],
    "is empty": [reply("<summary> </summary>"), "empty"],
    "lacks a part": [reply(GOOD.replace("## Next step", "## Thanks")), "Next step"],
  } as const;

  test.each(Object.entries(unusable))("and %s is refused, and asked for once more", async (_, [answer]) => {
    await using h = await harness({ windowTokens: 6_000, scenario: [...before, answer, reply(GOOD)] });
    expect(await compacted(h)).toBeGreaterThan(0);
    expect(h.twin.requests.flatMap(({ rejected }) => rejected)).toEqual([]);
    expect(of(h, "tool_started").length).toBe(4);
  });

  test.each(Object.entries(unusable).slice(0, 2))(
    "and %s each time leaves the conversation as it was, with one line",
    async (_, [answer, why]) => {
      const noted: unknown[] = [];
      const noteFault = (error: unknown) => {
        noted.push(error);
        return "";
      };
      const scenario = [...before, answer, answer, answer];
      await using h = await harness({ windowTokens: 200_000, scenario, noteFault });
      await talked(h);
      const messages = [...h.engine.state.messages];
      expect(await h.engine.compact()).toBeUndefined();
      expect(h.engine.state.messages).toEqual(messages);
      expect(notices(h)).toEqual([expect.stringContaining(why)]);
      // A fault of the model is no bug of Quoll, whose stack would be kept.
      expect(noted).toEqual([expect.any(UserFacingError)]);
    },
  );

  test("and lacks the form is taken on the second try, with the parts that Quoll knows itself", async () => {
    const prose = reply(`The parser reads tokens; src/parse.ts is half done. ${"It goes on. ".repeat(8)}`);
    await using h = await harness({ windowTokens: 6_000, scenario: [...before, prose, prose, reply("Three.")] });
    expect(await compacted(h)).toBeGreaterThan(0);
    await h.engine.submit({ prompt: "third" });
    expect(sent(h)).toContain("src/parse.ts is half done");
    expect(sent(h)).toContain("never touch `legacy.ts`");
  });

  test("since it is longer than the messages it replaces changes nothing", async () => {
    const long = reply(GOOD.replace("None.", "word ".repeat(3_000)));
    await using h = await harness({ windowTokens: 200_000, scenario: [...before, long] });
    await talked(h);
    expect(await h.engine.compact()).toBeUndefined();
    expect(notices(h)).toEqual([expect.stringContaining("longer than the messages")]);
  });

  deepTest("three times in a row ends automatic summaries, and says so; a person may still ask", async () => {
    const refused = failing(fault.badRequest("No."));
    await using h = await harness({
      windowTokens: 6_000,
      scenario: [...before, refused, refused, refused, reply(GOOD)],
    });
    await talked(h);
    for (let at = 0; at < 3; at += 1) await h.engine.compact({ instructions: "x" }).catch(() => undefined);
    expect(notices(h).filter((line) => line.includes("3 times in a row"))).toHaveLength(1);
    expect(await h.engine.compact()).toBeGreaterThan(0);
  });
});

test("another model can write the summary; the next turn is the session's again", async () => {
  const scenario = [...before, reply(GOOD), reply("Three.")];
  await using h = await harness({ windowTokens: 6_000, summaryModel: "fast", scenario });
  await compacted(h);
  await h.engine.submit({ prompt: "third" });
  const models = h.twin.requests.map(({ body: asked }) => (asked as JsonObject)["model"]);
  expect(models.at(-2)).not.toBe(models.at(-3));
  expect(models.at(-1)).toBe(models.at(-3));
});

test("an interrupted summary leaves the conversation as it was", async () => {
  await using h = await harness({ windowTokens: 6_000, scenario: [...before, failing(fault.silence())] });
  await talked(h);
  const messages = [...h.engine.state.messages];
  const compacting = h.engine.compact().catch((error: unknown) => error);
  await h.twin.request(before.length);
  h.engine.interrupt();
  expect(await compacting).toBeInstanceOf(Error);
  expect(h.engine.state.messages).toEqual(messages);
});

describe("a part that the person chose", () => {
  const second = (h: Harness) => {
    const found = h.entries.findLast((entry) => entry.kind === "user");
    return found?.kind === "user" ? found.message.id : "";
  };

  test("up to a message is summed up, and what follows stays", async () => {
    await using h = await harness({ windowTokens: 200_000, scenario: [...before, reply(GOOD), reply("Next.")] });
    await talked(h);
    const kept = h.engine.state.messages.slice(-2);
    expect(await h.engine.compact({ part: { upTo: second(h) } })).toBeGreaterThan(0);
    expect(h.engine.state.messages.slice(1)).toEqual(kept);
    await h.engine.submit({ prompt: "third" });
    expect(h.twin.requests.flatMap(({ rejected }) => rejected)).toEqual([]);
  });

  deepTest("from a message on is summed up, and what stands before it stays", async () => {
    const work = [...lookReplies(["e", "f", "g"]), reply("Done."), reply(GOOD), reply("Next.")];
    await using h = await harness({ windowTokens: 200_000, scenario: [...before.slice(0, 5), ...work] });
    await h.engine.submit({ prompt: "first" });
    const kept = [...h.engine.state.messages];
    await h.engine.submit({ prompt: "second" });
    expect(await h.engine.compact({ part: { from: second(h) } })).toBeGreaterThan(0);
    expect(h.engine.state.messages.slice(0, -1)).toEqual(kept);
    await h.engine.submit({ prompt: "third" });
    expect(sent(h)).toContain("second");
    expect(h.twin.requests.flatMap(({ rejected }) => rejected)).toEqual([]);
  });

  test("is named by its own words, whatever signs of placeholders they have", async () => {
    const work = [...lookReplies(["e", "f", "g"]), reply("Done."), reply(GOOD)];
    await using h = await harness({ windowTokens: 200_000, scenario: [...before.slice(0, 5), ...work] });
    await h.engine.submit({ prompt: "first" });
    const words = "the price is $$5 or $& or $', in {{kept}} and {{words}}";
    await h.engine.submit({ prompt: words });
    await h.engine.compact({ part: { from: second(h) } });
    expect(sent(h)).toContain(words);
    expect(JSON.stringify(body(h, -1).messages.at(-1))).toContain(words);
  });

  test("at a message that does not exist gives one clear line", async () => {
    await using h = await harness({ windowTokens: 200_000, scenario: before });
    await talked(h);
    expect(await h.engine.compact({ part: { upTo: "nowhere" } })).toBeUndefined();
    expect(notices(h)).toEqual([expect.stringContaining("nowhere")]);
  });
});

describe("undo", () => {
  test("brings back what was taken out, and keeps what was said since", async () => {
    await using h = await harness({
      windowTokens: 6_000,
      scenario: [...before, reply(GOOD), reply("Three."), reply("Four.")],
    });
    await talked(h);
    const messages = [...h.engine.state.messages];
    await h.engine.compact();
    await h.engine.submit({ prompt: "third" });
    h.engine.undoCompaction();
    expect(h.engine.state.messages.slice(0, messages.length)).toEqual(messages);
    expect(h.engine.state.messages).toHaveLength(messages.length + 2);
    await h.engine.submit({ prompt: "fourth" });
    expect(sent(h)).toContain("a seen a seen");
    expect(() => h.engine.undoCompaction()).toThrow("no compaction to undo");
  });
});

describe("hooks", () => {
  const hooks = (answer: (input: HookInput) => Awaited<ReturnType<Hooks["run"]>>) => {
    const seen: HookInput[] = [];
    const run: Hooks["run"] = async (input) => {
      seen.push(input);
      return answer(input);
    };
    return {
      seen,
      hooks: { wants: (event: string) => event.endsWith("Compact") || event === "SessionStart", run } as Hooks,
    };
  };

  test("are asked before and after, and add words to the summary", async () => {
    const asked = hooks((input) =>
      input.event === "SessionStart" && input.source === "compact" ? { additionalContext: "Branch: main" } : {},
    );
    await using h = await harness({
      hooks: asked.hooks,
      windowTokens: 6_000,
      scenario: [...before, reply(GOOD), reply("Three.")],
    });
    await compacted(h, { instructions: "the tables" });
    const told = asked.seen.filter(({ event }) => event !== "SessionStart" || asked.seen.length > 1).slice(1);
    expect(told).toMatchObject([
      { event: "PreCompact", trigger: "manual", instructions: "the tables" },
      { event: "PostCompact", trigger: "manual", summary: expect.stringContaining("Keep the old format") },
      { event: "SessionStart", source: "compact" },
    ]);
    await h.engine.submit({ prompt: "third" });
    expect(sent(h)).toContain("Branch: main");
  });

  test("can stop a compaction", async () => {
    const asked = hooks((input) => (input.event === "PreCompact" ? { block: { reason: "not now" } } : {}));
    await using h = await harness({ hooks: asked.hooks, windowTokens: 6_000, scenario: before });
    expect(await compacted(h)).toBeUndefined();
    expect(notices(h)).toEqual([expect.stringContaining("not now")]);
  });
});

test("a summary that is older than the messages behind it says so, and one with nothing behind it does not", async () => {
  await using h = await harness({ windowTokens: 6_000, scenario: [...before, reply(GOOD), reply("Three.")] });
  await compacted(h);
  await h.engine.submit({ prompt: "third" });
  const text = sent(h);
  expect(text.indexOf("older than the messages behind it")).toBeGreaterThan(-1);
  expect(text.indexOf("older than the messages behind it")).toBeLessThan(text.indexOf("## Goal"));
});

test("no note about the window outlives a compaction", async () => {
  const usage = (inputTokens: number) => ({ usage: { inputTokens, outputTokens: 10 } });
  const look = (at: number) => reply([toolUse("Look", { text: `at ${at}` })], usage(at));
  const rounds = [6_700, 6_950, 7_200].map(look);
  const scenario = [...rounds, reply("Done.", usage(7_450)), reply(GOOD), reply("More.", usage(3_000))];
  await using h = await harness({ windowTokens: 10_000, scenario });
  await h.engine.submit({ prompt: "first" });
  expect(JSON.stringify(h.engine.state.messages)).toContain("context window are left");
  await h.engine.compact();
  expect(JSON.stringify(h.engine.state.messages)).not.toContain("context window are left");
  await h.engine.submit({ prompt: "go on" });
  expect(pairingProblems(h.engine.state.messages)).toEqual([]);
});
