import { expect, test } from "bun:test";
import type { Subject } from "../../../../src/contracts/subject.ts";
import { evaluate } from "../../../../src/services/permission/judge/evaluate.ts";
import type { CallFacts } from "../../../../src/services/permission/judge/judgement.ts";
import { type Change, execute, HOME, hazard, inProject, ROOT, read, situation, write } from "../support.ts";

type Lists = Parameters<typeof situation>[0];

const bash = (...subjects: Subject[]): CallFacts => ({ toolName: "Bash", level: "execute", subjects });
const reading = (...subjects: Subject[]): CallFacts => ({ toolName: "Read", level: "read", subjects });
const editing = (...subjects: Subject[]): CallFacts => ({ toolName: "Edit", level: "write", subjects });
const writing = (...subjects: Subject[]): CallFacts => ({ toolName: "Write", level: "write", subjects });

const decide = (call: CallFacts, lists?: Lists, change?: Change) => evaluate(call, situation(lists, change)).decision;

/** The cause of the first judgement. */
const why = (call: CallFacts, lists?: Lists, change?: Change) =>
  evaluate(call, situation(lists, change)).judgements[0]?.cause.kind;

// Calls that need no rule

test("reads inside the workspace are free, outside they ask", () => {
  expect(decide(reading(read("src/a.ts")))).toBe("allow");
  expect(decide(reading(read("/etc/hosts")))).toBe("ask");
});

test("a link inside the workspace that leads outside asks", () => {
  expect(decide(reading(read("/etc/hosts", { given: `${ROOT}/link` })))).toBe("ask");
});

test("reads in a workspace that is the home folder ask, and so do commands that only read", () => {
  const broad = { roots: [HOME], isBroad: true };
  expect(decide(reading(read(`${HOME}/a`)), {}, broad)).toBe("ask");
  expect(decide(bash(execute("ls", { readOnly: true })), {}, broad)).toBe("ask");
  expect(decide(editing(write(`${HOME}/a`)), {}, { ...broad, mode: "acceptEdits" })).toBe("ask");
});

test("reads in the artefact folder are free even when the workspace is broad", () => {
  const artifact = read(`${HOME}/.local/share/quoll/artifacts/s1/out.txt`);
  expect(decide(reading(artifact), {}, { roots: [HOME], isBroad: true })).toBe("allow");
});

test("writes ask, and so does a call without subjects", () => {
  expect(decide(editing(write("src/a.ts")))).toBe("ask");
  expect(decide({ toolName: "WebSearch", level: "execute", subjects: [] })).toBe("ask");
});

test("a call of level none needs no question, but a deny rule on its tool applies", () => {
  const call: CallFacts = { toolName: "TodoWrite", level: "none", subjects: [] };
  expect(decide(call)).toBe("allow");
  expect(decide(call, { ask: ["TodoWrite"] })).toBe("allow");
  expect(decide(call, { deny: ["TodoWrite"] })).toBe("deny");
  expect(decide(call, {}, { mode: "plan" })).toBe("allow");
});

test("a command that only reads is free, unless an assignment or a hazard says otherwise", () => {
  const ls = (parts = {}) => bash(execute("ls", { readOnly: true, ...parts }));
  expect(decide(ls())).toBe("allow");
  expect(decide(ls({ assignments: ["LC_ALL=C"] }))).toBe("allow");
  expect(decide(ls({ assignments: ["LD_PRELOAD=./x.so"] }))).toBe("ask");
  expect(decide(ls({ assignments: ["LANG=$(id)"] }))).toBe("ask");
  expect(decide(ls({ hazards: [hazard("deletes everything")] }))).toBe("ask");
  expect(decide(ls(), { ask: ["Bash(ls *)"] })).toBe("ask");
});

// Rules

test("the strictest rule decides, whatever its place", () => {
  const call = bash(execute("git push"));
  const lists = { allow: ["Bash"], ask: ["Bash(git push *)"], deny: ["Bash(git *)"] };
  expect(decide(call, { allow: lists.allow })).toBe("allow");
  expect(decide(call, { allow: lists.allow, ask: lists.ask })).toBe("ask");
  expect(decide(call, lists)).toBe("deny");
});

