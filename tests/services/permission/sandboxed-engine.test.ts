import { expect, test } from "bun:test";
import { UserFacingError } from "../../../src/contracts/errors.ts";
import type { SandboxState } from "../../../src/contracts/ports.ts";
import { partsOf } from "../../support/question.ts";
import { AGREED, SANDBOX, setUp, short, with_ } from "./engine-support.ts";
import { execute, read, write } from "./support.ts";

const sandbox = async () => SANDBOX;
const policy = { excludedCommands: [], allowUnsandboxed: true, required: false, inBypass: false };
const install = { needsNetwork: true };

test("with consent, a command that only lacks a rule runs in the sandbox, and its grant names the consent", async () => {
  const { judge, bash, questions } = setUp({ sandbox, consent: AGREED });
  expect(await judge(bash("make"))).toMatchObject({
    decision: "allow",
    grant: { confinement: "sandbox", decidedBy: { kind: "sandbox" } },
  });
  expect(questions.pending).toEqual([]);
});

test("a yes to a command that can't work inside runs it outside, as the question says", async () => {
  const { judge, bash, asked, questions } = setUp({ sandbox });
  const verdict = judge(bash("npm install", install));
  expect(await asked(verdict)).toMatchObject({
    reason: "The command needs the network, and the sandbox has none.",
    confinement: "outside the sandbox",
    isOutside: true,
    suggestions: ["Bash(npm install)", "sandbox.excludedCommands: npm install"],
  });
  questions.reply("q1", { decision: "session" });
  expect(short(await verdict)).toBe("allow/none");
  expect(await judge(bash("npm install", install))).toMatchObject({ grant: { confinement: "none", isOutside: true } });
});

test("a lasting yes to run outside is kept in excludedCommands, and counts at once and for child agents", async () => {
  const kept: unknown[] = [];
  const persist = async (...texts: unknown[]) => {
    kept.push(texts);
    return "own.json";
  };
  const { judge, bash, asked, questions, engine } = setUp({
    sandbox,
    persist,
    rules: { allow: ["Bash(git config *)"] },
  });
  const change = () => bash("git config a b", { changesGitConfig: true });
  const verdict = judge(change());
  expect((await asked(verdict))?.suggestions).toEqual(["sandbox.excludedCommands: git config a b"]);
  questions.reply("q1", { decision: "always" });
  expect(short(await verdict)).toBe("allow/none");
  expect(kept).toEqual([[[], ["git config a b"]]]);
  expect(short(await judge(change()))).toBe("allow/none");
  const child = engine.narrow({ agent: undefined, state: { mode: "default" } });
  expect(short(await child.authorize(change(), new AbortController().signal))).toBe("allow/none");
});

test("where only the managed file may allow anything, no answer remembers that a command runs outside", async () => {
  const { judge, bash, asked } = setUp({ sandbox, managedRulesOnly: true });
  expect((await asked(judge(bash("npm install", install))))?.suggestions).toEqual([]);
});

const reaches = { hosts: [{ host: "registry.example" }], named: [], settings: [] };
const fetching = { needsNetwork: true, reaches };

test("a yes to hosts runs the command confined with them, and a lasting one remembers the rule", async () => {
  const { judge, bash, asked, questions, persisted } = setUp({ sandbox, consent: AGREED });
  const verdict = judge(bash("npm install", fetching));
  expect(await asked(verdict)).toMatchObject({
    reason: "The command needs the network.",
    confinement: "in the sandbox, with access to registry.example",
    opensNetwork: true,
    reach: expect.stringMatching(/~\/code\/app .*reach only registry\.example\.$/),
    suggestions: ["Bash(npm install)"],
  });
  expect(questions.pending.map(partsOf)[0]?.consent).toBeUndefined();
  questions.reply("q1", { decision: "always" });
  expect(await verdict).toMatchObject({
    grant: { confinement: "sandbox", opened: { hosts: [{ host: "registry.example" }] } },
  });
  expect(persisted).toEqual([["Bash(npm install)"]]);
  const next = await judge(bash("npm install", fetching));
  expect(next).toMatchObject({ grant: { confinement: "sandbox", opened: { hosts: reaches.hosts } } });
  expect(await judge(bash("make"))).not.toHaveProperty("grant.opened");
});

