import { describe, expect, test } from "bun:test";
import type { HookOutcome } from "../../../src/contracts/hook.ts";
import { CONFIGURABLE_EVENTS, type ConfigurableEvent, factsOfEvent } from "../../../src/contracts/hook-events.ts";
import type { HookSettings } from "../../../src/contracts/hook-settings.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import { type CommandPorts, runCommandHook } from "../../../src/services/hooks/command-hook.ts";
import { runHttpHook } from "../../../src/services/hooks/http-hook.ts";
import { type AskForHook, runPromptHook } from "../../../src/services/hooks/prompt-hook.ts";
import { type RunKind, registeredHook } from "../../../src/services/hooks/registered-hook.ts";
import { HookRunner } from "../../../src/services/hooks/run-hooks.ts";
import { sampleEvent } from "../../../src/services/hooks/sample-input.ts";
import { runToolHook } from "../../../src/services/hooks/tool-hook.ts";
import { deepTest } from "../../support/deep.ts";

/** The contract of hooks: event, exit code, JSON field, precedence. Each case is a real script of a real shell. */

const DIR = import.meta.dir;
const { signal } = new AbortController();
const ports: CommandPorts = {
  projectRoot: DIR,
  environment: async () => ({ PATH: process.env["PATH"] ?? "" }),
  shell: () => "/bin/sh",
};
const command: RunKind = (declared, input, ending) => runCommandHook(declared, input, ports, ending);

/** Runs hooks with a sample of their event. */
function outcomeOf(
  event: ConfigurableEvent,
  hooks: readonly HookSettings[],
  run: RunKind = command,
  layer: "user" | "project" = "user",
): Promise<HookOutcome> {
  const runner = new HookRunner(systemClock);
  runner.register(hooks.map((hook) => registeredHook({ event, hook, file: "settings.json", layer }, run)));
  return runner.run(sampleEvent(event, DIR), signal);
}

const script = (text: string, more: Partial<HookSettings> = {}): HookSettings => ({
  ...{ type: "command", command: text },
  ...more,
});
const says = (value: object, more: Partial<HookSettings> = {}) =>
  script(`printf '%s' '${JSON.stringify(value)}'`, more);
const specific = (fields: object) => says({ hookSpecificOutput: fields });
const by = (event: ConfigurableEvent) => expect.stringMatching(new RegExp(`\\(${event}, settings\\.json\\)$`));

type Refusal = "verdict" | "answer" | "declined" | "blocked" | "told";

/** The effect of a refusal at each event. */
const REFUSALS: Readonly<Record<ConfigurableEvent, Refusal>> = {
  Setup: "told",
  SessionStart: "told",
  InstructionsLoaded: "told",
  UserPromptSubmit: "blocked",
  UserPromptExpansion: "blocked",
  PreToolUse: "verdict",
  PermissionRequest: "answer",
  PermissionDenied: "told",
  PostToolUse: "blocked",
  PostToolUseFailure: "blocked",
  PostToolBatch: "blocked",
  MessageDisplay: "told",
  Notification: "told",
  SubagentStart: "told",
  SubagentStop: "blocked",
  TaskCreated: "blocked",
  TaskCompleted: "blocked",
  TeammateIdle: "blocked",
  Elicitation: "declined",
  ElicitationResult: "declined",
  CwdChanged: "told",
  DirectoryAdded: "told",
  FileChanged: "told",
  WorktreeCreate: "blocked",
  WorktreeRemove: "told",
  ConfigChange: "blocked",
  PreCompact: "blocked",
  PostCompact: "told",
  Stop: "blocked",
  StopFailure: "told",
  SessionEnd: "told",
};
/** A failure never blocks these, because the turn would not end. */
const NEVER_BLOCKED: readonly string[] = ["Stop", "SubagentStop", "TaskCompleted", "TeammateIdle"];
const TEXT_EVENTS: readonly string[] = ["Setup", "SessionStart", "UserPromptSubmit", "UserPromptExpansion"];

