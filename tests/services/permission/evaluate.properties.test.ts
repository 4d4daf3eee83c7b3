import { expect, test } from "bun:test";
import { type Decision, PERMISSION_MODES } from "../../../src/contracts/permission.ts";
import type { Subject } from "../../../src/contracts/subject.ts";
import { evaluate } from "../../../src/services/permission/evaluate.ts";
import type { CallFacts, Situation } from "../../../src/services/permission/judgement.ts";
import { protection } from "../../../src/services/permission/protected-paths.ts";
import type { Rule } from "../../../src/services/permission/rule.ts";
import { seededRandom } from "../../support/seeded-random.ts";
import { compile, execute, HOME, hazard, read, situation, write } from "./support.ts";

const RUNS = 1_500;
const SEVERITY: Readonly<Record<Decision, number>> = { allow: 0, ask: 1, deny: 2 };

const RULES = [
  ...["Bash", "Read", "Edit", "Write", "Grep", "TodoWrite", "mcp__x", "WebFetch"],
  ...["Bash(npm test *)", "Bash(git *)", "Bash(git push *)", "Bash(*rm*)", "Bash(ls)", "Bash(A=1 npm test)"],
  ...["Read(**)", "Read(/.env)", "Read(//etc/**)", "Read(~/.ssh/**)", "Read(/src/**)"],
  ...["Edit(**)", "Edit(//**)", "Edit(/src/**)", "Edit(.git/**)", "Edit(~/.bashrc)", "Edit(CLAUDE.md)", "Edit(/.env)"],
];
const PATHS = [
  ...["src/a.ts", ".env", "config/prod.key", ".git/hooks/x", ".GIT/config", "CLAUDE.md", "sub/.claude/settings.json"],
  ...["/etc/passwd", `${HOME}/.bashrc`, `${HOME}/.config/quoll/settings.json`, "/dev/null", ".husky/pre-commit"],
];
const COMMANDS = ["npm test", "git push", "git status", "rm -rf x", "ls", "sudo git push", "npm test && rm x"];

type Random = ReturnType<typeof seededRandom>;

function anySubject(random: Random): Subject {
  const kind = random.below(8);
  if (kind === 0) return { action: "network", host: random.pick(["example.com", "a.b"]) };
  if (kind < 4) {
    return execute(random.pick(COMMANDS), {
      understood: random.chance(0.8),
      readOnly: random.chance(0.4),
      assignments: random.some(2, () => random.pick(["A=1", "CI=1", "LD_PRELOAD=x"])),
      hazards: random.chance(0.2) ? [hazard("deletes")] : [],
      ...(random.chance(0.3) && { alternatives: [random.pick(COMMANDS)] }),
    });
  }
  const make = kind < 6 ? read : write;
  return make(random.pick(PATHS), {
    ...(random.chance(0.2) && { given: `/somewhere/${random.pick(PATHS)}` }),
    ...(random.chance(0.2) && { byCommand: true }),
  });
}

function anyCall(random: Random): CallFacts {
  const toolName = random.pick(["Bash", "Read", "Edit", "Write", "Grep", "TodoWrite", "mcp__x__y", "WebFetch"]);
  const level = random.pick(["none", "read", "write", "execute", "network"] as const);
  return { toolName, level, subjects: random.some(4, () => anySubject(random)) };
}

const anyRule = (random: Random, decisions: readonly Decision[] = ["allow", "ask", "deny"]): Rule =>
  compile({ [random.pick(decisions)]: [random.pick(RULES)] })[0] ?? anyRule(random, decisions);

function anySituation(random: Random): Situation {
  return situation(
    {},
    {
      mode: random.pick(PERMISSION_MODES),
      isBroad: random.chance(0.2),
      rules: random.some(8, () => anyRule(random)),
    },
  );
}

function forAll(seed: number, check: (random: Random) => void): void {
  for (let run = 0; run < RUNS; run += 1) {
    try {
      check(seededRandom(seed + run));
    } catch (error) {
      throw new Error(`seed ${seed + run}: ${error instanceof Error ? error.message : String(error)}`, {
        cause: error,
      });
    }
  }
}

