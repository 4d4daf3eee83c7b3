import { expect, test } from "bun:test";
import { decidedByText } from "../../../src/contracts/decided-by.ts";
import { UserFacingError } from "../../../src/contracts/errors.ts";
import type { PermissionRequest, Verdict } from "../../../src/contracts/permission.ts";
import { checkBypass } from "../../../src/services/permission/judge/check-bypass.ts";
import { partsOf } from "../../support/question.ts";
import { setUp } from "./engine-support.ts";
import { execute, hazard, ROOT, read, write } from "./support.ts";

const byOf = (verdict: Verdict) =>
  decidedByText(verdict.decision === "allow" ? verdict.grant.decidedBy : verdict.decidedBy);

test("an allowed call gets a grant that names the rule with its file and line", async () => {
  const { judge, bash } = setUp({ rules: { allow: ["Bash(npm test *)"] } });
  const verdict = await judge(bash("npm test"));
  expect(verdict).toEqual({
    decision: "allow",
    grant: {
      toolUseId: "use1",
      confinement: "none",
      decidedBy: {
        ...{ kind: "rule", rule: "Bash(npm test *)", source: "settings.json:1" },
        reason: "allow rule Bash(npm test *) (settings.json:1)",
      },
      notes: [],
    } as never,
  });
});

test("a deny rule refuses without a question and is named to the model", async () => {
  const { judge, bash, questions } = setUp({ rules: { deny: ["Bash(rm *)"] } });
  expect(await judge(bash("rm -rf x"))).toEqual({
    decision: "deny",
    decidedBy: {
      ...{ kind: "rule", rule: "Bash(rm *)", source: "settings.json:1" },
      reason: "deny rule Bash(rm *) (settings.json:1)",
    },
    message: "Refused by the deny rule Bash(rm *) (settings.json:1).\nNext: Don't try to do the same in another way.",
    unanswered: false,
  });
  expect(questions.pending).toEqual([]);
});

test("a question shows the effect, the reason, and the rules that always adds", async () => {
  const { judge, bash, questions } = setUp();
  const verdict = judge(bash("npm publish --access public"));
  expect(questions.pending).toEqual([
    {
      id: "q1",
      agentId: "main",
      parentAgentId: null,
      title: "Run this command?",
      body: {
        kind: "permission",
        call: { toolUseId: "use1", toolName: "Bash" },
        preview: { kind: "text", text: "a title" },
        reason: "You have not allowed it yet.",
        isUsual: true,
        suggestions: ["Bash(npm publish --access public)"],
        sessionRules: ["Bash(npm publish --access public)"],
      },
    },
  ]);
  questions.reply("q1", { decision: "once" });
  expect(byOf(await verdict)).toBe("the user's answer (once)");
});

test("the question about an extension's tool names both, and a rule for the tool is offered", async () => {
  const { judge, request, questions, persisted } = setUp();
  const shout = () => request("ext__Shout", "read", { action: "use", name: "ext__Shout", extension: "guard" } as const);
  const first = judge(shout());
  expect(questions.pending.map(partsOf)).toMatchObject([
    { title: "Let the extension guard run Shout?", suggestions: ["ext__Shout"], sessionRules: ["ext__Shout"] },
  ]);
  questions.reply("q1", { decision: "always" });
  expect((await first).decision).toBe("allow");
  expect(persisted).toEqual([["ext__Shout"]]);
  expect((await judge(shout())).decision).toBe("allow");
});

test("the question about a server's tool names both, not the name that they have together", async () => {
  const { judge, request, questions } = setUp();
  judge(request("mcp__notes__find_all", "read"));
  expect(questions.pending.map(partsOf)).toMatchObject([
    { title: "Let the server notes run find_all?", sessionRules: ["mcp__notes__find_all"] },
  ]);
});

test("once allows only this call", async () => {
  const { judge, bash, questions } = setUp();
  const first = judge(bash("npm publish"));
  questions.reply("q1", { decision: "once" });
  await first;
  judge(bash("npm publish"));
  expect(questions.pending).toHaveLength(1);
});