function refused(event: ConfigurableEvent, reason: string): unknown {
  switch (REFUSALS[event]) {
    case "verdict":
      return { permission: { decision: "deny", reason, by: by(event) } };
    case "answer":
      return { answer: { behavior: "deny", reason, endsTurn: false, by: by(event) } };
    case "declined":
      return { elicitation: { action: "decline" } };
    case "blocked":
      return { block: { reason, by: by(event) } };
    case "told":
      return { systemMessage: reason };
  }
}

/** The person is told that the hook failed; with `onFailure: "block"` the event is blocked. */
function failed(event: ConfigurableEvent, phrase: RegExp, blocks: boolean): unknown {
  const isBlocked = blocks && !NEVER_BLOCKED.includes(event);
  const end = isBlocked ? "\\.$" : "\\. Quoll continued without the hook\\.$";
  const line = expect.stringMatching(
    new RegExp(`^The hook .* \\(${event}, settings\\.json\\) failed: ${phrase.source}${end}`),
  );
  const brief = expect.stringMatching(new RegExp(`^it failed: ${phrase.source}\\.$`));
  return isBlocked ? { block: { reason: line, by: by(event), brief }, systemMessage: line } : { systemMessage: line };
}

describe.each(CONFIGURABLE_EVENTS)("%s", (event) => {
  test("acts by the exit code and the common fields of a command", async () => {
    const context = TEXT_EVENTS.includes(event) ? { additionalContext: "words" } : {};
    const cases = [
      [script("echo words"), context],
      [script("echo no >&2; exit 2"), refused(event, "no")],
      [script("echo oh >&2; exit 3"), failed(event, /it ended with exit code 3: oh/, false)],
      [script("exit 3", { onFailure: "block" }), failed(event, /it ended with exit code 3/, true)],
      [
        says({ continue: false, stopReason: "enough", systemMessage: "line", suppressOutput: true }),
        { stop: { reason: "enough" }, systemMessage: "line" },
      ],
    ] as const;
    const outcomes = await Promise.all(cases.map(([hook]) => outcomeOf(event, [hook])));
    expect(outcomes).toEqual(cases.map(([, outcome]) => outcome) as never);
  });

  test("has a block in the guide exactly where a refusal has an effect", () => {
    expect(factsOfEvent(event).block !== undefined).toBe(REFUSALS[event] !== "told");
  });
});

const PRE = "PreToolUse";
const verdict = (decision: string, reason: string) => ({ permission: { decision, reason, by: by(PRE) } });

test.each([
  [PRE, specific({ permissionDecision: "allow", permissionDecisionReason: "r" }), verdict("allow", "r")],
  [PRE, specific({ permissionDecision: "deny", permissionDecisionReason: "r" }), verdict("deny", "r")],
  [PRE, specific({ permissionDecision: "ask", permissionDecisionReason: "r" }), verdict("ask", "r")],
  [PRE, specific({ permissionDecision: "defer", permissionDecisionReason: "r" }), verdict("ask", "r")],
  [PRE, says({ decision: "approve", reason: "r" }), verdict("allow", "r")],
  [PRE, says({ decision: "block", reason: "r" }), verdict("deny", "r")],
  [PRE, specific({ updatedInput: { command: "ls" } }), { updatedInput: { command: "ls" } }],
  [PRE, specific({ additionalContext: "c" }), { additionalContext: "c" }],
  ["Stop", says({ decision: "block", reason: "go on" }), { block: { reason: "go on", by: by("Stop") } }],
  ["Stop", specific({ updatedInput: {}, permissionDecision: "deny", watchPaths: ["a"] }), {}],
  ["PostToolUse", specific({ updatedToolOutput: "other" }), { updatedOutput: "other" }],
  [
    "PermissionRequest",
    specific({ decision: { behavior: "allow", updatedInput: { command: "ls" } } }),
    { answer: { behavior: "allow", updatedInput: { command: "ls" } } },
  ],
  [
    "PermissionRequest",
    specific({ decision: { behavior: "deny", message: "m", interrupt: true } }),
    { answer: { behavior: "deny", reason: "m", endsTurn: true, by: by("PermissionRequest") } },
  ],
  ["PermissionDenied", specific({ retry: true }), { retry: true }],
  ["SessionStart", specific({ watchPaths: ["a"] }), { watchPaths: ["a"] }],
  [
    "Elicitation",
    specific({ action: "accept", content: { a: 1 } }),
    { elicitation: { action: "accept", content: { a: 1 } } },
  ],
  ["ElicitationResult", specific({ action: "cancel" }), { elicitation: { action: "cancel" } }],
  ["WorktreeCreate", specific({ worktreePath: "/w" }), { worktreePath: "/w" }],
] as const)("at %s, the fields of %j become %j", async (event, hook, outcome) => {
  expect(await outcomeOf(event, [hook])).toEqual(outcome as never);
});

