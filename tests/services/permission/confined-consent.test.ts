import { describe, expect, test } from "bun:test";
import type { SandboxState } from "../../../src/contracts/ports.ts";
import type { Reply } from "../../../src/contracts/question.ts";
import type { SandboxScope } from "../../../src/contracts/settings.ts";
import type { ConsentDeps } from "../../../src/services/permission/confined-consent.ts";
import { consentDeps, SANDBOX, setUp, short, with_ } from "./engine-support.ts";
import { execute, HOME, ROOT, read } from "./support.ts";

const sandbox = async () => SANDBOX;
const WEAK: SandboxState = {
  kind: "landlock",
  strength: "weak",
  hasNetwork: false,
  whyWeak: "bubblewrap (bwrap) is not installed",
};
const WORDS = `Commands may change and delete files in ~/code/app and temporary files, read everything but stored credentials such as ~/.ssh (.env files of projects can be read), and reach no host.`;
const OPEN = { read: [], write: [], hosts: [] };
const CLOSED = { ...OPEN, rules: [] };
const SCOPE = {
  writable: [ROOT],
  opened: [],
  hosts: [],
  sockets: [],
  strength: "full",
  closed: CLOSED,
} satisfies SandboxScope;
const OWN_FILE = "projects/shop.json";

function kept(scope: Partial<SandboxScope> = {}): ConsentDeps["sources"] {
  return { agreedBy: [], kept: { scope: { ...SCOPE, ...scope }, file: OWN_FILE } };
}

function consenting(change: Partial<ConsentDeps> = {}, more: Parameters<typeof setUp>[0] = {}) {
  const consent = consentDeps(change);
  return { ...setUp({ sandbox, consent: consent.deps, ...more }), kept: consent.kept };
}

describe("the offer", () => {
  test("stands in a question about a command that could run confined, and says what such commands may do", async () => {
    const { judge, bash, asked } = consenting();
    expect((await asked(judge(bash("make"))))?.consent).toBe(WORDS);
  });

  test("is independent of trust", async () => {
    const { judge, bash, asked } = consenting({}, { isTrusted: false });
    expect((await asked(judge(bash("make"))))?.consent).toBe(WORDS);
  });

  test.each([
    ["a command that needs the network", execute("npm install", { needsNetwork: true }), {}],
    ["a command that reads a secret", read(".env"), {}],
    ["a command that an ask rule names", execute("make"), { rules: { ask: ["Bash(make)"] } }],
    ["a command that was not understood", execute("eval x", { understood: false }), {}],
    ["a machine without a sandbox", execute("make"), { sandbox: async () => ({ kind: undefined, reason: "none" }) }],
  ] as const)("is not made for %s: a yes would not answer the question", async (_, subject, more) => {
    const { judge, request, asked } = consenting({}, more as Parameters<typeof setUp>[0]);
    const question = await asked(judge(request("Bash", "execute", subject)));
    expect([question?.kind, question?.consent]).toEqual(["permission", undefined]);
  });

  test("is not made to leave the sandbox, by a hook's question, or where it must not be offered", async () => {
    const leaving = consenting();
    const wish = with_(leaving.bash("make"), { wantsOutside: true });
    expect((await leaving.asked(leaving.judge(wish)))?.consent).toBeUndefined();
    const hooked = consenting();
    const call = { ...hooked.bash("make"), hook: { decision: "ask", reason: "look first" } as const };
    expect((await hooked.asked(hooked.judge(call)))?.consent).toBeUndefined();
    for (const change of [
      { answerer: "program" } as const,
      { isManagedOnly: true },
      { sources: { refusedBy: "settings.json", agreedBy: [] } },
    ]) {
      const closed = consenting(change);
      expect((await closed.asked(closed.judge(closed.bash("make"))))?.consent).toBeUndefined();
    }
  });

  test("names every further folder, secret, host and socket of the policy in force", async () => {
    const limits = {
      writable: [ROOT, `${HOME}/.cache/pip`],
      opened: [`${HOME}/.netrc`],
      hosts: ["registry.npmjs.org", "*.example.com"],
      sockets: ["/run/db.sock"],
      closed: OPEN,
    };
    const { judge, bash, asked } = consenting({ limits });
    expect((await asked(judge(bash("make"))))?.consent).toBe(
      `Commands may change and delete files in ~/code/app, ~/.cache/pip and temporary files, read everything but stored credentials such as ~/.ssh (.env files of projects and ~/.netrc can be read), and reach only registry.npmjs.org, *.example.com and /run/db.sock.`,
    );
  });

  test("says of a weak sandbox that it is weaker, and why, and promises no network there", async () => {
    const limits = { writable: [ROOT], opened: [], hosts: ["*"], sockets: [], closed: OPEN };
    const { judge, bash, asked } = consenting({ limits }, { sandbox: async () => WEAK });
    const words = (await asked(judge(bash("make"))))?.consent;
    expect(words).toContain("reach no host.");
    expect(words).toContain("weaker (landlock: bubblewrap (bwrap) is not installed)");
  });
});