test("a hook that allows the rest of a line keeps the network that its rule opens", async () => {
  const { judge, request } = setUp({ sandbox, rules: { allow: ["Bash(npm install *)"] } });
  const line = request("Bash", "execute", execute("npm install", fetching), write("log.txt"));
  const verdict = await judge({ ...line, hook: { decision: "allow", reason: "a log is fine" } });
  expect(verdict).toMatchObject({
    grant: { decidedBy: { kind: "hook" }, confinement: "sandbox", opened: { hosts: reaches.hosts } },
  });
  const other = request("Bash", "execute", execute("npm install", fetching));
  const { judge: alone, asked } = setUp({ sandbox });
  expect(await asked(alone({ ...other, hook: { decision: "allow", reason: "fine" } }))).toMatchObject({
    reason: expect.stringContaining("needs the network"),
    confinement: "in the sandbox, with access to registry.example",
  });
});

test("only hosts that a person saw in the question may be on a private network", async () => {
  const ownHosts = async (rules: Parameters<typeof setUp>[0]) => {
    const { agreed, bash } = setUp({ sandbox, ...rules });
    const { verdict } = await agreed(bash("npm install", fetching));
    return verdict.decision === "allow" ? verdict.grant.opened?.hosts : undefined;
  };
  expect(await ownHosts({})).toEqual([{ host: "registry.example", isOwn: true }]);
  expect(await ownHosts({ rules: { allow: ["Bash(npm install)"] } })).toEqual([{ host: "registry.example" }]);
});

test("the first command that a rule keeps inside with a network causes one line that names the setting", async () => {
  const told: string[] = [];
  const notifyOnce = (key: string, line: string) => void told.push(`${key}: ${line}`);
  const { judge, bash } = setUp({ sandbox, rules: { allow: ["Bash(npm *)"] }, notifyOnce });
  await judge(bash("npm test"));
  expect(told).toEqual([]);
  await judge(bash("npm install", fetching));
  expect(told).toHaveLength(1);
  expect(told[0]).toContain("sandbox.excludedCommands");
});

test("with nobody to ask, a line that shares its network names the setting that opens the hosts", async () => {
  const { judge, request } = setUp({ sandbox, canAsk: false, rules: { allow: ["Bash(npm install *)", "Bash(make)"] } });
  const line = request("Bash", "execute", execute("npm install", fetching), execute("make"));
  const verdict = await judge(line);
  expect(verdict).toMatchObject({
    decision: "deny",
    remedy: { kind: "rules", rules: [], hosts: ["registry.example"] },
    message: expect.stringContaining("as a call of its own"),
  });
});

test("with nobody to ask, a refusal under a rule names the setting that lets the command out", async () => {
  const { judge, bash } = setUp({ sandbox, canAsk: false, rules: { allow: ["Bash(git push *)"] } });
  const verdict = await judge(bash("git push origin main", install));
  expect(verdict).toMatchObject({
    decision: "deny",
    unanswered: true,
    remedy: { kind: "rules", rules: [], outside: ["git push *"] },
  });
});

test("a command that writes git's settings is asked for, and runs outside after a yes alone", async () => {
  const { judge, bash, asked, questions } = setUp({ sandbox });
  const push = bash("git push -u origin main", { changesGitConfig: true });
  const verdict = judge(push);
  expect((await asked(verdict))?.confinement).toBe("outside the sandbox");
  questions.reply("q1", { decision: "once" });
  expect(short(await verdict)).toBe("allow/none");
  const ruled = setUp({ sandbox, rules: { allow: ["Bash(git push *)"] } });
  expect((await ruled.asked(ruled.judge(push)))?.reason).toContain("doesn't take it out of the sandbox");
});

test("a command that checks out what the sandbox keeps out is asked for, and the question names the files", async () => {
  const { judge, bash, asked, questions } = setUp({ sandbox, consent: AGREED });
  const verdict = judge(bash("git switch main", { brings: ["/w/AGENTS.md"] }));
  const question = await asked(verdict);
  expect(question?.confinement).toBe("outside the sandbox");
  expect(question?.reason).toContain("AGENTS.md");
  questions.reply("q1", { decision: "once" });
  expect(short(await verdict)).toBe("allow/none");
});