test("session keeps the rule in memory, always writes it too", async () => {
  const { judge, bash, questions, persisted, engine } = setUp();
  const first = judge(bash("git push origin"));
  questions.reply("q1", { decision: "session" });
  expect((await first).decision).toBe("allow");
  expect([(await judge(bash("git push --tags"))).decision, persisted]).toEqual(["allow", []]);
  const second = judge(bash("cargo test"));
  questions.reply("q2", { decision: "always" });
  await second;
  expect(persisted).toEqual([["Bash(cargo test *)"]]);
  expect((await judge(bash("cargo test --all"))).decision).toBe("allow");
  expect(engine.describe()).toEqual([
    { decision: "allow", rule: "Bash(git push *)", source: "this session", layer: "session" },
    { decision: "allow", rule: "Bash(cargo test *)", source: "/config/projects/own.json", layer: "own" },
  ]);
});

test("a narrow yes for the session adds only what always would keep", async () => {
  const { judge, request, questions, engine, persisted } = setUp();
  const first = judge(request("Edit", "write", write("src/a.ts")));
  questions.reply("q1", { decision: "session", isNarrow: true });
  expect((await first).decision).toBe("allow");
  expect([engine.describe().map(({ rule }) => rule), persisted]).toEqual([["Edit(/src/a.ts)"], []]);
});

test("a rule that can't be written is reported, and the call is allowed once", async () => {
  const { judge, bash, questions, warnings } = setUp({
    persist: () => Promise.reject(new UserFacingError("The disk is full.")),
  });
  const verdict = judge(bash("npm test"));
  questions.reply("q1", { decision: "always" });
  expect((await verdict).decision).toBe("allow");
  expect(warnings).toEqual(["The disk is full. The call was allowed once."]);
  judge(bash("npm test"));
  expect(questions.pending).toHaveLength(1);
});

test("an answer settles the other questions that its rules cover", async () => {
  const { judge, request, questions } = setUp();
  const paths = ["/data/docs/a", "/data/docs/b", "/data/other/c"];
  const [first, second] = paths.map((path) => judge(request("Read", "read", read(path))));
  expect(questions.pending.map(partsOf).map(({ suggestions }) => suggestions)).toEqual([
    ["Read(//data/docs/**)"],
    ["Read(//data/docs/**)"],
    ["Read(//data/other/**)"],
  ]);
  questions.reply("q1", { decision: "session" });
  expect(byOf((await first) as Verdict)).toBe("the user's answer (session)");
  expect(byOf((await second) as Verdict)).toBe("allow rule Read(//data/docs/**) (this session)");
  expect(questions.pending.map(partsOf).map(({ id }) => id)).toEqual(["q3"]);
});

test("a change of mode settles the questions that it answers", async () => {
  const { engine, judge, request, questions } = setUp();
  const edit = judge(request("Edit", "write", write("a.ts")));
  judge(request("Edit", "write", write("/tmp/a")));
  engine.mode = "acceptEdits";
  expect(byOf(await edit)).toBe("mode acceptEdits");
  expect(questions.pending).toHaveLength(1);
});

test("a deny rule that appears while a question waits wins over the answer", async () => {
  const { engine, judge, bash, questions, persisted } = setUp();
  const verdict = judge(bash("npm publish"));
  engine.changeRules({ kind: "add", decision: "deny", rules: ["Bash(npm publish)"] }, "a program");
  questions.reply("q1", { decision: "always" });
  expect(await verdict).toMatchObject({
    decision: "deny",
    decidedBy: expect.objectContaining({ kind: "rule", rule: "Bash(npm publish)" }),
  });
  expect(persisted).toEqual([]);
});

test("a person's yes wins over a mode that begins while the question waits", async () => {
  const { engine, judge, bash, questions } = setUp();
  const verdict = judge(bash("npm publish"));
  engine.mode = "dontAsk";
  questions.reply("q1", { decision: "once" });
  expect((await verdict).decision).toBe("allow");
});

