import type { Todo } from "../../src/contracts/display.ts";
import type { EngineEvent } from "../../src/contracts/event.ts";
import { NO_USAGE } from "../../src/contracts/message.ts";
import {
  answer,
  CART_HUNKS,
  call,
  command,
  diff,
  ended,
  finished,
  hunk,
  started,
  summary,
  text,
  todos,
  turn,
} from "./golden-events.ts";
import type { GoldenStage } from "./golden-stage.ts";
import type { GoldenState } from "./golden-states.ts";

const MARKDOWN = `# Why the test was flaky

The test waits a fixed **200 ms** while the cart *debounces*; ~~it slept~~ it now waits for \`cart.settled()\`, which is explained in [the docs](https://example.com/cart).

## What changed

1. \`src/cart.ts\` has a method that resolves once nothing is pending any more, however long that takes on a slow machine.
2. The test waits for it:
   - in \`beforeEach\`
   - and once more at its end
3. Nothing else.

- [x] found
- [ ] documented

> A fixed wait is always too short or too long.

---

Der Preis ist 価格 in 漢字, e\u0301 and 👩🏽‍💻 too.`;

const CODE = `The new method, and how to run it:

\`\`\`ts
/** Resolves once nothing is pending. */
export async function settled(limitMs = 5_000): Promise<void> {
  while (pending.size > 0) await Promise.race([...pending, timeout(limitMs, "too slow")]); // one after another
  return undefined;
}
\`\`\`

\`\`\`sh
for run in 1 2 3; do npm test -- checkout && echo "run $run"; done
\`\`\`

\`\`\`json
{ "name": "shop", "private": true, "workspaces": ["packages/*"], "count": 12 }
\`\`\`

\`\`\`
no language
\`\`\``;

const TABLE = `| file | change | lines |
|:-----|:------:|------:|
| src/cart.ts | \`settled()\` resolves when the debounce has run, whatever its length is | 12 |
| tests/checkout.test.ts | waits for **it** | 3 |
| 価格.md | 漢字 | 100 |`;

const LINES = Array.from({ length: 34 }, (_, at) => `line ${at + 1} of the log`);

const allTurn = (here: GoldenStage, ...events: readonly (EngineEvent | readonly EngineEvent[])[]) =>
  here.play(turn("fix the flaky checkout test"), ...events.flat());

/** An update of the list of steps, in the order in which a session tells it. */
const listed = (...statuses: readonly Todo["status"][]): readonly EngineEvent[] => {
  const changed = todos(...statuses);
  if (changed.type !== "todos_changed") return [];
  const [start, end] = call("TodoWrite", "3 steps", { display: { kind: "todos", todos: changed.todos } });
  return start && end ? [start, changed, end] : [];
};

/** A turn that runs. */
const running = (here: GoldenStage, ...events: readonly (EngineEvent | readonly EngineEvent[])[]) => {
  here.state({ busy: true });
  allTurn(here, ...events);
};