describe("a yes to all confined commands", () => {
  const answer = async (reply: Reply, change: Partial<ConsentDeps> = {}) => {
    const here = consenting(change);
    const verdict = here.judge(here.bash("make"));
    const question = await here.asked(verdict);
    here.questions.reply(question?.id ?? "", reply);
    return { ...here, verdict: await verdict };
  };

  test("for this session: this one and all later ones run, inside, and nothing is written", async () => {
    const { verdict, judge, bash, questions, kept: written } = await answer({ decision: "confined", lasts: "session" });
    expect(verdict).toMatchObject({
      grant: { decidedBy: { kind: "person", answer: "confined" }, confinement: "sandbox" },
    });
    expect(short(await judge(bash("cargo build")))).toBe("allow/sandbox");
    expect([questions.pending, written]).toEqual([[], []]);
  });

  test("always: the consent is stored with the scope of commands at that time", async () => {
    const limits = { writable: [ROOT], opened: [], hosts: ["a.example"], sockets: [], closed: OPEN };
    const { judge, bash, kept: written } = await answer({ decision: "confined", lasts: "always" }, { limits });
    expect(written).toEqual([{ ...limits, strength: "full", closed: CLOSED }]);
    expect(short(await judge(bash("cargo build")))).toBe("allow/sandbox");
  });

  test("that can't be stored holds for this session, and the person is told", async () => {
    const keep = () => Promise.reject(new Error("The disk is full."));
    const { judge, bash, warnings } = await answer({ decision: "confined", lasts: "always" }, { keep });
    expect(warnings).toEqual(["The disk is full. The consent holds for this session only."]);
    expect(short(await judge(bash("cargo build")))).toBe("allow/sandbox");
  });

  test("settles the other questions that it answers, and no others", async () => {
    const { judge, bash, questions, asked } = consenting();
    const [one, two] = [judge(bash("make")), judge(bash("cargo build"))];
    judge(bash("npm install", { needsNetwork: true }));
    await asked(one);
    while (questions.pending.length < 3) await Promise.resolve();
    questions.reply(questions.pending[0]?.id ?? "", { decision: "confined", lasts: "session" });
    expect([short(await one), short(await two)]).toEqual(["allow/sandbox", "allow/sandbox"]);
    expect(questions.pending).toHaveLength(1);
  });

  test("allows only confined commands and overrides no deny or ask rule", async () => {
    const rules = { deny: ["Bash(rm *)"], ask: ["Bash(git push *)"] };
    const { judge, bash, request, asked } = consenting(
      { sources: { agreedBy: [{ layer: "user", file: "u" }] } },
      { rules },
    );
    expect(short(await judge(bash("rm a")))).toBe("deny");
    for (const call of [
      bash("git push origin"),
      bash("npm install", { needsNetwork: true }),
      with_(bash("make"), { wantsOutside: true }),
      request("Bash", "execute", execute("make"), read(".env")),
    ])
      expect(await asked(judge(call))).toBeDefined();
  });
});

type Row = [string, Partial<SandboxScope>, Omit<Partial<SandboxScope>, "closed">];

