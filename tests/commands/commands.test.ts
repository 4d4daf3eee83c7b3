import { describe, expect, test } from "bun:test";
import { clearCommand } from "../../src/commands/clear.ts";
import { costCommand } from "../../src/commands/cost.ts";
import { exitCommand } from "../../src/commands/exit.ts";
import { helpCommand } from "../../src/commands/help.ts";
import { modelCommand } from "../../src/commands/model.ts";
import { permissionsCommand } from "../../src/commands/permissions.ts";
import { resumeCommand } from "../../src/commands/resume.ts";
import type { CommandContext } from "../../src/contracts/command.ts";
import type { Engine, EngineState } from "../../src/contracts/engine.ts";
import { UserFacingError } from "../../src/contracts/errors.ts";
import type { Inventory, InventoryEntry } from "../../src/contracts/inventory.ts";
import { NO_USAGE } from "../../src/contracts/message.ts";
import type { SessionSummary } from "../../src/contracts/session.ts";

const NOW = 1_000_000_000;
const MINUTE_MS = 60_000;

function contextWith(changes: Partial<EngineState> = {}, extra: Partial<CommandContext> = {}) {
  const calls: string[] = [];
  let state: EngineState = {
    sessionId: "aaaaaaaa-1111",
    model: "sonnet",
    providerName: "anthropic",
    mode: "default",
    busy: false,
    messages: [],
    usage: NO_USAGE,
    costUsd: 0,
    usedTokens: 0,
    windowTokens: 200_000,
    queue: [],
    ...changes,
  };
  const engine = {
    get state() {
      return state;
    },
    clear: () => calls.push("clear"),
    setModel: async (name: string) => {
      if (name === "nope") throw new UserFacingError("no such model");
      state = { ...state, model: name };
      calls.push(`model ${name}`);
    },
  } as unknown as Engine;
  const entries: InventoryEntry[] = [
    { kind: "command", name: "help", source: "builtin", level: "none", summary: "Show help" },
    { kind: "tool", name: "Read", source: "builtin", level: "read", summary: "Read a file" },
  ];
  const inventory: Inventory = {
    list: (kind) => entries.filter((entry) => !kind || entry.kind === kind),
    get: () => undefined,
    route: () => [],
  };
  const context: CommandContext = {
    engine,
    inventory,
    permissions: { describe: () => [] },
    models: { list: () => ["sonnet", "haiku"] },
    sessions: { list: async () => [] },
    resume: (id) => calls.push(`resume ${id}`),
    exit: () => calls.push("exit"),
    ...extra,
  };
  return { context, calls };
}

const session = (id: string, title: string, ageMinutes: number): SessionSummary => ({
  id,
  title,
  modifiedAt: NOW - ageMinutes * MINUTE_MS,
  bytes: 10,
});
const resume = resumeCommand({ now: () => NOW });

describe("/help", () => {
  test("lists commands, keys and tools out of the inventory", async () => {
    const { context } = contextWith({}, { keys: [{ keys: "esc", does: "interrupt" }] });
    expect((await helpCommand().run("", context)).lines).toEqual([
      "Commands",
      "  /help  Show help",
      "",
      "Keys",
      "  esc  interrupt",
      "",
      "Tools the model may call",
      "  Read  Read a file (read)",
      "",
      "Type what you want done; `!command` runs a shell command in your own name.",
    ]);
  });

  test("says nothing of keys where there are none", async () => {
    expect((await helpCommand().run("", contextWith().context)).lines).not.toContain("Keys");
  });
});

test("/clear starts anew and names the session that keeps the old talk", async () => {
  const { context, calls } = contextWith();
  expect((await clearCommand().run("", context)).lines).toEqual([
    "New conversation. What was said before stays in session aaaaaaaa.",
  ]);
  expect(calls).toEqual(["clear"]);
});

describe("/model", () => {
  test("without a name tells the model and offers the others", async () => {
    const answer = await modelCommand().run(" ", contextWith().context);
    expect(answer).toEqual({
      lines: [
        "The model is sonnet (anthropic).",
        "  sonnet  in use",
        "  haiku",
        "`/model <name>` changes it; any id of the provider will do.",
      ],
      choose: {
        title: "Model: sonnet (anthropic)",
        choices: [
          { label: "sonnet", detail: "in use", input: "/model sonnet" },
          { label: "haiku", detail: "", input: "/model haiku" },
        ],
      },
    });
  });

  test("with a name changes it and tells what it became", async () => {
    const { context, calls } = contextWith();
    expect((await modelCommand().run(" haiku ", context)).lines).toEqual(["The model is now haiku."]);
    expect(calls).toEqual(["model haiku"]);
  });

  test("lets the reason through when it cannot be used", async () => {
    await expect(modelCommand().run("nope", contextWith().context)).rejects.toThrow("no such model");
  });
});