test("the strictest of several answers counts: deny before ask (and defer) before allow, whatever their order", async () => {
  const answers = ["allow", "defer", "ask", "deny"].map((decision) =>
    specific({ permissionDecision: decision, permissionDecisionReason: decision }),
  );
  const [allow, defer, ask, deny] = answers as [HookSettings, HookSettings, HookSettings, HookSettings];
  const cases = [
    [[allow, defer], verdict("ask", "defer")],
    [[ask, allow, defer], verdict("ask", "ask")],
    [[allow, ask, deny, defer], verdict("deny", "deny")],
    [[says({ decision: "approve" }), script("echo no >&2; exit 2")], verdict("deny", "no")],
  ] as const;
  for (const [hooks, outcome] of cases) {
    expect(await outcomeOf(PRE, hooks)).toEqual(outcome as never);
    expect(await outcomeOf(PRE, [...hooks].reverse())).toMatchObject({
      permission: { decision: outcome.permission.decision },
    });
  }
});

test("permission changes of several hooks are joined; a project's hook only tightens, and its other changes are reported", async () => {
  const rules = (behavior: string) => ({
    type: "addRules",
    behavior,
    destination: "session",
    rules: [{ toolName: "Bash", ruleContent: "ls" }],
  });
  const change = (decision: string) => ({
    kind: "rules",
    change: { kind: "add", decision, rules: ["Bash(ls)"] },
    isKept: false,
  });
  const asking = (...updatedPermissions: object[]) => specific({ decision: { behavior: "allow", updatedPermissions } });
  const mode = { type: "setMode", mode: "acceptEdits" };
  const both = [asking(rules("allow")), asking(rules("deny"), mode)];
  expect(await outcomeOf("PermissionRequest", both)).toEqual({
    answer: {
      behavior: "allow",
      updates: [change("allow"), change("deny"), { kind: "mode", mode: "acceptEdits" }],
    } as never,
  });
  const { answer, systemMessage } = await outcomeOf("PermissionRequest", both, command, "project");
  expect(answer).toEqual({ behavior: "allow", updates: [change("deny")] } as never);
  expect(systemMessage?.split("\n")).toEqual(Array(2).fill(expect.stringContaining("may not widen permissions")));
});

test("a hook that several entries name runs once at an event", async () => {
  const hook = script("echo once");
  expect(await outcomeOf("SessionStart", [hook, { ...hook }, { ...hook, timeout: 3 }])).toEqual({
    additionalContext: "once",
  });
});

type Way = { readonly hook: HookSettings; readonly run: RunKind };
const KINDS = ["command", "http", "mcp_tool", "prompt", "agent"] as const;
const ANSWERS = ["allow", "block", "broken", "error", "silent"] as const;