describe("a kept answer", () => {
  test.each<Row>([
    ["the same policy", {}, {}],
    ["fewer folders", { writable: ["/"] }, {}],
    ["a folder below an agreed one", { writable: [ROOT] }, { writable: [`${ROOT}/packages/a`] }],
    ["a host below an agreed pattern", { hosts: ["*.example.com"] }, { hosts: ["a.example.com"] }],
    ["fewer hosts", { hosts: ["*"] }, { hosts: ["a.example"] }],
    ["a stronger sandbox", { strength: "weak" }, {}],
  ])("holds for %s", async (_, agreed, limits) => {
    const deps = {
      sources: kept(agreed),
      limits: { ...SCOPE, ...limits },
    };
    const { judge, bash } = consenting(deps);
    expect(short(await judge(bash("make")))).toBe("allow/sandbox");
  });

  test.each<Row>([
    ["one more folder", {}, { writable: [ROOT, "/srv/data"] }],
    ["the folder above", {}, { writable: ["/"] }],
    ["a secret that is opened", {}, { opened: ["/home/ann/.netrc"] }],
    ["a host", { hosts: ["a.example"] }, { hosts: ["a.example", "b.example"] }],
    ["every host", { hosts: ["*.example.com"] }, { hosts: ["*"] }],
    ["a socket", {}, { sockets: ["/run/docker.sock"] }],
  ])("does not hold when the policy became wider by %s: it is offered again", async (_, agreed, limits) => {
    const deps = {
      sources: kept(agreed),
      limits: { ...SCOPE, ...limits },
    };
    const { judge, bash, asked, engine } = consenting(deps);
    expect((await asked(judge(bash("make"))))?.consent).toStartWith("Commands may change and delete files in ");
    expect(engine.consent()).toEqual({
      isGiven: false,
      line: "Quoll asks about commands in the sandbox: they can do more now than when you agreed.",
    });
  });

  const CLOSING = {
    read: ["/srv/keys"],
    write: [`${ROOT}/db`],
    hosts: ["*.example.com"],
    rules: ["deny Read(./.env)", "ask Edit(./migrations/**)"],
  };
  const RULES = { deny: ["Read(./.env)"], ask: ["Edit(./migrations/**)"] };

  test.each([
    ["is the same", CLOSING, RULES],
    [
      "became wider",
      { read: ["/srv"], write: ["/"], hosts: ["*"] },
      { deny: [...RULES.deny, ...RULES.ask, "Edit(./a)"] },
    ],
  ])("holds when the closed paths %s", async (_, closed, rules) => {
    const deps = { sources: kept({ closed: CLOSING }), limits: { ...SCOPE, closed } };
    const { judge, bash } = consenting(deps, { rules });
    expect(short(await judge(bash("make")))).toBe("allow/sandbox");
  });

  test.each([
    ["denyRead", { ...CLOSING, read: [] }, RULES],
    ["denyWrite", { ...CLOSING, write: [`${ROOT}/db/a`] }, RULES],
    ["deniedDomains", { ...CLOSING, hosts: ["a.example.com"] }, RULES],
    ["a deny rule", CLOSING, { ask: RULES.ask }],
    ["a deny rule that only asks now", CLOSING, { ask: [...RULES.deny, ...RULES.ask] }],
    ["an ask rule", CLOSING, { deny: RULES.deny }],
  ])("does not hold where %s no longer closes what it closed then", async (_, closed, rules) => {
    const deps = { sources: kept({ closed: CLOSING }), limits: { ...SCOPE, closed } };
    const { judge, bash, asked } = consenting(deps, { rules });
    expect((await asked(judge(bash("make"))))?.consent).toBe(WORDS);
  });

  test("without a record of closed paths does not hold", async () => {
    const { judge, bash, asked } = consenting({ sources: kept({ closed: undefined }) });
    expect((await asked(judge(bash("make"))))?.consent).toBe(WORDS);
  });

  test("always, under rules: they are kept with the answer", async () => {
    const { judge, bash, asked, questions, kept: written } = consenting({}, { rules: RULES });
    const verdict = judge(bash("make"));
    questions.reply((await asked(verdict))?.id ?? "", { decision: "confined", lasts: "always" });
    await verdict;
    expect(written[0]?.closed?.rules).toEqual(CLOSING.rules);
  });

  test("of a full sandbox does not hold in a weak one", async () => {
    const { judge, bash, asked } = consenting({ sources: kept() }, { sandbox: async () => WEAK });
    expect((await asked(judge(bash("make"))))?.consent).toContain("weaker");
  });
});

describe("/permissions", () => {
  test("shows who consented, and revokes it at once and in the file", async () => {
    const { engine, judge, bash, asked, kept: written } = consenting({ sources: kept() });
    expect(engine.consent()).toEqual({
      isGiven: true,
      line: `Commands in the sandbox run without a question: your answer (${OWN_FILE}).`,
    });
    expect(await engine.revokeConsent()).toEqual(["Consent revoked: Quoll asks about commands in the sandbox again."]);
    expect(written).toEqual([undefined]);
    expect(engine.consent().isGiven).toBe(false);
    expect((await asked(judge(bash("make"))))?.consent).toBe(WORDS);
  });

  test("revokes a session's consent, and names the settings that would give it again", async () => {
    const agreedBy = [
      { layer: "user", file: "settings.json" },
      { layer: "flag", file: "--allow-sandboxed" },
    ] as const;
    const sources = { agreedBy };
    const { engine, judge, bash, asked } = consenting({ sources });
    const lines = await engine.revokeConsent();
    expect(lines).toHaveLength(2);
    expect(lines[1]).toContain("settings.json");
    expect(await asked(judge(bash("make")))).toBeDefined();
  });

  test("names the file that forbids it", () => {
    const { engine } = consenting({ sources: { refusedBy: "managed.json", agreedBy: [{ layer: "user", file: "u" }] } });
    expect(engine.consent()).toEqual({
      isGiven: false,
      line: "Quoll asks about commands in the sandbox: sandbox.autoAllowBashIfSandboxed is false (managed.json).",
    });
  });
});

describe("with nobody to ask", () => {
  test("the refusal names the change that would let the call run", async () => {
    const alone = (change: Partial<ConsentDeps> = {}, rules = {}) =>
      consenting({ answerer: "nobody", ...change }, { canAsk: false, rules });
    const remedyOf = async ({ judge, bash }: ReturnType<typeof alone>, command = "make", parts = {}) => {
      const verdict = await judge(bash(command, parts));
      return verdict.decision === "deny" ? verdict.remedy : verdict.decision;
    };
    expect(await remedyOf(alone())).toEqual({ kind: "confined", rules: ["Bash(make)"] });
    expect(await remedyOf(alone(), "npm install", { needsNetwork: true })).toEqual({
      kind: "rules",
      rules: ["Bash(npm install)"],
      outside: ["npm install"],
    });
    for (const change of [{ sources: { refusedBy: "x", agreedBy: [] } }, { isManagedOnly: true }])
      expect(await remedyOf(alone(change))).toEqual({ kind: "rules", rules: ["Bash(make)"] });
    expect(await remedyOf(alone({}, { deny: ["Bash(make)"] }))).toBeUndefined();
  });
});
