import { expect, test } from "bun:test";
import type { Subject } from "../../../../src/contracts/subject.ts";
import { evaluate } from "../../../../src/services/permission/judge/evaluate.ts";
import type { BackupState } from "../../../../src/services/permission/judge/judgement.ts";
import { suggestRules } from "../../../../src/services/permission/question/suggest.ts";
import { isDeep, testOrDeep } from "../../../support/deep.ts";
import { seededRandom } from "../../../support/seeded-random.ts";
import { execute, HOME, hazard, ROOT, read, situation, write } from "../support.ts";

const CONTEXT = { projectRoot: ROOT, home: HOME, roots: [ROOT], isBroad: false };

function suggest(toolName: string, ...subjects: Subject[]): readonly string[] {
  return suggestFor("always", toolName, ...subjects);
}

function suggestFor(lasts: "always" | "session", toolName: string, ...subjects: Subject[]): readonly string[] {
  const level = toolName === "Read" ? "read" : toolName === "Edit" ? "write" : "execute";
  return suggestRules(evaluate({ toolName, level, subjects }, situation()), { ...CONTEXT, toolName, lasts });
}

test.each([
  ["npm test", "Bash(npm test *)"],
  ["npm test -- --watch", "Bash(npm test *)"],
  ["npm run build -- --prod", "Bash(npm run build *)"],
  ["pnpm run lint", "Bash(pnpm run lint *)"],
  ["git push origin main", "Bash(git push *)"],
  ["cargo test --all", "Bash(cargo test *)"],
  ["go run ./x", "Bash(go run ./x)"],
  ["npm exec foo", "Bash(npm exec foo)"],
  ["git bisect run ./x", "Bash(git bisect run ./x)"],
  ["git -c core.pager=x log", "Bash(git -c core.pager=x log)"],
  ["make", "Bash(make)"],
  ["./deploy.sh prod", "Bash(./deploy.sh prod)"],
  ["python3 setup.py", "Bash(python3 setup.py)"],
  ["jest 'a (b)' *", "Bash(jest 'a \\(b\\)' \\*)"],
  ["npm run 'x y'", "Bash(npm run 'x y')"],
  ["constructor toString", "Bash(constructor toString)"],
])("always for %j writes %s", (command, rule) => {
  expect(suggest("Bash", execute(command))).toEqual([rule]);
});

test.each([
  ...["bash -c x", "sh x.sh", "sudo make", "env A=1 make", "xargs rm", "ssh host ls", "docker run x", "python", "node"],
  ...["/usr/bin/sudo make", "eval x", "curl http://x", "rm -r x", "kubectl delete x", "a\nb", "x".repeat(201), ""],
])("nothing is offered for %j", (command) => {
  expect(suggest("Bash", execute(command))).toEqual([]);
});

test("assignments that matter are spelled out", () => {
  expect(suggest("Bash", execute("npm test", { assignments: ["DB=x"] }))).toEqual(["Bash(DB=x npm test *)"]);
  expect(suggest("Bash", execute("make all", { assignments: ["DB=x"] }))).toEqual(["Bash(DB=x make all)"]);
  expect(suggest("Bash", execute("npm test", { assignments: ["CI=1"] }))).toEqual(["Bash(npm test *)"]);
});

test("a wrapped command is remembered without its wrapper, and with what the wrapper sets", () => {
  const timeout = execute("timeout 20 npm test", { alternatives: ["npm test"] });
  const env = execute("env DB=x npm test -- a", { alternatives: ["npm test -- a"], assignments: ["DB=x"] });
  const safe = execute("env CI=1 npm test", { alternatives: ["npm test"], assignments: ["CI=1"] });
  expect([timeout, env, safe].map((one) => suggest("Bash", one))).toEqual([
    ["Bash(npm test *)"],
    ["Bash(DB=x npm test *)"],
    ["Bash(npm test *)"],
  ]);
  for (const [one, other, verdict] of [
    [timeout, execute("npm test -- b"), "allow"],
    [env, execute("npm test", { assignments: ["DB=x"] }), "allow"],
    [env, execute("npm test", { assignments: ["DB=y"] }), "ask"],
    [env, execute("npm test"), "ask"],
    [env, execute("npm test", { assignments: ["DB=x", "LD_PRELOAD=./x.so"] }), "ask"],
  ] as const) {
    const after = situation({ allow: suggest("Bash", one) });
    expect([other, evaluate({ toolName: "Bash", level: "execute", subjects: [other] }, after).decision]).toEqual([
      other,
      verdict,
    ]);
  }
});

