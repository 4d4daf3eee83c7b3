import { expect, test } from "bun:test";
import type { PermissionMode } from "../../../../src/contracts/permission-mode.ts";
import type { SandboxState } from "../../../../src/contracts/ports.ts";
import type { Subject } from "../../../../src/contracts/subject.ts";
import { evaluate } from "../../../../src/services/permission/judge/evaluate.ts";
import type { CallFacts, Confining, Situation } from "../../../../src/services/permission/judge/judgement.ts";
import { parseCommandPattern } from "../../../../src/services/permission/rules/command-pattern.ts";
import { SANDBOX } from "../engine-support.ts";
import { type Change, execute, HOME, hazard, ROOT, read, situation, write } from "../support.ts";

type Lists = Parameters<typeof situation>[0];
type Given = {
  readonly lists?: Lists;
  readonly mode?: PermissionMode;
  readonly confining?: Partial<Omit<Confining, "excluded">>;
  readonly excluded?: readonly string[];
  readonly change?: Change;
};

function inSandbox({ lists, mode = "default", confining, excluded = [], change }: Given = {}): Situation {
  const policy = { isAgreed: true, allowUnsandboxed: true, required: false, inBypass: false };
  const patterns = excluded.map(parseCommandPattern);
  return situation(lists, {
    mode,
    confining: { ...policy, state: SANDBOX, ...confining, excluded: patterns },
    ...change,
  });
}

const bash = (...subjects: Subject[]): CallFacts => ({ toolName: "Bash", level: "execute", subjects });
const outside = (...subjects: Subject[]): CallFacts => ({ ...bash(...subjects), wantsOutside: true });

/** `decision/where it runs/where after a yes`. */
function where(call: CallFacts, given?: Given): string {
  const { decision, confinement, confinementAfterYes } = evaluate(call, inSandbox(given));
  return `${decision}/${confinement}/${confinementAfterYes}`;
}

const INSIDE = "allow/sandbox/sandbox";
const ASKED_INSIDE = "ask/sandbox/sandbox";
const ASKED_TO_LEAVE = "ask/sandbox/none";
const BY_RULE_OUTSIDE = "allow/none/none";
const install = execute("npm install", { needsNetwork: true });
const REGISTRY = { host: "registry.example" };
const REACHES = { hosts: [REGISTRY], named: [], settings: [".npmrc"] };
const fetching = execute("npm install", { needsNetwork: true, reaches: REACHES });
const OPENED = { hosts: [REGISTRY], settings: [".npmrc"] };
const openedFor = (call: CallFacts, given?: Given) => evaluate(call, inSandbox(given)).opened;

test("a command that only lacks a rule runs in the sandbox without a question", () => {
  expect(where(bash(execute("make")))).toBe(INSIDE);
  expect(where(bash(execute("make"), write("out.txt"), write("x", { byCommand: true })))).toBe(INSIDE);
  expect(where(bash(execute("cat", { readOnly: true }), read("/etc/hosts")))).toBe(INSIDE);
  expect(evaluate(bash(execute("make")), inSandbox()).judgements[0]?.cause).toEqual({ kind: "sandbox" });
});

test("consent to confined commands counts in asking modes and dontAsk, but not in plan", () => {
  expect(where(bash(execute("make")), { mode: "acceptEdits" })).toBe(INSIDE);
  expect(where(bash(execute("make")), { mode: "auto" })).toBe(INSIDE);
  expect(where(bash(execute("make")), { mode: "dontAsk" })).toBe(INSIDE);
  expect(where(bash(execute("make")), { mode: "plan" })).toStartWith("deny");
});

test("deny and ask rules, protected paths, secrets and unclear commands take precedence over consent", () => {
  expect(where(bash(execute("make")), { lists: { deny: ["Bash(make)"] } })).toStartWith("deny");
  expect(where(bash(execute("make")), { lists: { ask: ["Bash(make)"] } })).toBe(ASKED_INSIDE);
  expect(where(bash(execute("make"), write(".git/config")))).toBe(ASKED_TO_LEAVE);
  expect(where(bash(execute("cat", { readOnly: true }), read(".env")))).toBe(ASKED_TO_LEAVE);
  expect(where(bash(execute("eval x", { understood: false })))).toBe(ASKED_INSIDE);
});

