import { expect } from "bun:test";
import type { Decision } from "../../../../src/contracts/permission.ts";
import { PERMISSION_MODES } from "../../../../src/contracts/permission-mode.ts";
import type { SandboxState } from "../../../../src/contracts/ports.ts";
import type { Subject } from "../../../../src/contracts/subject.ts";
import { evaluate } from "../../../../src/services/permission/judge/evaluate.ts";
import type { CallFacts, Confining, Situation } from "../../../../src/services/permission/judge/judgement.ts";
import { protection } from "../../../../src/services/permission/judge/path-protection.ts";
import { isSecret } from "../../../../src/services/permission/judge/secrets.ts";
import { narrowerModes } from "../../../../src/services/permission/narrower-modes.ts";
import { parseCommandPattern } from "../../../../src/services/permission/rules/command-pattern.ts";
import { compileRules } from "../../../../src/services/permission/rules/compile-rules.ts";
import { allowsMatch, pathsOf, tightensMatch } from "../../../../src/services/permission/rules/match-rule.ts";
import type { Rule } from "../../../../src/services/permission/rules/rule.ts";
import { FRESH_SEED, isDeep, testOrDeep } from "../../../support/deep.ts";
import { seededRandom } from "../../../support/seeded-random.ts";
import { SANDBOX, setUp } from "../engine-support.ts";
import { compile, execute, HOME, hazard, ROOT, read, situation, sources, write } from "../support.ts";

/** Cases of a property. `npm test` draws the same few in every run, the deep run many fresh ones. */
const RUNS = isDeep ? 1_500 : 150;
const ENGINE_RUNS = isDeep ? 400 : 60;
const FIRST_SEED = isDeep ? FRESH_SEED : 0;
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
      ...(random.chance(0.2) && { needsNetwork: true }),
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
  const subjects = random.some(4, () => anySubject(random));
  return { toolName, level, subjects, ...(random.chance(0.15) && { wantsOutside: true }) };
}

/** A call of the kind that a sandbox is about. */
const anyCommand = (random: Random): CallFacts => ({ ...anyCall(random), toolName: "Bash", level: "execute" });

const STATES: readonly SandboxState[] = [
  SANDBOX,
  { kind: "landlock", strength: "weak", hasNetwork: true },
  { kind: undefined, reason: "no bwrap" },
];

function anyConfining(random: Random, states = STATES): Confining {
  return {
    state: random.pick(states),
    isAgreed: random.chance(0.7),
    allowUnsandboxed: random.chance(0.8),
    required: random.chance(0.2),
    inBypass: random.chance(0.5),
    excluded: random.some(2, () => parseCommandPattern(random.pick(["git *", "npm *", "ls"]))),
  };
}

const anyWayBack = (random: Random) =>
  random.pick([
    undefined,
    { kind: "off" },
    { kind: "unneeded" },
    { kind: "possible" },
    { kind: "impossible", why: "none" },
  ] as const);

const anyRule = (random: Random, decisions: readonly Decision[] = ["allow", "ask", "deny"]): Rule =>
  compile({ [random.pick(decisions)]: [random.pick(RULES)] })[0] ?? anyRule(random, decisions);

function anySituation(random: Random): Situation {
  return situation(
    {},
    {
      mode: random.pick(PERMISSION_MODES),
      isBroad: random.chance(0.2),
      ...(random.chance(0.5) && { confining: anyConfining(random) }),
      backup: anyWayBack(random),
      rules: random.some(8, () => anyRule(random)),
    },
  );
}

function forAll(offset: number, check: (random: Random) => void): void {
  for (let run = 0; run < RUNS; run += 1) {
    const seed = FIRST_SEED + offset + run;
    try {
      check(seededRandom(seed));
    } catch (error) {
      throw new Error(`seed ${seed}: ${error instanceof Error ? error.message : String(error)}`, {
        cause: error,
      });
    }
  }
}

testOrDeep(!isDeep)("an additional deny or ask rule never loosens a verdict", () => {
  forAll(10_000, (random) => {
    const call = anyCall(random);
    const before = anySituation(random);
    const added = anyRule(random, ["ask", "deny"]);
    const after = { ...before, rules: random.shuffle([...before.rules, added]) };
    const [old, now] = [evaluate(call, before).decision, evaluate(call, after).decision];
    expect({ call, added, looser: SEVERITY[now] < SEVERITY[old] }).toEqual({ call, added, looser: false });
  });
});

