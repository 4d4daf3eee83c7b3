import { expect, test } from "bun:test";
import { parseArguments } from "../../../src/cli/program.ts";
import { sessionConfigOf } from "../../../src/cli/session/session-config.ts";

function configOf(...argv: readonly string[]) {
  const invocation = parseArguments(argv, "1.0.0");
  if (invocation.kind !== "session") throw new Error("The arguments name no session.");
  return sessionConfigOf(invocation.options, { startedIn: "/start", answerer: "nobody" });
}

test("without options a new session is saved and works where Quoll was started", () => {
  expect(configOf("-p", "hi")).toEqual({
    cwd: "/start",
    answerer: "nobody",
    conversation: { kind: "new" },
    isSaved: true,
  });
});

test("every option of the command line that a session takes is translated", () => {
  const config = configOf(
    ...["-p", "hi", "-C", "sub", "--settings", "{}", "--setting-sources", "user", "--trust", "--add-dir", "/more"],
    ...["--model", "offline", "--max-budget-usd", "2", "--permission-mode", "plan", "--allowed-tools", "Read"],
    ...["--disallowed-tools", "Bash", "--allow-sandboxed", "--no-session-persistence", "--fallback-model", "fast"],
    ...["--effort", "low", "--max-thinking-tokens", "5", "--max-turns", "3", "--tools", "Read", "--bare"],
    ...["--input-format", "stream-json", "--output-format", "stream-json"],
  );
  expect(config).toEqual({
    cwd: "/start/sub",
    settings: "{}",
    settingSources: ["user"],
    isTrusted: true,
    additionalDirectories: ["/more"],
    model: "offline",
    maxBudgetUsd: 2,
    permissionMode: "plan",
    allow: ["Read"],
    deny: ["Bash"],
    allowSandboxed: true,
    answerer: "nobody",
    conversation: { kind: "new" },
    isSaved: false,
    fallbackModels: ["fast"],
    effort: "low",
    thinking: 5,
    maxSteps: 3,
    tools: ["Read"],
    skipsUnknownTools: true,
    isBare: true,
    noticesAsEvents: true,
  });
});

test("the dangerous flag outranks the mode, and thinking that is switched off outranks its tokens", () => {
  const both = configOf("-p", "hi", "--permission-mode", "plan", "--dangerously-skip-permissions");
  expect(both.permissionMode).toBe("bypassPermissions");
  expect(configOf("-p", "hi", "--thinking", "disabled", "--max-thinking-tokens", "9").thinking).toBe(false);
  expect(configOf("-p", "hi", "--thinking", "enabled").thinking).toBe(true);
});

const ID = "0198c0de-0000-4000-8000-000000000001";

test.each([
  [["--session-id", ID], { kind: "new", id: ID }],
  [["--continue"], { kind: "latest" }],
  [["--resume", "0198"], { kind: "saved", id: "0198" }],
  [["--continue", "--fork-session"], { kind: "latest", fork: {} }],
  [["--resume", "0198", "--fork-session", "--session-id", ID], { kind: "saved", id: "0198", fork: { id: ID } }],
] as const)("%j chooses the conversation %j", (argv, conversation) => {
  expect(configOf("-p", "hi", ...argv).conversation).toEqual(conversation);
});

test("options that don't go together are refused", () => {
  expect(() => configOf("-p", "hi", "--fork-session")).toThrow("--continue or --resume");
  expect(() => configOf("-p", "hi", "--continue", "--session-id", ID)).toThrow("--fork-session");
});
