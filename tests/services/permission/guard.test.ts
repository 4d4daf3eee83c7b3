import { expect, test } from "bun:test";
import type { Backup, DestructiveGuard } from "../../../src/contracts/ports.ts";
import type { Hazard } from "../../../src/contracts/subject.ts";
import { AGREED, SANDBOX, setUp, short } from "./engine-support.ts";
import { execute, hazard } from "./support.ts";

/** A guard that answers as it is told and writes down what it was asked for. */
function guardOf(answer: () => Backup | undefined): DestructiveGuard & { readonly asked: (readonly Hazard[])[] } {
  const asked: (readonly Hazard[])[] = [];
  return {
    asked,
    assess: async (hazards) => {
      asked.push(hazards);
      return answer();
    },
  };
}

const possible = (...lines: string[]) => guardOf(() => ({ kind: "possible", make: async () => lines }));
const impossible = guardOf(() => ({ kind: "impossible", why: "what is published stays published" }));
const broken: DestructiveGuard = { assess: () => Promise.reject(new Error("no git\nhere")) };
const failing = guardOf(() => ({ kind: "possible", make: () => Promise.reject(new Error("the disk is full")) }));

const CLEAN = { hazards: [hazard("deletes files: dist/")] };
const PUBLISH = { hazards: [hazard("publishes a package", "publishes")] };

test("an allowed destructive command is backed up first, and its grant names the backup", async () => {
  const guard = possible("kept in refs/quoll/backup/1");
  const { judge, bash } = setUp({ guard, rules: { allow: ["Bash(git clean *)"] } });
  const verdict = await judge(bash("git clean -fd", CLEAN));
  expect([short(verdict), verdict.decision === "allow" && verdict.grant.notes, guard.asked]).toEqual([
    "allow/none",
    ["kept in refs/quoll/backup/1"],
    [CLEAN.hazards],
  ]);
});

test("the guard is not asked about denied calls and harmless calls", async () => {
  const guard = possible();
  const { judge, bash } = setUp({ guard, rules: { deny: ["Bash(git clean *)"], allow: ["Bash(ls)"] } });
  expect(short(await judge(bash("git clean -fd", CLEAN)))).toBe("deny");
  expect(short(await judge(bash("ls")))).toBe("allow/none");
  expect(guard.asked).toEqual([]);
});

const UNREAD = { understood: false, unread: hazard("may do anything", "unforeseen") };

test("an unreadable command that runs without a question is backed up, in the sandbox and in bypassPermissions", async () => {
  const guard = possible("kept");
  const bypassing = setUp({ guard, mode: "bypassPermissions" });
  const verdict = await bypassing.judge(bypassing.bash("$X", { ...UNREAD, ...CLEAN }));
  expect(verdict.decision === "allow" && verdict.grant.notes).toEqual(["kept"]);
  expect(guard.asked).toEqual([CLEAN.hazards, [...CLEAN.hazards, UNREAD.unread]]);
  const alone = possible("kept");
  const again = setUp({ guard: alone, mode: "bypassPermissions" });
  expect(short(await again.judge(again.bash("$X", UNREAD)))).toBe("allow/none");
  expect(alone.asked).toEqual([[UNREAD.unread]]);
});

test("a question about an unreadable command mentions and makes no backup", async () => {
  const guard = possible("kept");
  const { agreed, bash } = setUp({ guard });
  const { verdict, timesAsked } = await agreed(bash("$X", UNREAD));
  expect([short(verdict), timesAsked, guard.asked]).toEqual(["allow/none", 1, []]);
});

test("a question settled by bypassPermissions still makes the backup first", async () => {
  const guard = possible("kept");
  const { engine, asked, judge, bash } = setUp({ guard });
  const judging = judge(bash("$X", UNREAD));
  await asked(judging);
  engine.mode = "bypassPermissions";
  const verdict = await judging;
  expect(verdict.decision === "allow" && verdict.grant.notes).toEqual(["kept"]);
});