test("the strictest subject decides", () => {
  const allow = ["Bash(npm test *)"];
  expect(decide(bash(execute("npm test")), { allow })).toBe("allow");
  expect(decide(bash(execute("npm test"), execute("npm publish")), { allow })).toBe("ask");
  expect(decide(bash(execute("npm test"), execute("rm -rf /")), { allow, deny: ["Bash(rm *)"] })).toBe("deny");
});

test("Edit rules cover Write and what commands write; Read rules cover searches and what commands read", () => {
  expect(decide(writing(write("src/a.ts")), { allow: ["Edit(/src/**)"] })).toBe("allow");
  expect(decide(bash(execute("x", { readOnly: true }), write("src/a.ts")), { allow: ["Edit(/src/**)"] })).toBe("allow");
  expect(decide(writing(write("src/a.ts")), { allow: ["Edit"], deny: ["Edit(/src/**)"] })).toBe("deny");
  const grep: CallFacts = { toolName: "Grep", level: "read", subjects: [read("private")] };
  expect(decide(grep, { deny: ["Read(/private/**)"] })).toBe("deny");
  expect(decide(bash(execute("cat", { readOnly: true }), read("private/a")), { deny: ["Read(/private/**)"] })).toBe(
    "deny",
  );
});

test("Write(path) and Grep(path) can forbid", () => {
  expect(decide(editing(write("a.ts")), { deny: ["Write(/a.ts)"] })).toBe("deny");
  const grep: CallFacts = { toolName: "Grep", level: "read", subjects: [read("logs/x")] };
  expect(decide(grep, { deny: ["Grep(/logs/**)"] })).toBe("deny");
  expect(decide(reading(read("logs/x")), { deny: ["Grep(/logs/**)"] })).toBe("allow");
});

test("bare rules: Edit covers Write, Write doesn't cover Edit, Bash doesn't cover what its commands write", () => {
  expect(decide(writing(write("/tmp/a")), { allow: ["Edit"] })).toBe("allow");
  expect(decide(editing(write("a")), { allow: ["Write"] })).toBe("ask");
  expect(decide(writing(write("a")), { allow: ["Write"] })).toBe("allow");
  expect(decide(bash(execute("echo hi")), { allow: ["Bash"] })).toBe("allow");
  expect(decide(bash(execute("echo hi"), write("a.txt")), { allow: ["Bash"] })).toBe("ask");
  expect(decide(bash(execute("echo hi"), write("a.txt")), { allow: ["Bash", "Edit"] })).toBe("allow");
  expect(decide(bash(execute("echo hi"), write(".git/config")), { allow: ["Bash", "Edit"] })).toBe("ask");
  expect(decide(bash(execute("echo hi"), write("a.txt")), { allow: ["Bash", "Write"] })).toBe("ask");
  expect(decide(bash(execute("echo hi"), read("/etc/passwd")), { allow: ["Bash"] })).toBe("ask");
});

test("a bare deny rule for Read or Edit applies to every read or write", () => {
  expect(decide(bash(execute("cat", { readOnly: true }), read("a")), { deny: ["Read"] })).toBe("deny");
  expect(decide(bash(execute("x"), write("a")), { allow: ["Bash"], deny: ["Edit"] })).toBe("deny");
  expect(decide({ toolName: "Glob", level: "read", subjects: [read("a")] }, { deny: ["Read"] })).toBe("deny");
});

test("a tool of a server is covered by its own name, its family and its server", () => {
  const call: CallFacts = { toolName: "mcp__github__search", level: "network", subjects: [] };
  for (const rule of ["mcp__github__search", "mcp__github__*", "mcp__github"]) {
    expect([rule, decide(call, { allow: [rule] }), decide(call, { deny: [rule] })]).toEqual([rule, "allow", "deny"]);
  }
  for (const rule of ["mcp__git", "mcp__git__*", "mcp__github__sea"])
    expect([rule, decide(call, { allow: [rule] })]).toEqual([rule, "ask"]);
});

test("hosts are matched whole or below a star", () => {
  const fetch = (host: string): CallFacts => ({
    toolName: "WebFetch",
    level: "network",
    subjects: [{ action: "network", host }],
  });
  expect(decide(fetch("example.com"), { allow: ["WebFetch(domain:example.com)"] })).toBe("allow");
  expect(decide(fetch("a.example.com"), { allow: ["WebFetch(domain:example.com)"] })).toBe("ask");
  expect(decide(fetch("a.example.com"), { allow: ["WebFetch(domain:*.example.com)"] })).toBe("allow");
  expect(decide(fetch("evilexample.com"), { allow: ["WebFetch(domain:*.example.com)"] })).toBe("ask");
  expect(decide(fetch("EXAMPLE.com."), { deny: ["WebFetch(domain:example.com)"] })).toBe("deny");
});