testOrDeep(!isDeep)("an additional allow rule never tightens a verdict", () => {
  forAll(20_000, (random) => {
    const call = anyCall(random);
    const before = anySituation(random);
    const after = { ...before, rules: [...before.rules, anyRule(random, ["allow"])] };
    expect(SEVERITY[evaluate(call, after).decision]).toBeLessThanOrEqual(SEVERITY[evaluate(call, before).decision]);
  });
});

testOrDeep(!isDeep)(
  "a child agent's modes never allow more than its parent's mode, nor more than the wanted one",
  () => {
    forAll(25_000, (random) => {
      const call = anyCall(random);
      const base = anySituation(random);
      const [parent, wanted] = [random.pick(PERMISSION_MODES), random.pick(PERMISSION_MODES)];
      const [mode, ...otherModes] = narrowerModes([parent], wanted);
      const strictness = (change: Partial<Situation>) => SEVERITY[evaluate(call, { ...base, ...change }).decision];
      const both = strictness({ mode, otherModes });
      const looser = both < strictness({ mode: parent }) || both < strictness({ mode: wanted });
      expect({ parent, wanted, call, looser }).toEqual({ parent, wanted, call, looser: false });
    });
  },
);

testOrDeep(!isDeep)("the order of rules and of subjects never matters", () => {
  forAll(30_000, (random) => {
    const call = anyCall(random);
    const given = anySituation(random);
    const shuffled = { ...given, rules: random.shuffle(given.rules) };
    const turned = { ...call, subjects: random.shuffle(call.subjects) };
    expect(evaluate(turned, shuffled).decision).toBe(evaluate(call, given).decision);
  });
});

testOrDeep(!isDeep)("the verdict of a compound is the strictest of its parts", () => {
  forAll(40_000, (random) => {
    const call = anyCall(random);
    const parts = call.subjects.map((subject): Subject => {
      if (subject.action !== "read" && subject.action !== "write") return subject;
      const { byCommand: _, ...rest } = subject;
      return rest;
    });
    if (parts.length === 0) return;
    const given: Situation = { ...anySituation(random), confining: undefined };
    const alone = parts.map((subject) => evaluate({ ...call, subjects: [subject] }, given).decision);
    const strictest = alone.reduce((a, b) => (SEVERITY[a] >= SEVERITY[b] ? a : b));
    expect(evaluate({ ...call, subjects: parts }, given).decision).toBe(strictest);
  });
});

testOrDeep(!isDeep)("with a sandbox the verdict of a compound is never weaker than its strictest part's", () => {
  forAll(45_000, (random) => {
    // The wish to leave is the call's, not a part's: it has properties of its own below.
    const call = { ...anyCommand(random), wantsOutside: false };
    if (call.subjects.length === 0 || call.subjects.some((subject) => "byCommand" in subject)) return;
    const given = { ...anySituation(random), confining: anyConfining(random) };
    const alone = call.subjects.map((subject) => evaluate({ ...call, subjects: [subject] }, given).decision);
    const strictest = alone.reduce((a, b) => (SEVERITY[a] >= SEVERITY[b] ? a : b));
    const whole = evaluate(call, given).decision;
    expect({ alone, whole, weaker: SEVERITY[whole] < SEVERITY[strictest] }).toEqual({ alone, whole, weaker: false });
  });
});

testOrDeep(!isDeep)("an additional subject never loosens a verdict, except operands of allowed commands", () => {
  forAll(50_000, (random) => {
    const call = anyCall(random);
    if (call.subjects.length === 0 || call.subjects.some((subject) => "byCommand" in subject)) return;
    const given = anySituation(random);
    const more = { ...call, subjects: [...call.subjects, anySubject(random)] };
    expect(SEVERITY[evaluate(more, given).decision]).toBeGreaterThanOrEqual(SEVERITY[evaluate(call, given).decision]);
  });
});

testOrDeep(!isDeep)("a protected write is never allowed outside of bypass, whatever the rules", () => {
  let seen = 0;
  forAll(60_000, (random) => {
    const given = anySituation(random);
    const call = anyCall(random);
    if (given.mode === "bypassPermissions" || call.level === "none") return;
    const target = write(random.pick(PATHS), random.chance(0.3) ? { byCommand: true } : {});
    if (target.action !== "write" || protection(target.path, given.folders.ownFolders) === undefined) return;
    seen += 1;
    expect(evaluate({ ...call, subjects: [...call.subjects, target] }, given).decision).not.toBe("allow");
  });
  expect(seen).toBeGreaterThan(RUNS / 5);
});

