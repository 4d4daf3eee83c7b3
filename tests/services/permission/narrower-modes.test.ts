import { describe, expect, test } from "bun:test";
import type { AgentSource } from "../../../src/contracts/agent.ts";
import type { PermissionRequest } from "../../../src/contracts/permission.ts";
import type { PermissionMode } from "../../../src/contracts/permission-mode.ts";
import { narrowerModes } from "../../../src/services/permission/narrower-modes.ts";
import { setUp, short } from "./engine-support.ts";
import { read, write } from "./support.ts";

const AGENT: AgentSource = { agentId: "c", parentAgentId: "main", parentToolUseId: null, spendSource: "subagent" };

test.each([
  ["bypassPermissions", "plan", ["plan"]],
  ["plan", "bypassPermissions", ["plan"]],
  ["acceptEdits", "default", ["default"]],
  ["dontAsk", "default", ["dontAsk"]],
  ["dontAsk", "plan", ["plan", "dontAsk"]],
  ["plan", "dontAsk", ["plan", "dontAsk"]],
  ["auto", "dontAsk", ["dontAsk", "auto"]],
  ["dontAsk", "auto", ["dontAsk", "auto"]],
  ["auto", "default", ["default", "auto"]],
] as const)("under a parent in %s, a child that wants %s is in %p", (parent, wanted, modes) => {
  expect(narrowerModes([parent], wanted)).toEqual(modes);
});

test("a child keeps every mode that its parent holds", () => {
  expect(narrowerModes(["plan", "dontAsk"], "bypassPermissions")).toEqual(["plan", "dontAsk"]);
  expect(narrowerModes(["dontAsk", "auto"], "plan")).toEqual(["plan", "dontAsk"]);
});

describe("a child agent whose mode and whose parent's mode don't contain each other", () => {
  const family = (parent: PermissionMode, child: PermissionMode) => {
    const seen: string[] = [];
    const judge = {
      judge: async () => {
        seen.push("judged");
        return { verdict: "yes" } as const;
      },
    };
    const here = setUp({ mode: parent, rules: { allow: ["Edit(/**)", "Bash"] }, judge });
    const engine = here.engine.narrow({ agent: AGENT, state: { mode: child } });
    const authorize = async (request: PermissionRequest) =>
      short(await engine.authorize(request, AbortSignal.timeout(25_000)));
    return { ...here, seen, engine, authorize };
  };

  test("changes nothing in plan mode under a parent in dontAsk, and asks nobody", async () => {
    const { request, authorize, questions, engine } = family("dontAsk", "plan");
    expect(engine.mode).toBe("plan");
    expect(await authorize(request("Write", "write", write("new.txt")))).toBe("deny");
    expect(await authorize(request("Read", "read", read("src/a.ts")))).toBe("allow/none");
    expect(await authorize(request("Read", "read", read("/etc/passwd")))).toBe("deny");
    expect(questions.pending).toEqual([]);
  });

  test.each([
    ["auto", "dontAsk"],
    ["dontAsk", "auto"],
  ] as const)("needs a rule and the judge: a parent in %s, a child in %s", async (parent, child) => {
    const { bash, request, authorize, seen } = family(parent, child);
    expect(await authorize(request("WebFetch", "network", { action: "network", host: "example.com" }))).toBe("deny");
    expect(seen).toEqual([]);
    expect(await authorize(bash("npm publish"))).toBe("allow/none");
    expect(seen).toEqual(["judged"]);
  });

  test("asks the person in default under a parent in auto where no rule allows the call", async () => {
    const { request, engine, asked, seen } = family("auto", "default");
    const fetch = request("WebFetch", "network", { action: "network", host: "example.com" });
    const question = await asked(engine.authorize(fetch, AbortSignal.timeout(25_000)));
    expect([question?.toolName, seen]).toEqual(["WebFetch", []]);
  });
});
