import type { QueuedInput, QueueTime } from "../../src/contracts/event.ts";
import { NO_USAGE } from "../../src/contracts/message.ts";
import { answer, call, command, finished, started, text, todos, turn } from "./golden-events.ts";
import { paintedLines } from "./golden-lines.ts";
import type { GoldenStage } from "./golden-stage.ts";
import type { GoldenState } from "./golden-states.ts";
import { agentTask, shellTask, taskEvent } from "./shown-tasks.ts";

const [UP, DOWN, ESC, CTRL_C, CTRL_R, CTRL_T] = ["\u001b[A", "\u001b[B", "\u001b", "\u0003", "\u0012", "\u0014"];
const INFO = { version: "0.1.0", cwd: "~/src/shop", branch: () => "main*", notices: [] };
const OFFLINE =
  "Offline: no model is configured. Type `/login <provider>` or set ANTHROPIC_API_KEY; `what can you do` lists what works without.";
const FIRST = {
  model: "claude-sonnet-5 of anthropic, key from ANTHROPIC_API_KEY; `/model` and `/login` change it",
  look: "`/help` lists everything; `/config`, `/theme` and `/status` show and change it",
  examples: ["what does this project do?", "fix the flaky checkout test", "!npm test"],
};
const COMMANDS = [
  { name: "clear", summary: "Start a new conversation; the old one stays saved", argumentHint: "" },
  { name: "compact", summary: "Make the conversation smaller", argumentHint: "[words]" },
  { name: "config", aliases: ["settings"], summary: "Show and change settings", argumentHint: "[key [value]]" },
  { name: "model", summary: "Show or change the model", argumentHint: "[name]", completes: true as const },
];
const QUEUE: readonly (readonly [QueueTime, string])[] = [
  ["steer", "use\nbun"],
  ["next", "then the docs, with everything that a newcomer has to know about carts and their debounce"],
  ["shell", "!ls"],
  ["later", "four"],
];

const queued = (here: GoldenStage, entries: typeof QUEUE) => {
  const queue = entries.map(([when, prompt], at): QueuedInput => ({ id: `${at}`, prompt, when }));
  here.state({ queue });
  here.play({ type: "queue_changed", queue, total: queue.length });
};

const busy = (here: GoldenStage) => {
  here.state({ busy: true });
  here.play(
    turn("fix the flaky checkout test"),
    text("I'll look at it."),
    todos("completed", "in_progress", "pending"),
  );
};

const fresh = (here: GoldenStage) => here.state({ isEmpty: true, costUsd: 0, usedTokens: 0, usage: NO_USAGE });

const talked = (here: GoldenStage) =>
  here.play(
    turn("fix the flaky checkout test"),
    ...answer("It waits for the cart now."),
    finished({ reason: "completed" }),
  );

const agents = async (here: GoldenStage) => {
  busy(here);
  const asks = { type: "Plan", activity: "waits for your answer", isAsking: true, tokens: 950, calls: 2 };
  const work = {
    agentId: "agent-1",
    type: "Explore",
    activity: "Read tests/checkout.test.ts",
    tokens: 18_000,
    calls: 4,
  };
  here.play(
    taskEvent("task_started", agentTask("a1", "Explore", "find what sleeps in the tests of the shop", { agent: work })),
    taskEvent("task_started", agentTask("a2", "Plan", "plan the move", { agent: asks })),
    taskEvent("task_started", shellTask("b1", "npm run\ndev")),
    taskEvent("task_started", shellTask("b2", "npm run watch", { agentId: "agent-1", parentAgentId: "main" })),
    taskEvent("task_started", agentTask("a3", "Explore", "count")),
  );
  await here.wait(41_000);
  here.play(
    taskEvent("task_ended", agentTask("a3", "Explore", "count", { status: "failed", state: "failed: no credit" })),
  );
  here.play(
    taskEvent(
      "task_ended",
      shellTask("b3", "npm test", { status: "failed", state: "failed with exit code 3", exitCode: 3 }),
    ),
  );
};