test("a rule with an unknown spec denies its whole tool and allows nothing", () => {
  const call: CallFacts = { toolName: "WebSearch", level: "execute", subjects: [] };
  expect(decide(call, { deny: ["WebSearch(x)"] })).toBe("deny");
  expect(decide(call, { allow: ["WebSearch(x)"] })).toBe("ask");
});

// Links

test("a deny rule applies to a link and its target; an allow rule must match both", () => {
  const linked = read("/data/x", { given: `${ROOT}/private/x` });
  expect(decide(reading(linked), { deny: ["Read(/private/**)"] })).toBe("deny");
  expect(decide(reading(linked), { deny: ["Read(//data/**)"] })).toBe("deny");
  expect(decide(reading(linked), { allow: ["Read(//data/**)"] })).toBe("ask");
  expect(decide(reading(linked), { allow: ["Read(/private/**)"] })).toBe("ask");
  expect(decide(reading(linked), { allow: ["Read(/private/**)", "Read(//data/**)"] })).toBe("ask");
  expect(decide(reading(linked), { allow: ["Read(//**)"] })).toBe("allow");
});

// Commands

test.each([
  "git push",
  "git  push   origin",
  '"git" push',
  "g\\it push",
  "/usr/bin/git push",
  "sudo -u bob git push",
  "env -i A=1 git push",
  "xargs -n1 git push",
  "timeout -k 5 9 git push",
  "git\tpush",
])("a deny rule for git push finds it in %j", (command) => {
  expect(decide(bash(execute(command)), { allow: ["Bash"], deny: ["Bash(git push *)"] })).toBe("deny");
});

test.each([
  "A=1 git push",
  "cd x && A='b c' git push origin",
  "echo $(git push)",
  "if true; then git push; fi",
  "{ git push; }",
  "x=`git push`",
])("a deny rule is matched against the pieces of an unclear source: %j", (command) => {
  expect(decide(bash(execute(command, { understood: false })), { deny: ["Bash(git push *)"] })).toBe("deny");
});

test("a deny rule finds a command by its other spellings and whatever its assignments", () => {
  const subject = execute("timeout 5 npm publish", { alternatives: ["npm publish"], assignments: ["X=1"] });
  expect(decide(bash(subject), { allow: ["Bash"], deny: ["Bash(npm publish *)"] })).toBe("deny");
});

test("an allow rule covers a command without its wrappers and safe assignments, never behind others", () => {
  const allow = ["Bash(npm test *)"];
  const test_ = (assignments: string[]) =>
    bash(execute("timeout 5 npm test", { alternatives: ["npm test"], assignments }));
  expect(decide(test_([]), { allow })).toBe("allow");
  expect(decide(test_(["NODE_ENV=test", "CI=1"]), { allow })).toBe("allow");
  expect(decide(test_(["NODE_OPTIONS=--require=./x"]), { allow })).toBe("ask");
  expect(decide(test_(["NODE_ENV=$(id)"]), { allow })).toBe("ask");
  expect(decide(test_(["NODE_OPTIONS=x"]), { allow: ["Bash(* npm test)"] })).toBe("ask");
});

test("an assignment behind env counts like a leading one", () => {
  const wrapped = (assignment: string) => bash(execute(`env ${assignment} npm test`, { alternatives: ["npm test"] }));
  expect(decide(wrapped("CI=1"), { allow: ["Bash(npm test *)"] })).toBe("allow");
  for (const assignment of ["LD_PRELOAD=./x.so", "'NODE_OPTIONS=-r x'", "CI=1 PATH=.", "CI=$(id)"])
    expect([assignment, decide(wrapped(assignment), { allow: ["Bash(npm test *)", "Bash(env *)"] })]).toEqual([
      assignment,
      "ask",
    ]);
  expect(decide(wrapped("LD_PRELOAD=./x.so"), { allow: ["Bash(env LD_PRELOAD=./x.so npm test)"] })).toBe("allow");
});

test("a bare assignment starts no program: it is judged as the shell's reader says", () => {
  const bare = (readOnly: boolean) => bash(execute("X=5", { assignments: ["X=5"], readOnly }));
  expect([decide(bare(true)), decide(bare(false)), decide(bare(false), { allow: ["Bash(X=5)"] })]).toEqual([
    "allow",
    "ask",
    "allow",
  ]);
});

