import { expect, test } from "bun:test";
import type { ContextMark } from "../../../../src/contracts/context-edit.ts";
import { type Message, NO_USAGE } from "../../../../src/contracts/message.ts";
import { editContext } from "../../../../src/services/context/accounting/edit-context.ts";
import { clearResults } from "../../../../src/services/context/compaction/clear-results.ts";
import { findResults } from "../../../../src/services/context/compaction/found-results.ts";
import { supersededResults } from "../../../../src/services/context/compaction/superseded-results.ts";
import { compactedBy } from "../../../support/compacted.ts";

const TEXT = Array.from({ length: 40 }, (_, at) => `line ${at}`).join("\n");

function round(id: string): readonly Message[] {
  const use = { type: "tool_use", id, name: "Read", input: { file_path: `${id}.ts` } } as const;
  const result = { type: "tool_result", toolUseId: id, content: TEXT, isError: false } as const;
  return [
    { role: "assistant", id: `a-${id}`, model: "m", content: [use], stopReason: "tool_use", usage: NO_USAGE },
    { role: "user", id: `u-${id}`, content: [result] },
  ];
}

function prompt(id: string): Message {
  return { role: "user", id, content: [{ type: "text", text: `Do ${id}.` }] };
}

function answer(id: string): Message {
  const content = [{ type: "text", text: "Done." }] as const;
  return { role: "assistant", id, model: "m", content, stopReason: "end_turn", usage: NO_USAGE };
}

const TALK = [prompt("p1"), ...round("r1"), answer("e1"), prompt("p2"), ...round("r2"), ...round("r3"), answer("e2")];

function edited(marks: readonly ContextMark[], usable = 100_000, pinned: readonly string[] = []) {
  const measure = ({ narrow }: { readonly narrow: number }) => narrow;
  return editContext({ messages: TALK, pinned: new Set(pinned), usable, measure, canRecall: false }, marks);
}

test("a dropped turn leaves the view whole; of the first turn the first message stays", () => {
  expect(edited([{ verb: "drop", id: "2" }]).compaction?.removedIds).toEqual(TALK.slice(4).map(({ id }) => id));
  expect(edited([{ verb: "drop", id: "p2" }])).toEqual(edited([{ verb: "drop", id: "2" }]));
  expect(edited([{ verb: "drop", id: "1" }]).compaction?.removedIds).toEqual(["a-r1", "u-r1", "e1"]);
});

test("a collapsed result keeps its first lines and says how to get the rest; a dropped one keeps its id", () => {
  const { compaction, results } = edited([
    { verb: "collapse", id: "r1" },
    { verb: "drop", id: "r2" },
  ]);
  const [first, second] = compaction?.stubs.map(({ block }) => block) ?? [];
  const text = first?.type === "tool_result" ? String(first.content) : "";
  expect([text.split("\n").slice(1), text.includes("line 5"), text.includes("r1")]).toEqual([
    TEXT.split("\n").slice(0, 5),
    false,
    true,
  ]);
  expect(second).toMatchObject({ toolUseId: "r2", content: expect.not.stringContaining("line 0") });
  expect(results).toBe(2);
});

test("the line in place of a result names its id and, if the model has it, the tool Recall", () => {
  const view = { messages: TALK, pinned: new Set<string>(), usable: 100_000 };
  for (const verb of ["drop", "collapse"] as const)
    for (const canRecall of [true, false]) {
      const [stub] =
        editContext({ ...view, canRecall, measure: ({ narrow }) => narrow }, [{ verb, id: "r2" }]).compaction?.stubs ??
        [];
      expect([verb, canRecall, /id r2\b.*\bRecall\b/.test(JSON.stringify(stub?.block))]).toEqual([
        verb,
        canRecall,
        canRecall,
      ]);
    }
});

test("a result that a person took out makes no earlier one of the same call worthless", () => {
  const again = TALK.map((message) => {
    const content = JSON.parse(JSON.stringify(message.content).replaceAll("r3.ts", "r2.ts")) as typeof message.content;
    return { ...message, content } as Message;
  });
  expect(supersededResults(findResults(again)).size).toBe(1);
  for (const verb of ["drop", "collapse"] as const) {
    const view = { messages: again, pinned: new Set<string>(), usable: 100_000, canRecall: true };
    const { compaction } = editContext({ ...view, measure: ({ narrow }) => narrow }, [{ verb, id: "r3" }]);
    const [stub] = compaction?.stubs ?? [];
    const after = again.map((message) =>
      stub && message.id === stub.messageId ? ({ ...message, content: [stub.block] } as Message) : message,
    );
    expect([verb, supersededResults(findResults(after)).size]).toEqual([verb, 0]);
  }
});

test("a collapsed turn keeps its words and calls, and drops its results", () => {
  const { compaction } = edited([{ verb: "collapse", id: "2" }]);
  expect(compaction?.removedIds).toBeUndefined();
  expect(compaction?.stubs.map(({ messageId }) => messageId)).toEqual(["u-r2", "u-r3"]);
});

test("pins change no message, add to those that are there, and end with what is dropped", () => {
  const pin = edited([{ verb: "pin", id: "r2" }], 100_000, ["r1"]);
  expect([pin.compaction, pin.pinned]).toEqual([undefined, ["r1", "r2"]]);
  expect(edited([{ verb: "drop", id: "1" }], 100_000, ["u-r1", "r2"]).pinned).toEqual(["r2"]);
  expect(edited([{ verb: "unpin", id: "r1" }], 100_000, ["r1"]).pinned).toEqual([]);
});

test("the note names what was dropped and what was collapsed, and no pin", () => {
  const noteOf = (...marks: readonly ContextMark[]) => edited(marks).compaction?.note;
  expect(noteOf({ verb: "collapse", id: "r1" }, { verb: "pin", id: "r2" })).toContain("You collapsed 1 result in");
  expect(noteOf({ verb: "drop", id: "2" }, { verb: "collapse", id: "r1" })).toContain(
    "You dropped 1 turn and collapsed 1 result in",
  );
});

test("a mark that names nothing, and pins beyond 30 % of the usable window, are refused", () => {
  expect(() => edited([{ verb: "drop", id: "r9" }])).toThrow("no turn and no result r9");
  expect(() => edited([{ verb: "pin", id: "2" }], 800)).toThrow("unpin something");
});

test("old results are cleared around a pinned one", async () => {
  const size = { why: "full", usedTokens: 900, windowTokens: 1_000, reservedTokens: 100 } as const;
  const cleared = async (pinned: readonly string[]) =>
    (await compactedBy(clearResults(), TALK, { ...size, pinned })).messages
      .filter(({ content }) => JSON.stringify(content).includes("[Cleared"))
      .map(({ id }) => id);
  expect(await cleared([])).toContain("u-r1");
  expect(await cleared(["r1"])).not.toContain("u-r1");
  expect(await cleared(["u-r1"])).not.toContain("u-r1");
});
