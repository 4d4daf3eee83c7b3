import { describe, expect, test } from "bun:test";
import { normalizeArguments } from "../../src/cli/arguments.ts";
import { createProgram, parseArguments } from "../../src/cli/program.ts";
import { isStreamInput, withoutUnknown } from "../../src/cli/stream-arguments.ts";

const { options } = createProgram("0", () => undefined);
const STREAM = ["--output-format", "stream-json", "--verbose", "--input-format", "stream-json"];

test("a program is known by its format of input, as one word or two, before --", () => {
  expect([STREAM, ["--input-format=stream-json"]].map(isStreamInput)).toEqual([true, true]);
  expect([[], ["-p", "hi"], ["--input-format", "text"], ["--", ...STREAM], ["stream-json"]].map(isStreamInput)).toEqual(
    Array.from({ length: 5 }, () => false),
  );
});

describe("unknown options", () => {
  const CASES: readonly (readonly [given: readonly string[], kept: readonly string[], ignored: readonly string[]])[] = [
    [STREAM, STREAM, []],
    [["--frob", "7", "--model", "x"], ["--model", "x"], ["--frob"]],
    [["--frob=7", "--model=x"], ["--model=x"], ["--frob"]],
    [["--frob", "--model", "x"], ["--model", "x"], ["--frob"]],
    [["--frob", "-1"], [], ["--frob"]],
    [["--resume=abc", "--resume", "--frob"], ["--resume=abc", "--resume"], ["--frob"]],
    [["--resume", "abc", "hello"], ["--resume", "abc", "hello"], []],
    [["--settings", "--odd", "-z", "x"], ["--settings", "--odd"], ["-z"]],
    [["-p", "--verbose=true", "hello"], ["-p", "--verbose", "hello"], []],
    [["--frob", "--", "--frob"], ["--", "--frob"], ["--frob"]],
    [["--await-initialize", "hello"], ["hello"], []],
    [["--no-session-persistence", "--no-frob"], ["--no-session-persistence"], ["--no-frob"]],
  ];
  test.each(CASES)("%j", (argv, kept, ignored) => {
    expect(withoutUnknown(argv, options)).toEqual({ argv: [...kept], ignored: [...ignored] });
  });

  test("end the start for a person, and are only named for a program", () => {
    expect(() => parseArguments(["-p", "--frob", "hi"], "1")).toThrow("Unknown option '--frob'");
    expect(parseArguments([...STREAM, "--frob", "hi"], "1")).toMatchObject({
      kind: "session",
      prompt: undefined,
      options: { inputFormat: "stream-json", outputFormat: "stream-json", verbose: true, ignored: ["--frob"] },
    });
  });

  test("a program may pass names of commands as prompts", () => {
    expect(parseArguments([...STREAM, "models"], "1")).toMatchObject({ kind: "session", prompt: "models" });
  });
});

test("every option of programs is read in its own form", () => {
  const argv = [
    ...["--includePartialMessages", "--replay-user-messages", "--jsonSchema", "{}", "--permission-prompt-tool=stdio"],
    ...["--systemPrompt", "a", "--system-prompt-file=b", "--append-system-prompt", "c", "--appendSystemPromptFile=d"],
    ...["--agents", "{}", "--settingSources=user, local", "--mcp-config", '{"x":1}', "a.json", "--strict-mcp-config"],
    ...["--bare", "--fallback-model=one,two", "--effort", "max", "--thinking", "disabled"],
    ...["--maxThinkingTokens", "0"],
    ...["--allowDangerouslySkipPermissions", "--add-dir", "../a", "/b/c", "go"],
  ];
  expect(parseArguments(normalizeArguments([...STREAM, ...argv]), "1")).toEqual({
    kind: "session",
    prompt: "go",
    options: {
      sessionPersistence: true,
      outputFormat: "stream-json",
      inputFormat: "stream-json",
      verbose: true,
      includePartialMessages: true,
      replayUserMessages: true,
      jsonSchema: "{}",
      permissionPromptTool: "stdio",
      systemPrompt: "a",
      systemPromptFile: "b",
      appendSystemPrompt: "c",
      appendSystemPromptFile: "d",
      agents: "{}",
      settingSources: ["user", "local"],
      mcpConfig: ['{"x":1}', "a.json"],
      strictMcpConfig: true,
      bare: true,
      fallbackModel: ["one", "two"],
      effort: "max",
      thinking: false,
      maxThinkingTokens: 0,
      allowDangerouslySkipPermissions: true,
      addDir: ["../a", "/b/c"],
    },
  });
});

test("--thinking adaptive means the model's default", () => {
  expect(parseArguments(["-p", "hi", "--thinking", "adaptive"], "1")).not.toHaveProperty("options.thinking", false);
  expect(() => parseArguments(["-p", "hi", "--thinking", "maybe"], "1")).toThrow("adaptive, enabled or disabled");
});
