import { expect, test } from "bun:test";
import { UserFacingError } from "../../../src/contracts/errors.ts";
import type { Decision } from "../../../src/contracts/permission.ts";
import type { RuleSource } from "../../../src/contracts/settings.ts";
import type { Subject } from "../../../src/contracts/subject.ts";
import { evaluate } from "../../../src/services/permission/judge/evaluate.ts";
import { compileRules, type RuleContext } from "../../../src/services/permission/rules/compile-rules.ts";
import { whyNotOffered, whyWide } from "../../../src/services/permission/rules/wide-rules.ts";
import { partsOf } from "../../support/question.ts";
import { setUp, short } from "./engine-support.ts";
import { compile, execute, HOME, ROOT, read, situation, sources, write } from "./support.ts";

type Lists = Parameters<typeof situation>[0];
const CONTEXT: RuleContext = { roots: [ROOT], home: HOME, realPath: (path) => path };

function decide(toolName: string, subjects: readonly Subject[], lists: Lists): Decision {
  const level = toolName === "Bash" ? "execute" : toolName === "Read" ? "read" : "write";
  return evaluate({ toolName, level, subjects }, situation(lists)).decision;
}

const use = (name: string, args?: string): Subject => ({ action: "use", name, ...(args !== undefined && { args }) });

// Names

test("an agent is allowed by its name, also by the tool's former one", () => {
  for (const rule of ["Agent(Explore)", "Task(Explore)", "Agent(Ex*)", "Agent"])
    expect([rule, decide("Agent", [use("Explore")], { allow: [rule] })]).toEqual([rule, "allow"]);
  for (const rule of ["Agent(explore)", "Agent(Plan)", "Skill(Explore)", "SlashCommand"])
    expect([rule, decide("Agent", [use("Explore")], { allow: [rule] })]).toEqual([rule, "ask"]);
});

test("a skill is allowed with arguments only where the rule says so", () => {
  const verdicts = (rule: string) =>
    [use("deploy"), use("deploy", "prod"), use("deployx")].map((one) => decide("Skill", [one], { allow: [rule] }));
  expect(verdicts("Skill(deploy)")).toEqual(["allow", "ask", "ask"]);
  expect(verdicts("Skill(deploy *)")).toEqual(["allow", "allow", "ask"]);
  expect(decide("Skill", [use("tools:lint")], { allow: ["Skill(tools:*)"] })).toBe("allow");
});

test("deny rules for agents and skills ignore case and arguments", () => {
  expect(decide("Skill", [use("Deploy", "prod")], { allow: ["Skill"], deny: ["Skill(deploy)"] })).toBe("deny");
  expect(decide("Agent", [use("Explore")], { allow: ["Agent"], deny: ["Task(explore)"] })).toBe("deny");
  expect(decide("Agent", [use("Plan")], { allow: ["Agent"], deny: ["Agent(Explore)"] })).toBe("allow");
  expect(decide("Agent", [], { allow: ["Agent"], deny: ["Agent(Explore)"] })).toBe("deny");
  expect(decide("Monitor", [use("Explore")], { allow: ["Monitor"], deny: ["Agent(Explore)"] })).toBe("allow");
});

test("an agent and a skill are asked for by name, and a session's yes means that name alone", async () => {
  const { judge, request, questions } = setUp();
  const calls = [request("Agent", "execute", use("Explore")), request("Skill", "execute", use("deploy", "prod"))];
  const verdicts = calls.map((call) => judge(call));
  expect(
    questions.pending.map(partsOf).map(({ title, reason, sessionRules }) => [title, reason, sessionRules]),
  ).toEqual([
    ["Start the agent Explore?", "You have not allowed it yet.", ["Agent(Explore)"]],
    ["Use the skill deploy?", "You have not allowed it yet.", ["Skill(deploy *)"]],
  ]);
  for (const { id } of questions.pending) questions.reply(id, { decision: "session" });
  expect((await Promise.all(verdicts)).map(short)).toEqual(["allow/none", "allow/none"]);
  expect(short(await judge(request("Agent", "execute", use("Explore"))))).toBe("allow/none");
  judge(request("Agent", "execute", use("Plan")));
  expect(questions.pending).toHaveLength(1);
});

