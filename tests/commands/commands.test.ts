import { describe, expect, test } from "bun:test";
import { BUILTIN_COMMANDS } from "../../src/commands/builtin-commands.ts";
import { clearCommand } from "../../src/commands/clear.ts";
import { costCommand } from "../../src/commands/cost.ts";
import { effortCommand } from "../../src/commands/effort.ts";
import { exitCommand } from "../../src/commands/exit.ts";
import { helpCommand } from "../../src/commands/help.ts";
import { hooksCommand } from "../../src/commands/hooks.ts";
import { loginCommand } from "../../src/commands/login.ts";
import { modelCommand } from "../../src/commands/model.ts";
import { modelChoices } from "../../src/commands/model-table.ts";
import { permissionsCommand } from "../../src/commands/permissions.ts";
import { planCommand } from "../../src/commands/plan.ts";
import { portsCommand } from "../../src/commands/ports.ts";
import { queueCommand } from "../../src/commands/queue.ts";
import { renameCommand } from "../../src/commands/rename.ts";
import { resumeCommand } from "../../src/commands/resume.ts";
import { sessionsCommand } from "../../src/commands/sessions.ts";
import { thinkingCommand } from "../../src/commands/thinking.ts";
import type { AccountStatus, Command, CommandContext, KeysRequest, ModelOffer } from "../../src/contracts/command.ts";
import { linesOf } from "../../src/contracts/command-result.ts";
import type { Engine, EngineState, UserInput } from "../../src/contracts/engine.ts";
import { SessionOpenError, UserFacingError } from "../../src/contracts/errors.ts";
import type { Inventory, InventoryEntry } from "../../src/contracts/inventory.ts";
import { NO_USAGE } from "../../src/contracts/message.ts";
import type { Thinking } from "../../src/contracts/provider.ts";
import type { ClearedConversation, SessionLabel, SessionSummary } from "../../src/contracts/session.ts";
import type { SettingEdit, SettingRow } from "../../src/contracts/settings-view.ts";
import { openPicker, shownChoices } from "../../src/faces/repl/layers/picker.ts";

const NOW = 1_000_000_000;
const fail = () => Promise.reject(new Error("not asked for"));
const MINUTE_MS = 60_000;

const READ_ENTRY: InventoryEntry = {
  kind: "tool",
  name: "Read",
  source: "builtin",
  level: "read",
  summary: "Read a file",
};
const PERMISSIONS: CommandContext["permissions"] = {
  describe: () => [],
  consent: () => ({ isGiven: false, line: "Confined commands are asked about." }),
  revokeConsent: async () => [],
};

const SETTING: SettingRow = {
  ...{ key: "x", description: "About it", type: "a text", values: [], overridden: [] },
  ...{ isList: false, isLive: true },
};

/** Settings that keep every edit. */
function settingsWith(rows: readonly SettingRow[], edits: SettingEdit[]): NonNullable<CommandContext["settings"]> {
  return async () => ({
    files: { user: "~/user.json", project: "shop/.quoll/settings.json", own: "~/own.json" },
    list: async () => rows,
    describe: (key) => ({ ...SETTING, key }),
    edit: async (edit) => {
      if (edit.what === "set" && edit.value === "wrong") throw new UserFacingError("It must be a number.");
      edits.push(edit);
      return { lines: [`${edit.key} written`], warnings: [], isSame: false, isLive: true };
    },
  });
}

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
    prompts: [{ messageId: "m1", text: "hello" }],
    clear: () => {
      calls.push("clear");
      return "bbbbbbbb-2222";
    },
    setMode: (mode: string) => {
      calls.push(`mode ${mode}`);
    },
    setModel: async (name: string) => {
      if (name === "nope") throw new UserFacingError("no such model");
      state = { ...state, model: name };
      calls.push(`model ${name}`);
    },
    setEffort: (effort?: string) => calls.push(`effort ${effort}`),
    setThinking: (thinking?: Thinking) => calls.push(`thinking ${thinking}`),
    enqueue: ({ prompt }: UserInput, when: string) => calls.push(`${when} ${prompt}`),
  } as unknown as Engine;
  const entries: InventoryEntry[] = [
    { kind: "command", name: "help", source: "builtin", level: "none", summary: "Show help" },
    READ_ENTRY,
  ];
  const inventory: Inventory = {
    list: (kind) => entries.filter((entry) => !kind || entry.kind === kind),
    get: () => undefined,
    route: () => [],
  };
  const context: CommandContext = {
    engine,
    inventory,
    permissions: PERMISSIONS,
    models: { list: () => ["sonnet", "haiku"] },
    sessions: { list: async () => [] },
    now: () => NOW,
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
  ...{ bytes: 10, prompts: 1, costUsd: 0 },
});
const run = (command: Command, argument: string, context: CommandContext) =>
  command.run(argument, context, new AbortController().signal);

/** The text that a face without lists and forms shows. */
async function said(command: Command, argument: string, context: CommandContext) {
  const result = await run(command, argument, context);
  if (result.kind === "prompt" || result.kind === "operation") throw new Error(`/${command.name}: ${result.kind}`);
  return linesOf(result);
}

async function offered(command: Command, argument: string, context: CommandContext) {
  const result = await run(command, argument, context);
  if (result.kind !== "choose") throw new Error(`/${command.name}: ${result.kind}`);
  return result;
}

async function form(command: Command, argument: string, context: CommandContext) {
  const result = await run(command, argument, context);
  if (result.kind !== "form") throw new Error(`/${command.name}: ${result.kind}`);
  return { ...result, fill: (key: string) => result.submit({ key }, new AbortController().signal) };
}

describe("/help", () => {
  test("lists commands, keys and tools out of the inventory", async () => {
    const { context } = contextWith({}, { keys: [{ keys: "esc", does: "interrupt" }] });
    expect(await said(helpCommand, "", context)).toEqual([
      "Commands",
      "  /help  Show help",
      "",
      "Keys",
      "  esc  interrupt",
      "",
      "Tools the model may call",
      "  Read       Read a file (read)",
      "  WebSearch  off: `quoll doctor` says how to add a search",
      "",
      "Type what you want done; `!command` runs a shell command without asking the model.",
    ]);
  });

  test("says nothing about a search if there is one", async () => {
    const inventory: Inventory = {
      list: (kind) => (kind === "tool" ? [{ ...READ_ENTRY, name: "WebSearch", summary: "Search the web" }] : []),
      get: () => undefined,
      route: () => [],
    };
    expect(await said(helpCommand, "", contextWith({}, { inventory }).context)).not.toContain("doctor");
  });

  test("counts the tools of MCP servers", async () => {
    const brought = (name: string): InventoryEntry => ({ ...READ_ENTRY, name, source: "mcp" });
    const tools = [READ_ENTRY, brought("mcp__db__query"), brought("mcp__db__insert"), brought("mcp__web__get")];
    const inventory: Inventory = {
      list: (kind) => (kind === "tool" ? tools : []),
      get: () => undefined,
      route: () => [],
    };
    expect((await said(helpCommand, "", contextWith({}, { inventory }).context)).slice(0, 4)).toEqual([
      "Tools the model may call",
      "  Read         Read a file (read)",
      "  mcp__db__*   2 tools",
      "  mcp__web__*  1 tool",
    ]);
  });

  test("shows only what has the words of its argument", async () => {
    const { context } = contextWith({}, { keys: [{ keys: "esc", does: "interrupt" }] });
    const shown = await said(helpCommand, " a FILE", context);
    expect(shown).toContainEqual(expect.stringMatching(/Read +Read a file/));
    expect(shown.join()).not.toMatch(/esc|\/help/);
    expect(await said(helpCommand, "nosuch", context)).toEqual([expect.stringContaining("nosuch")]);
    const asked: KeysRequest[] = [];
    await run(helpCommand, " WebFetch", { ...context, showKeys: (request) => asked.push(request) });
    expect(asked).toMatchObject([{ about: "help", filter: "WebFetch" }]);
  });

  test("leaves out keys if there are none", async () => {
    expect(await said(helpCommand, "", contextWith().context)).not.toContain("Keys");
  });
});

