import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { CommanderError } from "commander";
import { normalizeArguments } from "../../src/cli/arguments.ts";
import type { Invocation } from "../../src/cli/invocation.ts";
import { createProgram, parseArguments } from "../../src/cli/program.ts";
import { DEBUG_TOPICS } from "../../src/contracts/debug.ts";
import { UserFacingError } from "../../src/contracts/errors.ts";
import { longerInDeep } from "../support/deep.ts";
import { seededRandom } from "../support/seeded-random.ts";

const parse = (...argv: string[]) => parseArguments(normalizeArguments(argv), "1.2.3");
const PLAIN = { sessionPersistence: true, outputFormat: "text" } as const;

function refusal(...argv: string[]) {
  try {
    return parse(...argv);
  } catch (error) {
    if (!(error instanceof UserFacingError)) throw error;
    return { message: error.message, exitCode: error.exitCode };
  }
}

/** The arguments and options that a command other than a session gets. */
function given(...argv: string[]) {
  expect(parse(...argv)).toMatchObject({ kind: "command" });
  let command = createProgram("1.2.3", () => undefined);
  command.parse(argv, { from: "user" });
  for (const word of argv) command = command.commands.find((one) => one.name() === word) ?? command;
  return { args: command.processedArgs.filter((value) => value !== undefined), options: command.opts() };
}

const ID = "0198c0de-0000-4000-8000-000000000001";

describe("a session's command line", () => {
  test("without anything is an interactive session", () => {
    expect(parse()).toEqual({ kind: "session", prompt: undefined, options: PLAIN } as never);
  });

  test("takes a sum with as many digits as a program's number has", () => {
    const { options } = parse("-p", "--max-budget-usd", String(0.1 + 0.2)) as { options: { maxBudgetUsd?: number } };
    expect(options.maxBudgetUsd).toBe(0.1 + 0.2);
  });

  test("takes every option in its long form", () => {
    const argv = [
      ...["-p", "fix it", "--continue", "--fork-session", "--session-id", ID, "--no-session-persistence"],
      ...["--output-format", "json", "--model", "offline", "--permission-mode", "plan", "--max-turns", "3"],
      ...["--allowed-tools", "Read", "--disallowed-tools", "Bash(rm *)", "--tools", "Read,Grep", "--add-dir", "/a"],
      ...["--add-dir", "/b", "--settings", "{}", "-C", "/c", "--verbose", "--debug", "--dangerously-skip-permissions"],
      ...["--max-budget-usd", "2.5"],
    ];
    expect(parse(...argv)).toEqual({
      kind: "session",
      prompt: "fix it",
      options: {
        print: true,
        continue: true,
        forkSession: true,
        sessionId: ID,
        sessionPersistence: false,
        outputFormat: "json",
        model: "offline",
        permissionMode: "plan",
        maxTurns: 3,
        allowedTools: ["Read"],
        disallowedTools: ["Bash(rm *)"],
        tools: ["Read", "Grep"],
        addDir: ["/a", "/b"],
        settings: "{}",
        cwd: "/c",
        verbose: true,
        debug: DEBUG_TOPICS,
        dangerouslySkipPermissions: true,
        maxBudgetUsd: 2.5,
      },
    });
  });

  describe("--debug", () => {
    const ALL = DEBUG_TOPICS;
    test.each<[argv: readonly string[], prompt: string | undefined, topics: readonly string[]]>([
      [["--debug"], undefined, ALL],
      [["--debug", "fix the build"], "fix the build", ALL],
      [["--debug", "fix"], "fix", ALL],
      [["-p", "--debug", "tools are slow, find out why"], "tools are slow, find out why", ALL],
      [["--debug", "api", "fix the build"], "fix the build", ["api"]],
      [["--debug", "api,hooks", "-p", "fix"], "fix", ["api", "hooks"]],
      [["--debug=tools", "-p", "fix"], "fix", ["tools"]],
      [["--debug=", "fix"], "fix", ALL],
      [["--debug=api", "--debug=ui,api"], undefined, ["api", "ui"]],
      [["--debug", "--", "api"], "api", ALL],
    ])("%j", (argv, prompt, debug) => {
      expect(parse(...argv)).toMatchObject({ kind: "session", prompt, options: { debug } });
    });

    test.each([[["--debug=tol"]], [["--debug", "api,mcp"]], [["--debug", "!api,!ui"]]])(
      "an unknown topic is refused: %j",
      (argv) => {
        expect(refusal(...argv, "-p", "fix")).toMatchObject({
          message: expect.stringContaining("api, tools, permissions, hooks, ui"),
          exitCode: 2,
        });
      },
    );

    test("a program that speaks JSON lines may give it with and without topics", () => {
      const stream = ["--input-format", "stream-json", "--output-format", "stream-json"];
      expect(parse(...stream, "--debug", "--verbose")).toMatchObject({ options: { debug: ALL, verbose: true } });
      expect(parse(...stream, "--debug", "api")).toMatchObject({ prompt: undefined, options: { debug: ["api"] } });
    });
  });

  test("--resume may stand without a session", () => {
    expect(parse("--resume")).toMatchObject({ options: { resume: true } });
    expect(parse("-r", "7c1e")).toMatchObject({ prompt: undefined, options: { resume: "7c1e" } });
  });

  test("camelCase spellings and several rules leave the prompt alone", () => {
    expect(parse("--allowedTools", "Bash(git diff *)", "Edit", "-p", "fix it")).toEqual({
      kind: "session",
      prompt: "fix it",
      options: { ...PLAIN, print: true, allowedTools: ["Bash(git diff *)", "Edit"] },
    });
    expect(parse("-p", "--allowedTools", "Bash(npm test), Read", "fix the build")).toMatchObject({
      prompt: "fix the build",
      options: { allowedTools: ["Bash(npm test)", "Read"] },
    });
  });

  test("behind -- everything is the prompt", () => {
    expect(parse("-p", "--", "--model")).toMatchObject({ prompt: "--model" });
  });

  test("a prompt that is also a command's name needs -- or -p before it", () => {
    expect(parse("models")).toMatchObject({ kind: "command" });
    expect(parse("--", "models")).toMatchObject({ kind: "session", prompt: "models" });
  });
});