describe("/permissions", () => {
  test("says what holds without rules", async () => {
    expect((await permissionsCommand().run("", contextWith({ mode: "plan" }).context)).lines).toEqual([
      "Mode: plan. Deny goes before ask, ask before allow, whatever their order.",
      "No rules: reading the workspace is free, everything else is asked.",
    ]);
  });

  test("lists each rule with its source in columns", async () => {
    const describe = () => [
      { decision: "deny", rule: "Read(.env)", source: "settings.json:3" } as const,
      { decision: "allow", rule: "Bash(npm test)", source: "settings.json:9" } as const,
    ];
    const { context } = contextWith({}, { permissions: { describe } });
    expect((await permissionsCommand().run("", context)).lines.slice(1)).toEqual([
      "  deny   Read(.env)      settings.json:3",
      "  allow  Bash(npm test)  settings.json:9",
    ]);
  });
});

describe("/resume", () => {
  const list = async () => [
    session("bbbbbbbb-2222", "fix the cart", 90),
    session("cccccccc-3333", "write docs", 5),
    session("cccc1111-4444", "older", 60 * 72),
    session("aaaaaaaa-1111", "this one", 0),
  ];

  test("offers the other sessions, newest first", async () => {
    const answer = await resume.run("", contextWith({}, { sessions: { list } }).context);
    expect(answer.choose).toEqual({
      title: "Go on with …",
      choices: [
        { label: "write docs", detail: "5 min ago", input: "/resume cccccccc-3333" },
        { label: "fix the cart", detail: "1 h ago", input: "/resume bbbbbbbb-2222" },
        { label: "older", detail: "3 days ago", input: "/resume cccc1111-4444" },
      ],
    });
    expect(answer.lines[0]).toBe("  cccccccc  write docs  5 min ago");
  });

  test("lists no more than twenty and says how many are left out", async () => {
    const many = async () => Array.from({ length: 25 }, (_, at) => session(`s${at}`, `t${at}`, at));
    const answer = await resume.run("", contextWith({}, { sessions: { list: many } }).context);
    expect(answer.choose?.choices).toHaveLength(20);
    expect(answer.lines).toContain("  … 5 older ones");
  });

  test.each(["bbbbbbbb-2222", "bbbb", "fix the cart"])("goes on with %j", async (wanted) => {
    const { context, calls } = contextWith({}, { sessions: { list } });
    await resume.run(wanted, context);
    expect(calls).toEqual(["resume bbbbbbbb-2222"]);
  });

  test("says which sessions fit when several do, and switches to none", async () => {
    const { context, calls } = contextWith({}, { sessions: { list } });
    const problem = resume.run("cccc", context);
    await expect(problem).rejects.toThrow('2 sessions fit "cccc": cccccccc-3333, cccc1111-4444. Give more of the id.');
    expect(calls).toEqual([]);
  });

  test("names what looks most like an unknown title", async () => {
    await expect(resume.run("write doc", contextWith({}, { sessions: { list } }).context)).rejects.toThrow(
      'There is no session "write doc" in this project. Did you mean "write docs"?',
    );
  });

  test("says so when there is no other session", async () => {
    expect((await resume.run("", contextWith().context)).lines).toEqual([
      "There is no other session of this project yet.",
    ]);
  });
});

describe("/cost", () => {
  const usage = { inputTokens: 1_000, outputTokens: 500, cacheReadTokens: 20_000, cacheWriteTokens: 300 };

  test("says so when nothing was used", async () => {
    expect((await costCommand().run("", contextWith().context)).lines).toEqual(["No tokens were used yet."]);
  });

  test("shows tokens by kind and dollars by model", async () => {
    const usageByModel = { sonnet: { usage, costUsd: 0.04 } };
    const { context } = contextWith({ usage, costUsd: 0.04, usageByModel });
    expect((await costCommand().run("", context)).lines).toEqual([
      "This session: $0.04",
      "  input                1.0k",
      "  read from cache       20k",
      "  written to cache      300",
      "  output                500",
      "By model",
      "  sonnet     22k tok  $0.04",
    ]);
  });

  test("never shows an unknown price as nothing", async () => {
    const { context } = contextWith({ usage, costUsd: undefined });
    const { lines } = await costCommand().run("", context);
    expect(lines[0]).toBe("This session: cost unknown (a price is missing)");
    expect(lines.join("\n")).not.toContain("$0");
    expect(lines.at(-1)).toBe("A model whose price is unknown is not counted in any sum.");
  });
});

test("/exit leaves", async () => {
  const { context, calls } = contextWith();
  await exitCommand().run("", context);
  expect(calls).toEqual(["exit"]);
});