test("a hook's question that nobody can answer names the hook, not the rule that allows the call", async () => {
  const { judge, bash } = setUp({ rules: { allow: ["Bash(git push *)"] }, canAsk: false });
  const hook = { decision: "ask", reason: "is it tested?" } as const;
  const { message } = (await judge({ ...bash("git push origin"), hook })) as { readonly message: string };
  expect(message).toContain("(a hook asks: is it tested?).");
  expect(message).not.toContain("allow rule");
});

test("only a person settles a hook's question, not later rules or modes", async () => {
  const { engine, judge, bash, questions } = setUp({ rules: { allow: ["Bash(git push *)"] } });
  const hook = { decision: "ask", reason: "is it tested?" } as const;
  const allowed = judge({ ...bash("git push origin"), hook });
  const unruled = judge({ ...bash("npm publish"), hook });
  expect(questions.pending.map(partsOf).map(({ reason }) => reason)).toEqual([
    expect.stringContaining("A hook asks: is it tested?"),
    expect.stringContaining("A hook asks: is it tested?"),
  ]);
  engine.grantRules(["Bash(npm publish)"], "another answer");
  engine.mode = "bypassPermissions";
  expect(questions.pending.map(partsOf).map(({ id }) => id)).toEqual(["q1", "q2"]);
  for (const id of ["q1", "q2"]) questions.reply(id, { decision: "reject" });
  expect([(await allowed).decision, (await unruled).decision]).toEqual(["deny", "deny"]);
});

test("the model gets a person's no with their words", async () => {
  const { judge, bash, questions } = setUp();
  const first = judge(bash("npm publish"));
  questions.reply("q1", { decision: "reject", message: " use the staging registry " });
  expect(await first).toEqual({
    decision: "deny",
    decidedBy: { kind: "person", reason: "use the staging registry" },
    message: "The user refused this call and said: use the staging registry",
    unanswered: false,
  });
  const second = judge(bash("npm publish"));
  questions.reply("q2", { decision: "reject" });
  expect(await second).toMatchObject({ message: expect.stringContaining("ask what they want instead") });
});

test("an abort while a question waits is a no, and nothing is left behind", async () => {
  const { judge, bash, questions } = setUp();
  const controller = new AbortController();
  const verdict = judge(bash("npm publish"), controller.signal);
  controller.abort();
  expect((await verdict).decision).toBe("deny");
  expect(questions.pending).toEqual([]);
});

test("with nobody to ask, the call is refused as unanswered, with the rule that would allow it", async () => {
  const { judge, bash, questions } = setUp({ canAsk: false });
  expect(await judge(bash("npm publish"))).toEqual({
    decision: "deny",
    decidedBy: { kind: "default", reason: "no rule covers `npm publish`" },
    message:
      "Refused: nobody can answer permission questions in this run (no rule covers `npm publish`). The user could allow it with Bash(npm publish).\nNext: Go on without it, and say in your answer what could not be done.",
    unanswered: true,
    remedy: { kind: "rules", rules: ["Bash(npm publish)"] },
  });
  expect(questions.pending).toEqual([]);
});

test("with nobody to ask, the mode that would allow an edit is named beside the rule, where it would", async () => {
  const { judge, request } = setUp({ canAsk: false });
  const remedyOf = async (path: string) => {
    const verdict = await judge(request("Edit", "write", write(path)));
    return verdict.decision === "deny" ? verdict.remedy : verdict;
  };
  expect(await remedyOf("src/a.ts")).toEqual({ kind: "rules", rules: ["Edit(/src/a.ts)"], mode: "acceptEdits" });
  expect(await remedyOf("/tmp/a")).toEqual({ kind: "rules", rules: ["Edit(//tmp/a)"] });
});

test("the rule that would allow a dangerous command is named word for word, and none where no rule would do", async () => {
  const { judge, bash, request } = setUp({ canAsk: false });
  const messageOf = async (one: PermissionRequest) => {
    const verdict = await judge(one);
    return verdict.decision === "deny"
      ? (/The user could allow it with (.*?)\.\s/.exec(verdict.message)?.[1] ?? "-")
      : "allowed";
  };
  expect(await messageOf(bash("git push --force", { hazards: [hazard("overwrites what others pushed")] }))).toBe(
    "Bash(git push --force)",
  );
  expect(await messageOf(bash("rm -r x"))).toBe("Bash(rm -r x)");
  expect(await messageOf(bash("echo $(x)", { understood: false }))).toBe("-");
  expect(await messageOf(request("Write", "write", write(".git/config")))).toBe("-");
});