test("two names in one rule are an error", () => {
  expect(() => compile({ deny: ["Skill(deploy prod)"] })).toThrow("more than one name");
});

// Names that no tool has

const at = (rule: string, decision: Decision, layer: RuleSource["layer"]): RuleSource => ({
  rule,
  decision,
  file: "settings.json",
  line: 7,
  layer,
  base: ROOT,
});

test.each([
  ["Bsh(rm *)", "Bash"],
  ["Raed(.env)", "Read"],
  ["bash(rm *)", "Bash"],
  ["Edits", "Edit"],
  ["run_shell_command(rm *)", "Bash"],
  ["apply_patch", "Edit"],
] as const)("%s in the person's own, managed or flag settings ends the start and names %s", (rule, nearest) => {
  for (const layer of ["user", "own", "managed", "settings-flag", "flag"] as const)
    for (const decision of ["deny", "ask", "allow"] as const) {
      const compiled = () => compileRules([at(rule, decision, layer)], CONTEXT);
      expect(compiled).toThrow(
        new UserFacingError(
          `settings.json:7: the ${decision} rule "${rule}" is invalid: it names an unknown tool (did you mean ${nearest}?).`,
          2,
        ),
      );
    }
});

test("an unknown tool name without a similar tool ends the start without a suggestion", () => {
  expect(() => compileRules([at("Quux(a)", "deny", "user")], CONTEXT)).toThrow("it names no tool.");
});

test("in a project's or a foreign file it is one warning, and what it forbids counts for the tool that was meant", () => {
  for (const layer of ["project", "foreign"] as const) {
    const { rules, warnings } = compileRules([at("Bsh(rm *)", "deny", layer)], CONTEXT);
    expect(warnings).toEqual([
      "settings.json:7: the deny rule Bsh(rm *): it names an unknown tool (did you mean Bash?); it is applied to Bash.",
    ]);
    const call = { toolName: "Bash", level: "execute", subjects: [execute("rm a")] } as const;
    expect(
      evaluate(call, situation({ allow: ["Bash"] }, { rules: [...rules, ...compile({ allow: ["Bash"] })] })),
    ).toMatchObject({
      decision: "deny",
    });
  }
});

test("a project's allow rule with an unknown tool is never applied to a similar tool", () => {
  const trusted = { ...CONTEXT, isTrusted: true };
  const { rules, warnings } = compileRules([at("Bsh(make *)", "allow", "project")], trusted);
  expect(warnings).toEqual([
    "settings.json:7: the rule Bsh(make *) allows nothing: it names an unknown tool (did you mean Bash?).",
  ]);
  const call = { toolName: "Bash", level: "execute", subjects: [execute("make a")] } as const;
  expect(evaluate(call, situation({}, { rules })).decision).toBe("ask");
});

test("names that other agents document are known, and those that were renamed count for today's tool", () => {
  for (const rule of ["WebSearch", "AskUserQuestion", "SlashCommand(/x)", "LSP", "mcp__a__b", "TaskCreate", "Monitor"])
    expect(compileRules([at(rule, "deny", "user")], CONTEXT).warnings).toEqual([]);
  expect(decide("Edit", [write("a")], { allow: ["Edit"], deny: ["MultiEdit(/a)"] })).toBe("deny");
  expect(decide("Read", [read("a")], { deny: ["NotebookRead(/a)"] })).toBe("deny");
});

// Folders