test("without valuable data at risk, the verdict does not change", async () => {
  const { judge, bash } = setUp({ guard: guardOf(() => undefined), rules: { allow: ["Bash(git clean *)"] } });
  const verdict = await judge(bash("git clean -fd", CLEAN));
  expect(verdict.decision === "allow" && verdict.grant.notes).toEqual([]);
});

test("the question marks each hazard that is backed up; a missing backup is its reason", async () => {
  const hazardsWith = async (guard: DestructiveGuard | undefined) => {
    const { judge, bash, asked } = setUp({ guard });
    return (await asked(judge(bash("git clean -fd", CLEAN))))?.hazards;
  };
  expect([
    await hazardsWith(possible()),
    await hazardsWith(impossible),
    await hazardsWith(guardOf(() => undefined)),
    await hazardsWith(undefined),
    await hazardsWith(broken),
  ]).toEqual([
    ["deletes files: dist/ (backed up first)"],
    ["deletes files: dist/"],
    ["deletes files: dist/"],
    ["deletes files: dist/"],
    ["deletes files: dist/"],
  ]);
});

test.each(["default", "acceptEdits", "auto", "bypassPermissions"] as const)(
  "without a possible backup, mode %s asks despite a rule with a star",
  async (mode) => {
    const judge = { judge: async () => ({ verdict: "yes" }) as const };
    const { agreed, bash } = setUp({ guard: impossible, mode, judge, rules: { allow: ["Bash(npm *)"] } });
    const { verdict, timesAsked } = await agreed(bash("npm publish", PUBLISH));
    expect([short(verdict), timesAsked]).toEqual(["allow/none", 1]);
  },
);

test("a rule that names the command word for word allows it without a backup", async () => {
  const { judge, bash } = setUp({ guard: impossible, rules: { allow: ["Bash(npm publish)"] } });
  expect(short(await judge(bash("npm publish", PUBLISH)))).toBe("allow/none");
  const other = setUp({ guard: impossible, rules: { allow: ["Bash(npm publish *)"] } });
  expect(await other.asked(other.judge(other.bash("npm publish", PUBLISH)))).toMatchObject({
    reason: "No backup is possible: what is published stays published.",
    suggestions: [],
    sessionRules: [],
  });
});

test("a word-for-word rule overrides neither a deny nor an ask rule", async () => {
  for (const [lists, verdict] of [
    [{ deny: ["Bash(npm *)"] }, "deny"],
    [{ ask: ["Bash(npm *)"] }, "deny/unanswered"],
  ] as const) {
    const { judge, bash } = setUp({
      guard: impossible,
      canAsk: false,
      rules: { allow: ["Bash(npm publish)"], ...lists },
    });
    expect(short(await judge(bash("npm publish", PUBLISH)))).toBe(verdict);
  }
});

test("the reason why no backup is possible stands beside the part of the command that it belongs to", async () => {
  const [culprit] = PUBLISH.hazards;
  const guard = guardOf(() => ({ kind: "impossible", why: "it stays published", ...(culprit && { hazard: culprit }) }));
  const parts = [execute("rm -rf dist", CLEAN), execute("npm publish", PUBLISH)];
  const alone = setUp({ guard, mode: "bypassPermissions", canAsk: false });
  const verdict = await alone.judge(alone.request("Bash", "execute", ...parts));
  const [ofDeletion, ofPublishing] = verdict.decision === "deny" ? (verdict.decidedBy.reason ?? "").split("; ") : [];
  expect(ofDeletion).toContain("`rm -rf dist`, because another part of the command publishes a package");
  expect(ofPublishing).toContain("`npm publish`: it stays published");
  const { asked, judge, request } = setUp({ guard, mode: "bypassPermissions" });
  const question = await asked(judge(request("Bash", "execute", ...parts)));
  expect(question?.reason).toBe("No backup is possible: it stays published.");
});

