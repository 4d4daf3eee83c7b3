import { describe, expect, test } from "bun:test";
import { UserFacingError } from "../../../src/contracts/errors.ts";
import { formatRecording, parseRecording, type Recording, type Step } from "../../../src/services/replay/recording.ts";

const HEAD = {
  kind: "recording",
  format: 1,
  sessionId: "s",
  version: "1.2.3",
  madeAt: "2026-01-02T03:04:05.000Z",
  isRedacted: true,
  missing: ["files that only commands read or changed"],
} as const;
const USAGE = { inputTokens: 1, outputTokens: 2, cacheReadTokens: 0, cacheWriteTokens: 0 };

const RECORDING: Recording = {
  head: HEAD,
  files: [
    { kind: "file", path: "src/a.ts", text: "one\n", isChanged: true },
    { kind: "file", path: "...odd/.gitignore", text: null, isChanged: true },
  ],
  steps: [
    {
      kind: "setup",
      isStart: true,
      cwd: "~{project}",
      mode: "acceptEdits",
      model: "m",
      tools: ["Read"],
      platform: "linux x64",
      version: "1.2.3",
      head: "a".repeat(40),
    },
    { kind: "said", by: "user", prompt: "go\non" },
    {
      kind: "answer",
      message: {
        role: "assistant",
        id: "m1",
        model: "m",
        content: [
          { type: "thinking", thinking: "Hm.", signature: "" },
          { type: "tool_use", id: "t1", name: "Read", input: {}, malformed: { text: "{", problem: "cut" } },
        ],
        stopReason: "tool_use",
        usage: USAGE,
      },
    },
    { kind: "result", toolUseId: "t1", ran: false, content: "no", isError: true },
    {
      kind: "result",
      toolUseId: "t2",
      ran: true,
      content: [{ type: "image", mediaType: "image/png", data: "AAAA" }],
      isError: false,
    },
    { kind: "turn_end", reason: "completed" },
  ],
};

test("a written recording is read back unchanged", () => {
  expect(parseRecording(formatRecording(RECORDING), "x")).toEqual(RECORDING);
});

describe("a broken recording, or a file that is none, gives one clear line and exit code 2", () => {
  const first = `${JSON.stringify(HEAD)}\n`;
  const answer = `${JSON.stringify(RECORDING.steps[2])}\n`;
  const file = (path: string) =>
    `${first}${JSON.stringify({ kind: "file", path, text: "", isChanged: true })}\n${answer}`;
  const damaged = (problem: string) => new RegExp(`^x, line 2: the recording is damaged \\(${problem}`);
  test.each<readonly [string, string, RegExp]>([
    ["empty", "", /^x is not a recording of a session: /],
    ["text", "hello\n", /^x is not a recording/],
    ["other JSON", "[1]\n", /^x is not a recording/],
    ["a session's own file", '{"v":1,"kind":"session","sessionId":"s"}\n', /^x is a session file, not a recording/],
    ["a newer one", first.replace('"format":1', '"format":2'), /newer Quoll \(format 2, this one reads 1\): update/],
    ["a head that lacks a field", first.replace('"isRedacted":true,', ""), /^x, line 1: .*\(isRedacted: /],
    ["a line cut off", `${first}${answer.slice(0, -30)}`, damaged("not JSON")],
    ["an unknown kind", `${first}{"kind":"hat"}\n`, damaged('unknown kind "hat"')],
    ["a second head", `${first}${first}${answer}`, damaged('unknown kind "recording"')],
    ["a wrong field", `${first}${answer.replace('"id":"t1"', '"id":1')}`, damaged("message.content.1.id: ")],
    ["an unknown block", `${first}${answer.replace('"thinking","th', '"hat","th')}`, damaged("message.content.0")],
    [
      "values within values without end",
      `${first}${answer.replace(/"input":\{/, `"input":{"x":${"[".repeat(100_000)}${"]".repeat(100_000)},`).replace(",}", "}")}`,
      damaged("values in it are nested too deeply"),
    ],
    ["no last line feed", `${first}${answer.trimEnd()}`, /^x: the recording is damaged \(its last line is cut off/],
    ["nothing to play", first, /^x: .*contains no answer/],
    ["a file above the project", file("../a"), damaged("path: a path inside the project")],
    ["a file within a step up", file("a/../../b"), damaged("path: ")],
    ["an absolute file", file("/etc/passwd"), damaged("path: ")],
    ["a file of git's own", file("sub/.GIT/config"), damaged("path: ")],
    ["a file without a name", file(""), damaged("path: ")],
  ])("%s", (_, source, problem) => {
    let thrown: unknown;
    try {
      parseRecording(source, "x");
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(UserFacingError);
    const { message, exitCode } = thrown as UserFacingError;
    expect({ exitCode, lines: message.split("\n").length, isShort: message.length < 400 }).toEqual({
      exitCode: 2,
      lines: 1,
      isShort: true,
    });
    expect(message).toMatch(problem);
  });
});

test("only a recording of an older version is read by the words of its results", () => {
  const said = {
    kind: "result",
    toolUseId: "t1",
    ran: true,
    content: "[the working folder is now /x]",
    isError: false,
  };
  const steps = [...RECORDING.steps.filter(({ kind }) => kind !== "result"), said as Step];
  const read = (head: Recording["head"]) =>
    parseRecording(formatRecording({ head, files: [], steps }), "r").steps.at(-1);
  expect(read(HEAD)).toEqual({ ...said, movedTo: "/x" } as Step);
  expect(read({ ...HEAD, hasFacts: true })).toEqual(said as Step);
});