test("Cd rules concern the folder that a cd goes to and nothing else that is read", () => {
  const cd: Subject = { action: "read", path: "/srv/app", byCommand: true, isFolderChange: true };
  const command = execute("cd /srv/app", { readOnly: true });
  expect(decide("Bash", [command, cd], {})).toBe("ask");
  for (const rule of ["Cd(//srv/**)", "Cd", "Read(//srv/**)"])
    expect([rule, decide("Bash", [command, cd], { allow: [rule] })]).toEqual([rule, "allow"]);
  const file = read("/srv/app/x", { byCommand: true });
  expect(decide("Bash", [execute("cat /srv/app/x", { readOnly: true }), file], { allow: ["Cd(//srv/**)", "Cd"] })).toBe(
    "ask",
  );
  const inside: Subject = { ...cd, path: `${ROOT}/src` };
  expect(decide("Bash", [execute("cd src", { readOnly: true }), inside], {})).toBe("allow");
  for (const rule of ["Cd(/src)", "Cd", "Cd(src/**)"])
    expect([rule, decide("Bash", [execute("cd src", { readOnly: true }), inside], { deny: [rule] })]).toEqual([
      rule,
      "deny",
    ]);
  expect(decide("Read", [read("src/a")], { deny: ["Cd(/src/**)", "Cd"] })).toBe("allow");
});

// Notebooks

test("NotebookEdit writes: Edit rules concern it, and rules of its own tighten whatever writes", () => {
  const cell = write("a.ipynb");
  expect(decide("NotebookEdit", [cell], { allow: ["Edit(/**)"] })).toBe("allow");
  expect(decide("NotebookEdit", [cell], { allow: ["Edit"] })).toBe("allow");
  expect(decide("NotebookEdit", [cell], { allow: ["Edit"], deny: ["Edit(/a.ipynb)"] })).toBe("deny");
  expect(decide("Edit", [cell], { allow: ["Edit"], ask: ["NotebookEdit(/a.ipynb)"] })).toBe("ask");
  expect(decide("NotebookEdit", [cell], { allow: ["NotebookEdit"] })).toBe("allow");
  const hidden = setUp({ rules: { deny: ["Edit"] } }).engine.hiddenTools(["NotebookEdit", "Read"]);
  expect([...hidden]).toEqual(["NotebookEdit"]);
});

// Disks that fold case

test("on a disk that folds case an allow rule does too; a rule that tightens always does", () => {
  const verdicts = (isCaseInsensitive: boolean, decision: Decision) => {
    const source = { rule: "Edit(/Src/**)", decision, file: "s", layer: "user", base: ROOT } as const;
    const { rules } = compileRules([source], { ...CONTEXT, isCaseInsensitive });
    const given = situation({}, { rules, isCaseInsensitive, mode: decision === "allow" ? "default" : "acceptEdits" });
    return ["src/a", "Src/a", "other"].map(
      (path) => evaluate({ toolName: "Edit", level: "write", subjects: [write(path)] }, given).decision,
    );
  };
  expect(verdicts(false, "allow")).toEqual(["ask", "allow", "ask"]);
  expect(verdicts(true, "allow")).toEqual(["allow", "allow", "ask"]);
  for (const fold of [false, true]) expect(verdicts(fold, "deny")).toEqual(["deny", "deny", "allow"]);
});

test("the folders above a pattern are folded as well, and both forms of an accent are one", () => {
  const deny = compile({ deny: ["Read(~/Café/**)"] });
  const given = situation({}, { rules: deny });
  for (const path of ["/HOME/Ann/cafe\u0301/x", `${HOME}/café/x`])
    expect([path, evaluate({ toolName: "Read", level: "read", subjects: [read(path)] }, given).decision]).toEqual([
      path,
      "deny",
    ]);
});

test("the workspace is the same under another case only on such a disk", () => {
  const verdict = (isCaseInsensitive: boolean) => {
    const subjects = [read(`${ROOT.toUpperCase()}/a`)];
    return evaluate({ toolName: "Read", level: "read", subjects }, situation({}, { isCaseInsensitive })).decision;
  };
  expect([verdict(false), verdict(true)]).toEqual(["ask", "allow"]);
});