test("a session's yes to an edit means the project, an everlasting one the file", () => {
  expect(suggestFor("session", "Edit", write("src/a.ts"))).toEqual(["Edit(/**)"]);
  expect(suggestFor("session", "Edit", write("/srv/x/a.ts"))).toEqual(["Edit(//srv/x/a.ts)"]);
  expect(suggestFor("session", "Edit", write(".git/config"))).toEqual([]);
  const evaluation = evaluate({ toolName: "Edit", level: "write", subjects: [write("/srv/x/a.ts")] }, situation());
  const roots = (...folders: string[]) =>
    suggestRules(evaluation, { ...CONTEXT, toolName: "Edit", lasts: "session", roots: folders });
  expect([roots(ROOT, "/srv/x"), roots("/srv"), roots("/other")]).toEqual([
    ["Edit(//srv/x/**)"],
    ["Edit(//srv/**)"],
    ["Edit(//srv/x/a.ts)"],
  ]);
  expect(
    suggestRules(evaluation, { ...CONTEXT, toolName: "Edit", lasts: "session", roots: ["/srv"], isBroad: true }),
  ).toEqual(["Edit(//srv/x/a.ts)"]);
});

test("a session's yes to one of the project's checks is offered with the others, an everlasting one is not", () => {
  const others = ["test", "lint", "typecheck", "build"].map((script) => `Bash(npm run ${script} *)`);
  expect(suggestFor("session", "Bash", execute("npm run lint -- --fix"))).toEqual([
    "Bash(npm run lint *)",
    ...others.filter((rule) => !rule.includes("lint")),
  ]);
  expect(suggest("Bash", execute("npm run lint"))).toEqual(["Bash(npm run lint *)"]);
  expect(suggestFor("session", "Bash", execute("npm run deploy"))).toEqual(["Bash(npm run deploy *)"]);
  expect(suggestFor("session", "Bash", execute("npm run lint", { assignments: ["A=1"] }))).toEqual([
    "Bash(A=1 npm run lint *)",
  ]);
  const makes = ["a", "b", "c"].map((name) => execute(`make ${name}`));
  expect(suggestFor("session", "Bash", ...makes, execute("pnpm run build"))).toEqual([
    ...["Bash(make a)", "Bash(make b)", "Bash(make c)", "Bash(pnpm run build *)", "Bash(pnpm run test *)"],
  ]);
});

test("a command that overwrites a file gets a rule when a backup is possible; one that deletes never does", () => {
  const offered = (kind: "overwrites" | "deletes", backup: BackupState) => {
    const subject = execute("npm test", { hazards: [hazard("x", kind)] });
    const evaluation = evaluate({ toolName: "Bash", level: "execute", subjects: [subject] }, situation());
    return suggestRules(evaluation, { ...CONTEXT, toolName: "Bash", lasts: "always", backup });
  };
  expect([
    offered("overwrites", { kind: "possible" }),
    offered("overwrites", { kind: "impossible", why: "x" }),
    offered("overwrites", { kind: "off" }),
    offered("deletes", { kind: "possible" }),
    offered("deletes", { kind: "unneeded" }),
  ]).toEqual([["Bash(npm test)"], [], [], [], []]);
});

test("an agent and a skill are offered by name", () => {
  expect(suggest("Agent", { action: "use", name: "Explore" })).toEqual(["Agent(Explore)"]);
  expect(suggest("Skill", { action: "use", name: "deploy", args: "staging" })).toEqual(["Skill(deploy *)"]);
  expect(suggest("Skill", { action: "use", name: "a b)" })).toEqual([]);
  expect(suggest("ext__Shout", { action: "use", name: "ext__Shout", extension: "guard" })).toEqual(["ext__Shout"]);
});

test("each part of a compound gets its rule, once; more than five is too much", () => {
  const parts = ["npm test", "npm test -- x", "make"].map((command) => execute(command));
  expect(suggest("Bash", ...parts, execute("ls", { readOnly: true }))).toEqual(["Bash(npm test *)", "Bash(make)"]);
  const many = Array.from({ length: 6 }, (_, i) => execute(`make t${i}`));
  expect(suggest("Bash", ...many)).toEqual([]);
  expect(suggest("Bash", ...many.slice(1))).toHaveLength(5);
});