describe("the other commands", () => {
  test("inventory, route, show, exec and models are told apart with their options", () => {
    expect([
      given("inventory", "tools", "--json", "--simple", "--no-mcp", "--deny", "Task", "--deny", "Todo"),
      given("route", "find text", "--limit", "2"),
      given("show", "tool", "Read"),
      given("exec", "Read", "--input", "{}", "--json", "--permission-mode", "plan"),
      given("models", "--json"),
    ]).toEqual([
      { args: ["tools"], options: { json: true, simple: true, mcp: false, deny: ["Task", "Todo"] } },
      { args: ["find text"], options: { mcp: true, limit: 2 } },
      { args: ["tool", "Read"], options: {} },
      { args: ["Read"], options: { ...PLAIN, input: "{}", json: true, permissionMode: "plan" } },
      { args: [], options: { json: true } },
    ]);
  });

  test("help is text, for the program and for a command", () => {
    const [whole, part] = [parse("--help"), parse("exec", "--help")];
    expect(whole).toMatchObject({ kind: "help", text: expect.stringContaining("Usage: quoll [options]") });
    expect(part).toMatchObject({ kind: "help", text: expect.stringContaining("--input <json|@file|->") });
    expect(parse("--version")).toEqual({ kind: "help", text: "1.2.3\n" });
    expect(parse("--verbose", "-v")).toEqual({ kind: "help", text: "1.2.3\n" });
  });

  test("every option and command says what it does", () => {
    const program = createProgram("1.2.3", () => undefined);
    const silent = [program, ...program.commands].flatMap((command) => [
      ...(command.description() === "" ? [command.name()] : []),
      ...command.options.filter(({ description }) => description === "").map(({ flags }) => flags),
    ]);
    expect(silent).toEqual([]);
  });
});