/** A hook of each kind that answers in one way; `silent` never answers. */
function way(kind: (typeof KINDS)[number], answer: (typeof ANSWERS)[number], url: string): Way {
  const decides = kind === "prompt" || kind === "agent";
  const text = {
    allow: decides ? '{"ok": true}' : "{}",
    block: decides ? '{"ok": false, "reason": "no"}' : '{"decision":"block","reason":"no"}',
    broken: "{broken",
  };
  const told = async (ending: AbortSignal) => {
    if (answer === "error") throw new Error("the other side failed");
    if (answer === "silent") return aborted(ending);
    return text[answer];
  };
  const ask: AskForHook = (_, ending) => told(ending);
  const shells = { ...text, error: "", silent: "" };
  const line = { error: "exit 9", silent: "sleep 100", allow: "", block: "", broken: "" }[answer];
  const hooks: Readonly<Record<string, Way>> = {
    command: { hook: script(line || `printf '%s' '${shells[answer]}'`), run: command },
    http: {
      hook: { type: "http", url: `${url}${answer}` },
      run: ({ hook }, input, ending) => runHttpHook(hook, input, { fetch, environment: {} }, ending),
    },
    mcp_tool: {
      hook: { type: "mcp_tool", server: "s", tool: "t" },
      run: ({ hook }, input, ending) => runToolHook(hook, input, (_, __, ___, end) => told(end), ending),
    },
    prompt: {
      hook: { type: "prompt", prompt: "May it?" },
      run: ({ hook }, input, ending) => runPromptHook(hook, input, ask, ending),
    },
  };
  const { hook, run } = hooks[kind === "agent" ? "prompt" : kind] as Way;
  return { hook: { ...hook, type: kind, timeout: answer === "silent" ? 0.2 : 20 }, run };
}

function aborted(ending: AbortSignal): Promise<never> {
  return new Promise((_, reject) => ending.addEventListener("abort", () => reject(ending.reason), { once: true }));
}

/** Checks every kind of hook with every way to answer at an event. */
async function checkKinds(event: ConfigurableEvent): Promise<void> {
  using server = Bun.serve({
    port: 0,
    fetch: async (request) => {
      const answer = new URL(request.url).pathname.slice(1);
      if (answer === "silent") return new Promise<Response>(() => undefined);
      const text = { allow: "{}", block: '{"decision":"block","reason":"no"}', broken: "{broken" }[answer];
      return new Response(text ?? "", { status: text === undefined ? 500 : 200 });
    },
  });
  const phrases = {
    broken: /.*(is not JSON|did not answer with).*/,
    error: /.*/,
    silent: /it did not answer within 0.2 s/,
  };
  const checks = KINDS.flatMap((kind) =>
    ANSWERS.flatMap((answer) =>
      [false, true].map(async (blocks) => {
        const { hook, run } = way(kind, answer, `${server.url}`);
        const outcome = await outcomeOf(event, [{ ...hook, ...(blocks && { onFailure: "block" }) }], run);
        const isQuestion = kind === "prompt" || kind === "agent";
        const refusal =
          isQuestion || !["answer", "declined"].includes(REFUSALS[event]) ? refused(event, "no") : refusedByWord(event);
        const wanted = answer === "allow" ? {} : answer === "block" ? refusal : failed(event, phrases[answer], blocks);
        expect({ kind, answer, blocks, outcome }).toEqual({ kind, answer, blocks, outcome: wanted } as never);
      }),
    ),
  );
  await Promise.all(checks);
}

/** `decision: "block"` at the events that have a decision of their own. */
function refusedByWord(event: ConfigurableEvent): unknown {
  return { block: { reason: "no", by: by(event) } };
}

test("every kind of hook allows, blocks, breaks, fails and times out alike before a call", () => checkKinds(PRE));
for (const event of CONFIGURABLE_EVENTS)
  deepTest(`every kind of hook allows, blocks, breaks, fails and times out alike at ${event}`, () => checkKinds(event));