test("one part that needs a question means a question for the whole line", () => {
  const evaluation = evaluate(bash(execute("make"), execute("eval x", { understood: false })), inSandbox());
  expect(evaluation.judgements.map(({ decision }) => decision)).toEqual(["ask", "ask"]);
});

test("a command that can't work inside needs a question: writes elsewhere, the network, Quoll's files", () => {
  expect(where(bash(execute("make"), write("/srv/out")))).toBe(ASKED_TO_LEAVE);
  expect(where(bash(install))).toBe(ASKED_TO_LEAVE);
  expect(where(bash(execute("cat", { readOnly: true }), read(`${HOME}/.local/share/quoll/s.jsonl`)))).toBe(
    ASKED_TO_LEAVE,
  );
  const ownArtifact = read(`${HOME}/.local/share/quoll/artifacts/s1/out.txt`);
  expect(where(bash(execute("cat", { readOnly: true }), ownArtifact))).toBe("allow/none/none");
  expect(where(bash(execute("make"), write("/dev/null")))).toBe(INSIDE);
});

test("with some network inside, a command that needs one stays", () => {
  const state: SandboxState = { kind: "bubblewrap", strength: "full", hasNetwork: true };
  expect(where(bash(install), { confining: { state } })).toBe(INSIDE);
});

test("no allow rule takes a program out of the sandbox: what it can't do inside is asked about", () => {
  for (const allow of [["Bash(npm install *)"], ["Bash"], ["Bash(npm install)"]])
    expect([allow, where(bash(install), { lists: { allow } })]).toEqual([allow, ASKED_TO_LEAVE]);
  const git = bash(execute("git config a b", { changesGitConfig: true }));
  expect(where(git, { lists: { allow: ["Bash(git *)"] } })).toBe(ASKED_TO_LEAVE);
  const checkout = bash(execute("git switch main", { brings: [`${ROOT}/AGENTS.md`] }));
  expect(where(checkout, { lists: { allow: ["Bash(git *)"] } })).toBe(ASKED_TO_LEAVE);
  const make = bash(execute("make install"), write("/srv/out", { byCommand: true }));
  expect(where(make, { lists: { allow: ["Bash(make *)", "Edit(//srv/**)"] } })).toBe(ASKED_TO_LEAVE);
});

test("a program that a rule lets read a secret of the workspace stays in the sandbox", () => {
  const start = bash(execute("node --env-file=.env a.js"), read(".env", { byCommand: true }));
  expect(where(start, { lists: { allow: ["Bash(node *)", "Read(/.env)"] } })).toBe(INSIDE);
  const key = bash(execute("node a.js"), read(`${HOME}/.ssh/id_rsa`, { byCommand: true }));
  expect(where(key, { lists: { allow: ["Bash(node *)", `Read(/${HOME}/.ssh/id_rsa)`] } })).toBe(ASKED_TO_LEAVE);
});

test("a command that does only what its words say needs no sandbox if rules allow each file", () => {
  const copy = bash(execute("cp a /srv/out"), write("/srv/out"));
  expect(where(copy, { lists: { allow: ["Bash(cp *)", "Edit(//srv/**)"] } })).toBe(BY_RULE_OUTSIDE);
  expect(where(copy, { lists: { allow: ["Edit(//srv/**)"] } })).toBe(ASKED_TO_LEAVE);
  const secret = bash(execute("cat .env", { readOnly: true }), read(".env"));
  expect(where(secret, { lists: { allow: ["Read(/.env)"] } })).toBe(BY_RULE_OUTSIDE);
});

test("a rule for an install opens its registries to the confined command", () => {
  const lists = { allow: ["Bash(npm install *)"] };
  expect(where(bash(fetching), { lists })).toBe(INSIDE);
  expect(openedFor(bash(fetching), { lists })).toEqual(OPENED);
  expect(where(bash(fetching), { lists, mode: "dontAsk" })).toBe(INSIDE);
  expect(where(bash(fetching), { lists, mode: "bypassPermissions", confining: { inBypass: true } })).toBe(INSIDE);
});