test("/clear starts anew and names the id that opens the old conversation, and the command that finds it", async () => {
  const sessions = { list: async () => [], copyCleared: async () => "copy" };
  const { context, calls } = contextWith({}, { sessions });
  const text = (await said(clearCommand, "", context)).join(" ");
  for (const part of ["was cleared", "/resume bbbbbbbb", "quoll --resume bbbbbbbb", "/search"])
    expect(text).toContain(part);
  expect(calls).toEqual(["clear"]);
});

test("/clear of a session that is not saved names no id", async () => {
  expect((await said(clearCommand, "", contextWith().context)).join(" ")).not.toContain("bbbbbbbb");
});

describe("/model", () => {
  const offer = (name: string, rest: Partial<ModelOffer> = {}): ModelOffer => ({
    name,
    model: name,
    provider: "anthropic",
    windowTokens: 1_000_000,
    price: { input: 2, output: 10 },
    efforts: ["low", "high"],
    hasAccess: true,
    ...rest,
  });

  test("without a name offers the models with the details to choose by, those with a key first", async () => {
    const describe = async () => [
      offer("openai/gpt-6", { model: "gpt-6", provider: "openai", hasAccess: false, price: undefined }),
      offer("best", { model: "opus", price: { input: 0.1, output: 0.025 } }),
      offer("sonnet"),
      offer("local", { provider: "ollama", windowTokens: 32_000, price: { input: 0, output: 0 } }),
    ];
    const models = { list: () => [], describe };
    const list = await offered(modelCommand, " ", contextWith({ effort: "low" }, { models }).context);
    expect(list).toEqual({
      kind: "choose",
      lines: [
        "The model is sonnet (anthropic); effort low, thinking default.",
        "  best → opus  anthropic   1.0M   $0.10/$0.025",
        "  sonnet  anthropic   1.0M         $2/$10  in use",
        "  local  ollama       32k           free",
        "  openai/gpt-6  openai      1.0M  price unknown  no key",
        "`/model <name>` changes the model; any model id of the provider works.",
      ],
      title: "Model: sonnet (anthropic)",
      choices: [
        {
          label: "best → opus",
          names: ["best", "opus"],
          detail: "anthropic   1.0M   $0.10/$0.025        ",
          brief: "$0.10/$0.025",
          about: ["opus of anthropic", "context of 1.0M tokens · $0.10 in, $0.025 out per million tokens"],
          input: "/model best",
        },
        {
          label: "sonnet",
          names: ["sonnet"],
          detail: "anthropic   1.0M         $2/$10  in use",
          brief: "in use",
          about: ["sonnet of anthropic", "context of 1.0M tokens · $2 in, $10 out per million tokens"],
          input: "/model sonnet",
          isCurrent: true,
        },
        {
          label: "local",
          names: ["local"],
          detail: "ollama       32k           free        ",
          brief: "free",
          about: ["local of ollama", "context of 32k tokens · free"],
          input: "/model local",
        },
        {
          label: "openai/gpt-6",
          names: ["openai/gpt-6"],
          detail: "openai      1.0M  price unknown  no key",
          brief: "no key",
          about: ["gpt-6 of openai: no key, /login openai asks for it", "context of 1.0M tokens · price unknown"],
          input: "/model openai/gpt-6",
        },
      ],
      shortcuts: [
        { letter: "e", label: "effort: low", input: "/effort" },
        { letter: "t", label: "thinking: default", input: "/thinking" },
      ],
    });
  });

  test("the name that was typed is the first choice, before an alias of that model", () => {
    const offers = [offer("best", { model: "claude-opus-5" }), offer("opus", { model: "claude-opus-5" })];
    const [first] = shownChoices({ choices: modelChoices(offers, "sonnet"), filter: "opus" });
    expect(first?.input).toBe("/model opus");
  });

  test("a server that answers late is in the list once it has answered", async () => {
    const local = offer("ollama/qwen3", { provider: "ollama" });
    const models = { list: () => [], describe: async () => [offer("sonnet")], describeAll: async () => [local] };
    const list = await offered(modelCommand, "", contextWith({}, { models }).context);
    const later = await list.later?.(new AbortController().signal, () => undefined);
    expect(later?.map(({ label }) => label)).toEqual(["sonnet", "ollama/qwen3"]);
  });

  test("does not switch to a name that is nearly a known one, but says it, unless the model is tried", async () => {
    const house = offer("house/house-large", { model: "house-large", provider: "house" });
    const models = { list: () => ["sonnet"], describe: async () => [house, offer("sonnet"), offer("claude-opus-5-5")] };
    const sideQuestions = { ask: fail, recap: fail, tryOut: async () => ({ text: "", tokens: 1, costUsd: 0 }) };
    const { context, calls } = contextWith({}, { models, sideQuestions });
    const slips = { sonet: "sonnet", "house/hous-lage": "house/house-large", "hous-large": "house/house-large" };
    for (const [name, meant] of Object.entries(slips)) {
      const refused = said(modelCommand, `${name} --default`, context);
      await expect(refused).rejects.toThrow(`did you mean \`/model ${meant}\`?`);
      await expect(refused).rejects.toThrow(`\`/model ${name} --try\``);
    }
    expect(calls).toEqual([]);
    for (const name of ["sonet --try", "gpt-6-turbo", "claude-opus-5-6", "Sonnet"])
      await run(modelCommand, name, context);
    expect(calls).toEqual(["model sonet", "model gpt-6-turbo", "model claude-opus-5-6", "model Sonnet"]);
  });

  test("names a model that its provider lists by the name that works, and asks nothing else of an unknown one", async () => {
    const house = offer("house/house-large", { model: "house-large", provider: "house" });
    const models = { list: () => [], describe: async () => [house, offer("sonnet")] };
    const ofHouse = contextWith({ model: "hous", providerName: "house" }, { models }).context;
    ofHouse.engine.setModel = async () => undefined;
    const line = (await said(modelCommand, "house/hous", ofHouse)).join();
    expect(line).toContain("did you mean `/model house/house-large`?");
    expect(line).toContain("`/model house/hous --try`");
    const other = contextWith({ model: "gpt-6-turbo", providerName: "house" }, { models }).context;
    other.engine.setModel = async () => undefined;
    expect((await said(modelCommand, "house/gpt-6-turbo", other)).join()).not.toContain("did you mean");
  });

  test("a key of the list changes to the marked model and makes it the default in the user's settings", async () => {
    const edits: SettingEdit[] = [];
    const settings = settingsWith([], edits);
    const { context, calls } = contextWith({}, { settings });
    const list = await offered(modelCommand, "", context);
    expect(list.shortcuts?.[0]).toEqual({ letter: "s", label: "as default" });
    expect(list.choices[1]?.also).toEqual({ s: "/model haiku --default" });
    expect(await said(modelCommand, "haiku --default", context)).toContain("New sessions begin with haiku.");
    expect([calls, edits]).toEqual([
      ["model haiku"],
      [{ what: "set", key: "model", value: "haiku", scope: "user", adds: false }],
    ]);
    await expect(run(modelCommand, "haiku sonnet", context)).rejects.toThrow("one name");
  });

  test("a first answer shows that a new model works, and a failure says what to do", async () => {
    const sideQuestions = {
      ask: fail,
      recap: fail,
      tryOut: async () => ({ text: "Hello\nyou.", tokens: 25, costUsd: 0.01 }),
    };
    const tried = async (extra: Partial<CommandContext>) => {
      const result = await run(modelCommand, "haiku --try", contextWith({}, extra).context);
      if (result.kind !== "operation") throw new Error(result.kind);
      return result.run(() => undefined, new AbortController().signal);
    };
    expect(await tried({ sideQuestions })).toEqual({
      kind: "text",
      lines: [
        "The model is now haiku (anthropic).",
        "It answers “Hello you.” (0.0s · 25 tokens · $0.01). Say what you want done.",
      ],
    });
    const refused = { ...sideQuestions, tryOut: () => Promise.reject(new UserFacingError("The key is wrong.")) };
    await expect(tried({ sideQuestions: refused })).rejects.toThrow(
      /haiku does not answer.*The key is wrong.*\/login anthropic/,
    );
    // Esc belongs to a running turn.
    const busy = await run(modelCommand, "haiku --try", contextWith({ busy: true }, { sideQuestions }).context);
    expect(busy.kind).toBe("text");
  });

  test("a model in use that no list has stands first", async () => {
    const models = { list: () => [], describe: async () => [offer("sonnet")] };
    const list = await offered(modelCommand, "", contextWith({ model: "ollama-own" }, { models }).context);
    expect(list.choices.map(({ label, isCurrent }) => [label, isCurrent])).toEqual([
      ["ollama-own", true],
      ["sonnet", undefined],
    ]);
  });

  test("without descriptions offers the names", async () => {
    const list = await offered(modelCommand, "", contextWith().context);
    expect(list.choices).toEqual([
      { label: "sonnet", detail: "in use", input: "/model sonnet", isCurrent: true },
      { label: "haiku", detail: "", input: "/model haiku" },
    ]);
  });

  test("a model whose provider has no key names the command that asks for it", async () => {
    const gpt = offer("openai/gpt-6", { model: "gpt-6", provider: "openai", hasAccess: false });
    const models = { list: () => [], describe: async () => [offer("sonnet"), gpt] };
    const { context } = contextWith({}, { models });
    const engine: typeof context.engine = Object.create(context.engine, {
      setModel: { value: () => Promise.reject(new UserFacingError("refused")) },
    });
    const choose = (name: string) => run(modelCommand, name, { ...context, engine });
    const words = "There is no key for openai, which has gpt-6: `/login openai` asks for the key.";
    await expect(choose("gpt-6")).rejects.toThrow(words);
    await expect(choose("openai/gpt-6")).rejects.toThrow(words);
    await expect(choose("sonnet")).rejects.toThrow("refused");
    await expect(choose("unknown")).rejects.toThrow("refused");
  });

  test("effort is what the model in use offers, or the default", async () => {
    const models = { list: () => [], describe: async () => [offer("sonnet"), offer("haiku", { efforts: [] })] };
    const { context, calls } = contextWith({}, { models });
    const effort = effortCommand;
    expect((await offered(effort, "", context)).choices.map(({ label, detail }) => [label, detail])).toEqual([
      ["default", "in use"],
      ["low", ""],
      ["high", ""],
    ]);
    expect(await said(effort, " High ", context)).toEqual(["The effort is now high."]);
    expect(await said(effort, "default", context)).toEqual(["The effort is now default."]);
    expect(calls).toEqual(["effort high", "effort undefined"]);
    await expect(run(effort, "max", context)).rejects.toThrow(
      'does not support the effort "max": the model has low, high.',
    );
    await expect(run(effort, "huge", context)).rejects.toThrow("choose low|medium|high|xhigh|max|default");
    const none = contextWith({ model: "haiku" }, { models }).context;
    expect(await said(effort, "", none)).toEqual(["The model haiku has no effort setting."]);
    await expect(run(effort, "low", none)).rejects.toThrow("the model has no effort setting");
    expect(calls).toHaveLength(2);
  });

  test("thinking is on, off or the model's own", async () => {
    const { context, calls } = contextWith({ thinking: false });
    const thinking = thinkingCommand;
    expect((await offered(thinking, "", context)).choices.find(({ isCurrent }) => isCurrent)?.label).toBe("off");
    for (const word of ["on", "OFF", "default", "8000"]) await run(thinking, word, context);
    expect(calls).toEqual(["thinking true", "thinking false", "thinking undefined", "thinking 8000"]);
    const budgeted = contextWith({ thinking: 8_000 }).context;
    expect((await said(thinking, "", budgeted))[0]).toStartWith("Thinking is up to 8,000 tokens.");
    await expect(run(thinking, "maybe", context)).rejects.toThrow("choose on|off|default");
  });

  test("with a name changes it and tells what it became", async () => {
    const { context, calls } = contextWith();
    expect(await said(modelCommand, " haiku ", context)).toEqual(["The model is now haiku (anthropic)."]);
    expect(calls).toEqual(["model haiku"]);
  });

  test("a model that Quoll does not know is said so, if it knows others of the provider", async () => {
    const offer = { name: "sonnet", model: "sonnet", provider: "anthropic", windowTokens: 1, price: undefined };
    const known = { list: () => [], describe: async () => [{ ...offer, efforts: [], hasAccess: true }] };
    const { context } = contextWith({}, { models: known });
    expect(await said(modelCommand, "haiku", context)).toEqual([
      "The model is now haiku (anthropic).",
      expect.stringContaining("/model haiku --try"),
    ]);
    expect(await said(modelCommand, "sonnet", context)).toHaveLength(1);
  });

  test("passes the reason on if the model cannot be used", async () => {
    await expect(run(modelCommand, "nope", contextWith().context)).rejects.toThrow("no such model");
  });
});