/** Answers, calls and notices: what a turn brings onto the screen. */
export const answerStates: Readonly<Record<string, GoldenState>> = {
  "answer markdown": { play: (here) => allTurn(here, answer(MARKDOWN), finished({ reason: "completed" })) },
  "answer links": {
    terminal: { hasLinks: true, fileAddress: (path) => `file:///src/shop/${path}` },
    play: (here) =>
      allTurn(
        here,
        answer("See [the docs](https://example.com/cart) and https://example.com/x."),
        call("Edit", "src/cart.ts", { display: diff("src/cart.ts", CART_HUNKS) }),
      ),
  },
  "answer code": { play: (here) => allTurn(here, answer(CODE)) },
  "answer table": { play: (here) => allTurn(here, answer(TABLE)) },
  "answer streaming": {
    play: (here) =>
      running(
        here,
        text(
          "The test waits a fixed 200 ms.\n\nThe cart debounces its writes, so that the **total** settles only after a while\n\n- one\n- two wi",
        ),
      ),
  },
  "answer streaming code": {
    play: (here) =>
      running(here, text("Here:\n\n```ts\nconst total = items.reduce((sum, item) => sum + item.price, 0);\nretur")),
  },
  "answer streaming inline code": {
    play: (here) => running(here, text("The cart waits for `cart.settled()` in `src/ca")),
  },
  "answer streaming the end of code": { play: (here) => running(here, text("Here:\n\n```ts\nreturn total;\n``")) },
  "prompts long and wide": {
    play: (here) => {
      here.play(turn(LINES.join("\n")), ...answer("Read."), finished({ reason: "completed" }));
      here.play(
        turn(
          "価格 in 漢字 👩🏽‍💻\n\n  indented and long enough to be wrapped, at eighty columns and at forty, since it goes on and on",
        ),
        ...answer("Yes."),
      );
    },
  },
  thinking: {
    play: async (here) => {
      running(here, { type: "thinking_delta", text: "The cart debounces." });
      await here.wait(12_000);
      here.play(...answer("I found it."), { type: "thinking_delta", text: "More." });
      await here.wait(2_000);
    },
  },
  "calls reads": {
    play: (here) =>
      allTurn(
        here,
        call("Read", "tests/checkout.test.ts"),
        call("Read", "src/cart.ts"),
        call("Grep", '"setTimeout"', { display: summary("3 files", 3) }),
        call("Glob", "src/**/*.ts", { display: summary("120 files", 120) }),
        call("Read", "src/cart.ts"),
        answer("Now I know."),
      ),
  },
  "calls commands": {
    play: (here) =>
      allTurn(
        here,
        call("Bash", "npm test -- checkout", {
          ms: 6_400,
          display: command({ tail: ["> shop@1.0.0 test", "", "10%\r\u001b[32m✓ 14 passed\u001b[0m"], totalLines: 40 }),
        }),
        call("Bash", "npm run\nbuild", {
          isError: true,
          display: command({
            tail: ["src/a.ts(3,1): error TS2304: Cannot find name 'x'.", "1 error"],
            exitCode: 2,
            totalLines: 2,
          }),
        }),
        call("Bash", "sleep 900", { isError: true, display: command({ timedOut: true, exitCode: undefined }) }),
        call("Bash", "npm run dev", {
          display: command({ taskId: "b1", exitCode: undefined, place: ["outside the sandbox"] }),
        }),
      ),
  },
  "calls edits": {
    play: (here) =>
      allTurn(
        here,
        call("Edit", "src/cart.ts", { display: diff("src/cart.ts", CART_HUNKS) }),
        call("Write", "src/new.py", {
          display: diff(
            "src/new.py",
            [hunk(1, ...Array.from({ length: 12 }, (_, at) => `+value_${at} = "text ${at}"  # 漢字`))],
            true,
          ),
        }),
        call("Write", "src/very/deep/folder/with/a/long/name/that/does/not/fit/into/a/narrow/window.ts", {
          isError: true,
          content: "It was not read before.\nRead it first.",
        }),
        finished({ reason: "completed" }),
      ),
  },
  "calls diff long": {
    play: (here) => {
      const rows = (from: number) =>
        Array.from(
          { length: 14 },
          (_, at) =>
            `${at % 5 === 3 ? "-" : at % 5 === 4 ? "+" : " "}  const value${from + at} = price(${at % 5 === 4 ? "net" : "gross"}, ${at});`,
        );
      allTurn(
        here,
        call("Edit", "src/価格.ts", { display: diff("src/価格.ts", [hunk(100, ...rows(0)), hunk(300, ...rows(50))]) }),
      );
    },
  },
  "calls of servers and the web": {
    play: (here) =>
      allTurn(
        here,
        call("mcp__tracker__find", "tracker · find open issues", {
          content: "1 flaky checkout\n\n2 slow start\n3 wrong total\n4 no dark theme\n5 old prices",
        }),
        call("mcp__tracker__list", "tracker · list", {
          content: JSON.stringify({
            issues: [
              { id: 7, title: "flaky checkout", labels: ["test"] },
              { id: 12, title: "the total is wrong where a price has more than two decimals", labels: [] },
            ],
          }),
        }),
        call("mcp__tracker__get", "tracker · get 7", { content: '{"id":7,"title":"flaky checkout","open":true}' }),
        call("mcp__tracker__close", "tracker · close 7", { isError: true, content: "no such issue" }),
        call("WebFetch", "https://example.com/cart", {
          display: {
            ...{ kind: "summary", text: "2.1k characters" },
            body: { kind: "text", text: "# Cart\n\nIt debounces.\nIt settles.\nIt pays.", total: 40, isInResult: true },
          },
        }),
        call("WebSearch", "debounce in tests", {
          display: {
            ...{ kind: "summary", text: "2 results from Brave Search" },
            body: {
              kind: "list",
              items: [
                { text: "How to wait for a debounced function", note: "example.com" },
                { text: "Fake timers", note: "docs.example.org" },
              ],
              isInResult: true,
            },
          },
        }),
        call("Agent", "Explore: find what sleeps in tests/", {
          display: {
            ...{ kind: "summary", text: "3 requests · 12 tool calls · 18k tokens" },
            body: {
              kind: "text",
              text: "Two tests sleep:\n- `tests/checkout.test.ts` waits 200 ms\n- `tests/login.test.ts` waits 1 s",
              isInResult: true,
            },
          },
          ms: 41_000,
        }),
        call("Skill", "release", { display: summary("loaded") }),
        call("TaskOutput", "b1", { display: summary("b1 is running") }),
      ),
  },
  "calls of extensions": {
    play: (here) =>
      allTurn(
        here,
        call("ext__Branches", '{"all":true}', { content: "main\nfix/cart\n" }),
        call("ext__Checks", "checks", {
          display: {
            ...{ kind: "summary", text: "1 failed" },
            body: {
              kind: "list",
              items: [
                { text: "types", mark: "done" },
                { text: "lint", mark: "failed", note: "src/cart.ts:41" },
                { text: "old dependency", mark: "warning" },
                { text: "build", mark: "running" },
                { text: "deploy", mark: "open" },
                { text: "cart.css", mark: "added" },
                { text: "cart.less", mark: "removed" },
              ],
            },
          },
        }),
        call("ext__Coverage", "coverage", {
          display: {
            ...{ kind: "summary", text: "" },
            body: {
              kind: "table",
              columns: [{ name: "file" }, { name: "covered", align: "right" }, { name: "lines", align: "right" }],
              rows: Array.from({ length: 8 }, (_, at) => [`src/cart/part-${at}.ts`, `${90 - at * 9}%`, `${at * 120}`]),
              total: 40,
            },
          },
        }),
        call("ext__Wide", "a wide table", {
          display: {
            ...{ kind: "summary", text: "" },
            body: {
              kind: "table",
              columns: Array.from({ length: 12 }, (_, at) => ({ name: `column ${at}` })),
              rows: [Array.from({ length: 12 }, (_, at) => `a value ${at}`)],
            },
          },
        }),
        call("ext__Format", "src/cart.ts", {
          display: {
            ...{ kind: "summary", text: "would change 1 file" },
            body: { kind: "diff", path: "src/cart.ts", hunks: CART_HUNKS },
          },
        }),
      ),
  },
  "calls answered": {
    play: (here) => {
      const preview = { kind: "diff", path: "src/cart.ts", isNew: false, hunks: CART_HUNKS } as const;
      const refusal = { kind: "refused", preview, reason: "wait for\nthe cart" } as const;
      const long = { kind: "command", command: "echo one\necho two", description: "", unclear: [] } as const;
      allTurn(
        here,
        started("a", "Edit", "src/cart.ts"),
        { type: "question_settled", id: "q", toolUseId: "a", answer: refusal },
        ended("a", { isError: true, content: "for the model" }),
      );
      here.play(
        started("b", "Bash", "echo one"),
        { type: "question_settled", id: "q", toolUseId: "b", answer: { kind: "refused", preview: long } },
        ended("b", { isError: true }),
      );
      here.play(
        started("c", "Edit", "src/cart.ts"),
        { type: "question_settled", id: "q", toolUseId: "c", answer: { kind: "part", taken: 1, of: 2 } },
        ended("c", { display: diff("src/cart.ts", CART_HUNKS) }),
      );
    },
  },
  "calls running": {
    play: async (here) => {
      running(
        here,
        text("I'll run it.\n\nIt takes a while, so"),
        todos("completed", "in_progress", "pending"),
        started("r", "Bash", "npm test"),
        started("s", "Bash", "npm run build -- --watch"),
      );
      here.play({
        type: "tool_progress",
        toolUseId: "r",
        progress: { tail: ["a", "b", "c", "", "\u001b[31md\u001b[0m"], totalLines: 4, bytes: 1, elapsedMs: 1 },
      });
      await here.wait(12_000);
    },
  },
  "calls many": {
    play: async (here) => {
      running(here, ...Array.from({ length: 40 }, (_, at) => started(`m${at}`, "Bash", `cmd ${at}`)));
      await here.wait(2_000);
    },
  },
  "todos changed": {
    play: (here) =>
      running(
        here,
        listed("pending", "pending", "pending"),
        listed("in_progress", "pending", "pending"),
        listed("completed", "in_progress", "pending"),
        call("TodoWrite", "2 steps", {
          display: {
            kind: "todos",
            todos: [
              { content: "Wait for the cart", status: "pending", activeForm: "Waiting" },
              { content: "Tell the team", status: "pending", activeForm: "Telling" },
            ],
          },
        }),
        listed("completed", "completed", "completed"),
        call("TodoWrite", "14 steps", {
          display: {
            kind: "todos",
            todos: Array.from({ length: 14 }, (_, at) => ({
              ...{ content: `Step ${at}`, activeForm: `Doing step ${at}` },
              status: at === 0 ? ("in_progress" as const) : ("pending" as const),
            })),
          },
        }),
      ),
  },
  "todos settled": {
    play: (here) =>
      allTurn(
        here,
        todos("completed", "in_progress", "pending"),
        todos("completed", "completed", "completed"),
        finished({ reason: "completed" }),
      ),
  },
  notices: {
    play: (here) => {
      here.tell({ type: "row", row: { kind: "notice", level: "info", text: "Saved to ~/notes/session.md" } });
      here.tell({
        type: "row",
        row: {
          kind: "notice",
          level: "warning",
          text: "The prices of this model are not known, so that no cost can be told, and caps in dollars don't count it.",
        },
      });
      here.tell({
        type: "row",
        row: { kind: "notice", level: "error", text: "anthropic refused the request (401): check ANTHROPIC_API_KEY" },
      });
      allTurn(
        here,
        { type: "words_added", by: "user", prompt: "use bun", message: { role: "user", id: "a", content: [] } },
        {
          type: "words_added",
          by: "hook",
          prompt: "the build\nis red",
          message: { role: "user", id: "b", content: [] },
        },
        {
          type: "compacted",
          why: "full",
          freedTokens: 9_000,
          note: "Took 3 old tool results out of the model's view.",
        },
        { type: "continued", reason: "loop_told" },
        { type: "notice", message: "claude-sonnet-5 is overloaded. claude-haiku-5 takes over." },
        finished({ reason: "budget", message: "The turn's cap is reached." }),
      );
    },
  },
  "turn interrupted": { play: (here) => allTurn(here, answer("I'll look."), finished({ reason: "aborted" })) },
  "turn failed": {
    play: (here) =>
      allTurn(
        here,
        finished({ reason: "failed", message: "overloaded: the server took no request in 10 attempts", status: 529 }),
      ),
  },
  "turn retrying": {
    play: (here) =>
      running(here, {
        type: "retry",
        attempt: 2,
        maxAttempts: 10,
        delayMs: 16_000,
        status: 529,
        message: "overloaded",
      }),
  },
  "turn preparing": {
    play: (here) => running(here, { type: "tool_input_delta", toolUseId: "w", toolName: "Write", json: "{" }),
  },
  "turn compacting": {
    play: (here) =>
      running(
        here,
        { type: "compaction_started", why: "full", usedTokens: 180_000 },
        { type: "compaction_progress", writtenTokens: 900 },
      ),
  },
  "turn in a hook": { play: (here) => running(here, { type: "hook_status", text: "lint runs" }) },
  "turn with budget": {
    play: (here) => {
      running(
        here,
        { type: "budget_changed", spentTokens: 120_000, totalTokens: 500_000 },
        { type: "context_changed", usedTokens: 180_000, windowTokens: 200_000, warnTokens: 160_000 },
      );
      here.state({ costUsd: 1.234, usedTokens: 180_000, usage: { ...NO_USAGE, inputTokens: 180_000 } });
    },
  },
};