test("without a rule the hosts are asked about, and consent to confined commands does not answer", () => {
  expect(where(bash(fetching))).toBe(ASKED_INSIDE);
  expect(openedFor(bash(fetching))).toEqual(OPENED);
  expect(evaluate(bash(fetching), inSandbox()).judgements[0]?.cause).toEqual({
    kind: "network",
    hosts: ["registry.example"],
  });
  const given: Given = { mode: "bypassPermissions", confining: { inBypass: true } };
  expect([where(bash(fetching), given), openedFor(bash(fetching), given)]).toEqual([INSIDE, undefined]);
});

test("a network that a rule opens does not reach another program of the line", () => {
  const lists = { allow: ["Bash(npm install *)", "Bash(python x.py)"] };
  const line = bash(fetching, execute("python x.py"));
  expect(where(line, { lists })).toBe(ASKED_INSIDE);
  expect(evaluate(line, inSandbox({ lists })).judgements[0]?.cause).toMatchObject({ kind: "network", isShared: true });
  for (const other of [execute("ls", { readOnly: true }), execute("rm -rf node_modules"), execute("mkdir -p a")])
    expect(where(bash(other, fetching), { lists: { allow: ["Bash(npm install *)"] } })).toBe(INSIDE);
});

test("a host that an install names is opened only by a rule that contains it, or by a yes", () => {
  const reaches = { ...REACHES, named: ["mirror.example"] };
  const mirrored = bash(execute("pip install -i https://mirror.example/x a", { needsNetwork: true, reaches }));
  expect(where(mirrored, { lists: { allow: ["Bash(pip install *)"] } })).toBe(ASKED_INSIDE);
  expect(where(mirrored, { lists: { allow: ["Bash(pip install -i https://mirror.example/x *)"] } })).toBe(INSIDE);
  expect(openedFor(mirrored)?.hosts).toEqual([REGISTRY, { host: "mirror.example", isOwn: true }]);
});

test.each([
  ["https://pypi.corp.example/*", "pypi.co", ASKED_INSIDE],
  ["https://pypi.corp.example/*", "corp.example", ASKED_INSIDE],
  ["https://pypi.corp.example/*", "pypi.corp.example", INSIDE],
  ["https://pypi.corp.example:8443/*", "pypi.corp.example", INSIDE],
  ["https://me:pass@pypi.corp.example/*", "pypi.corp.example", INSIDE],
  ["https://me:pass@pypi.corp.example/*", "me", ASKED_INSIDE],
  ["http://10.0.0.10/*", "10.0.0.1", ASKED_INSIDE],
  ["http://[fd00::10]/*", "[fd00::1]", ASKED_INSIDE],
  ["http://[fd00::10]:80/*", "[fd00::10]", INSIDE],
])("a rule with %s and the host %s: %s", (address, host, expected) => {
  const reaches = { ...REACHES, named: [host] };
  const command = `pip install -i ${address.replace("*", "s")} -i http://${host}/s a`;
  const lists = { allow: [`Bash(pip install -i ${address} *)`] };
  expect(where(bash(execute(command, { needsNetwork: true, reaches })), { lists })).toBe(expected);
});

test("hosts of the person's own settings need no opening, and where they don't cover a command a rule opens more", () => {
  const state: SandboxState = { kind: "bubblewrap", strength: "full", hasNetwork: true };
  const own = { state, allowedDomains: ["*.example"] };
  expect([where(bash(fetching), { confining: own }), openedFor(bash(fetching), { confining: own })]).toEqual([
    INSIDE,
    undefined,
  ]);
  const others = { state, allowedDomains: ["api.other"] };
  expect(where(bash(fetching), { confining: others })).toBe(ASKED_INSIDE);
  expect(openedFor(bash(fetching), { confining: others, lists: { allow: ["Bash(npm install *)"] } })).toEqual(OPENED);
});

test("a sandbox that can't open a part of the network asks to leave", () => {
  const state: SandboxState = { kind: "landlock", strength: "weak", hasNetwork: false };
  expect(where(bash(fetching), { confining: { state }, lists: { allow: ["Bash(npm install *)"] } })).toBe(
    ASKED_TO_LEAVE,
  );
});

