import { expect, test } from "bun:test";
import type { DestructiveGuard, WayBack } from "../../../src/contracts/ports.ts";
import type { Hazard } from "../../../src/contracts/subject.ts";
import { AGREED, SANDBOX, setUp, short } from "./engine-support.ts";
import { execute, hazard } from "./support.ts";

/** A guard that answers as it is told and writes down what it was asked for. */
function guardOf(answer: () => WayBack | undefined): DestructiveGuard & { readonly asked: (readonly Hazard[])[] } {
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

test("an allowed command that destroys leaves a way back first, and its grant says so", async () => {
  const guard = possible("kept in refs/quoll/backup/1");
  const { judge, bash } = setUp({ guard, rules: { allow: ["Bash(git clean *)"] } });
  const verdict = await judge(bash("git clean -fd", CLEAN));
  expect([short(verdict), verdict.decision === "allow" && verdict.grant.notes, guard.asked]).toEqual([
    "allow/none",
    ["kept in refs/quoll/backup/1"],
    [CLEAN.hazards],
  ]);
});

test("what is refused in any case, and what destroys nothing, is not the guard's business", async () => {
  const guard = possible();
  const { judge, bash } = setUp({ guard, rules: { deny: ["Bash(git clean *)"], allow: ["Bash(ls)"] } });
  expect(short(await judge(bash("git clean -fd", CLEAN)))).toBe("deny");
  expect(short(await judge(bash("ls")))).toBe("allow/none");
  expect(guard.asked).toEqual([]);
});

const UNREAD = { understood: false, unread: hazard("may do anything", "unforeseen") };

test("what nobody can read is kept from where nobody is asked, with the sandbox and in bypassPermissions", async () => {
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

test("a person who is asked about what nobody can read is not told of a copy, and none is made", async () => {
  const guard = possible("kept");
  const { agreed, bash } = setUp({ guard });
  const { verdict, questions } = await agreed(bash("$X", UNREAD));
  expect([short(verdict), questions, guard.asked]).toEqual(["allow/none", 1, []]);
});

test("a question that the mode bypassPermissions settles has its way back made by then", async () => {
  const guard = possible("kept");
  const { engine, asked, judge, bash } = setUp({ guard });
  const judging = judge(bash("$X", UNREAD));
  await asked(judging);
  engine.mode = "bypassPermissions";
  const verdict = await judging;
  expect(verdict.decision === "allow" && verdict.grant.notes).toEqual(["kept"]);
});

test("where nothing of worth would be lost the call goes as it would", async () => {
  const { judge, bash } = setUp({ guard: guardOf(() => undefined), rules: { allow: ["Bash(git clean *)"] } });
  const verdict = await judge(bash("git clean -fd", CLEAN));
  expect(verdict.decision === "allow" && verdict.grant.notes).toEqual([]);
});

test("the question says of each danger that a copy is kept; that there is none is its reason", async () => {
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
    ["deletes files: dist/ (a copy is kept)"],
    ["deletes files: dist/"],
    ["deletes files: dist/"],
    ["deletes files: dist/"],
    ["deletes files: dist/"],
  ]);
});

test.each(["default", "acceptEdits", "auto", "bypassPermissions"] as const)(
  "with no way back a person is asked in mode %s, whatever a rule with a star allows",
  async (mode) => {
    const judge = { judge: async () => ({ verdict: "yes" }) as const };
    const { agreed, bash } = setUp({ guard: impossible, mode, judge, rules: { allow: ["Bash(npm *)"] } });
    const { verdict, questions } = await agreed(bash("npm publish", PUBLISH));
    expect([short(verdict), questions]).toEqual(["allow/none", 1]);
  },
);

test("a rule that names the very command word for word is answer enough", async () => {
  const { judge, bash } = setUp({ guard: impossible, rules: { allow: ["Bash(npm publish)"] } });
  expect(short(await judge(bash("npm publish", PUBLISH)))).toBe("allow/none");
  const other = setUp({ guard: impossible, rules: { allow: ["Bash(npm publish *)"] } });
  expect(await other.asked(other.judge(other.bash("npm publish", PUBLISH)))).toMatchObject({
    reason: "There is no way back: what is published stays published.",
    suggestions: [],
    sessionRules: [],
  });
});

test("a word for word rule stands neither above a deny nor above an ask rule", async () => {
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

test("what is asked for another reason keeps that reason", async () => {
  const { asked, judge, bash } = setUp({ guard: impossible, rules: { ask: ["Bash(npm *)"] } });
  const question = await asked(judge(bash("npm publish", PUBLISH)));
  expect([question?.reason, question?.hazards]).toEqual([
    "The rule Bash(npm *) asks (settings.json:1).",
    ["publishes a package (no way back)"],
  ]);
});

test.each(["default", "bypassPermissions"] as const)(
  "with nobody to ask it is refused in mode %s, and the line names the setting",
  async (mode) => {
    const { judge, bash } = setUp({ guard: impossible, canAsk: false, mode });
    const verdict = await judge(bash("npm publish", PUBLISH));
    expect([short(verdict), verdict.decision === "deny" && verdict.message]).toEqual([
      "deny/unanswered",
      'Refused: nobody can answer permission questions in this run (there is no way back from `npm publish`: what is published stays published). The user could allow it with Bash(npm publish). Settings with destructiveGuard: "off" would run it without a way back; that is for the user alone to decide.\nNext: Go on without it, and say in your answer what could not be done.',
    ]);
  },
);

test("in dontAsk it is refused as what would be asked", async () => {
  const { judge, bash } = setUp({ guard: impossible, mode: "dontAsk", rules: { allow: ["Bash(npm *)"] } });
  const verdict = await judge(bash("npm publish", PUBLISH));
  expect(short(verdict)).toBe("deny");
  expect(verdict).toMatchObject({ message: expect.stringContaining('destructiveGuard: "off"') });
});

test("a guard that breaks counts as none that found a way back", async () => {
  const { judge, bash } = setUp({ guard: broken, canAsk: false, rules: { allow: ["Bash"] } });
  expect(await judge(bash("git clean -fd", CLEAN))).toMatchObject({
    unanswered: true,
    by: "there is no way back from `git clean -fd`: looking for one failed (no git here)",
  });
});

test("a way back that can't be made is none: the person is asked, and asked again who had said yes", async () => {
  const ruled = setUp({ guard: failing, rules: { allow: ["Bash(git clean *)"] } });
  expect((await ruled.asked(ruled.judge(ruled.bash("git clean -fd", CLEAN))))?.reason).toBe(
    "There is no way back: it could not be made (the disk is full).",
  );
  const { agreed, bash } = setUp({ guard: failing });
  const { verdict, questions } = await agreed(bash("git clean -fd", CLEAN));
  expect([short(verdict), questions, verdict.decision === "allow" && verdict.grant.notes]).toEqual([
    "allow/none",
    2,
    [],
  ]);
});

test("an abort while the way back is made is a no", async () => {
  const controller = new AbortController();
  const guard = guardOf(() => ({
    kind: "possible",
    make: (signal) =>
      new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason), { once: true });
        controller.abort();
      }),
  }));
  const { judge, bash, broker } = setUp({ guard, rules: { allow: ["Bash"] } });
  expect([short(await judge(bash("git clean -fd", CLEAN), controller.signal)), broker.pending]).toEqual(["deny", []]);
});

test("of agreed commands in the sandbox one with a way back goes unasked, one without is asked for", async () => {
  const sandbox = async () => SANDBOX;
  const kept = setUp({ guard: possible("kept"), sandbox, consent: AGREED });
  expect(short(await kept.judge(kept.bash("git clean -fd", CLEAN)))).toBe("allow/sandbox");
  const lost = setUp({ guard: impossible, sandbox, consent: AGREED, canAsk: false });
  expect(short(await lost.judge(lost.bash("npm publish", PUBLISH)))).toBe("deny/unanswered");
});

test("a yes to one question is a yes to all of it: nothing is asked twice", async () => {
  const { agreed, request } = setUp({ guard: impossible, sandbox: async () => SANDBOX });
  const call = request("Bash", "execute", execute("npm publish", { ...PUBLISH, needsNetwork: true }), execute("make"));
  const { verdict, questions } = await agreed(call);
  expect([short(verdict), questions]).toEqual(["allow/none", 1]);
});
