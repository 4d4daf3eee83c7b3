import { configCommand } from "../../src/commands/config.ts";
import { costCommand } from "../../src/commands/cost.ts";
import { effortCommand } from "../../src/commands/effort.ts";
import { modelCommand } from "../../src/commands/model.ts";
import { permissionsCommand } from "../../src/commands/permissions.ts";
import { resumeCommand } from "../../src/commands/resume.ts";
import { statusCommand } from "../../src/commands/status.ts";
import { themeCommand } from "../../src/commands/theme.ts";
import type { Command, CommandContext } from "../../src/contracts/command.ts";
import { NO_USAGE } from "../../src/contracts/message.ts";
import type { KeybindingsFile } from "../../src/faces/repl/keymap/keybindings-file.ts";
import { DIALOG_CONTEXT } from "./dialog-context.ts";
import { answer, CART_HUNKS, call, command, diff, finished, turn } from "./golden-events.ts";
import type { GoldenStage } from "./golden-stage.ts";
import type { GoldenState } from "./golden-states.ts";

const [UP, DOWN, CTRL_O, CTRL_X] = ["\u001b[A", "\u001b[B", "\u000f", "\u0018"];

const SPENT: CommandContext = {
  ...DIALOG_CONTEXT,
  engine: {
    state: {
      model: "claude-sonnet-5",
      usage: { ...NO_USAGE, inputTokens: 21_000, cacheReadTokens: 180_000, outputTokens: 4_000 },
      costUsd: 0.4123,
      spendBySource: [
        { source: "main", usd: 0.4, tokens: 200_000 },
        { source: "subagent", usd: 0.0123, tokens: 5_000 },
      ],
    },
  },
} as unknown as CommandContext;

/** Runs a command, shows what it returns, and presses keys. */
const ran = (
  one: Command,
  { context = DIALOG_CONTEXT, keys = [] }: { context?: CommandContext; keys?: readonly string[] } = {},
): GoldenState => ({
  play: async (here: GoldenStage) => {
    const result = await one.run("", context, new AbortController().signal);
    if (result.kind === "choose") here.tell({ type: "choose", list: result });
    else if (result.kind === "view") here.tell({ type: "view", title: result.title, lines: result.lines });
    else if (result.kind === "text")
      here.tell({ type: "row", row: { kind: "answer", command: one.name, lines: result.lines } });
    else throw new Error(`A golden frame has no ${result.kind}.`);
    await here.wait(2_000);
    await here.type(...keys);
  },
});

const field = (rest: object, ...keys: readonly string[]): GoldenState => ({
  play: async (here: GoldenStage) => {
    here.tell({ type: "field", title: "New server: Host", isShown: true, ...rest });
    await here.wait(2_000);
    await here.type(...keys);
  },
});

const MARKS = {
  title: "Context",
  lines: ["claude-sonnet-5 · 200k window · 61k used (31%)", "", "■■■■■■■■▲▲◆◆······"],
  rows: [
    { id: "", line: "    Turns", keys: {} },
    ...["turn 7  Read src/big.ts  11.8k", "turn 9  npm test  4.1k", "turn 12  価格  2k"].map((line, at) => ({
      id: `${at}`,
      line: `    ${line}`,
      keys: { d: "drop", p: "pin", c: "collapse" },
    })),
  ],
  input: "/context",
  accepts: "tells the price",
};

/** A person's file of keys that does not exist yet. */
const KEYBINDINGS: KeybindingsFile = {
  shown: "~/.config/quoll/keybindings.json",
  exists: () => false,
  read: async () => "",
  change: async () => undefined,
  watch: () => () => undefined,
};

/** A conversation that is longer than a window. */
const long = (here: GoldenStage) => {
  for (let at = 1; at <= 12; at += 1) here.play(turn(`prompt ${at}`), ...answer(`The **answer** ${at} of the needle.`));
  here.play(
    ...call("Bash", "seq 40", {
      content: Array.from({ length: 40 }, (_, at) => `${at}`).join("\n"),
      display: command({ totalLines: 40 }),
    }),
  );
  here.play(
    ...call("Edit", "src/cart.ts", { display: diff("src/cart.ts", CART_HUNKS) }),
    finished({ reason: "completed" }),
  );
};