test("in mode auto the judge may open named hosts to a confined command, and never let one out", () => {
  const judged = (call: CallFacts, given: Given = {}) => evaluate(call, inSandbox({ ...given, mode: "auto" }));
  expect(judged(bash(fetching))).toMatchObject({ isForJudge: true, confinement: "sandbox", opened: OPENED });
  expect(judged(bash(fetching, execute("python x.py")))).toMatchObject({ isForJudge: true, confinement: "sandbox" });
  expect(judged(bash(install)).isForJudge).toBe(false);
  expect(judged(outside(fetching)).isForJudge).toBe(false);
  expect(judged(bash(fetching), { lists: { ask: ["Bash(npm *)"] } }).isForJudge).toBe(false);
  expect(judged(bash(fetching)).onlyLacksRule).toBe(false);
});

test("a rule for one part lets no other part out with it", () => {
  const both = bash(install, execute("make"));
  expect(where(both, { lists: { allow: ["Bash(npm install *)"] } })).toBe(ASKED_TO_LEAVE);
  expect(
    where(both, {
      lists: { allow: ["Bash(npm install *)"] },
      mode: "bypassPermissions",
      confining: { inBypass: true },
    }),
  ).toBe("allow/sandbox/none");
  expect(where(both, { lists: { allow: ["Bash(npm install *)", "Bash(make)"] } })).toBe(ASKED_TO_LEAVE);
});

test("a rule for a command that works inside leaves it inside", () => {
  expect(where(bash(execute("npm test")), { lists: { allow: ["Bash(npm test *)"] } })).toBe(INSIDE);
  expect(where(bash(execute("npm test")), { lists: { allow: ["Bash"] } })).toBe(INSIDE);
});

// Excluded commands

test("an excluded command runs outside, under the usual rules", () => {
  const excluded = ["docker *"];
  expect(where(bash(execute("docker build .")), { excluded })).toBe("ask/none/none");
  expect(where(bash(execute("docker build .")), { excluded, lists: { allow: ["Bash(docker build *)"] } })).toBe(
    BY_RULE_OUTSIDE,
  );
  expect(where(bash(execute("docker ps", { readOnly: true })), { excluded })).toBe(BY_RULE_OUTSIDE);
  expect(where(bash(execute("dockerx")), { excluded })).toBe(INSIDE);
  expect(where(outside(execute("docker ps", { readOnly: true })), { excluded })).toBe(BY_RULE_OUTSIDE);
});

test("an excluded part takes no other part out unless that only reads", () => {
  const excluded = ["docker *"];
  const both = bash(execute("docker ps", { readOnly: true }), execute("make"));
  expect(where(both, { excluded })).toBe(ASKED_TO_LEAVE);
  expect(where(both, { excluded, lists: { allow: ["Bash(make)"] } })).toBe(ASKED_TO_LEAVE);
  const looks = bash(execute("docker build ."), execute("ls", { readOnly: true }));
  expect(where(looks, { excluded, lists: { allow: ["Bash(docker build *)"] } })).toBe(BY_RULE_OUTSIDE);
  expect(where(both, { excluded, mode: "bypassPermissions", confining: { inBypass: true } })).toBe(
    "allow/sandbox/none",
  );
  expect(evaluate(both, inSandbox({ excluded, mode: "auto" })).isForJudge).toBe(false);
  const hidden = execute("docker ps $(evil)", { understood: false });
  expect(where(bash(hidden), { excluded })).toBe(ASKED_INSIDE);
});

// The model's own wish

test("only a person or excludedCommands lets a command out at the model's request", () => {
  expect(where(outside(execute("make")))).toBe(ASKED_TO_LEAVE);
  expect(where(outside(execute("ls", { readOnly: true })))).toBe(ASKED_TO_LEAVE);
  for (const allow of [["Bash(make)"], ["Bash"]])
    expect(where(outside(execute("make")), { lists: { allow } })).toBe(ASKED_TO_LEAVE);
  const lists = { allow: ["Bash(make)"] };
  expect(where(outside(execute("make")), { lists, excluded: ["make"] })).toBe(BY_RULE_OUTSIDE);
  expect(where(outside(execute("make"), execute("x")), { lists: { allow: ["Bash(make)"] } })).toBe(ASKED_TO_LEAVE);
  for (const mode of ["acceptEdits", "auto"] as const)
    expect(where(outside(execute("make")), { mode })).toBe(ASKED_TO_LEAVE);
  expect(evaluate(outside(execute("make")), inSandbox({ mode: "auto" })).isForJudge).toBe(false);
  expect(where(outside(execute("make")), { mode: "dontAsk" })).toBe("deny/sandbox/none");
});