test("a deny or ask rule more never loosens a verdict", () => {
  forAll(10_000, (random) => {
    const call = anyCall(random);
    const before = anySituation(random);
    const added = anyRule(random, ["ask", "deny"]);
    const after = { ...before, rules: random.shuffle([...before.rules, added]) };
    const [old, now] = [evaluate(call, before).decision, evaluate(call, after).decision];
    expect({ call, added, looser: SEVERITY[now] < SEVERITY[old] }).toEqual({ call, added, looser: false });
  });
});

test("an allow rule more never tightens a verdict", () => {
  forAll(20_000, (random) => {
    const call = anyCall(random);
    const before = anySituation(random);
    const after = { ...before, rules: [...before.rules, anyRule(random, ["allow"])] };
    expect(SEVERITY[evaluate(call, after).decision]).toBeLessThanOrEqual(SEVERITY[evaluate(call, before).decision]);
  });
});

test("the order of rules and of subjects never matters", () => {
  forAll(30_000, (random) => {
    const call = anyCall(random);
    const given = anySituation(random);
    const shuffled = { ...given, rules: random.shuffle(given.rules) };
    const turned = { ...call, subjects: random.shuffle(call.subjects) };
    expect(evaluate(turned, shuffled).decision).toBe(evaluate(call, given).decision);
  });
});

test("the verdict of a compound is the strictest of its parts", () => {
  forAll(40_000, (random) => {
    const call = anyCall(random);
    const parts = call.subjects.map((subject): Subject => {
      if (subject.action !== "read" && subject.action !== "write") return subject;
      const { byCommand: _, ...rest } = subject;
      return rest;
    });
    if (parts.length === 0) return;
    const given = anySituation(random);
    const alone = parts.map((subject) => evaluate({ ...call, subjects: [subject] }, given).decision);
    const strictest = alone.reduce((a, b) => (SEVERITY[a] >= SEVERITY[b] ? a : b));
    expect(evaluate({ ...call, subjects: parts }, given).decision).toBe(strictest);
  });
});

test("one subject more never loosens a verdict, operands of allowed commands aside", () => {
  forAll(50_000, (random) => {
    const call = anyCall(random);
    if (call.subjects.length === 0 || call.subjects.some((subject) => "byCommand" in subject)) return;
    const given = anySituation(random);
    const more = { ...call, subjects: [...call.subjects, anySubject(random)] };
    expect(SEVERITY[evaluate(more, given).decision]).toBeGreaterThanOrEqual(SEVERITY[evaluate(call, given).decision]);
  });
});

test("a protected write is never allowed outside of bypass, whatever the rules", () => {
  let seen = 0;
  forAll(60_000, (random) => {
    const given = anySituation(random);
    const call = anyCall(random);
    if (given.mode === "bypassPermissions" || call.level === "none") return;
    const target = write(random.pick(PATHS), random.chance(0.3) ? { byCommand: true } : {});
    if (target.action !== "write" || protection(target.path, given.ownFolders) === undefined) return;
    seen += 1;
    expect(evaluate({ ...call, subjects: [...call.subjects, target] }, given).decision).not.toBe("allow");
  });
  expect(seen).toBeGreaterThan(300);
});

test("what was not understood is never allowed outside of bypass, whatever the rules", () => {
  forAll(70_000, (random) => {
    const given = anySituation(random);
    if (given.mode === "bypassPermissions") return;
    const subjects = [
      ...anyCall(random).subjects,
      execute(random.pick(COMMANDS), { understood: false, readOnly: true }),
    ];
    expect(evaluate({ toolName: "Bash", level: "execute", subjects }, given).decision).not.toBe("allow");
  });
});

test("dontAsk never asks, and only plan and dontAsk refuse without a deny rule", () => {
  forAll(80_000, (random) => {
    const call = anyCall(random);
    const given = anySituation(random);
    const { decision } = evaluate(call, given);
    if (given.mode === "dontAsk") expect(decision).not.toBe("ask");
    const hasDeny = given.rules.some((rule) => rule.decision === "deny");
    if (!hasDeny && given.mode !== "plan" && given.mode !== "dontAsk") expect(decision).not.toBe("deny");
  });
});