test("a part that can't be offered means that nothing is", () => {
  expect(suggest("Bash", execute("make"), execute("sudo x"))).toEqual([]);
  expect(suggest("Bash", execute("make"), execute("x", { understood: false }))).toEqual([]);
  expect(suggest("Bash", execute("make"), execute("x", { hazards: [hazard("deletes")] }))).toEqual([]);
});

test("an edit is offered by its exact path, in the project or from the root", () => {
  expect(suggest("Edit", write("src/a.ts"))).toEqual(["Edit(/src/a.ts)"]);
  expect(suggest("Edit", write("app/[id]/(x).ts"))).toEqual(["Edit(/app/\\[id\\]/\\(x\\).ts)"]);
  expect(suggest("Edit", write("/srv/x/a.ts"))).toEqual(["Edit(//srv/x/a.ts)"]);
});

test("a read is offered by its folder, unless that folder is too wide", () => {
  expect(suggest("Read", read("/srv/docs/a.md"))).toEqual(["Read(//srv/docs/**)"]);
  expect(suggest("Read", read(`${HOME}/a.md`))).toEqual([`Read(/${HOME}/a.md)`]);
  expect(suggest("Read", read("/etc/hosts"))).toEqual(["Read(//etc/hosts)"]);
  expect(suggest("Bash", execute("ls", { readOnly: true }), read("/srv/docs"))).toEqual(["Read(//srv/docs/**)"]);
});

test("an operand inside the workspace comes along with its command", () => {
  expect(suggest("Bash", execute("mkdir x"), write("x", { byCommand: true }))).toEqual(["Bash(mkdir x)"]);
  expect(suggest("Bash", execute("mkdir /srv/a/x"), write("/srv/a/x", { byCommand: true }))).toEqual([
    "Bash(mkdir /srv/a/x)",
    "Edit(//srv/a/x)",
  ]);
});

testOrDeep(!isDeep)("an offered rule allows this call and no similar one", () => {
  const random = seededRandom(7);
  const words = ["npm", "run", "a b", "*", "(x)", "\\", "'q'", "test", "--x=y", ":*", "git", "push", "[z]"];
  for (let run = 0; run < (isDeep ? 2_000 : 400); run += 1) {
    const command = [random.pick(["make", "npm", "git", "./x"]), ...random.some(4, () => random.pick(words))].join(" ");
    const subjects = [execute(command.trim()), write(`src/${random.pick(words)}/f${random.pick(words)}`.trim())];
    const rules = suggest("Bash", ...subjects);
    if (rules.length === 0) continue;
    const after = situation({ allow: rules });
    const judged = (...other: Subject[]) =>
      evaluate({ toolName: "Bash", level: "execute", subjects: other }, after).decision;
    expect([command, rules, judged(...subjects)]).toEqual([command, rules, "allow"]);
    expect([command, rules, judged(execute(`evil ${command}`))]).toEqual([command, rules, "ask"]);
  }
});

test("a call that loses the work of a worktree is asked about each time", () => {
  for (const lasts of ["always", "session"] as const) {
    expect(suggestFor(lasts, "ExitWorktree")).toEqual([]);
    expect(suggestFor(lasts, "EnterWorktree")).toEqual(["EnterWorktree"]);
  }
});

test("for a host, always writes the exact host; this session covers documentation if the host is on the list", () => {
  const network = (host: string): Subject => ({
    ...{ action: "network", host },
    ...(host === "docs.python.org" && { isDocumentation: true }),
  });
  expect(suggestFor("always", "WebFetch", network("docs.python.org"))).toEqual(["WebFetch(domain:docs.python.org)"]);
  expect(suggestFor("session", "WebFetch", network("docs.python.org"))).toEqual(["WebFetch(documentation)"]);
  expect(suggestFor("session", "WebFetch", network("a.docs.python.org"))).toEqual([
    "WebFetch(domain:a.docs.python.org)",
  ]);
  expect(suggestFor("session", "WebFetch", network("example.com"))).toEqual(["WebFetch(domain:example.com)"]);
});