test("bypassing permissions doesn't grant it where commands are confined in that mode", () => {
  const given: Given = { mode: "bypassPermissions", confining: { inBypass: true } };
  expect(where(bash(execute("make")), given)).toBe("allow/sandbox/sandbox");
  expect(where(outside(execute("make")), given)).toBe(ASKED_TO_LEAVE);
  expect(where(outside(execute("make")), { ...given, lists: { allow: ["Bash(make)"] } })).toBe(ASKED_TO_LEAVE);
  expect(where(bash(execute("make")), { mode: "bypassPermissions" })).toBe("allow/none/none");
  expect(where(outside(execute("make")), { mode: "bypassPermissions" })).toBe("allow/none/none");
});

test("allowUnsandboxedCommands: false refuses to let a command out under any rule or mode", () => {
  for (const mode of ["default", "auto", "bypassPermissions"] as const) {
    const given: Given = {
      mode,
      confining: { allowUnsandboxed: false, inBypass: true },
      lists: { allow: ["Bash(make)"] },
    };
    expect([mode, where(outside(execute("make")), given)]).toEqual([mode, "deny/sandbox/none"]);
    expect(where(bash(execute("make")), given)).toBe(INSIDE);
  }
});

test("without a sandbox, the model's request to run outside has no effect", () => {
  const state: SandboxState = { kind: undefined, reason: "no bwrap" };
  expect(where(outside(execute("ls", { readOnly: true })), { confining: { state } })).toBe("allow/none/none");
  expect(where(outside(execute("make")), { confining: { state } })).toBe("ask/none/none");
});

// Where there is none, or it may not answer for rules

test("without a sandbox the usual rules apply, unless settings require one", () => {
  const state: SandboxState = { kind: undefined, reason: "no bwrap" };
  expect(where(bash(execute("make")), { confining: { state } })).toBe("ask/none/none");
  for (const mode of ["default", "bypassPermissions"] as const)
    expect(where(bash(execute("ls", { readOnly: true })), { mode, confining: { state, required: true } })).toBe(
      "deny/none/none",
    );
});

test("without consent, commands are confined and need a question", () => {
  expect(where(bash(execute("make")), { confining: { isAgreed: false } })).toBe(ASKED_INSIDE);
});

test("in a workspace that holds a home folder, every change needs a question", () => {
  const change = { roots: [HOME], isBroad: true };
  expect(where(bash(execute("make")), { change })).toBe(ASKED_INSIDE);
  expect(where(bash(execute("ls", { readOnly: true }), read("/etc/hosts")), { change })).toBe(INSIDE);
});

test("a destructive command needs no question only when a backup is possible", () => {
  const clean = bash(execute("git clean -fd", { hazards: [hazard("deletes untracked files")] }));
  expect(where(clean)).toBe(ASKED_INSIDE);
  expect(where(clean, { change: { backup: { kind: "off" } } })).toBe(ASKED_INSIDE);
  expect(where(clean, { change: { backup: { kind: "possible" } } })).toBe(INSIDE);
  expect(where(clean, { change: { backup: { kind: "unneeded" } } })).toBe(INSIDE);
  expect(where(clean, { change: { backup: { kind: "impossible", why: "too large" } } })).toBe(ASKED_INSIDE);
});

test("calls of other tools are not affected", () => {
  const edit: CallFacts = { toolName: "Edit", level: "write", subjects: [write("a")] };
  expect(where(edit)).toBe("ask/none/none");
  expect(where({ ...edit, toolName: "mcp__x__y", level: "execute", subjects: [] })).toBe("ask/none/none");
  expect(where({ toolName: "TodoWrite", level: "none", subjects: [] })).toBe("allow/none/none");
});