testOrDeep(!isDeep)("an unclear command is never allowed outside bypass, whatever the rules", () => {
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

testOrDeep(!isDeep)("dontAsk never asks, and only plan and dontAsk refuse without a deny rule", () => {
  forAll(80_000, (random) => {
    const call = anyCall(random);
    const given = anySituation(random);
    const { decision } = evaluate(call, given);
    if (given.mode === "dontAsk") expect(decision).not.toBe("ask");
    const hasDeny = given.rules.some((rule) => rule.decision === "deny") || given.confining !== undefined;
    if (!hasDeny && given.mode !== "plan" && given.mode !== "dontAsk") expect(decision).not.toBe("deny");
  });
});

testOrDeep(!isDeep)("a deny rule holds in every mode, with and without a sandbox", () => {
  forAll(90_000, (random) => {
    const call = { ...anyCall(random), toolName: "Bash" };
    const given = anySituation(random);
    const rules = random.shuffle([...given.rules, ...compile({ deny: ["Bash"] })]);
    expect(evaluate(call, { ...given, rules }).decision).toBe("deny");
  });
});

testOrDeep(!isDeep)("a sandbox never overrides a rule, a protected path, a secret or an unclear command", () => {
  let seen = 0;
  forAll(100_000, (random) => {
    const call = anyCommand(random);
    const given: Situation = { ...anySituation(random), confining: undefined };
    const before = evaluate(call, given);
    const isFirm = before.judgements.some(
      ({ decision, cause }) =>
        decision !== "allow" && ["rule", "protected", "secret", "unclear", "guard"].includes(cause.kind),
    );
    if (!isFirm) return;
    seen += 1;
    const after = evaluate(call, { ...given, confining: anyConfining(random) });
    expect(SEVERITY[after.decision]).toBeGreaterThanOrEqual(SEVERITY[before.decision]);
  });
  expect(seen).toBeGreaterThan(RUNS / 5);
});

testOrDeep(!isDeep)(
  "only a rule that names the command, an exclusion or a person lets a command out of the sandbox",
  () => {
    let seen = 0;
    forAll(110_000, (random) => {
      const drawn = anyCommand(random);
      const parts = random.some(2, () =>
        execute(random.pick(COMMANDS), { readOnly: random.chance(0.4), needsNetwork: random.chance(0.5) }),
      );
      const call = random.chance(0.2) ? drawn : { ...drawn, subjects: parts, wantsOutside: random.chance(0.3) };
      const confining = anyConfining(random, STATES.slice(0, 2));
      const rules = random.some(6, () => anyRule(random, ["allow"]));
      const given = { ...anySituation(random), confining, rules };
      if (given.mode === "bypassPermissions" && !confining.inBypass) return;
      const { decision, judgements, confinement } = evaluate(call, given);
      if (decision !== "allow" || confinement !== "none") return;
      seen += 1;
      expect(judgements.some(({ cause }) => cause.kind === "sandbox")).toBe(false);
      if (confining.excluded.length > 0) return;
      const commands = call.subjects.filter((subject) => subject.action === "execute");
      const covering = (subject: Subject) =>
        given.rules.filter((rule) => rule.decision === "allow" && allowsMatch(rule, { toolName: "Bash", subject }));
      const isFree = (subject: Subject) => subject.action === "execute" && subject.readOnly;
      const isFounded = commands.every((subject) =>
        call.wantsOutside
          ? covering(subject).some(({ spec }) => spec.kind === "command")
          : covering(subject).length > 0 || isFree(subject),
      );
      expect({ call, isFounded }).toEqual({ call, isFounded: true });
    });
    expect(seen).toBeGreaterThan(RUNS / 30);
  },
);

testOrDeep(!isDeep)(
  "the sandbox by itself allows nothing: without an agreement, being confined loosens no verdict but that of acceptEdits",
  () => {
    let asked = 0;
    forAll(115_000, (random) => {
      const call = random.chance(0.5) ? anyCommand(random) : anyCall(random);
      const drawn = anySituation(random);
      const given: Situation = {
        ...drawn,
        mode: drawn.mode === "acceptEdits" ? "default" : drawn.mode,
        confining: undefined,
      };
      const confining = { ...anyConfining(random), isAgreed: false };
      const before = evaluate(call, given).decision;
      const after = evaluate(call, { ...given, confining }).decision;
      if (before === "ask") asked += 1;
      expect(SEVERITY[after]).toBeGreaterThanOrEqual(SEVERITY[before]);
    });
    expect(asked).toBeGreaterThan(RUNS / 5);
  },
);

testOrDeep(!isDeep)("no mode, read-only command or confinement grants the model's request to leave the sandbox", () => {
  forAll(120_000, (random) => {
    const call = { ...anyCommand(random), wantsOutside: true };
    const confining = { ...anyConfining(random, STATES.slice(0, 2)), excluded: [], inBypass: true };
    const rules = anySituation(random).rules.filter(({ decision }) => decision !== "allow");
    const { decision } = evaluate(call, { ...anySituation(random), rules, confining });
    expect(decision).not.toBe("allow");
  });
});

testOrDeep(!isDeep)("the judge decides only about calls that lack a rule", () => {
  let seen = 0;
  forAll(130_000, (random) => {
    const given: Situation = { ...anySituation(random), mode: "auto" };
    const call = anyCall(random);
    const { isForJudge, decision, judgements } = evaluate(call, given);
    if (!isForJudge) return;
    seen += 1;
    expect([decision, call.wantsOutside]).toEqual(["ask", undefined]);
    for (const one of judgements.filter(({ decision: each }) => each === "ask"))
      expect(["uncovered", "outside", "broad"]).toContain(one.cause.kind);
  });
  expect(seen).toBeGreaterThan(RUNS / 15);
});

testOrDeep(!isDeep)(
  "a judge that always says yes bypasses no rule, protected path, secret or unclear command",
  async () => {
    const judge = { judge: async () => ({ verdict: "yes" }) as const };
    let allowed = 0;
    for (let run = 0; run < ENGINE_RUNS; run += 1) {
      const random = seededRandom(FIRST_SEED + 140_000 + run);
      const lists = { ask: random.some(3, () => random.pick(RULES)), deny: random.some(2, () => random.pick(RULES)) };
      const state = random.pick(STATES);
      const { engine, request } = setUp({
        mode: "auto",
        judge,
        sandbox: async () => state,
        canAsk: false,
        rules: lists,
      });
      const { toolName, level, subjects, wantsOutside } = anyCall(random);
      if (level === "none") continue;
      const one = request(toolName, level, ...subjects);
      const call = { ...one.call, ...(wantsOutside && { wantsOutside }) };
      const verdict = await engine.authorize({ ...one, call }, new AbortController().signal);
      if (verdict.decision !== "allow") continue;
      allowed += 1;
      const rules = compile(lists);
      for (const subject of subjects) {
        const isTightened = rules.some((rule) => tightensMatch(rule, { toolName, subject }));
        const isUnclear = subject.action === "execute" && !subject.understood;
        const paths = subject.action === "read" || subject.action === "write" ? pathsOf(subject) : [];
        const isGuarded =
          paths.some(isSecret) ||
          (subject.action === "write" && paths.some((path) => protection(path, []) !== undefined));
        expect({ run, subject, isTightened, isUnclear, isGuarded }).toEqual({
          run,
          subject,
          isTightened: false,
          isUnclear: false,
          isGuarded: false,
        });
      }
      const isLeaving = wantsOutside === true && toolName === "Bash" && state.kind !== undefined;
      expect([run, isLeaving]).toEqual([run, false]);
    }
    expect(allowed).toBeGreaterThan(ENGINE_RUNS / 14);
  },
);

testOrDeep(!isDeep)("the allow rules of a repository that isn't trusted change nothing at all", () => {
  forAll(150_000, (random) => {
    const context = { roots: [ROOT], home: HOME, realPath: (path: string) => path, isTrusted: false };
    const own = sources({
      allow: random.some(2, () => random.pick(RULES)),
      deny: random.some(1, () => random.pick(RULES)),
    });
    const layer = random.pick(["project", "foreign"] as const);
    const theirs = sources({ allow: random.some(5, () => random.pick(RULES)) }, layer);
    const call = anyCall(random);
    const given = anySituation(random);
    const judged = (all: typeof own) => {
      const { judgements, ...rest } = evaluate(call, { ...given, rules: compileRules(all, context).rules });
      const causes = judgements.map(({ decision, cause }) => [
        decision,
        cause.kind,
        "rule" in cause && cause.rule.text,
      ]);
      return { ...rest, causes };
    };
    expect(judged([...own, ...theirs])).toEqual(judged(own));
  });
});

testOrDeep(!isDeep)("where a rule stands in its list never matters", () => {
  forAll(160_000, (random) => {
    const context = { roots: [ROOT], home: HOME, realPath: (path: string) => path };
    const all = (["allow", "ask", "deny"] as const).flatMap((decision) =>
      sources({ [decision]: random.some(4, () => random.pick(RULES)) }),
    );
    const call = anyCall(random);
    const given = anySituation(random);
    const judged = (list: typeof all) => {
      const { decision, confinement } = evaluate(call, { ...given, rules: compileRules(list, context).rules });
      return [decision, confinement];
    };
    expect(judged(random.shuffle(all))).toEqual(judged(all));
  });
});