test("a rule may spell an assignment out", () => {
  const call = bash(execute("npm test", { assignments: ["DB_URL=x"] }));
  expect(decide(call, { allow: ["Bash(DB_URL=x npm test *)"] })).toBe("allow");
  expect(decide(call, { allow: ["Bash(npm test *)"] })).toBe("ask");
  expect(decide(call, { allow: ["Bash(DB_* npm test)"] })).toBe("ask");
});

test("a command with effects beyond its words is allowed only by a rule that names it word for word", () => {
  const call = bash(execute("sed 'w x' f", { unsaid: true }));
  const allowed = (rule: string) => decide(call, { allow: [rule] });
  expect(["Bash", "Bash(*)", "Bash(sed *)", "Bash(sed:*)", "Bash(sed 'w x' *)"].map(allowed)).toEqual(
    Array(5).fill("ask"),
  );
  expect(allowed("Bash(sed 'w x' f)")).toBe("allow");
  expect(decide(call, { allow: ["Bash(sed 'w x' f)"], deny: ["Bash(sed *)"] })).toBe("deny");
});

test("an unclear command needs a question, whatever rule allows it", () => {
  const call = bash(execute("npm test $(x)", { understood: false, readOnly: true }));
  expect(decide(call, { allow: ["Bash", "Bash(npm test *)"] })).toBe("ask");
  expect(why(call, { allow: ["Bash"] })).toBe("unclear");
  expect(decide(call, {}, { mode: "bypassPermissions" })).toBe("allow");
});

test("a rule for a command covers its operands inside the workspace, but nothing that asks for itself", () => {
  const allow = ["Bash(rm *)"];
  const rm = (operand: Subject) => bash(execute("rm x"), operand);
  expect(decide(rm(write("x", { byCommand: true })), { allow })).toBe("allow");
  expect(decide(rm(write("/tmp/x", { byCommand: true })), { allow })).toBe("ask");
  expect(decide(rm(write(".git/x", { byCommand: true })), { allow })).toBe("ask");
  expect(decide(rm(write(".env", { byCommand: true })), { allow })).toBe("ask");
  expect(decide(rm(write("x")), { allow })).toBe("ask");
  expect(decide(rm(write("x", { byCommand: true })), { allow, ask: ["Edit(/x)"] })).toBe("ask");
  expect(decide(bash(execute("ls", { readOnly: true }), write("x", { byCommand: true })))).toBe("ask");
  expect(decide(bash(execute("rm x"), execute("mv y z"), write("x", { byCommand: true })), { allow })).toBe("ask");
});

// Secrets

test("a secret is asked for even inside the workspace and under a rule for everything", () => {
  for (const lists of [
    {},
    { allow: ["Read"] },
    { allow: ["Read(**)"] },
    { allow: ["Read(//**)"] },
    { allow: ["Read(/config)"] },
  ]) {
    expect([lists, decide(reading(read("config/.env")), lists)]).toEqual([lists, "ask"]);
  }
  expect(why(reading(read(".env")))).toBe("secret");
});

test("a rule that names a secret allows it", () => {
  expect(decide(reading(read("config/.env")), { allow: ["Read(/config/.env)"] })).toBe("allow");
  expect(decide(reading(read(`${HOME}/.ssh/config`)), { allow: ["Read(~/.ssh/**)"] })).toBe("allow");
});

test("a harmless name that leads to a secret is a secret, and the other way round", () => {
  expect(decide(reading(read(".env", { given: `${ROOT}/notes.txt` })))).toBe("ask");
  expect(decide(reading(read("notes.txt", { given: `${ROOT}/.env` })))).toBe("ask");
});

test("writing a secret is asked for in acceptEdits, too", () => {
  expect(decide(writing(write(".env")), {}, { mode: "acceptEdits" })).toBe("ask");
  expect(decide(writing(write(".env.example")), {}, { mode: "acceptEdits" })).toBe("allow");
});

// Protected paths