test("deny rules and dontAsk don't count as unanswered", async () => {
  const { judge, bash } = setUp({ canAsk: false, mode: "dontAsk", rules: { deny: ["Bash(rm *)"] } });
  expect(await judge(bash("rm x"))).toMatchObject({ unanswered: false });
  expect(await judge(bash("npm publish"))).toMatchObject({
    unanswered: false,
    decidedBy: { kind: "mode", reason: "mode dontAsk: no rule covers `npm publish`" },
  });
});

test("plan mode says that nothing may be changed", async () => {
  const { judge, request } = setUp({ mode: "plan" });
  const verdict = await judge(request("Edit", "write", write("a")));
  expect(verdict).toEqual({
    decision: "deny",
    decidedBy: { kind: "mode", reason: "mode plan" },
    message:
      "Plan mode is on: nothing may be changed or run, so Edit was refused.\nNext: Look at what you need, then hand the plan over with ExitPlanMode or, without that tool, as your answer.",
    unanswered: false,
  });
});

test("the third refusal in a row of one tool tells the model to change its approach; an allowed call resets the count", async () => {
  const { judge, bash } = setUp({ rules: { deny: ["Bash(rm *)"], allow: ["Bash(ls)"] } });
  const messages: string[] = [];
  for (const command of ["rm a", "rm b", "ls", "rm c", "rm d", "rm e"]) {
    const verdict = await judge(bash(command));
    messages.push(verdict.decision === "deny" && verdict.message.includes("change your approach") ? "told" : "-");
  }
  expect(messages).toEqual(["-", "-", "-", "-", "-", "told"]);
});

test("the refusals of one message count once, and give each advice once", async () => {
  const { judge, bash } = setUp({ canAsk: false });
  const messages: string[][] = [];
  for (const messageId of ["m1", "m2", "m3"]) {
    const told: string[] = [];
    for (const command of ["rm a", "rm b", "rm c"]) {
      const verdict = await judge({ ...bash(command), messageId });
      told.push(verdict.decision === "deny" ? (verdict.message.split("\nNext: ")[1] ?? "-") : "allowed");
    }
    messages.push(told);
  }
  const [advice] = messages[0] ?? [];
  expect(advice).toContain("Go on without it");
  expect(messages).toEqual([
    [advice, "-", "-"],
    [advice, "-", "-"],
    [expect.stringMatching(/^Go on without it.* 3 times in a row: change your approach/), "-", "-"],
  ] as string[][]);
});

test("twenty refusals in a session tell the model too", async () => {
  const { judge, request } = setUp({ canAsk: false });
  const told: boolean[] = [];
  for (let i = 0; i < 21; i += 1) {
    const verdict = await judge(request(`Tool${i}`, "execute"));
    told.push(verdict.decision === "deny" && verdict.message.includes("change your approach"));
  }
  expect([told.indexOf(true), told.length]).toEqual([19, 21]);
});

test("always is offered neither for protected paths, secrets, hazards nor what an ask rule wants asked", async () => {
  const { judge, request, bash, questions } = setUp({ rules: { ask: ["Bash(git push *)"] } });
  const requests = [
    request("Write", "write", write(".git/config")),
    request("Read", "read", read(".env")),
    bash("git clean", { hazards: [hazard("deletes untracked files")] }),
    bash("git push"),
    bash("echo $(x)", { understood: false }),
    request("Bash", "execute", execute("make"), write("AGENTS.md")),
  ];
  for (const one of requests) judge(one);
  expect(questions.pending.map(partsOf).map(({ suggestions }) => suggestions)).toEqual(requests.map(() => []));
  expect(questions.pending.map(partsOf).map(({ reason }) => reason)).toEqual([
    ".git/config belongs to git's own data: every write there needs your consent.",
    ".env may hold secrets.",
    "You have not allowed it yet.",
    "The rule Bash(git push *) asks (settings.json:1).",
    "You have not allowed it yet.",
    "AGENTS.md belongs to instructions for coding agents: every write there needs your consent.",
  ]);
  expect(questions.pending.map(partsOf)[2]?.hazards).toEqual(["deletes untracked files"]);
});

