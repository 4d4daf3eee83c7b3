import { describe, expect, test } from "bun:test";
import type { PermissionAnswer } from "../../../src/contracts/hook.ts";
import type { Verdict } from "../../../src/contracts/permission.ts";
import type { PermissionHooks } from "../../../src/services/permission/permission-deps.ts";
import { seededTest } from "../../support/deep.ts";
import { seededRandom } from "../../support/seeded-random.ts";
import { setUp } from "./engine-support.ts";
import { execute, ROOT } from "./support.ts";

const answering = (answer: PermissionAnswer | undefined, retry = false): PermissionHooks => ({
  request: async () => answer,
  denied: async () => ({ retry }),
});
const ALLOW: PermissionAnswer = { behavior: "allow" };
const DENY: PermissionAnswer = { behavior: "deny", reason: "not that", endsTurn: true };

describe("a hook in place of the person", () => {
  test("refuses a call, and may end the turn", async () => {
    const { judge, bash } = setUp({ hooks: answering(DENY) });
    expect(await judge(bash("npm publish"))).toMatchObject({
      ...{ decision: "deny", decidedBy: { kind: "hook" }, endsTurn: true },
      message: expect.stringContaining("Refused by a hook of the user: not that"),
    });
    const named = setUp({ hooks: answering({ ...DENY, by: "./check.sh (PermissionRequest, settings.json:3)" }) });
    expect(await named.judge(named.bash("npm publish"))).toMatchObject({
      decidedBy: { kind: "hook", reason: "not that", source: "./check.sh (PermissionRequest, settings.json:3)" },
    });
  });

  test("allows a call without a rule, also where nobody can answer, and may change its input", async () => {
    const { judge, bash } = setUp({ hooks: answering(ALLOW), canAsk: false });
    expect(await judge(bash("npm publish"))).toMatchObject({
      decision: "allow",
      grant: { decidedBy: { kind: "hook" } },
    });
    const changed = setUp({ hooks: answering({ ...ALLOW, updatedInput: { command: "npm pack" } }) });
    expect(await changed.judge(changed.bash("npm publish"))).toMatchObject({
      decision: "allow",
      updatedInput: { command: "npm pack" },
    });
  });

  test("changes rules and the mode only where its answer decides, within the limits of a question", async () => {
    const rules = (decision: "allow" | "deny", ...texts: string[]) =>
      ({ kind: "rules", change: { kind: "add", decision, rules: texts }, isKept: false }) as const;
    const updates = [
      rules("allow", "Bash(npm pack)", "Bash(*)"),
      rules("deny", "Bash(npm login)"),
      ...(["acceptEdits", "bypassPermissions"] as const).map((mode) => ({ kind: "mode", mode }) as const),
    ];
    const answer = { ...ALLOW, updates };
    const { judge, bash, engine, warnings } = setUp({ hooks: answering(answer), canAsk: false });
    expect((await judge(bash("npm publish"))).decision).toBe("allow");
    expect(await judge(bash("npm login"))).toMatchObject({ decision: "deny" });
    expect(engine.describe().map(({ decision, rule }) => `${decision} ${rule}`)).toEqual([
      "deny Bash(npm login)",
      "allow Bash(npm pack)",
    ]);
    expect(engine.mode).toBe("acceptEdits");
    expect(warnings).toEqual([
      "Rules of a hook were refused, or do not exist: Bash(*).",
      "A hook can't set the mode bypassPermissions.",
    ]);
    const asks = setUp({ hooks: answering(answer), canAsk: false, rules: { ask: ["Bash(npm publish)"] } });
    await asks.judge(asks.bash("npm publish"));
    expect([asks.engine.mode, asks.engine.describe()]).toMatchObject(["default", [{ decision: "ask" }]]);
  });

  test.each([
    ["a deny rule", "rule"],
    ["a mode", "mode"],
  ])("can't allow a call that %s forbids by the time of the answer", async (what, kind) => {
    const answer = Promise.withResolvers<PermissionAnswer>();
    const { judge, request, engine } = setUp({ hooks: { ...answering(ALLOW), request: () => answer.promise } });
    const verdict = judge(request("Bash", "execute", execute("npm publish")));
    if (what === "a mode") engine.mode = "plan";
    else engine.changeRules({ kind: "add", decision: "deny", rules: ["Bash(npm publish)"] }, "a program");
    answer.resolve(ALLOW);
    expect(await verdict).toMatchObject({ decision: "deny", decidedBy: { kind } });
  });

  test("is not asked where a rule decides", async () => {
    const { judge, bash } = setUp({ hooks: answering(DENY), rules: { allow: ["Bash(npm test)"] } });
    expect((await judge(bash("npm test"))).decision).toBe("allow");
  });
});

type Answer = "allow" | "ask" | "deny" | undefined;
const ANSWERS: readonly Answer[] = ["allow", "ask", "deny", undefined];
const RULES = ["allow", "ask", "deny"] as const;

/**
 * The hook before the call, the hook in place of the person, and the rules: whatever hooks say, a call runs without a
 * question only if the rules alone allow it, or if no rule decides and nothing protects it.
 */
seededTest(
  "no answer of a hook makes a call looser than the rules, protected paths and the mode",
  { seed: 12, cases: { quick: 60, deep: 3_000 } },
  async (seed, cases) => {
    const { pick, chance } = seededRandom(seed);
    for (let at = 0; at < cases; at += 1) {
      const rules = Object.fromEntries(
        RULES.map((decision) => [decision, chance(0.4) ? [pick(["Bash(npm *)", "Edit(/src/**)", "Edit"])] : []]),
      );
      const mode = pick(["default", "acceptEdits", "plan", "dontAsk"] as const);
      const before = pick(["allow", "ask", undefined] as const);
      const instead = pick(ANSWERS);
      const path = pick(["src/a.ts", ".git/hooks/pre-commit", ".quoll/settings.json", "README.md"]);
      const isShell = chance(0.5);
      const verdictOf = async (hooks: PermissionHooks, isHooked: boolean): Promise<Verdict> => {
        const { judge, bash, request } = setUp({ rules, mode, hooks, canAsk: false });
        const call = isShell
          ? bash("npm publish")
          : request("Edit", "write", { action: "write", path: `${ROOT}/${path}` });
        const hook = isHooked && before ? { hook: { decision: before, reason: "so" } } : {};
        return judge({ ...call, ...hook });
      };
      const answer = instead === "allow" ? ALLOW : instead === "deny" ? DENY : undefined;
      const plain = await verdictOf(answering(undefined), false);
      const hooked = await verdictOf(answering(answer), true);
      const isProtected = !isShell && path.startsWith(".");
      const isNamed = [...(rules["ask"] ?? []), ...(rules["deny"] ?? [])].some((rule) =>
        isShell ? rule.startsWith("Bash") : rule.startsWith("Edit") && (rule === "Edit" || path.startsWith("src/")),
      );
      const about = { rules, mode, before, instead, path: isShell ? "npm publish" : path };
      if (plain.decision === "deny" && (isProtected || isNamed || mode === "plan" || mode === "dontAsk")) {
        expect({ ...about, decision: hooked.decision }).toEqual({ ...about, decision: "deny" });
      }
      if (before === "ask" && instead !== "deny")
        expect({ ...about, decision: hooked.decision }).toEqual({ ...about, decision: "deny" });
    }
  },
);
