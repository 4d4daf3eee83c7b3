import { describe, expect, test } from "bun:test";
import type { AssistantMessage, Message } from "../../../../src/contracts/message.ts";
import {
  keepNeutral,
  NO_RESULT,
  neutralTurns,
  oneCallEach,
  RESUME_PROMPT,
  type Turn,
} from "../../../../src/services/provider/history/turns.ts";
import { seededRandom } from "../../../support/seeded-random.ts";
import { assistant, deepFrozen, result, user } from "../anthropic/support.ts";

const call = (id: string, extra = {}) => ({ type: "tool_use", id, name: "Read", input: {}, ...extra }) as const;
const said = (text: string) => ({ type: "text", text }) as const;
const OWN = "claude-sonnet-5-5";

function turnsOf(messages: readonly Message[], options: { parallelCalls?: boolean } = {}): readonly Turn[] {
  const ids = () => (given: string) => given;
  const rules = { isOwn: ({ model }: AssistantMessage) => model === OWN, keep: keepNeutral, ids };
  const turns = neutralTurns(deepFrozen([...messages]), rules);
  return (options.parallelCalls ?? true) ? turns : oneCallEach(turns);
}

const shape = (turns: readonly Turn[]) =>
  turns.map((turn) =>
    turn.role === "user"
      ? [
          ...turn.answers.map(({ callId, content }) => `${callId}=${content}`),
          ...turn.words.map((word) => (word.type === "text" ? word.text : word.type)),
        ]
      : turn.content.map((block) =>
          block.type === "text" ? block.text : block.type === "tool_use" ? `${block.id}()` : block.type,
        ),
  );

test("neighbouring messages of the user become one, results first", () => {
  const turns = turnsOf([
    user("Go."),
    assistant([call("t1"), call("t2")]),
    user("wait", result("t2", "B")),
    user(result("t1", "A"), "now", " "),
  ]);
  expect(shape(turns)).toEqual([["Go."], ["t1()", "t2()"], ["t2=B", "t1=A", "wait", "now"]]);
});

test("missing results are filled in, and misplaced ones are left out", () => {
  const turns = turnsOf([
    assistant([call("t0")]),
    user(result("t0", "?"), "Go."),
    assistant([call("t1"), call("t2")]),
    user(result("t2", "B"), result("t2", "again"), result("other", "?")),
    assistant([said(" ")]),
    assistant([said("half")]),
    assistant([said("whole")]),
  ]);
  expect(shape(turns)).toEqual([
    ["Go."],
    ["t1()", "t2()"],
    ["t2=B", `t1=${NO_RESULT}`],
    ["half"],
    [RESUME_PROMPT],
    ["whole"],
    [RESUME_PROMPT],
  ]);
});

test("a history without a word of the user is empty", () => {
  expect([turnsOf([]), turnsOf([assistant([said("Hi.")])])]).toEqual([[], []]);
});

describe("a message that another provider or model wrote", () => {
  const blocks: AssistantMessage["content"] = [
    { type: "thinking", thinking: "Hm.", signature: "s" },
    { type: "redacted_thinking", data: "d" },
    { type: "opaque", data: { type: "server_tool_use" } },
    { type: "text", text: "Look.", signature: "s", citations: [{ a: 1 }] },
    call("t1", { signature: "s" }),
  ];

  test("is stripped of thinking, signatures, citations and what only it understands", () => {
    const [, turn] = turnsOf([user("Go."), assistant(blocks, "other"), user(result("t1", "A"))]);
    expect(turn).toEqual({ role: "assistant", isOwn: false, content: [said("Look."), call("t1")] });
  });

  test("is kept of its own, but for what is another wire's", () => {
    const [, turn] = turnsOf([user("Go."), assistant(blocks), user(result("t1", "A"))]);
    expect(turn).toEqual({ role: "assistant", isOwn: true, content: [blocks[0]!, blocks[3]!, blocks[4]!] });
  });

  test("leaves no turn that is nothing but thinking, and none that ends with it", () => {
    const thinking = { type: "thinking", thinking: "Hm.", signature: "s" } as const;
    const turns = turnsOf([user("1"), assistant([thinking]), user("2"), assistant([said("a"), thinking]), user("3")]);
    expect(shape(turns)).toEqual([["1", "2"], ["a"], ["3"]]);
  });
});

test("a call whose input was malformed goes back with an empty input", () => {
  const [, turn] = turnsOf([
    user("Go."),
    assistant([call("t1", { malformed: { text: "{", problem: "cut" } })]),
    user("x"),
  ]);
  expect(turn).toMatchObject({ content: [call("t1")] });
});

test("for a provider without parallel calls each call is followed by its own answer", () => {
  const turns = turnsOf(
    [
      user("Go."),
      assistant([said("one"), call("t1"), said("two"), call("t2"), call("t3"), said("three")]),
      user(result("t3", "C"), result("t1", "A"), "More."),
      assistant([call("t4")]),
      user(result("t4", "D")),
    ],
    { parallelCalls: false },
  );
  expect(shape(turns)).toEqual([
    ["Go."],
    ["one", "t1()"],
    ["t1=A"],
    ["two", "t2()"],
    [`t2=${NO_RESULT}`],
    ["t3()", "three"],
    ["t3=C", "More."],
    ["t4()"],
    ["t4=D"],
  ]);
});

test.each([true, false])(
  "any history gives turns that alternate, with one answer to each call (parallel: %p)",
  (parallelCalls) => {
    const random = seededRandom(7);
    const pick = (count: number) => random.below(count);
    for (let round = 0; round < 300; round += 1) {
      const messages = Array.from({ length: pick(12) }, (): Message => {
        const blocks = Array.from({ length: pick(5) }, () => pick(4));
        if (pick(2) === 0)
          return user(...blocks.map((kind) => (kind < 2 ? result(`t${pick(4)}`, "r") : kind === 2 ? "w" : " ")));
        return assistant(
          blocks.map((kind) =>
            kind < 2
              ? call(`t${pick(4)}`)
              : kind === 2
                ? said("a")
                : { type: "thinking", thinking: "", signature: "s" },
          ),
          pick(2) === 0 ? OWN : "other",
        );
      });
      let count = 0;
      const ids = () => () => {
        count += 1;
        return `id${count}`;
      };
      const all = neutralTurns(messages, { isOwn: () => pick(2) === 0, keep: keepNeutral, ids });
      const turns = parallelCalls ? all : oneCallEach(all);
      for (const [index, turn] of turns.entries()) {
        expect(turn.role).toBe(index % 2 === 0 ? "user" : "assistant");
        const calls =
          turn.role === "assistant"
            ? turn.content.flatMap((block) => (block.type === "tool_use" ? [block.id] : []))
            : [];
        const next = turns[index + 1];
        if (turn.role === "assistant") {
          expect(next?.role === "user" && next.answers.map(({ callId }) => callId).sort()).toEqual([...calls].sort());
          if (!parallelCalls) expect(calls.length).toBeLessThanOrEqual(1);
        }
      }
      expect(turns.at(-1)?.role ?? "user").toBe("user");
    }
  },
);