test("attach takes the options that choose the screen", () => {
  expect([given("attach", "4f1c", "--plain"), given("attach", "--fullscreen")]).toEqual([
    { args: ["4f1c"], options: { plain: true } },
    { args: [], options: { fullscreen: true } },
  ]);
});

describe("auth and stats", () => {
  test("are told apart with their options", () => {
    expect([
      given("auth", "login", "openai", "--key-stdin", "--endpoint", "https://a.example"),
      given("auth", "login", "openai"),
      given("auth", "logout", "openai"),
      given("auth", "status", "--json"),
      given("stats", "--days", "7", "--json"),
      given("stats"),
    ]).toEqual([
      { args: ["openai", []], options: { keyStdin: true, endpoint: "https://a.example" } },
      { args: ["openai", []], options: {} },
      { args: ["openai"], options: {} },
      { args: [], options: { json: true } },
      { args: [], options: { days: 7, json: true } },
      { args: [], options: {} },
    ]);
  });

  test("a command that needs one of its own shows its help without it", () => {
    expect(parse("auth")).toMatchObject({ kind: "help", text: expect.stringContaining("login [options] <provider>") });
  });

  test("the value of an unknown option is not repeated", () => {
    expect(refusal("auth", "login", "openai", "--keyy=sk-12 34'5")).toEqual({
      message: "Unknown option '--keyy' (quoll auth login --help shows the options)",
      exitCode: 2,
    });
  });
});

describe("wrong usage is exit code 2, in one line that names the option", () => {
  const CASES: readonly (readonly [argv: readonly string[], message: string])[] = [
    [["--prnt"], "Unknown option '--prnt' (Did you mean --print?)"],
    [["-p", "hi", "--moodel", "x"], "Unknown option '--moodel' (Did you mean --model?)"],
    [["-p", "hi", "--yolo"], "Unknown option '--yolo': use --dangerously-skip-permissions"],
    [
      ["--json", "-p", "hi"],
      "Unknown option '--json': use --output-format json, or stream-json for a line at each step",
    ],
    [["--json=secret"], "Unknown option '--json': use --output-format json, or stream-json for a line at each step"],
    [["stats", "--yolo"], "Unknown option '--yolo'"],
    [["-p", "hi", "there"], "Too many arguments. Expected 1 argument but got 2: hi, there."],
    [["--max-turns", "0"], "'0' is not valid for --max-turns <n>. It must be a whole number from 1."],
    [["--max-turns", "many"], "'many' is not valid for --max-turns <n>. It must be a whole number from 1."],
    [
      ["--max-budget-usd", "-1"],
      "'-1' is not valid for --max-budget-usd <usd>. It must be a sum in US dollars, such as 2.50.",
    ],
    [["--model"], "Missing <name> after --model"],
    [
      ["--output-format", "xml"],
      "'xml' is not valid for --output-format <format>. Allowed choices are text, json, stream-json.",
    ],
    [
      ["--permission-mode", "yolo"],
      "'yolo' is not valid for --permission-mode <mode>. Allowed choices are default, acceptEdits, plan, auto, dontAsk, bypassPermissions.",
    ],
    [["inventory", "plugs"], "'plugs' is not valid for <kind>. It must be one of commands, tools, agents, skills."],
    [["inventory"], "Missing <kind>: commands, tools, agents, skills"],
    [["route", "x", "--limit", "-1"], "'-1' is not valid for --limit <n>. It must be a whole number from 1."],
    [["show", "tool"], "Missing <name>"],
    [["exec", "Read"], "Missing --input <json|@file|->"],
  ];
  test.each(CASES)("%j", (argv, message) => {
    const called = argv[0]?.startsWith("-") ? "quoll" : `quoll ${argv[0]}`;
    const whole = `${message} (${called} --help shows the options)`;
    expect(refusal(...argv)).toEqual({ message: whole, exitCode: 2 } as never);
  });
});