test("/plan enters plan mode, and gives the model a task", async () => {
  const { context, calls } = contextWith();
  expect(await said(planCommand, "", context)).toEqual([
    "Plan mode is on: nothing is changed until you accept a plan.",
  ]);
  expect(await run(planCommand, " split the parser ", context)).toEqual({ kind: "prompt", prompt: "split the parser" });
  expect(calls).toEqual(["mode plan", "mode plan"]);
});

describe("/permissions", () => {
  test("describes the behaviour without rules", async () => {
    expect(await said(permissionsCommand, "", contextWith({ mode: "plan" }).context)).toEqual([
      "Mode: plan. Deny rules precede ask rules, and ask rules precede allow rules, whatever their order.",
      "Confined commands are asked about.",
      "No rules: Quoll reads the workspace without asking, and asks about everything else.",
    ]);
  });

  test("says whether confined commands need a question, and takes an agreement back", async () => {
    const consent = () => ({ isGiven: true, line: "Commands in the sandbox run without a question: your answer." });
    const revokeConsent = async () => ["Taken back."];
    const { context } = contextWith({}, { permissions: { ...PERMISSIONS, consent, revokeConsent } });
    expect((await said(permissionsCommand, "", context)).slice(1, 3)).toEqual([
      "Commands in the sandbox run without a question: your answer.",
      "Revoke this consent with /permissions revoke sandbox.",
    ]);
    expect(await said(permissionsCommand, " revoke  confined ", context)).toEqual(["Taken back."]);
    await expect(said(permissionsCommand, "revoke Bash", context)).rejects.toThrow(/"revoke Bash".* add, remove or /);
    const none = await said(permissionsCommand, "", contextWith().context);
    expect(none[1]).toBe("Confined commands are asked about.");
  });

  test("lists each rule with its source in columns", async () => {
    const describe = () => [
      { decision: "deny", rule: "Read(.env)", source: "settings.json:3" } as const,
      { decision: "allow", rule: "Bash(npm test)", source: "settings.json:9" } as const,
    ];
    const { context } = contextWith({}, { permissions: { ...PERMISSIONS, describe } });
    expect((await said(permissionsCommand, "", context)).slice(2)).toEqual([
      "  deny   Read(.env)      settings.json:3",
      "  allow  Bash(npm test)  settings.json:9",
    ]);
  });

  test("puts the sources on lines of their own if the rows are too long for a terminal", async () => {
    const rule = `Bash(docker compose ${"exec ".repeat(10)}*)`;
    const describe = () => [
      { decision: "deny", rule: "Read(.env)", source: "settings.json:3" } as const,
      { decision: "allow", rule, source: "/a/long/path/settings.json:9" } as const,
    ];
    const { context } = contextWith({}, { permissions: { ...PERMISSIONS, describe } });
    expect((await said(permissionsCommand, "", context)).slice(2)).toEqual([
      "  deny   Read(.env)",
      "         settings.json:3",
      `  allow  ${rule}`,
      "         /a/long/path/settings.json:9",
    ]);
  });
});