test("our own folders are protected under any case", () => {
  const subject = write("/HOME/ann/.Config/QUOLL/settings.json");
  expect(decide("Write", [subject], { allow: ["Edit"] })).toBe("ask");
});

// Examples

const withExamples = (rule: string, decision: Decision, examples: Pick<RuleSource, "match" | "notMatch">) => () =>
  compileRules([{ rule, decision, file: "s.json", line: 3, layer: "user", base: ROOT, ...examples }], CONTEXT);

test.each([
  ["Bash(npm test *)", "allow", { match: ["npm test", "npm test -- a"], notMatch: ["npm testx", "npm test && rm x"] }],
  ["Bash(npm test *)", "allow", { match: ["CI=1 npm test"], notMatch: ["NODE_OPTIONS=-rx npm test"] }],
  ["Bash(git push *)", "deny", { match: ["git push -f", "cd x && git push", "sudo git push"], notMatch: ["git pull"] }],
  ["Bash(echo '\\(a\\)')", "allow", { match: ["echo '(a)'"] }],
  ["Edit(/src/**)", "allow", { match: ["src/a.ts", "/src/b/c.ts"], notMatch: ["lib/a.ts", "//src/a.ts", "~/src/a"] }],
  ["Read(~/.ssh/**)", "deny", { match: ["~/.ssh/id_rsa", "~/.SSH/config"], notMatch: ["~/ssh"] }],
  [
    "WebFetch(domain:*.example.com)",
    "allow",
    { match: ["a.example.com", "https://b.example.com/x"], notMatch: ["x.com"] },
  ],
  ["Agent(Explore)", "allow", { match: ["Explore"], notMatch: ["Plan"] }],
  ["Skill(deploy *)", "allow", { match: ["deploy", "deploy prod"], notMatch: ["deployx"] }],
  ["mcp__git__*", "allow", { match: ["mcp__git__log"], notMatch: ["mcp__github__log"] }],
  ["Cd(//srv/**)", "allow", { match: ["//srv/a"], notMatch: ["src"] }],
  ["Bash", "ask", { match: ["ls -a"] }],
] as const)("the examples of %s (%s) hold", (rule, decision, examples) => {
  expect(withExamples(rule, decision, examples)().rules).toHaveLength(1);
});