/** What the declaration of everything makes of a line; undefined if it refuses the line or prints something. */
function wholly(words: readonly string[]): Invocation | undefined {
  let invocation: Invocation | undefined;
  const program = createProgram("1.2.3", (found) => {
    invocation = found;
  });
  for (const command of [program, ...program.commands])
    command.exitOverride().configureOutput({ writeOut: () => undefined, writeErr: () => undefined });
  try {
    program.parse([...words], { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError || error instanceof UserFacingError) return undefined;
    throw error;
  }
  return invocation;
}

longerInDeep(
  "a line that is parsed with the options that occur in it gives what the whole declaration gives",
  async (isWhole) => {
    const runs = isWhole ? 400 : 100;
    const { pick, chance, below, some } = seededRandom(11);
    const options = createProgram("1.2.3", () => undefined).options;
    const values = ["plan", "json", "3", "a b", "-x", "--model", "low", "{}", "user", "", "-p"];
    const words = (): readonly string[] => {
      const option = pick(options);
      const name = option.short && chance(0.3) ? option.short : (option.long ?? "");
      if (chance(0.05)) return [`${name}z`];
      if (!(option.required || option.optional)) return chance(0.2) ? [`-p${option.short?.slice(1) ?? "c"}`] : [name];
      return chance(0.4) && name.startsWith("--") ? [`${name}=${pick(values)}`] : [name, pick(values)];
    };
    let [parsed, refused] = [0, 0];
    for (let run = 0; run < runs; run += 1) {
      const line = some(4, words).flat();
      if (chance(0.5)) line.splice(below(line.length + 1), 0, "fix the bug");
      const asked = wholly(normalizeArguments(line));
      const got = refusal(...line);
      if (asked) expect([line, got]).toEqual([line, asked as never]);
      else expect([line, "message" in got || got.kind === "help"]).toEqual([line, true]);
      if (asked) parsed += 1;
      else refused += 1;
    }
    expect([parsed > runs / 4, refused > runs / 20]).toEqual([true, true]);
  },
);

test("the id of a session is a UUID", () => {
  expect(() => parse("-p", "hi", "--session-id", "abc")).toThrow("UUID");
});

describe("the help of the program", () => {
  const help = () => {
    const asked = parse("--help");
    return asked.kind === "help" ? asked.text : "";
  };
  const { options, commands } = createProgram("1", () => undefined);

  test("has every option and command once, in a group", () => {
    const lines = help().split("\n");
    expect(lines.filter((line) => /^(Options|Commands):$/.test(line))).toEqual([]);
    for (const { long = "" } of [...options, { long: "--help" }])
      expect([long, lines.filter((line) => new RegExp(`^  (-\\w, )?${long}( |$)`).test(line)).length]).toEqual([
        long,
        1,
      ]);
    for (const command of commands)
      expect([command.name(), lines.filter((line) => line.startsWith(`  ${command.name()}`)).length > 0]).toEqual([
        command.name(),
        true,
      ]);
  });

  test("begins with how a session starts, and ends with examples and the way to the guide", () => {
    const text = help();
    const places = ["Start and continue:", "Permissions:", "Set up:", "Examples:", "docs/guide/start.md"].map((part) =>
      text.indexOf(part),
    );
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(places[0]).toBeGreaterThan(0);
    expect(existsSync(join(import.meta.dir, "../../docs/guide/start.md"))).toBe(true);
  });

  test("of a subcommand lists the options that mean something there", () => {
    const of = (...words: string[]) => {
      const asked = parse(...words, "--help");
      return asked.kind === "help" ? asked.text : "";
    };
    for (const other of ["--continue", "--resume", "--model", "--max-turns"]) {
      expect(of("exec")).not.toContain(`${other} `);
      expect(of("config", "get")).not.toContain(`${other} `);
    }
    expect(of("exec")).toContain("--permission-mode");
    expect(of("config", "get")).toContain("--append-system-prompt");
    expect(parse("exec", "Read", "--input", "{}", "--model", "offline").kind).toBe("command");
  });
});