describe("/resume", () => {
  const sessions = async () => [
    session("bbbbbbbb-2222", "fix the cart", 90),
    session("cccccccc-3333", "write docs", 5),
    session("cccc1111-4444", "older", 60 * 72),
    session("aaaaaaaa-1111", "this one", 0),
  ];
  const OWN = "aaaaaaaa-1111";
  const withEnded = (ended: readonly ClearedConversation[]) => ({
    ...{ list: sessions, cleared: async () => ended, assertFree: async () => {} },
    copyCleared: async ({ id }: ClearedConversation) => `copy of ${id}`,
  });

  test("offers the other sessions, newest first", async () => {
    const { kind, lines, ...list } = await offered(
      resumeCommand,
      "",
      contextWith({}, { sessions: { list: sessions } }).context,
    );
    const row = (label: string, id: string, ago: string) => ({
      ...{ label, id, detail: "", brief: id.slice(0, 8), second: `${ago} · 1 prompt · $0.00 · 10B` },
      ...{ input: `/resume ${id}`, about: [] },
    });
    expect(list).toEqual({
      ...{ title: "Resume a session", shortcuts: [] },
      choices: [
        row("write docs", "cccccccc-3333", "5 min ago"),
        row("fix the cart", "bbbbbbbb-2222", "1 h ago"),
        row("older", "cccc1111-4444", "3 days ago"),
      ],
    });
    expect(lines[0]).toBe("  cccccccc  write docs  5 min ago");
  });

  test("offers all sessions: pinned ones first, those without a person and archived ones last; names twenty in lines", async () => {
    const marks = [{}, { isArchived: true }, { isHeadless: true }, {}, { isPinned: true }] as const;
    const many = async () =>
      Array.from({ length: 205 }, (_, at) => ({ ...session(`s${at}`, `t${at}`, at), ...marks[at] }));
    const list = await offered(resumeCommand, "", contextWith({}, { sessions: { list: many } }).context);
    const labels = list.choices.map(({ label }) => label);
    expect([labels.length, ...labels.slice(0, 4), ...labels.slice(-2)]).toEqual([
      205,
      "t4",
      "t0",
      "t3",
      "t5",
      "t2",
      "t1",
    ]);
    expect(list.lines).toContain("  … 185 more");
  });

  test("the keys of the list rename, pin, archive and delete the selected session", async () => {
    const pinned = async () => (await sessions()).map((one) => ({ ...one, isPinned: true as const }));
    const able = {
      list: pinned,
      label: async () => {},
      remove: async () => {},
      canUndo: () => true,
      listAll: sessions,
    };
    const { choices, shortcuts } = await offered(resumeCommand, "", contextWith({}, { sessions: able }).context);
    expect(choices[0]?.also).toEqual({
      ...{ r: "/sessions rename cccccccc-3333", p: "/sessions unpin cccccccc-3333" },
      ...{ e: "/sessions archive cccccccc-3333", delete: "/sessions delete cccccccc-3333" },
    });
    expect(shortcuts?.map(({ letter, input }) => input ?? letter)).toEqual([
      ...["/sessions undo", "r", "p", "e", "delete", "/sessions all"],
    ]);
  });

  test("completion finds sessions by whole words of the title first, and by ids only from their beginning", async () => {
    const list = async () => [
      session("aaaacart-1", "cartography", 1),
      session("cart5555-2", "write docs", 2),
      session("bbbb5555-3", "fix the cart", 3),
      session("dddd5555-4", "docs of the cart: prices", 4),
    ];
    const { context } = contextWith({}, { sessions: { list } });
    const found = async (typed: string) =>
      (await resumeCommand.complete?.(typed, context, new AbortController().signal))?.map(({ value }) => value);
    expect(await found("cart")).toEqual(["bbbb5555", "dddd5555", "aaaacart", "cart5555"]);
    expect(await found("docs cart")).toEqual(["dddd5555", "cart5555"]);
    expect(await found("5555")).toEqual([]);
    expect(await found("")).toHaveLength(4);
  });

  test("shows where a session works, its cost and if it is open, its size and how it ended", async () => {
    const facts: Readonly<Record<string, Partial<SessionSummary>>> = {
      "bbbbbbbb-2222": {
        lastPrompt: "now test it",
        lastAnswer: "All pass.",
        folder: "/src/cart",
        worktree: "fix",
        isOpen: true,
      },
      "cccccccc-3333": { folder: "/src/shop", branch: "main" },
    };
    const list = async () => (await sessions()).map((one) => ({ ...one, ...facts[one.id] }));
    const saved = { list };
    const { choices } = await offered(resumeCommand, "", contextWith({}, { sessions: saved }).context);
    expect(choices.map(({ second }) => second)).toEqual([
      "/src/shop · main · 5 min ago · 1 prompt · $0.00 · 10B",
      "open · /src/cart · worktree fix · 1 h ago · 1 prompt · $0.00 · 10B",
      "3 days ago · 1 prompt · $0.00 · 10B",
    ]);
    expect(choices.map(({ about }) => about)).toEqual([[], ["last: now test it", "● All pass."], []]);
  });

  test.each(["bbbbbbbb-2222", "bbbb", "fix the cart"])("goes on with %j", async (wanted) => {
    const { context, calls } = contextWith({}, { sessions: { list: sessions } });
    await run(resumeCommand, wanted, context);
    expect(calls).toEqual(["resume bbbbbbbb-2222"]);
  });

  test("stays in this conversation where another Quoll has the session open", async () => {
    const assertFree = () => {
      throw new UserFacingError("Session bbbbbbbb-2222 is open in another Quoll.");
    };
    const { context, calls } = contextWith({}, { sessions: { list: sessions, assertFree } });
    await expect(run(resumeCommand, "bbbb", context)).rejects.toThrow("open in another Quoll");
    expect(calls).toEqual([]);
  });

  test("marks the first session that no other Quoll has open, or the first if the choice is copied", async () => {
    const list = async () =>
      (await sessions()).map((one) => ({ ...one, ...(one.id === "cccccccc-3333" && { isOpen: true as const }) }));
    const marked = async (how: object) =>
      openPicker(await offered(resumeCommand, "", contextWith({}, { sessions: { list }, ...how }).context)).index;
    expect([await marked({}), await marked({ isCopying: true })]).toEqual([1, 0]);
  });

  test("lists the sessions again below one line about a choice that is open, and what to do", async () => {
    const assertFree = () => {
      throw new SessionOpenError("bbbbbbbb-2222", "Session bbbbbbbb-2222 is open (lock /x).", 7);
    };
    const { context, calls } = contextWith({}, { sessions: { list: sessions, assertFree } });
    const { before, choices } = await offered(resumeCommand, "bbbbbbbb-2222", context);
    expect([calls, choices.length, before?.length]).toEqual([[], 3, 1]);
    expect(before?.[0]).toMatch(/Open in another Quoll.*quoll --resume bbbbbbbb --fork-session/);
  });

  test("opens the list with the words as its filter when several sessions fit them", async () => {
    const { context, calls } = contextWith({}, { sessions: { list: sessions } });
    const { filter, choices } = await offered(resumeCommand, "cccc", context);
    expect({ filter, choices: choices.length }).toEqual({ filter: "cccc", choices: 3 });
    expect(calls).toEqual([]);
  });

  test("lists and offers the sessions that have the words in their prompts, branch or folder", async () => {
    const facts = {
      firstPrompt: "why a Zebra coupon",
      branch: "feature/payments-rework-2026",
      folder: "/work/shop/web",
    };
    const list = async () => [...(await sessions()), { ...session("dd-5", "Cart", 9), ...facts }];
    const { context, calls } = contextWith({}, { sessions: { list } });
    for (const words of ["zebra", "rework-2026", "shop/web cart"]) {
      const { filter, choices, before } = await offered(resumeCommand, words, context);
      expect({ filter, before: before?.length, calls }).toEqual({ filter: words, before: 1, calls: [] });
      expect(shownChoices({ choices, filter: words }).map(({ label }) => label)).toEqual(["Cart"]);
      expect(
        (await resumeCommand.complete?.(words, context, new AbortController().signal))?.map(({ value }) => value),
      ).toEqual(["dd-5"]);
    }
  });

  test("a list that opens with words has every session that was found by them", async () => {
    const place = { branch: "fix-login", worktree: "a-worktree-with-a-long-name-2", folder: "/home/ada/shop/web" };
    const list = async () => [...(await sessions()), { ...session("dd-5", "Cart", 9), ...place }];
    const shown = (path: string) => path.replace("/home/ada", "~");
    const { context } = contextWith({}, { sessions: { list, shown } });
    for (const words of ["fix-login", "long-name-2", "~/shop/web"]) {
      const { filter = "", choices } = await offered(resumeCommand, words, context);
      expect(shownChoices({ choices, filter }).map(({ label }) => label)).toEqual(["Cart"]);
    }
    await expect(run(resumeCommand, "/home/ada", context)).rejects.toThrow('no session "/home/ada"');
  });

  test("finds a session by the beginning of its name", async () => {
    const list = async () => [...(await sessions()), { ...session("dd-5", "Cart: prices", 9), isNamed: true as const }];
    const { context, calls } = contextWith({}, { sessions: { list } });
    await run(resumeCommand, "cart", context);
    expect(calls).toEqual(["resume dd-5"]);
  });

  test("names what looks most like an unknown title", async () => {
    await expect(
      run(resumeCommand, "wrote docs", contextWith({}, { sessions: { list: sessions } }).context),
    ).rejects.toThrow('There is no session "wrote docs" in this project. Did you mean "write docs"?');
  });

  test("names the folder of a session of another project", async () => {
    const folderOf = async (wanted: string) => (wanted === "dddddddd" ? "/elsewhere/shop" : undefined);
    const { context, calls } = contextWith({}, { sessions: { list: sessions, folderOf } });
    await expect(run(resumeCommand, "dddddddd", context)).rejects.toThrow("/elsewhere/shop");
    await expect(run(resumeCommand, "eeeeeeee", context)).rejects.toThrow('no session "eeeeeeee" in this project');
    expect(calls).toEqual([]);
  });

  test("offers each conversation before a /clear of this session, and continues in a copy of the chosen conversation", async () => {
    const ended = [
      { id: "22222222-b", sessionId: OWN, title: "the second matter", prompts: 1, endedAt: NOW - 5 * MINUTE_MS },
      { id: "11111111-a", sessionId: OWN, title: "the first matter", prompts: 2, endedAt: NOW - 9 * MINUTE_MS },
    ];
    const { context, calls } = contextWith({}, { sessions: withEnded(ended) });
    const { choices, lines } = await offered(resumeCommand, "", context);
    expect(choices.slice(0, 2)).toMatchObject([
      { label: "the second matter", second: "before /clear · 5 min ago · 1 prompt", brief: "22222222" },
      { label: "the first matter", second: "before /clear · 9 min ago · 2 prompts", brief: "11111111" },
    ]);
    expect(lines[1]).toBe("  11111111  the first matter  before /clear");
    for (const { input } of choices.slice(0, 2)) await run(resumeCommand, input.replace("/resume ", ""), context);
    await run(resumeCommand, "1111", context);
    // The id of this session stands for its newest cleared conversation.
    await run(resumeCommand, "aaaaaaaa", context);
    const [newest, older] = ["resume copy of 22222222-b", "resume copy of 11111111-a"];
    expect(calls).toEqual([newest, older, older, newest]);
  });

  test("lists the conversations before a /clear of other sessions by their time, and finds them by their words", async () => {
    const other = { sessionId: "bbbbbbbb-2222", prompts: 1 };
    const ended = [
      { ...other, id: "33333333-c", title: "Cart repair", firstPrompt: "a zebra", endedAt: NOW - 30 * MINUTE_MS },
      // The session is empty since, so its own entry stands for this conversation.
      { ...other, id: "44444444-d", title: "empty since", endedAt: NOW - 9 * MINUTE_MS, isLast: true as const },
    ];
    const { context, calls } = contextWith({}, { sessions: withEnded(ended) });
    const { choices } = await offered(resumeCommand, "", context);
    expect(choices.map(({ label }) => label)).toEqual(["write docs", "Cart repair", "fix the cart", "older"]);
    const found = await offered(resumeCommand, "zebra", context);
    expect(shownChoices({ choices: found.choices, filter: "zebra" }).map(({ label }) => label)).toEqual([
      "Cart repair",
    ]);
    for (const words of ["cart repair", "3333", "44444444"]) await run(resumeCommand, words, context);
    expect(calls).toEqual(["resume copy of 33333333-c", "resume copy of 33333333-c", "resume copy of 44444444-d"]);
  });

  test("the conversations before a /clear of an archived session come last, and those of other projects show their folder", async () => {
    const ended = [
      { id: "33333333-c", sessionId: "x", title: "Cart repair", prompts: 1, endedAt: NOW, isArchived: true as const },
    ];
    const folder = "/elsewhere/shop";
    const ofAll = [{ id: "44444444-d", sessionId: "y", title: "the shop", prompts: 1, endedAt: NOW, folder }];
    const own = { ...withEnded(ended), listAll: sessions, allCleared: async () => ofAll };
    const { context } = contextWith({}, { sessions: own });
    const { choices } = await offered(resumeCommand, "", context);
    expect(choices.at(-1)).toMatchObject({ label: "Cart repair", second: expect.stringMatching(/^archived · before/) });
    const all = await offered(sessionsCommand, "all", context);
    expect(all.choices[0]).toMatchObject({ label: "the shop", second: expect.stringContaining(folder) });
  });

  test("the conversations before a /clear are completed too, the newest first", async () => {
    const ended = [
      { id: "33333333-c", sessionId: "x", title: "Cart repair", prompts: 1, endedAt: NOW - 30 * MINUTE_MS },
    ];
    const { context } = contextWith({}, { sessions: { ...withEnded(ended), recentlyCleared: async () => ended } });
    const { signal } = new AbortController();
    const completed = async (typed: string) =>
      (await resumeCommand.complete?.(typed, context, signal))?.map(({ value }) => value);
    expect(await completed("")).toEqual(["cccccccc", "33333333", "bbbbbbbb", "cccc1111"]);
    expect(await completed("repair")).toEqual(["33333333"]);
  });

  test("a choice that is copied anyway is not copied before", async () => {
    const ended = [{ id: "33333333-c", sessionId: "x", title: "Cart repair", prompts: 1, endedAt: NOW }];
    const { context, calls } = contextWith({}, { sessions: withEnded(ended), isCopying: true });
    await run(resumeCommand, "33333333-c", context);
    expect(calls).toEqual(["resume 33333333-c"]);
  });

  test("a word of the project's own path finds no session, and a folder below it does", async () => {
    const inProject = (path: string) => path.replace(/^\/home\/ada\/cart\/?/, "");
    const folders = ["/home/ada/cart", "/home/ada/cart", "/home/ada/cart/web"];
    const list = async () => (await sessions()).map((one, at) => ({ ...one, folder: folders[at] ?? "" }));
    const ended = { id: "33333333-c", sessionId: "x", title: "Repair", prompts: 1, endedAt: NOW };
    const cleared = async () => [{ ...ended, folder: "/home/ada/cart" }];
    const { context } = contextWith({}, { sessions: { list, inProject, cleared } });
    await expect(run(resumeCommand, "ada", context)).rejects.toThrow('There is no session "ada" in this project.');
    const { choices, filter = "" } = await offered(resumeCommand, "cart", context);
    expect(shownChoices({ choices, filter }).map(({ label }) => label)).toEqual(["fix the cart"]);
    const below = await offered(resumeCommand, "web", context);
    expect(shownChoices({ choices: below.choices, filter: "web" })).toHaveLength(1);
  });

  test("reports that there is no other session", async () => {
    expect(await said(resumeCommand, "", contextWith().context)).toEqual([
      "There is no other session of this project yet.",
    ]);
  });
});