test("a read-only command runs as without a sandbox, unless another part of the line does more", () => {
  const look = execute("ls", { readOnly: true });
  expect(where(bash(look))).toBe("allow/none/none");
  expect(where(bash(look, execute("make")))).toBe(INSIDE);
  expect(where(bash(look), { lists: { ask: ["Bash(ls *)"] } })).toBe(ASKED_INSIDE);
});

test("a command that uses only loopback needs no network under bubblewrap", () => {
  const look = bash(execute("curl http://localhost:3000/", { needsNetwork: true, onlyLoopback: true }));
  const { decision, confinement, confinementAfterYes } = evaluate(look, inSandbox());
  expect([confinementAfterYes, decision === "allow" ? confinement : "sandbox"]).toEqual(["sandbox", "sandbox"]);
  const elsewhere = inSandbox({ confining: { state: { kind: "sandbox-exec", strength: "full", hasNetwork: false } } });
  expect(evaluate(look, elsewhere).confinementAfterYes).toBe("none");
});

test("a client of a container engine needs its socket: open settings keep it inside, an open network does not", () => {
  const build = bash(execute("docker build .", { needsNetwork: true, needsEngine: true }));
  expect(where(build)).toBe(ASKED_TO_LEAVE);
  const state = { kind: "bubblewrap", strength: "full", hasNetwork: true } as const;
  expect(where(build, { confining: { state } })).toBe(ASKED_TO_LEAVE);
  expect(where(build, { confining: { hasEngine: true } })).toBe(INSIDE);
});

test("a read-only request to this machine runs unasked in bubblewrap's sandbox, and outside of another", () => {
  const look = bash(execute("curl localhost:3000", { readOnly: true, needsNetwork: true, onlyLoopback: true }));
  expect(where(look)).toBe("allow/sandbox/sandbox");
  const elsewhere = inSandbox({ confining: { state: { kind: "sandbox-exec", strength: "full", hasNetwork: false } } });
  expect(evaluate(look, elsewhere)).toMatchObject({ decision: "allow", confinement: "none" });
});

test("a read-only command that needs the network runs outside, unless another part stays inside", () => {
  const look = execute("gh pr list", { readOnly: true, needsNetwork: true });
  expect(where(bash(look))).toBe("allow/none/none");
  expect(where(bash(look, execute("make")))).toBe(ASKED_TO_LEAVE);
});

const found = (path: string): Subject => ({ action: "read", path: `${ROOT}/${path}`, byCommand: true, isFound: true });
const search = execute("grep -r x .", { readOnly: true });

test("in the sandbox, secrets and denied files are hidden from a search without a question", () => {
  const confining = { isAgreed: false };
  expect(where(bash(search, found(".env")), { confining })).toBe("allow/sandbox/sandbox");
  expect(where(bash(search, found("a.txt")), { confining, lists: { deny: ["Read(/a.txt)"] } })).toBe(
    "allow/sandbox/sandbox",
  );
  expect(where(bash(search, found("a.txt")), { confining, lists: { ask: ["Read(/a.txt)"] } })).toBe(
    "allow/sandbox/sandbox",
  );
  expect(where(bash(search, found("src/a.txt")), { confining })).toBe("allow/none/none");
});

test("a named secret, or one in a search outside the sandbox, is asked about or refused, not hidden", () => {
  const confining = { isAgreed: false };
  expect(where(bash(search, read(".env")), { confining })).toStartWith("ask/");
  expect(
    where(bash(search, found(".env"), execute("npm install x", { needsNetwork: true })), { confining }),
  ).toStartWith("ask/");
  const pushed = bash(search, found(".env"), execute("git push", { needsNetwork: true }));
  expect(where(pushed, { confining, lists: { allow: ["Bash(git push)"] } })).toStartWith("ask/");
  expect(where(bash(search, found("a")), { confining, lists: { deny: ["Bash(grep *)"] } })).toStartWith("deny/");
  const { decision } = evaluate(bash(search, found(".env")), situation({ deny: ["Read(.env)"] }));
  expect(decision).toBe("deny");
});