test("a question for another reason keeps that reason", async () => {
  const { asked, judge, bash } = setUp({ guard: impossible, rules: { ask: ["Bash(npm *)"] } });
  const question = await asked(judge(bash("npm publish", PUBLISH)));
  expect([question?.reason, question?.hazards]).toEqual([
    "The rule Bash(npm *) asks (settings.json:1).",
    ["publishes a package (no backup)"],
  ]);
});

test.each(["default", "bypassPermissions"] as const)(
  "with nobody to ask, mode %s refuses, and the line names the setting",
  async (mode) => {
    const { judge, bash } = setUp({ guard: impossible, canAsk: false, mode });
    const verdict = await judge(bash("npm publish", PUBLISH));
    expect([short(verdict), verdict.decision === "deny" && verdict.message]).toEqual([
      "deny/unanswered",
      'Refused: nobody can answer permission questions in this run (no backup is possible before `npm publish`: what is published stays published). The user could allow it with Bash(npm publish). Settings with destructiveGuard: "off" would run it without a backup; only the user may decide that.\nNext: Go on without it, and say in your answer what could not be done.',
    ]);
  },
);

test("dontAsk refuses a destructive command without a backup", async () => {
  const { judge, bash } = setUp({ guard: impossible, mode: "dontAsk", rules: { allow: ["Bash(npm *)"] } });
  const verdict = await judge(bash("npm publish", PUBLISH));
  expect(short(verdict)).toBe("deny");
  expect(verdict).toMatchObject({ message: expect.stringContaining('destructiveGuard: "off"') });
});

test("a guard that throws counts as no possible backup", async () => {
  const { judge, bash } = setUp({ guard: broken, canAsk: false, rules: { allow: ["Bash"] } });
  expect(await judge(bash("git clean -fd", CLEAN))).toMatchObject({
    unanswered: true,
    decidedBy: {
      kind: "guard",
      reason: "no backup is possible before `git clean -fd`: the check failed (no git here)",
    },
  });
});

test("when the backup fails, the person is asked, even after a yes", async () => {
  const ruled = setUp({ guard: failing, rules: { allow: ["Bash(git clean *)"] } });
  expect((await ruled.asked(ruled.judge(ruled.bash("git clean -fd", CLEAN))))?.reason).toBe(
    "No backup is possible: the backup failed (the disk is full).",
  );
  const { agreed, bash } = setUp({ guard: failing });
  const { verdict, timesAsked } = await agreed(bash("git clean -fd", CLEAN));
  expect([short(verdict), timesAsked, verdict.decision === "allow" && verdict.grant.notes]).toEqual([
    "allow/none",
    2,
    [],
  ]);
});

test("an abort during the backup is a no", async () => {
  const controller = new AbortController();
  const guard = guardOf(() => ({
    kind: "possible",
    make: (signal) =>
      new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason), { once: true });
        controller.abort();
      }),
  }));
  const { judge, bash, questions } = setUp({ guard, rules: { allow: ["Bash"] } });
  expect([short(await judge(bash("git clean -fd", CLEAN), controller.signal)), questions.pending]).toEqual([
    "deny",
    [],
  ]);
});

test("with consent, a confined command with a backup needs no question, one without does", async () => {
  const sandbox = async () => SANDBOX;
  const kept = setUp({ guard: possible("kept"), sandbox, consent: AGREED });
  expect(short(await kept.judge(kept.bash("git clean -fd", CLEAN)))).toBe("allow/sandbox");
  const lost = setUp({ guard: impossible, sandbox, consent: AGREED, canAsk: false });
  expect(short(await lost.judge(lost.bash("npm publish", PUBLISH)))).toBe("deny/unanswered");
});

test("a yes to one question is a yes to all of it: nothing is asked twice", async () => {
  const { agreed, request } = setUp({ guard: impossible, sandbox: async () => SANDBOX });
  const call = request("Bash", "execute", execute("npm publish", { ...PUBLISH, needsNetwork: true }), execute("make"));
  const { verdict, timesAsked } = await agreed(call);
  expect([short(verdict), timesAsked]).toEqual(["allow/none", 1]);
});