describe("/sessions", () => {
  const saved = (calls: string[]) => {
    let all: readonly SessionSummary[] = [session("b-2", "fix the cart", 90), session("c-3", "write docs", 5)];
    const deleted: SessionSummary[] = [];
    return {
      list: async () => all,
      label: async (id: string, label: SessionLabel) => void calls.push(`${id} ${JSON.stringify(label)}`),
      canUndo: () => deleted.length > 0,
      async remove(id: string) {
        deleted.push(...all.filter((one) => one.id === id));
        all = all.filter((one) => one.id !== id);
      },
      async undoRemove() {
        const last = deleted.pop();
        if (last) all = [...all, last];
        return last?.id;
      },
    };
  };

  test("pins, archives and names a session, and shows the list again", async () => {
    const calls: string[] = [];
    const { context } = contextWith({}, { sessions: saved(calls) });
    for (const words of ["pin b-2", "unpin b-2", "archive c-3", "unarchive c-3", "rename b-2 the new name"]) {
      const { kind, before } = await offered(sessionsCommand, words, context);
      expect([kind, before?.length]).toEqual(["choose", 1]);
    }
    expect(calls).toEqual([
      'b-2 {"isPinned":true}',
      'b-2 {"isPinned":false}',
      'c-3 {"isArchived":true}',
      'c-3 {"isArchived":false}',
      'b-2 {"name":"the new name"}',
    ]);
    const form = await run(sessionsCommand, "rename b-2", context);
    expect(form).toMatchObject({ kind: "form", back: "/sessions" });
  });

  test("deletes a session and brings it back", async () => {
    const { context } = contextWith({}, { sessions: saved([]) });
    await expect(run(sessionsCommand, "undo", context)).rejects.toThrow("no deleted session");
    const after = await offered(sessionsCommand, "delete b-2", context);
    expect(after.choices.map(({ label }) => label)).toEqual(["write docs"]);
    expect(after.shortcuts?.[0]).toMatchObject({ input: "/sessions undo" });
    const back = await offered(sessionsCommand, "undo", context);
    expect(back.before).toEqual(['Brought back "fix the cart".']);
    expect(back.choices).toHaveLength(2);
  });

  test("shows the list below the reason why a session stays", async () => {
    const refuse = async () => {
      throw new UserFacingError('"fix the cart" stays: it is open.');
    };
    const { context } = contextWith({}, { sessions: { ...saved([]), remove: refuse, label: refuse } });
    for (const words of ["delete b-2", "pin b-2", "rename b-2 x"]) {
      const { kind, before } = await offered(sessionsCommand, words, context);
      expect([kind, before]).toEqual(["choose", ['"fix the cart" stays: it is open.']]);
    }
  });

  test("says what it can do for other words, and that a session is unknown", async () => {
    const { context } = contextWith({}, { sessions: saved([]) });
    await expect(run(sessionsCommand, "pin", context)).rejects.toThrow("/sessions undo");
    await expect(run(sessionsCommand, "burn b-2", context)).rejects.toThrow("/sessions undo");
    await expect(run(sessionsCommand, "pin zz", context)).rejects.toThrow("no session zz");
  });
});