test.each([
  ".git/hooks/pre-commit",
  ".quoll/settings.json",
  ".claude/x",
  ".mcp.json",
  "CLAUDE.md",
  ".vscode/tasks.json",
  `${HOME}/.bashrc`,
  `${HOME}/.config/quoll/settings.json`,
])("no rule and no mode but bypass allows a write to %s", (path) => {
  const allow = ["Edit", "Write", "Edit(//**)", `Edit(/${path})`, "Bash"];
  for (const mode of ["default", "acceptEdits"] as const) {
    expect(decide(writing(write(path)), { allow }, { mode })).toBe("ask");
    expect(decide(writing(write("safe", { given: inProject(path) })), { allow }, { mode })).toBe("ask");
  }
  expect(decide(writing(write(path)), { allow }, { mode: "dontAsk" })).toBe("deny");
  expect(decide(writing(write(path)), {}, { mode: "bypassPermissions" })).toBe("allow");
});

// Modes

test("acceptEdits allows Write and Edit inside the workspace, never a command", () => {
  const mode = "acceptEdits";
  expect(decide(editing(write("a")), {}, { mode })).toBe("allow");
  expect(decide(editing(write("/tmp/a")), {}, { mode })).toBe("ask");
  expect(decide(bash(execute("ls", { readOnly: true }), write("a")), {}, { mode })).toBe("ask");
  expect(decide({ toolName: "Bash", level: "write", subjects: [write("a")] }, {}, { mode })).toBe("ask");
  expect(decide(bash(execute("npm test")), {}, { mode })).toBe("ask");
  expect(decide(editing(write("a")), { ask: ["Edit(/a)"] }, { mode })).toBe("ask");
  expect(decide(editing(write("a")), { deny: ["Edit(/a)"] }, { mode })).toBe("deny");
});

test("a redirect to /dev/null is not a write", () => {
  expect(decide(bash(execute("ls", { readOnly: true }), write("/dev/null")))).toBe("allow");
});

test("plan refuses every call whose level may change something", () => {
  const mode = "plan";
  expect(decide(reading(read("a")), {}, { mode })).toBe("allow");
  expect(decide(reading(read("/etc/hosts")), {}, { mode })).toBe("ask");
  expect(decide({ toolName: "Bash", level: "read", subjects: [execute("ls", { readOnly: true })] }, {}, { mode })).toBe(
    "allow",
  );
  for (const call of [
    editing(write("a")),
    bash(execute("ls", { readOnly: true })),
    { toolName: "Monitor", level: "network", subjects: [] } as const,
  ])
    expect(decide(call, { allow: ["Edit", "Bash", "Monitor"] }, { mode })).toBe("deny");
});

test("a call that says it only reads but names a write is refused in plan mode all the same", () => {
  expect(
    decide({ toolName: "Monitor", level: "read", subjects: [write("a")] }, { allow: ["Monitor"] }, { mode: "plan" }),
  ).toBe("deny");
});

test("dontAsk turns every question into a no and keeps the reason", () => {
  const evaluation = evaluate(bash(execute("npm publish")), situation({}, { mode: "dontAsk" }));
  expect(evaluation).toEqual({
    decision: "deny",
    confinement: "none",
    confinementAfterYes: "none",
    onlyLacksRule: false,
    isForJudge: false,
    judgements: [
      {
        decision: "deny",
        subject: execute("npm publish"),
        cause: { kind: "mode", mode: "dontAsk", instead: { kind: "uncovered" } },
      },
    ],
  });
  expect(decide(bash(execute("npm test")), { allow: ["Bash(npm test)"] }, { mode: "dontAsk" })).toBe("allow");
});

test("with a deny rule for commands, bypassPermissions asks about unclear commands", () => {
  const mode = "bypassPermissions";
  const unclear = bash(execute("$x f", { understood: false }));
  expect(decide(unclear, {}, { mode })).toBe("allow");
  expect(decide(unclear, { deny: ["Edit(/secret/**)"] }, { mode })).toBe("allow");
  expect(decide(unclear, { deny: ["Bash(rm *)"] }, { mode })).toBe("ask");
});

test("bypassPermissions passes everything but deny and ask rules", () => {
  const mode = "bypassPermissions";
  const call = bash(
    execute("rm -rf x", { understood: false, hazards: [hazard("deletes")] }),
    write(".git/x"),
    read("/etc/shadow"),
  );
  expect(decide(call, {}, { mode })).toBe("allow");
  expect(decide(call, { ask: ["Bash(rm *)"] }, { mode })).toBe("ask");
  expect(decide(call, { deny: ["Read(//etc/**)"] }, { mode })).toBe("deny");
});