const viewed = (...keys: readonly string[]): GoldenState => ({
  play: async (here: GoldenStage) => {
    long(here);
    await here.wait(1_000);
    await here.type(CTRL_O);
    await here.wait(1_000);
    await here.type(...keys);
  },
});

/** Lists, forms, panels and the transcript's viewer. */
export const panelStates: Readonly<Record<string, GoldenState>> = {
  "panel keys": { play: (here) => here.type("?") },
  "panel help": {
    play: async (here) => {
      here.tell({
        type: "commands",
        completions: [
          { name: "clear", summary: "Start a new conversation", argumentHint: "" },
          {
            name: "batch",
            summary: "Run one prompt for many files or lines, each in its own session",
            argumentHint: "[--files glob -- prompt | run id | show id]",
          },
        ],
      });
      here.tell({ type: "keys", request: { about: "help", filter: "", rows: [["Read", "Reads a file (read)"]] } });
      await here.wait(1_000);
      await here.type(DOWN);
    },
  },
  "panel keys list": {
    props: { keybindings: KEYBINDINGS },
    play: async (here) => {
      here.tell({ type: "keys", request: { about: "keys", argument: "" } });
      await here.wait(1_000);
    },
  },
  "panel keys capture": {
    props: { keybindings: KEYBINDINGS },
    play: async (here) => {
      here.tell({ type: "keys", request: { about: "keys", argument: "set prompt prompt.submit" } });
      await here.wait(1_000);
      await here.type("\u0012");
    },
  },
  "panel cost": ran(costCommand, { context: SPENT }),
  "panel status": ran(statusCommand),
  "panel markdown": {
    play: (here) =>
      here.tell({
        type: "view",
        title: "Side question",
        lines: ["# Title", "", "It is **so**: `a`."],
        isMarkdown: true,
      }),
  },
  "picker model": ran(modelCommand),
  "picker filtered": ran(modelCommand, { keys: ["name-2"] }),
  "picker nothing found": ran(modelCommand, { keys: ["gpt"] }),
  "picker resume": ran(resumeCommand, { keys: [DOWN] }),
  "picker config": ran(configCommand),
  "picker permissions": ran(permissionsCommand),
  "picker theme": ran(themeCommand),
  "picker effort": ran(effortCommand),
  "picker yes or no": {
    play: async (here) => {
      const choices = ["yes, delete it", "no"].map((label) => ({ label, detail: "", input: "" }));
      here.tell({ type: "choose", list: { title: "Delete the session?", choices, isYesNo: true } });
      await here.wait(2_000);
      await here.type(DOWN, UP);
    },
  },
  "marks context": {
    play: async (here) => {
      here.tell({ type: "mark", list: MARKS });
      await here.wait(2_000);
      await here.type(DOWN, "d", DOWN);
    },
  },
  "form field": field({ hasMore: true, canBeEmpty: true }, "example.com"),
  "form secret": field({ title: "Key for openai", isShown: false }, "sk-0123456789"),
  "form problem": field({ title: "Depth", value: "4", problem: "5 is too deep", back: "/every list" }),
  "form suggestions": {
    play: async (here) => {
      here.tell({ type: "field", title: "/mcp__shop__status: id", isShown: true, canSuggest: true });
      await here.wait(2_000);
      await here.type("order");
      const values = Array.from({ length: 20 }, (_, at) => `order-${at} ${"of a customer ".repeat(at)}`);
      here.tell({ type: "suggestions", text: "order", values });
    },
  },
  viewer: viewed(),
  "viewer unfolds": {
    play: async (here) => {
      const tail = Array.from({ length: 9 }, (_, at) => `line ${at}`);
      here.play(
        turn("go"),
        ...call("Bash", "seq 9", { content: tail.join("\n"), display: command({ tail, totalLines: 9 }) }),
      );
      await here.wait(1_000);
      await here.type(CTRL_X, CTRL_O);
    },
  },
  "viewer search": viewed("/", "needle", "\r", "n"),
  "viewer keys": viewed("?"),
  "viewer changes": {
    play: async (here) => {
      const file = { ...diff("src/cart.ts", CART_HUNKS), takeBack: ["/undo 1"] };
      here.tell({
        type: "changes",
        title: "Changes of this session",
        groups: [{ title: "Edited", files: [file] }],
        notes: ["1 picture"],
        lines: [],
      });
      await here.wait(1_000);
    },
  },
};