describe("/rename", () => {
  const labelled = (names: string[]) => ({
    list: async () => [{ ...session("aaaaaaaa-1111", "the cart", 0), isNamed: true as const }],
    label: async (id: string, { name = "" }: SessionLabel) => void names.push(`${id} ${name}`),
  });

  test("names this session, and asks for the name if none is given", async () => {
    const names: string[] = [];
    const { context } = contextWith({}, { sessions: labelled(names) });
    expect(await said(renameCommand, "fix prices", context)).toEqual(['This session is named "fix prices".']);
    const form = await run(renameCommand, "", context);
    if (form.kind !== "form") throw new Error("no form");
    expect(form.fields[0]).toMatchObject({ value: "the cart", isOptional: true });
    expect(await form.submit({ name: "" }, new AbortController().signal)).toMatchObject({
      lines: ["This session has no name."],
    });
    expect(names).toEqual(["aaaaaaaa-1111 fix prices", "aaaaaaaa-1111 "]);
  });

  test("says that a program without saved sessions has no names", async () => {
    await expect(run(renameCommand, "x", contextWith().context)).rejects.toThrow("can't be named");
  });
});

describe("/cost", () => {
  const usage = { inputTokens: 1_000, outputTokens: 500, cacheReadTokens: 20_000, cacheWriteTokens: 300 };

  test("reports that no tokens were used", async () => {
    expect(await said(costCommand, "", contextWith().context)).toEqual(["No tokens were used yet."]);
  });

  test("shows tokens by kind and dollars by model", async () => {
    const usageByModel = { sonnet: { usage, costUsd: 0.04 } };
    const { context } = contextWith({ usage, costUsd: 0.04, usageByModel });
    expect(await said(costCommand, "", context)).toEqual([
      "This session: $0.04",
      "",
      "By model, in tokens",
      "       in cached stored    out   cost",
      "  sonnet",
      "     1.0k    20k    300    500  $0.04",
    ]);
  });

  test("never shows an unknown price as nothing", async () => {
    const { context } = contextWith({ usage, costUsd: undefined });
    const lines = await said(costCommand, "", context);
    expect(lines[0]).toBe("This session: cost unknown (a price is missing)");
    expect(lines.join("\n")).not.toContain("$0");
    expect(lines.at(-1)).toBe(
      "A sum is unknown if it includes a model without a known price; caps in dollars don't count that model.",
    );
  });
});