test("session and always on a question without suggestions allow this call alone", async () => {
  const { judge, request, questions, persisted } = setUp();
  const first = judge(request("Write", "write", write(".git/config")));
  questions.reply("q1", { decision: "always" });
  expect((await first).decision).toBe("allow");
  judge(request("Write", "write", write(".git/config")));
  expect([persisted, questions.pending.length]).toEqual([[], 1]);
});

test("a bare deny rule hides its tool, and the tools that read or write in its name", () => {
  const names = ["Read", "Grep", "Glob", "Edit", "Write", "Bash", "mcp__a__x", "mcp__b__x"];
  const hidden = (...deny: string[]) => [...setUp({ rules: { deny } }).engine.hiddenTools(names)];
  expect(hidden("Bash", "mcp__a")).toEqual(["Bash", "mcp__a__x"]);
  expect(hidden("Edit")).toEqual(["Edit", "Write"]);
  expect(hidden("Read")).toEqual(["Read", "Grep", "Glob"]);
  expect(hidden("Bash(*)")).toEqual(["Bash"]);
  expect(hidden("Bash(rm *)", "Read(/x)")).toEqual([]);
});

test("rules are described strictest first", () => {
  const { engine, warnings } = setUp({ rules: { allow: ["Read", "Write(/x)"], ask: ["Bash"], deny: ["Edit"] } });
  expect(engine.describe()).toEqual([
    { decision: "deny", rule: "Edit", source: "settings.json:1", layer: "user" },
    { decision: "ask", rule: "Bash", source: "settings.json:2", layer: "user" },
    { decision: "allow", rule: "Read", source: "settings.json:3", layer: "user" },
    {
      decision: "allow",
      rule: "Write(/x)",
      source: "settings.json:4",
      layer: "user",
      note: "only Edit(…) rules can allow paths",
    },
  ]);
  expect(warnings).toEqual(["settings.json:4: the rule Write(/x) allows nothing: only Edit(…) rules can allow paths."]);
});

test("searches may not show what a rule forbids or asks for, nor secrets", () => {
  const { engine } = setUp({
    rules: { deny: ["Read(/private/**)"], ask: ["Read(/ask/**)", "Grep(/g/**)"], allow: ["Read(/.env.test)"] },
  });
  const names = ["private/a", "ask/a", "g/a", ".env", ".env.test", ".env.example", "src/a.ts"];
  expect(names.map((name) => engine.isHidden(`${ROOT}/${name}`))).toEqual([
    true,
    true,
    true,
    true,
    false,
    false,
    false,
  ]);
  engine.mode = "bypassPermissions";
  expect([engine.isHidden(`${ROOT}/.env`), engine.isHidden(`${ROOT}/private/a`)]).toEqual([false, true]);
});

test("bypassPermissions is refused at the start and later where it may not be used", () => {
  const no = () => checkBypass({ uid: 0, isSandbox: undefined, disabled: false });
  expect(() => setUp({ mode: "bypassPermissions", checkBypass: no })).toThrow("not allowed as root");
  const { engine } = setUp({ checkBypass: no });
  expect(() => {
    engine.mode = "bypassPermissions";
  }).toThrow(UserFacingError);
  expect(engine.mode).toBe("default");
});

test("bypass is allowed for users and for root on a disposable machine, and never where settings forbid it", () => {
  const refused = (uid: number | undefined, isSandbox: string | undefined, disabled: boolean) => {
    try {
      checkBypass({ uid, isSandbox, disabled });
      return false;
    } catch (error) {
      return error instanceof UserFacingError && error.exitCode === 2;
    }
  };
  expect([refused(1000, undefined, false), refused(0, "1", false), refused(undefined, undefined, false)]).toEqual([
    false,
    false,
    false,
  ]);
  expect([refused(0, undefined, false), refused(0, "true", false), refused(1000, "1", true)]).toEqual([
    true,
    true,
    true,
  ]);
});
