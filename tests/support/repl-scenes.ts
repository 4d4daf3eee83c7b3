import type { DiffHunk } from "../../src/contracts/display.ts";
import type { Script } from "./scripted-engine.ts";
import { agentTask, shellTask } from "./shown-tasks.ts";

const HUNKS: readonly DiffHunk[] = [
  {
    oldStart: 40,
    newStart: 40,
    lines: [
      { kind: "same", text: "  add(item);" },
      { kind: "removed", text: "  await sleep(200);" },
      { kind: "added", text: "  await cart.settled();" },
      { kind: "same", text: "  expect(cart.total).toBe(12);" },
    ],
  },
];

const ANSWER = `The test now waits for \`cart.settled()\`; **50 repeats** pass.

What changed, file by file:

| file | change |
|---|---|
| src/cart.ts | \`settled()\` resolves when the debounce has run |
| tests/checkout.test.ts | waits for it |

1. The debounce keeps its 200 ms.
2. Nothing else waits any more.

\`\`\`ts
export async function settled(): Promise<void> {
  while (pending.size > 0) await Promise.race(pending); // one by one
}
\`\`\`

See [the docs](https://example.com/cart) for more.`;

/** About 300 lines, ten of them changed in each of five places. */
const FIVE_HUNKS: readonly DiffHunk[] = Array.from({ length: 5 }, (_, part) => ({
  oldStart: 100 * part + 1,
  newStart: 100 * part + 1,
  lines: Array.from({ length: 60 }, (_, line) => ({
    kind: line % 12 === 5 ? "removed" : line % 12 === 6 ? "added" : "same",
    text: `  const value${line} = 価格(${part}); // a comment that goes on for a while, so that it has to be wrapped`,
  })),
}));

const PLAN = `# Wait for the cart

The test waits a fixed **200 ms** while the cart debounces.

1. Give \`Cart\` a method that resolves once it has settled.
2. Wait for it in \`tests/checkout.test.ts\`.
3. Run the test 50 times.

\`\`\`ts
await cart.settled();
\`\`\`

<!-- nothing may hide in a plan -->

| file | change |
|---|---|
| src/cart.ts | \`settled()\` |
${Array.from({ length: 12 }, (_, at) => `\n- Look at place ${at} as well`).join("")}
`;