test("/cost shows who spent and what the caps leave", async () => {
  const usage = { inputTokens: 1_000, outputTokens: 500, cacheReadTokens: 20_000, cacheWriteTokens: 300 };
  const spendBySource = [
    { source: "main", usd: 0.3, tokens: 21_000 },
    { source: "judge", usd: 0.1, tokens: 800 },
    { source: "mcp", server: "shop", usd: 0.2, tokens: 90 },
  ] as const;
  const status = async () => ({
    caps: [
      { name: "the day's spending cap", setting: "spend.dayUsd", unit: "usd", limit: 2, spent: 0.5, held: 0.25 },
      { name: "the turn's cap", setting: "spend.turnTokens", unit: "tokens", limit: 1_000, spent: 1_200, held: 0 },
    ] as const,
  });
  const { context } = contextWith({ usage, costUsd: 0.4, spendBySource }, { spend: { status } });
  const caps = [
    "",
    "Caps",
    "  the day's spending cap (spend.dayUsd)",
    "          $1.25 left: $0.50 of $2.00 spent (25%), $0.25 held back",
    "  the turn's cap (spend.turnTokens)",
    "          0 tok left: 1.2k tok of 1.0k tok spent (100%)",
  ];
  expect(await said(costCommand, "", context)).toEqual([
    "This session: $0.40",
    "",
    "By model, in tokens",
    "       in cached stored    out   cost",
    "  sonnet",
    "     1.0k    20k    300    500  $0.40",
    "",
    "By source",
    "  main conversation     21k tok  $0.30",
    "  judge of calls        800 tok  $0.10",
    "  MCP server shop        90 tok  $0.20",
    ...caps,
  ]);
  const unused = contextWith({}, { spend: { status } }).context;
  expect(await said(costCommand, "", unused)).toEqual(["No tokens were used yet.", ...caps]);
});