/** The start, the prompt, and what stands around it. */
export const promptStates: Readonly<Record<string, GoldenState>> = {
  "start first paint": { lines: ({ columns }, theme) => paintedLines(columns, theme) },
  start: { play: fresh },
  "start resumed": {
    play: (here) => {
      const events = [turn("fix the flaky checkout test"), ...answer("It waits for the cart now.")];
      here.tell({ type: "restored", events, hiddenCount: 0 });
      here.state({});
    },
  },
  "start offline": {
    props: { info: { ...INFO, notices: [OFFLINE] } },
    play: (here) => here.state({ model: "offline", costUsd: 0, usedTokens: 0, isEmpty: true }),
  },
  "start first steps": { props: { info: { ...INFO, first: FIRST } }, play: fresh },
  "start full screen": { terminal: { isFull: true }, play: talked },
  "prompt text": {
    play: (here) => here.type("fix the checkout test, which is flaky since the cart debounces its writes, in 価格 too"),
  },
  "prompt lines": { play: (here) => here.type("one", "\\\r", "two 漢字", "\\\r", "three") },
  "prompt tall": { play: (here) => here.type(...Array.from({ length: 30 }, (_, at) => [`line ${at}`, "\\\r"]).flat()) },
  "prompt paste": { play: (here) => here.type(`look at \u001b[200~${"a line\n".repeat(400)}\u001b[201~`, " please") },
  "prompt shell": { play: (here) => here.type("!npm test") },
  "prompt vim": {
    props: { prompt: { ghostText: true, editorMode: "vim" } },
    play: (here) => here.type("one two", ESC, "b"),
  },
  "prompt ghost": {
    props: { history: { load: async () => [{ text: "fix the flaky checkout test" }], add: async () => undefined } },
    play: (here) => here.type("fix the"),
  },
  "prompt leaving": { play: () => undefined, last: (here) => here.type(CTRL_C) },
  "prompt chord": { play: (here) => here.type("\u0018") },
  "prompt history": {
    props: {
      history: {
        load: async () => ["fix the cart", "write docs", "価格 in the cart"].map((words) => ({ text: words })),
        add: async () => undefined,
      },
    },
    play: (here) => here.type(CTRL_R, "cart"),
  },
  "completions commands": {
    play: (here) => {
      here.tell({ type: "commands", completions: COMMANDS });
      return here.type("/co", DOWN);
    },
  },
  "completions arguments": {
    play: async (here) => {
      here.tell({ type: "commands", completions: COMMANDS });
      await here.type("/model s");
      await here.wait(1_000);
      here.tell({
        type: "arguments",
        text: "/model s",
        found: [{ value: "sonnet", summary: "claude-sonnet-5 · $3/$15" }],
      });
    },
  },
  "completions files": {
    play: async (here) => {
      await here.type("look at @src/c");
      const found = ["src/cart.ts", "src/checkout/", "src/価格.ts"].map((path) => ({ path, marks: [0, 1, 2] }));
      here.tell({ type: "files", typed: "src/c", found: found as never, note: "ignored files are left out" });
    },
  },
  "queue while busy": {
    play: async (here) => {
      busy(here);
      queued(here, QUEUE);
      await here.wait(2_000);
    },
  },
  "queue that waits": {
    play: (here) => {
      talked(here);
      queued(here, QUEUE.slice(0, 2));
    },
  },
  "typing while busy": {
    play: async (here) => {
      busy(here);
      here.play(started("r", "Bash", "npm test"));
      await here.wait(12_000);
      await here.type("and the docs");
    },
  },
  "tip in a long turn": {
    play: async (here) => {
      here.state({ busy: true });
      here.play(turn("fix the flaky checkout test"), started("r", "Bash", "npm test"));
      await here.wait(9_000);
    },
  },
  "todos folded": {
    play: async (here) => {
      busy(here);
      await here.type(CTRL_T);
    },
  },
  "tasks strip": { play: agents },
  "tasks many": {
    play: async (here) => {
      here.state({ busy: true });
      here.play(turn("look at all packages"));
      for (let at = 1; at <= 8; at += 1) {
        const activity = at % 2 === 0 ? `Grep "price" in packages/part-${at}` : "thinking";
        const agent = { type: "Explore", activity, tokens: 1_000 * at, calls: at };
        const work = { agent, toolUseId: `call-${at}`, isBackground: false };
        here.play(
          started(`call-${at}`, "Agent", `Explore: look at part ${at}`),
          taskEvent("task_started", agentTask(`a${at}`, "Explore", `look at part ${at}`, work)),
        );
      }
      await here.wait(12_000);
      const result = "It has no tests.";
      here.play(taskEvent("task_ended", agentTask("a1", "Explore", "look at part 1", { status: "completed", result })));
    },
  },
  "tasks chosen": {
    play: async (here) => {
      await agents(here);
      await here.type(DOWN, DOWN);
    },
  },
  "tasks watched": {
    play: async (here) => {
      await agents(here);
      await here.type(DOWN, "\r");
      const events = [turn("find what sleeps"), ...call("Grep", '"sleep"'), ...answer("Two files **sleep**.")];
      here.tell({ type: "task_output", id: "a1", part: { kind: "conversation", events } });
    },
  },
  "tasks message": {
    play: async (here) => {
      await agents(here);
      await here.type(DOWN, "\t", "look at b too");
    },
  },
  "status modes": {
    play: (here) => {
      here.state({ mode: "acceptEdits", granted: ["Edit(/**)", "Bash(npm test *)"] });
      const texts = ["lint ok"];
      here.tell({
        type: "status",
        status: {
          cwd: "/src/shop",
          shownCwd: "~/src/shop",
          sandbox: "sandbox",
          texts,
          ownLines: ["main · \u001b[32m3 ahead\u001b[39m"],
        },
      });
    },
  },
  "status plan": {
    play: (here) => here.state({ mode: "plan", model: "gpt-6", costUsd: 12.3456, usedTokens: 190_000 }),
  },
  "status bypass": {
    play: (here) => {
      here.state({ mode: "bypassPermissions", costUsd: undefined });
      const place = { cwd: "/src/shop", shownCwd: "~/src/shop" };
      here.tell({ type: "status", status: { ...place, sandbox: "sandbox", texts: [], ownLines: [] } });
    },
  },
  "operation of a command": {
    play: async (here) => {
      here.tell({
        type: "operation",
        title: "Compacting",
        progress: { text: "reads the conversation", done: 3, total: 12 },
      });
      await here.wait(2_000);
    },
  },
  "command of the person": {
    play: (here) => {
      const tail = Array.from({ length: 6 }, (_, at) => `file-${at}.ts`);
      here.play(
        ...call("Bash", "ls", {
          content: tail.join("\n"),
          display: command({ command: "ls", tail, totalLines: 6 }),
        }),
      );
    },
  },
  leaving: {
    play: (here) => {
      talked(here);
      here.leave();
    },
  },
  "history older prompts": {
    props: { history: { load: async () => [{ text: "older prompt" }], add: async () => undefined } },
    play: (here) => here.type(UP),
  },
};