/** Scenes by the first word of the prompt: everything that the screen can show. */
export const scenes: Readonly<Record<string, Script>> = {
  async fix({ prompt, say, tool, emit, sleep }) {
    // `fix slowly` is for looking at it.
    const pace = prompt.includes("slowly") ? 1 : 0.15;
    emit({ type: "thinking_delta", text: "hm" });
    await sleep(300 * pace);
    await say("The test waits a fixed 200 ms while the cart debounces. I'll wait for the cart instead.");
    emit({
      type: "todos_changed",
      todos: [
        { content: "Find the wait", status: "completed", activeForm: "Finding the wait" },
        { content: "Wait for the cart", status: "in_progress", activeForm: "Waiting for the cart" },
        { content: "Run the test 50 times", status: "pending", activeForm: "Running the test 50 times" },
      ],
    });
    await Promise.all([
      tool("Read", "tests/checkout.test.ts", { display: { kind: "summary", text: "90 lines" } }),
      tool("Read", "src/cart.ts", { display: { kind: "summary", text: "120 lines" } }),
      tool("Grep", '"setTimeout"', { display: { kind: "summary", text: "3 files", count: 3 }, ms: 200 * pace }),
    ]);
    await tool("Edit", "src/cart.ts", {
      display: { kind: "diff", path: "src/cart.ts", isNew: false, added: 1, removed: 1, hunks: HUNKS },
    });
    const output = [
      "> shop@1.0.0 test",
      "> bun test checkout",
      "",
      "checkout.test.ts:",
      "✓ adds an item",
      "✓ 14 passed",
    ];
    await tool("Bash", "npm test -- checkout", {
      ms: 2_500 * pace,
      output,
      display: {
        kind: "command",
        command: "npm test -- checkout",
        exitCode: 0,
        signal: undefined,
        timedOut: false,
        tail: output,
        totalLines: 6,
      },
    });
    emit({
      type: "todos_changed",
      todos: [{ content: "Run the test 50 times", status: "completed", activeForm: "Running the test 50 times" }],
    });
    await say(ANSWER);
    emit({ type: "context_changed", usedTokens: 22_000, windowTokens: 200_000 });
  },
  async fail({ tool, say, emit }) {
    await tool("Bash", "npm run build", {
      isError: true,
      display: {
        kind: "command",
        command: "npm run build",
        exitCode: 2,
        signal: undefined,
        timedOut: false,
        tail: ["src/a.ts(3,1): error TS2304: Cannot find name 'x'.", "", "1 error"],
        totalLines: 12,
      },
    });
    await tool("Edit", "src/a.ts", {
      isError: true,
      content: "The text to replace was not found in src/a.ts.\nNearest: line 3.",
    });
    emit({ type: "retry", attempt: 2, maxAttempts: 10, delayMs: 1_000, status: 529, message: "overloaded" });
    await say("It does not build.");
    throw new Error("anthropic refused the request (401): check ANTHROPIC_API_KEY");
  },
  async ask({ prompt, ask, tool, say, sleep }) {
    if (prompt.includes("later")) await sleep(400);
    const replies = await Promise.all([
      ask({
        preview: {
          kind: "command",
          command: "rm -rf dist && npm publish --tag next",
          description: "Publish the next version",
          unclear: [],
        },
        reason: "You have not allowed it yet.",
        hazards: ["deletes files: dist/", "publishes a package"],
        suggestions: ["Bash(npm publish --tag next)"],
      }),
      ask({
        toolName: "Edit",
        title: "Make this change?",
        preview: { kind: "diff", path: "src/cart.ts", isNew: false, hunks: HUNKS },
        reason: "You have not allowed it yet.",
      }),
    ]);
    await tool("Bash", "npm publish --tag next", { isError: replies[0].decision === "reject", content: "refused" });
    await say(`You said ${replies.map(({ decision }) => decision).join(", ")}.`);
  },
  async long({ ask }) {
    const command = Array.from({ length: 60 }, (_, line) => `echo line ${line}`).join("\n");
    await ask({ preview: { kind: "command", command, description: "", unclear: [] }, hazards: ["runs many commands"] });
  },
  /** A script with parts that nobody can know, and characters that hide. */
  async script({ ask, say }) {
    const lines = Array.from(
      { length: 60 },
      (_, line) => `echo "step ${line}" && cp src/${line}.ts dist/ # 漢字 👨‍👩‍👧‍👦`,
    );
    const command = [...lines.slice(0, 4), 'eval "$INSTALL" \u200b--yes\u00a0x', ...lines.slice(5)].join("\n");
    const reply = await ask({
      preview: {
        kind: "command",
        command,
        description: "Build all of it",
        unclear: ['eval "$INSTALL"', "it runs what a variable holds"],
      },
      reason: "You have not allowed it yet.",
      hazards: ["deletes files: dist/ (copies are kept)"],
      confinement: "outside the sandbox",
      isOutside: true,
    });
    await say(`You said ${reply.decision}.`);
  },
  /** A long change in five parts. */
  async hunks({ ask, say }) {
    const reply = await ask({
      toolName: "Edit",
      title: "Change this file?",
      preview: { kind: "diff", path: "src/店/カート 🛒.ts", isNew: false, hunks: FIVE_HUNKS },
      reason: "You have not allowed it yet.",
      suggestions: ["Edit(/src/店/**)"],
      sessionRules: ["Edit(/src/店/カート 🛒.ts)"],
      confinement: "in the sandbox",
    });
    await say(`You said ${JSON.stringify(reply)}.`);
  },
  async plan({ prompt, ask, say }) {
    const file = prompt.split(" ")[1];
    const reply = await ask({
      kind: "plan",
      toolName: "ExitPlanMode",
      title: "Carry out this plan?",
      preview: { kind: "text", text: PLAN, ...(file !== undefined && { file }) },
      reason: "In plan mode nothing is changed before your yes.",
      suggestions: [],
      sessionRules: ["Bash(npm test *)", "Bash(npm run build *)"],
    });
    await say(`You said ${JSON.stringify(reply)}.`);
  },
  async secret({ ask, say }) {
    const rules = ["env.pass: GH_TOKEN"];
    const reply = await ask({
      kind: "credential",
      title: "Give GH_TOKEN to gh?",
      preview: { kind: "text", text: "gh can use GH_TOKEN from your environment." },
      reason: "Variables that look like credentials are kept from commands.",
      suggestions: rules,
      sessionRules: rules,
    });
    await say(`You said ${reply.decision}.`);
  },
  /** Three at once, of which a rule settles the second, and the first once it is being refused with words. */
  async three({ ask, say, withdraw, sleep }) {
    const asked = ["first", "second", "third"].map((title) => ask({ title: `Run the ${title} command?` }));
    await sleep(600);
    withdraw("Run the second command?");
    await sleep(600);
    withdraw("Run the first command?");
    const replies = await Promise.all(asked);
    await say(`You said ${replies.map(({ decision }) => decision).join(", ")}.`);
  },
  async code({ say }) {
    const body = Array.from({ length: 60 }, (_, line) => `  const value${line} = "text ${line}"; // ${line}`).join(
      "\n",
    );
    await say(`Here it is:\n\n\`\`\`ts\nfunction long() {\n${body}\n}\n\`\`\`\n\nThat is all.`, { pieceChars: 30 });
  },
  /** 10,000 lines, a hundred at a time. */
  async lines({ say }) {
    for (let from = 0; from < 10_000; from += 100)
      await say(Array.from({ length: 100 }, (_, at) => `- line ${from + at} of it\n`).join(""), {
        pieceChars: 500,
        ms: 10,
      });
  },
  /** `numbered tens 20`: 420 numbered lines in paragraphs of ten, or `long` as one paragraph, at this many milliseconds a piece. */
  async numbered({ prompt, say }) {
    const [, form, ms] = prompt.split(" ");
    const lines = Array.from({ length: 420 }, (_, at) => `row${at}x${" and words".repeat(1 + ((at * 7) % 5))}`);
    const tens = Array.from({ length: 42 }, (_, part) => lines.slice(part * 10, part * 10 + 10).join("\n"));
    await say(form === "long" ? lines.join(" ") : tens.join("\n\n"), { pieceChars: 30, ms: Number(ms) });
    await say("\n\nThat is all.");
  },
  async list({ say }) {
    await say(Array.from({ length: 40 }, (_, at) => `- item ${at} with **some** words and \`code\``).join("\n"), {
      pieceChars: 40,
      ms: 20,
    });
  },
  /** Two calls with time between them to type. */
  async calls({ tool }) {
    await tool("Bash", "first", { ms: 700 });
    await tool("Bash", "second", { ms: 100 });
  },
  /** Eight calls at once, each of which ends at a time of its own. */
  async many({ say, tool }) {
    await say("I'll read every part.");
    const parts = Array.from({ length: 8 }, (_, at) => at);
    await Promise.all(parts.map((at) => tool("Read", `src/part-${at}.ts`, { ms: 200 + 60 * at })));
    await say("All parts are read.");
  },
  /** Five agents and a shell in the background, of which the first two work on for a while. */
  async agents({ emit, sleep }) {
    const tasks = ["find what sleeps in tests/", "list the timers", "plan the move", "read the guide", "count"].map(
      (description, at) => agentTask(`a${at + 1}`, ["Explore", "Plan", "general-purpose"][at % 3] ?? "", description),
    );
    for (const task of tasks) emit({ type: "task_started", task });
    const shell = shellTask("b1", "npm run dev");
    emit({ type: "task_started", task: shell });
    for (let at = 1; at < 20; at += 1) {
      await sleep(100);
      for (const task of tasks.slice(0, 2)) {
        const agent = { type: "", ...task.agent, activity: `Read src/file-${at}.ts`, tokens: 900 * at, calls: at };
        emit({ type: "task_changed", task: { ...task, agent } });
      }
    }
    const [, second, third] = tasks;
    const ended = { status: "completed", state: "completed · 3 requests" } as const;
    if (second) emit({ type: "task_ended", task: { ...second, ...ended } });
    const asks = { type: "general-purpose", activity: "waits for your answer", tokens: 900, calls: 3 };
    if (third) emit({ type: "task_changed", task: { ...third, agent: asks } });
  },
  /** A call without output, for as long as the person waits. */
  async quiet({ emit, sleep }) {
    const use = {
      type: "tool_use",
      id: "quiet",
      name: "Bash",
      input: { command: "grep -r", description: "" },
    } as const;
    const input = { ...use.input, description: "find what sleeps in the tests" };
    emit({ type: "tool_started", use: { ...use, input }, title: "grep -r sleep", level: "read" });
    await sleep(600_000);
  },
  /** A list of steps that is done when the person stops the turn. */
  async steps({ emit, sleep }) {
    const steps = ["Find the wait", "Wait for the cart", "Run the test 50 times"].map((content, at) => {
      const status = (["completed", "in_progress", "pending"] as const)[at] ?? "pending";
      return { content, status, activeForm: `${content}, now` };
    });
    emit({ type: "todos_changed", todos: steps });
    try {
      await sleep(600_000);
    } finally {
      emit({ type: "todos_changed", todos: steps.map((step) => ({ ...step, status: "completed" })) });
    }
  },
  async hang({ sleep }) {
    await sleep(600_000);
  },
  async burst({ say }) {
    await say(TWO_THOUSAND_DELTAS.join(""), { pieceChars: 6, ms: 0 });
  },
  async pace({ say }) {
    await say(TWO_THOUSAND_DELTAS.join(""), { pieceChars: 6, ms: 5 });
  },
  async evil({ say, tool }) {
    await tool("Bash", "cat \u001b[2Jevil\u001b]0;owned\u0007", {
      display: {
        kind: "command",
        command: "x",
        exitCode: 0,
        signal: undefined,
        timedOut: false,
        tail: ["\u001b[31mred\u001b]52;c;Zm9v\u0007 \u009b2J\u202eabc", "10%\r100%"],
        totalLines: 2,
      },
    });
    await say("safe \u001b[2J\u001b[H\u001b]0;owned\u0007text \u202eabc");
  },
  /** An event that no screen can draw: our own faults must not leave the terminal broken. */
  async break({ emit, sleep }) {
    emit({ type: "tool_started", use: undefined, title: "x", level: "none" } as never);
    await sleep(600_000);
  },
  async line({ say }) {
    await say("x".repeat(1_000_000), { pieceChars: 50_000, ms: 1 });
  },
  async wide({ say }) {
    await say("漢字かな交じり文 👨‍👩‍👧‍👦 e\u0301 ".repeat(40), { pieceChars: 7, ms: 1 });
  },
};

/** 2,000 deltas of prose and code: 12,000 characters. */
export const TWO_THOUSAND_DELTAS: readonly string[] = (() => {
  const paragraph =
    "The cart **debounces** its writes, so that the `total` settles only after a while and tests see it late.\n\n";
  const code = "```ts\nconst total = items.reduce((sum, item) => sum + item.price, 0);\nreturn total;\n```\n\n";
  const text = `${paragraph.repeat(4)}${code}- one thing\n- another thing\n\n`.repeat(40).slice(0, 12_000);
  return text.match(/[\s\S]{1,6}/g) ?? [];
})();

export const playScene: Script = async (stage) => {
  const scene = scenes[stage.prompt.split(/\s/)[0] ?? ""];
  if (scene) return scene(stage);
  await stage.say(`You said ${stage.prompt.length} characters in ${stage.prompt.split("\n").length} lines.`, { ms: 0 });
};