describe("/login", () => {
  const account = (provider: string, rest: Partial<AccountStatus> = {}): AccountStatus => ({
    provider,
    access: undefined,
    from: "",
    needsKey: true,
    ...rest,
  });
  const saved: string[] = [];
  const accounts = {
    list: async () => [
      account("anthropic", { access: "…cdef", from: "ANTHROPIC_API_KEY" }),
      account("openai"),
      account("google", { from: "the keyring is locked" }),
      account("ollama", { needsKey: false }),
    ],
    save: async (provider: string, key: string) => {
      saved.push(`${provider} ${key}`);
      return `Saved the key for ${provider}.`;
    },
    saved: async () => ["google"],
    remove: async (provider: string) => [`Removed the key of ${provider}.`],
  };
  const { context } = contextWith({}, { accounts });

  test("tells who has a key, from where, and how to give one", async () => {
    expect(await said(loginCommand, "", context)).toEqual([
      "Providers with a key",
      "  anthropic  …cdef  ANTHROPIC_API_KEY",
      "  google     -      the keyring is locked",
      "Without a key: openai.",
      "On your own machine, without a key: ollama.",
      "`/login <provider>` asks for a key; in a shell: `quoll auth login <provider>`.",
    ]);
  });

  test("lists the providers to choose from: those with a key first, servers on this machine last", async () => {
    const { choices } = await offered(loginCommand, "", context);
    expect(choices.map(({ input, detail }) => [input, detail])).toEqual([
      ["/login anthropic", "…cdef  ANTHROPIC_API_KEY"],
      ["/login openai", "no key"],
      ["/login google", "the keyring is locked"],
      ["/login ollama", "on this machine"],
    ]);
  });

  test("a server on this machine leads to its models without a key, or says that none answers", async () => {
    const local: ModelOffer = {
      ...{ name: "ollama/qwen3", model: "qwen3", provider: "ollama", hasAccess: true },
      ...{ windowTokens: undefined, price: undefined, efforts: [] },
    };
    const models = { list: () => [], describeAll: async () => [local] };
    const found = await offered(loginCommand, "ollama", contextWith({}, { accounts, models }).context);
    expect(found.choices.map(({ input }) => input)).toEqual(["/model ollama/qwen3 --try"]);
    await expect(run(loginCommand, "ollama", context)).rejects.toThrow(
      /No ollama server answers.*quoll auth login ollama/,
    );
  });

  test("asks for a key unseen, and names the shell's command where nobody can", async () => {
    const asked = await form(loginCommand, " OpenAI ", context);
    expect([asked.lines, asked.title, asked.fields.map(({ isSecret }) => isSecret)]).toEqual([
      ["`quoll auth login openai` in a shell asks for the key."],
      "Key for openai",
      [true],
    ]);
    expect(saved).toEqual([]);
    expect(await asked.fill("sk-1")).toEqual({
      kind: "text",
      lines: ["Saved the key for openai.", "`/model` changes to one of its models."],
    });
    expect(saved).toEqual(["openai sk-1"]);
  });

  test("offers the provider's models to a person who had no model", async () => {
    const offer = (name: string, provider: string, hasAccess = true): ModelOffer => ({
      name,
      model: name,
      provider,
      windowTokens: undefined,
      price: undefined,
      efforts: [],
      hasAccess,
    });
    const describe = async () => [
      offer("sonnet", "anthropic", false),
      offer("gpt-6", "openai"),
      offer("gpt-6-s", "openai"),
    ];
    const models = { list: () => [], describe };
    const offline = contextWith({ model: "offline", providerName: "offline" }, { accounts, models }).context;
    const answer = await (await form(loginCommand, "openai", offline)).fill("sk-1");
    if (answer.kind !== "choose") throw new Error(answer.kind);
    expect(answer.before).toEqual(["Saved the key for openai."]);
    expect(answer.title).toBe("Which model of openai?");
    expect(answer.choices.map(({ input, isCurrent }) => [input, isCurrent])).toEqual([
      ["/model gpt-6 --try", undefined],
      ["/model gpt-6-s --try", undefined],
    ]);
    const online = contextWith({}, { accounts, models }).context;
    expect(await (await form(loginCommand, "openai", online)).fill("sk-1")).toEqual({
      kind: "text",
      lines: ["Saved the key for openai.", "`/model` changes to one of its models."],
    });
  });

  test("takes no key as an argument, repeats none, and knows its providers", async () => {
    const refused = await run(loginCommand, "openai sk-secret", context).catch((error: Error) => error.message);
    expect(refused).toContain("Don't type a key here");
    expect(refused).not.toContain("sk-secret");
    await expect(run(loginCommand, "opnai", context)).rejects.toThrow("Did you mean openai?");
    await expect(run(loginCommand, "sk-secret", context)).rejects.not.toThrow("sk-secret");
    expect(await said(loginCommand, "", contextWith().context)).toEqual([
      "`quoll auth login <provider>` saves a key; `quoll auth status` lists the keys.",
    ]);
  });
});

describe("/queue", () => {
  test("lists what waits in its order, and says when nothing does", async () => {
    const queue = [
      { id: "a", prompt: "use\nbun", when: "steer" },
      { id: "b", prompt: "x".repeat(5_000), when: "next" },
      ...Array.from({ length: 30 }, (_, at) => ({ id: `${at}`, prompt: `p${at}`, when: "later" }) as const),
    ] as const;
    const lines = await said(queueCommand, "", contextWith({ queue }).context);
    expect([lines[0], lines[2], lines.at(-1), lines.length]).toEqual([
      "   1  steer  use ⏎ bun",
      "   3  later  p0",
      "  … 12 more",
      21,
    ]);
    expect(lines[1]?.length).toBeLessThan(220);
    expect((await said(queueCommand, "", contextWith().context))[0]).toContain("The queue is empty.");
  });

  test("with words puts them next", async () => {
    const { context, calls } = contextWith();
    expect(await run(queueCommand, " and then this ", context)).toEqual({ kind: "text", lines: [] });
    expect(calls).toEqual(["next and then this"]);
  });
});

test("/exit leaves", async () => {
  const { context, calls } = contextWith();
  await run(exitCommand, "", context);
  expect(calls).toEqual(["exit"]);
});

test("/ports lists what is open to the person, and says how a port comes to be", async () => {
  const open = { port: 5173, address: "127.0.0.1:5173", taskId: "b1", command: "npm run\ndev" };
  const { context } = contextWith({}, { ports: { list: () => [open] } });
  expect(await said(portsCommand, "", context)).toEqual(["  http://127.0.0.1:5173  port 5173 of b1: npm run dev"]);
  expect((await said(portsCommand, "", contextWith().context))[0]).toMatch(/^No port is open\./);
});

test("/hooks without hooks names the person's own settings file", async () => {
  const hooks = { settingsFile: "~/own/settings.json", list: () => [], unapproved: () => [], test: fail };
  const { context } = contextWith({}, { hooks });
  expect((await said(hooksCommand, "", context))[0]).toContain("such as ~/own/settings.json.");
  const managed = contextWith({}, { hooks: { ...hooks, hasManagedOnly: true } });
  expect((await said(hooksCommand, "", managed.context))[0]).toContain("safe mode");
});

test("the summary of each command is whole in the menu of a window of 80 columns", () => {
  const MENU_COLUMNS = 60;
  const long = BUILTIN_COMMANDS.map(({ summary }) => summary.replace(/ \(also [^()]*\)$/, "")).filter(
    (summary) => summary.length > MENU_COLUMNS,
  );
  expect(long).toEqual([]);
});