test("a yes to a command that works inside leaves it inside", async () => {
  const { judge, bash, asked, questions } = setUp({ sandbox, rules: { ask: ["Bash(make)"] } });
  const verdict = judge(bash("make"));
  expect((await asked(verdict))?.confinement).toBe("in the sandbox");
  questions.reply("q1", { decision: "once" });
  expect(short(await verdict)).toBe("allow/sandbox");
});

test("the question names a weaker sandbox, and says nothing of one where there is none or the call is no command", async () => {
  const confinementOf = async (state: SandboxState, toolName = "Bash") => {
    const { judge, request, asked } = setUp({ sandbox: async () => state, rules: { ask: ["Bash", "Edit"] } });
    const subject = toolName === "Bash" ? execute("make") : write("a");
    return (await asked(judge(request(toolName, "execute", subject))))?.confinement;
  };
  expect([
    await confinementOf({ kind: "landlock", strength: "weak", hasNetwork: false }),
    await confinementOf({ kind: undefined, reason: "no bwrap" }),
    await confinementOf(SANDBOX, "Edit"),
  ]).toEqual(["in the weaker sandbox (landlock)", undefined, undefined]);
});

test("the model's wish to leave is a question of its own, remembered for the very command alone", async () => {
  const { judge, bash, asked, questions } = setUp({ sandbox, consent: AGREED });
  const verdict = judge(with_(bash("npm test"), { wantsOutside: true }));
  expect(await asked(verdict)).toMatchObject({
    title: "Run this command?",
    reason: "You have not allowed it yet.",
    confinement: "outside the sandbox",
    isOutside: true,
    suggestions: ["Bash(npm test)", "sandbox.excludedCommands: npm test"],
    sessionRules: ["Bash(npm test)", "sandbox.excludedCommands: npm test"],
  });
  questions.reply("q1", { decision: "once" });
  expect(short(await verdict)).toBe("allow/none");
  expect(short(await judge(bash("npm test")))).toBe("allow/sandbox");
});

test("with nobody to ask, a request to leave the sandbox is refused; settings that forbid it are named", async () => {
  const absent = setUp({ sandbox, canAsk: false });
  expect(await absent.judge(with_(absent.bash("ls", { readOnly: true }), { wantsOutside: true }))).toMatchObject({
    decision: "deny",
    unanswered: true,
    decidedBy: { kind: "sandbox", reason: "the command asks to run outside the sandbox" },
  });
  const forbidden = setUp({ sandbox, sandboxPolicy: { ...policy, allowUnsandboxed: false } });
  expect(await forbidden.judge(with_(forbidden.bash("make"), { wantsOutside: true }))).toEqual({
    decision: "deny",
    decidedBy: {
      kind: "sandbox",
      reason: "settings forbid commands outside the sandbox (sandbox.allowUnsandboxedCommands: false)",
    },
    message:
      "Refused: settings forbid commands outside the sandbox (sandbox.allowUnsandboxedCommands: false).\nNext: Run it inside, or go on without it.",
    unanswered: false,
  });
});

test("where settings want a sandbox and there is none, every command is refused with one line, other tools are not", async () => {
  for (const state of [async () => ({ kind: undefined, reason: "bwrap is missing: install bubblewrap." }), undefined]) {
    const { judge, bash, request } = setUp({ sandbox: state as never, sandboxPolicy: { ...policy, required: true } });
    const verdict = await judge(bash("ls", { readOnly: true }));
    expect(verdict).toMatchObject({
      decision: "deny",
      unanswered: false,
      message: expect.stringMatching(/^Refused: settings require a sandbox .*No command can run here\.$/),
    });
    expect(short(await judge(request("Read", "read", read("a"))))).toBe("allow/none");
  }
});

test("a probe that throws counts as a missing sandbox", async () => {
  const throwing = () => Promise.reject(new Error("boom"));
  const open = setUp({ sandbox: throwing });
  expect(short(await open.judge(open.bash("ls", { readOnly: true })))).toBe("allow/none");
  const required = setUp({ sandbox: throwing, sandboxPolicy: { ...policy, required: true } });
  expect(short(await required.judge(required.bash("ls", { readOnly: true })))).toBe("deny");
});

