import { describe, expect, test } from "bun:test";
import { normalizeArguments } from "../../src/cli/arguments.ts";
import { createProgram, parseArguments } from "../../src/cli/program.ts";
import { UserFacingError } from "../../src/contracts/errors.ts";

function asked(...argv: string[]) {
  try {
    return parseArguments(normalizeArguments(argv), "1.2.3");
  } catch (error) {
    if (error instanceof UserFacingError) return { error: error.message, exitCode: error.exitCode };
    throw error;
  }
}

describe("a word that is nearly a subcommand", () => {
  test.each([
    ["docter", "quoll doctor"],
    ["Modles", "quoll models"],
    ["sesions", "quoll sessions"],
  ])("%s alone is an error that names %s and the way to send it", (word, command) => {
    const { error = "", exitCode } = asked(word) as { error?: string; exitCode: number };
    expect(exitCode).toBe(2);
    expect(error).toContain(command);
    expect(error).toContain(`quoll -- ${word}`);
  });

  test.each([
    [["login"], "quoll auth login"],
    [["login", "openai"], "quoll auth login openai"],
    [["logout"], "quoll auth logout"],
    [["whoami"], "quoll auth status"],
    [["serve"], "quoll mcp serve"],
    [["usage"], "quoll stats"],
    [["resume"], "quoll --resume"],
    [["resume", "abc"], "quoll --resume abc"],
    [["resume", "--last"], "quoll --continue"],
  ])("that other tools have, %j, is an error that names %s", (argv, command) => {
    const { error = "", exitCode } = asked(...argv) as { error?: string; exitCode: number };
    expect([exitCode, error.includes(`did you mean ${command}?`)]).toEqual([2, true]);
  });

  test("update, which other tools have, is an error that says how Quoll is brought up to date", () => {
    const { error = "", exitCode } = asked("update") as { error?: string; exitCode: number };
    expect(exitCode).toBe(2);
    expect(error).toContain("npm run build");
    expect(error).toContain("quoll -- update");
  });

  test("init, which other tools have, is an error that names /init", () => {
    expect(asked("init")).toMatchObject({ error: expect.stringContaining("/init"), exitCode: 2 });
  });

  test("exec with a prompt, as other tools have it, is an error that names -p", () => {
    expect(asked("exec", "fix the tests")).toMatchObject({ error: expect.stringContaining("quoll -p"), exitCode: 2 });
    expect(asked("exec", "Read")).toMatchObject({ error: expect.stringContaining("--input"), exitCode: 2 });
  });

  test("-m is --model", () => {
    expect(asked("-m", "opus", "hi")).toEqual(asked("--model", "opus", "hi"));
  });

  test("quoll kill is quoll stop", () => {
    expect(asked("kill", "ab")).toMatchObject({ kind: "command" });
    expect(asked("help", "kill")).toEqual(asked("help", "stop"));
    expect(asked("help", "kill")).toMatchObject({ kind: "help", text: expect.stringContaining("quoll stop") });
  });

  test.each([["--", "docter"], ["-p", "docter"], ["docter, please"], ["hello"], ["Dockerfile"]])(
    "is a prompt where it is meant: %s %s",
    (...given: readonly unknown[]) => {
      const argv = given.filter((word) => typeof word === "string");
      expect(asked(...argv)).toMatchObject({ kind: "session", prompt: argv.at(-1) ?? "" });
    },
  );
});

describe("the name of a subcommand", () => {
  const names = createProgram("1", () => undefined).commands.map((command) => command.name());

  test.each(names)("%s is a prompt after an option that only a session has", (name) => {
    for (const option of ["-p", "--print", "-pc", "-c", "--continue", "--bg", "--resume=abc"])
      expect(asked("--model", "offline", option, name)).toMatchObject({ kind: "session", prompt: name });
    expect(asked("-p", name, "list")).toMatchObject({ exitCode: 2 });
  });

  test("begins a command before such an option, and after options that commands share with sessions", () => {
    expect(asked("doctor", "-p")).toMatchObject({ exitCode: 2, error: expect.stringContaining("-p") });
    expect(asked("--model", "offline", "doctor")).toMatchObject({ kind: "command" });
  });
});

describe("quoll help", () => {
  const names = createProgram("1", () => undefined).commands.map((command) => command.name());

  test("shows the help of the program, and of each subcommand as --help does", () => {
    expect(asked("help")).toEqual(asked("--help"));
    for (const name of names) {
      const help = asked("help", name) as { kind: "help"; text: string };
      expect(help.kind).toBe("help");
      expect(help.text).toStartWith(`Usage: quoll ${name}`);
      expect(asked(name, "--help")).toEqual(help);
    }
    expect(asked("help", "sandbox", "run")).toEqual(asked("sandbox", "run", "--help"));
  });

  test("names the command nearest to an unknown one", () => {
    expect(asked("help", "auht")).toMatchObject({ exitCode: 2, error: expect.stringContaining("did you mean auth?") });
  });
});