test.each([
  ["Bash(npm test *)", { match: ["npm run x"] }, `it doesn't match "npm run x", which it should`],
  [
    "Bash(npm *)",
    { match: ["npm test && npm run x"] },
    `it doesn't match "npm test && npm run x", which it should (write each command as a separate example)`,
  ],
  ["Bash(npm *)", { notMatch: ["npm publish"] }, `it matches "npm publish", which it should not`],
  ["Edit(/src/**)", { match: ["src/a", "lib/a"] }, `it doesn't match "lib/a", which it should`],
  ["WebFetch(domain:a.com)", { match: ["b.com"] }, `it doesn't match "b.com", which it should`],
] as const)("an example of %s that doesn't hold stops the start, with file and line", (rule, examples, problem) => {
  let thrown: unknown;
  try {
    withExamples(rule, "allow", examples)();
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(UserFacingError);
  expect([(thrown as UserFacingError).message, (thrown as UserFacingError).exitCode]).toEqual([
    `s.json:3: the allow rule ${JSON.stringify(rule)} is invalid: ${problem}.`,
    2,
  ]);
});

// Layers

test("no allow rule of a repository counts before the folder is trusted; what tightens counts at once", async () => {
  for (const layer of ["project", "foreign"] as const) {
    const others = sources({ allow: ["Bash(make)"], ask: ["Bash(ls)"], deny: ["Bash(rm *)"] }, layer);
    const verdicts = async (isTrusted: boolean) => {
      const { judge, bash, engine, warnings } = setUp({ others, isTrusted, canAsk: false });
      const made = await Promise.all(
        [bash("make"), bash("ls", { readOnly: true }), bash("rm x")].map(async (one) => short(await judge(one))),
      );
      return { made, warnings, note: engine.describe().find(({ decision }) => decision === "allow")?.note };
    };
    expect([layer, await verdicts(false), await verdicts(true)]).toEqual([
      layer,
      {
        made: ["deny/unanswered", "deny/unanswered", "deny"],
        warnings: ["settings.json:3: the rule Bash(make) allows nothing: the folder is not trusted (--trust)."],
        note: "the folder is not trusted (--trust)",
      },
      { made: ["allow/none", "deny/unanswered", "deny"], warnings: [], note: undefined },
    ]);
  }
});

test("a broken rule of a project that isn't trusted is an error all the same", () => {
  expect(() => setUp({ others: sources({ deny: ["Bash("] }, "project"), isTrusted: false })).toThrow("is invalid");
  const { warnings } = setUp({ others: sources({ allow: ["Bash("] }, "project"), isTrusted: false });
  expect(warnings).toEqual([expect.stringContaining("closing bracket")]);
});

test("where managed policy alone may allow, no other rule and no answer does", async () => {
  const managed = sources({ allow: ["Bash(make)"] }, "managed");
  const { judge, bash, engine, asked } = setUp({
    rules: { allow: ["Bash(ls)"] },
    others: managed,
    managedRulesOnly: true,
  });
  expect(short(await judge(bash("make")))).toBe("allow/none");
  expect(await asked(judge(bash("ls")))).toMatchObject({ suggestions: [], sessionRules: [] });
  expect(engine.grantRules(["Bash(npm test *)"], "the approved plan")).toEqual(["Bash(npm test *)"]);
});

// Rules that mean next to anything

function specOf(text: string) {
  const rule = compile({ allow: [text] })[0];
  if (!rule) throw new Error(`${text} was ignored`);
  return rule;
}

test.each([
  ...["Bash", "Bash(*)", "Bash(* --help)", "Bash(py*)", "Bash(./scripts/*)", "Bash(A=1 *)", "Agent", "Agent(*)"],
  ...["Bash(bash *)", "Bash(/bin/sh *)", "Bash(sudo *)", "Bash(sudo -u bob *)", "Bash(env *)", "Bash(xargs *)"],
  ...[
    "Bash(npx *)",
    "Bash(npx tsc *)",
    "Bash(npm *)",
    "Bash(npm exec *)",
    "Bash(npm e*)",
    "Bash(pnpm dlx *)",
    "Bash(go run *)",
  ],
  ...["Bash(python*)", "Bash(python *)", "Bash(python3.12 -m *)", "Bash(/usr/bin/python3 *)", "Bash(node *)"],
  ...[
    "Bash(bun *)",
    "Bash(bun run *)",
    "Bash(CI=1 node *)",
    "Bash(A='x npm' bash *)",
    "Bash('bash' *)",
    "Bash(uv run *)",
  ],
  ...["Bash(timeout 5 *)", "Bash(docker run *)", "Bash(node -e*)", "Bash(node:*)"],
])("%s would let a judge be passed by", (text) => {
  const { tool, spec } = specOf(text);
  expect(whyWide(tool, spec)).toBeString();
});

test.each([
  ...["Bash(npm test *)", "Bash(npm run build *)", "Bash(bun test *)", "Bash(bun run build *)", "Bash(git *)"],
  ...["Bash(python3 setup.py)", "Bash(node)", "Bash(make *)", "Bash(npm install*)", "Bash(go test ./...)"],
  ...["Edit", "Edit(/**)", "Read(//**)", "mcp__x", "Agent(Explore)", "Skill", "WebFetch(domain:*)", "Bash(envsubst *)"],
])("%s would not", (text) => {
  const { tool, spec } = specOf(text);
  expect(whyWide(tool, spec)).toBeUndefined();
});

test("a plan gets the rules that a question could have offered, for this session; the other rules are returned as refused", async () => {
  const { engine, judge, bash, persisted } = setUp();
  const wanted = ["Bash(npm run build *)", "Bash(python3 x.py)", "WebFetch(domain:example.com)", "Skill(deploy)"];
  const refused = [
    ...["Bash", "Bash(*)", "Bash(node *)", "Bash(sudo make)", "Bash(rm -r dist)", "Bash(python)", "Bash(env)", "Edit"],
    ...["Edit(/**)", "Read(//**)", "Agent", "WebFetch", "WebFetch(domain:*)", "mcp__x", "Bash(", "", "Bash(a\nb)"],
  ];
  expect(engine.grantRules([...wanted, ...refused], "the approved plan")).toEqual(refused);
  expect(engine.describe().map(({ rule, source }) => [rule, source])).toEqual(
    wanted.map((rule) => [rule, "the approved plan"]),
  );
  expect(await judge(bash("npm run build"))).toMatchObject({
    grant: { decidedBy: { kind: "rule", rule: "Bash(npm run build *)", source: "the approved plan" } },
  });
  expect(persisted).toEqual([]);
});

test("permissions granted with a plan settle the questions that wait for them", async () => {
  const { engine, judge, bash, questions } = setUp();
  const waiting = judge(bash("npm run build"));
  expect(questions.pending).toHaveLength(1);
  engine.grantRules(["Bash(npm run build *)"], "the approved plan");
  expect([short(await waiting), questions.pending]).toEqual(["allow/none", []]);
});

test("a program may add any restriction, and remove the rules that it added", async () => {
  const { engine, judge, bash } = setUp({ rules: { allow: ["Bash(make)"], deny: ["Bash(curl *)"] } });
  const change = (kind: "add" | "replace" | "remove", decision: "allow" | "ask" | "deny", ...rules: string[]) =>
    engine.changeRules({ kind, decision, rules }, "a program");
  expect(change("add", "deny", "Bash(make)", "Bash(")).toEqual(["Bash("]);
  expect(short(await judge(bash("make")))).toStartWith("deny");
  expect(change("remove", "deny", "Bash(make)", "Bash(curl *)")).toEqual(["Bash(curl *)"]);
  expect(short(await judge(bash("make")))).toBe("allow/none");
  expect(short(await judge(bash("curl x")))).toStartWith("deny");
  expect(change("replace", "deny", "Bash(wget *)")).toEqual([]);
  expect(change("replace", "deny", "Bash(rm:* x)", "Bash(wget *)")).toEqual(["Bash(rm:* x)", "Bash(wget *)"]);
  expect(engine.describe().map(({ rule }) => rule)).toContain("Bash(wget *)");
  expect(change("replace", "deny")).toEqual([]);
  expect(engine.describe().map(({ rule }) => rule)).toEqual(["Bash(curl *)", "Bash(make)"]);
});

test("a program may take away what allows, and widen no further than a question could", async () => {
  const { engine } = setUp({ rules: { allow: ["Bash(make)"] } });
  const change = (kind: "add" | "replace" | "remove", ...rules: string[]) =>
    engine.changeRules({ kind, decision: "allow", rules }, "a program");
  expect(change("add", "Bash(npm test *)", "Bash(*)")).toEqual(["Bash(*)"]);
  expect(change("replace", "Bash(npm run build *)")).toEqual([]);
  expect(engine.describe().map(({ rule }) => rule)).toEqual(["Bash(make)", "Bash(npm run build *)"]);
  expect(change("remove", "Bash(make)", "Bash(none)")).toEqual(["Bash(none)"]);
  expect(engine.describe().map(({ rule }) => rule)).toEqual(["Bash(npm run build *)"]);
});

test("a rule that only tightens is never called wide", () => {
  for (const { wide } of compile({ deny: ["Bash"], ask: ["Bash(node *)"] })) expect(wide).toBeUndefined();
  expect(whyNotOffered("Edit", specOf("Edit").spec)).toBeString();
});