test("only commands cause a probe of the machine", async () => {
  let probes = 0;
  const { judge, request, bash } = setUp({
    sandbox: async () => {
      probes += 1;
      return SANDBOX;
    },
  });
  await judge(request("Read", "read", read("a")));
  expect(probes).toBe(0);
  await judge(bash("ls", { readOnly: true }));
  expect(probes).toBe(1);
});

test("in mode bypassPermissions commands run as they are, unless the sandbox was asked for by name", async () => {
  const bypass = setUp({ sandbox, mode: "bypassPermissions" });
  expect(short(await bypass.judge(bypass.bash("make")))).toBe("allow/none");
  const confined = setUp({ sandbox, mode: "bypassPermissions", sandboxPolicy: { ...policy, inBypass: true } });
  expect(short(await confined.judge(confined.bash("make")))).toBe("allow/sandbox");
});

test("a question that a change of mode settles runs where that mode runs it", async () => {
  const { engine, judge, bash, asked } = setUp({ sandbox, rules: { allow: ["Bash(ls)"] } });
  const verdict = judge(bash("npm install", install));
  await asked(verdict);
  engine.mode = "bypassPermissions";
  expect(await verdict).toMatchObject({
    grant: { decidedBy: { kind: "mode", reason: "mode bypassPermissions" }, confinement: "none" },
  });

  const inside = setUp({ sandbox, sandboxPolicy: { ...policy, inBypass: true } });
  const waiting = inside.judge(inside.bash("npm install", install));
  await inside.asked(waiting);
  inside.engine.mode = "bypassPermissions";
  expect(short(await waiting)).toBe("allow/sandbox");
});

test("a question about leaving stays open when a mode comes that may not grant it", async () => {
  const { engine, judge, bash, asked, questions } = setUp({ sandbox, sandboxPolicy: { ...policy, inBypass: true } });
  await asked(judge(with_(bash("make"), { wantsOutside: true })));
  engine.mode = "bypassPermissions";
  engine.mode = "acceptEdits";
  expect(questions.pending).toHaveLength(1);
});

test("a broken pattern of an excluded command stops the start", () => {
  const start = () => setUp({ sandboxPolicy: { ...policy, excludedCommands: [":*"] } });
  expect(start).toThrow(UserFacingError);
  expect(start).toThrow('sandbox.excludedCommands: ":*" is invalid');
});

test("a session's yes to an edit lets redirects into the project go too, and nothing that is protected", async () => {
  const { judge, request, bash, questions, engine } = setUp();
  const first = judge(request("Edit", "write", write("src/a.ts")));
  expect(questions.pending[0]?.body).toMatchObject({ suggestions: ["Edit(/src/a.ts)"], sessionRules: ["Edit(/**)"] });
  questions.reply("q1", { decision: "session" });
  await first;
  expect(short(await judge(request("Write", "write", write("b/c.ts"))))).toBe("allow/none");
  judge(request("Write", "write", write(".env")));
  judge(request("Write", "write", write(".git/config")));
  judge(request("Write", "write", write("/srv/x")));
  judge(bash("make"));
  expect(questions.pending).toHaveLength(4);
  expect(engine.describe().map(({ rule }) => rule)).toEqual(["Edit(/**)"]);
});

test("an everlasting yes writes the narrow rule alone", async () => {
  const { judge, request, questions, persisted } = setUp();
  const first = judge(request("Edit", "write", write("src/a.ts")));
  questions.reply("q1", { decision: "always" });
  await first;
  expect(persisted).toEqual([["Edit(/src/a.ts)"]]);
  judge(request("Edit", "write", write("src/b.ts")));
  expect(questions.pending).toHaveLength(1);
});

test("an excluded command that nothing can match stops the start, and an odd exact one does not", () => {
  const withExcluded = (text: string) => () =>
    setUp({ sandbox, sandboxPolicy: { ...policy, excludedCommands: [text] } });
  expect(withExcluded("docker:* build")).toThrow('sandbox.excludedCommands: "docker:* build" is invalid');
  expect(withExcluded("^docker.*")).toThrow("is invalid");
  for (const text of ["docker *", "docker:*", "npm run test:*", "grep foo$ a"])
    expect(withExcluded(text)).not.toThrow();
});
