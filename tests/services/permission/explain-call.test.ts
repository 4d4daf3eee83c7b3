import { expect, test } from "bun:test";
import stringWidth from "string-width";
import type { Subject } from "../../../src/contracts/subject.ts";
import { type Explanation, renderExplanation } from "../../../src/services/permission/explanation.ts";
import { AGREED, consentDeps, SANDBOX, setUp, with_ } from "./engine-support.ts";
import { execute, hazard, ROOT, read, sources, write } from "./support.ts";

const changesOf = ({ changes }: Explanation) => changes;

test("a call is explained part by part, each with its rule and the rule's source", async () => {
  const { engine, request } = setUp({ rules: { allow: ["Bash(npm test *)"] } });
  const call = request("Bash", "execute", execute("npm test"), execute("npm publish"), write("out.txt"));
  expect(await engine.explain(with_(call, { title: "npm test && npm publish > out.txt" }))).toEqual({
    toolName: "Bash",
    title: "npm test && npm publish > out.txt",
    mode: "default",
    decision: "ask",
    isForJudge: false,
    hazards: [],
    parts: [
      {
        what: "runs `npm test`",
        decision: "allow",
        why: "allow rule Bash(npm test *) (settings.json:1)",
        rule: { decision: "allow", text: "Bash(npm test *)", source: "settings.json:1" },
      },
      { what: "runs `npm publish`", decision: "ask", why: "no rule covers `npm publish`" },
      { what: `writes ${ROOT}/out.txt`, decision: "ask", why: `no rule covers ${ROOT}/out.txt` },
    ],
    uncovered: ["`npm publish`", `${ROOT}/out.txt`],
    changes: ["Adding Bash(npm publish) and Edit(/out.txt) to the allow rules would allow it."],
  });
});

test("a command that only lacks trust in the folder is explained by that", async () => {
  const { engine, bash } = setUp({});
  const { parts } = await engine.explain(bash("git status", { awaitsTrust: true }));
  expect(parts.map(({ why }) => why)).toEqual(["the folder is not trusted, so `git status` is asked"]);
});

test("explaining a call asks, runs and stores nothing, and calls no judge", async () => {
  let made = 0;
  let judged = 0;
  const { engine, bash, questions } = setUp({
    mode: "auto",
    judge: {
      judge: async () => {
        judged += 1;
        return { verdict: "yes" };
      },
    },
    guard: {
      assess: async () => ({
        kind: "possible",
        make: async () => {
          made += 1;
          return [];
        },
      }),
    },
  });
  const explanation = await engine.explain(bash("git clean -fd", { hazards: [hazard("deletes files")] }));
  expect([explanation.isForJudge, explanation.hazards, made, judged, questions.pending]).toEqual([
    true,
    ["deletes files (backed up first)"],
    0,
    0,
    [],
  ]);
});

test("every blocking rule is named, not just the first", async () => {
  const { engine, bash } = setUp({ rules: { deny: ["Bash(rm *)", "Bash(rm -rf *)"], ask: ["Bash(*rm*)"] } });
  expect(changesOf(await engine.explain(bash("rm -rf x")))).toEqual([
    "Without the deny rule Bash(rm *) (settings.json:1) and deny rule Bash(rm -rf *) (settings.json:2), the verdict would be ask.",
  ]);
});

test("every suggested change really alters the verdict", async () => {
  const TOOLS = { read: "Read", write: "Edit", execute: "Bash", network: "WebFetch", use: "Agent" } as const;
  const explained = async (change: Parameters<typeof setUp>[0], subject: Subject) => {
    const { engine, request } = setUp(change);
    return changesOf(await engine.explain(request(TOOLS[subject.action], "write", subject)));
  };

  expect(await explained({}, write("a.ts"))).toEqual([
    "In mode acceptEdits, the verdict would be allow.",
    "Adding Edit(/a.ts) to the allow rules would allow it.",
  ]);
  expect(await explained({ mode: "dontAsk" }, execute("make"))).toEqual([
    "In mode default, the verdict would be ask.",
    "Adding Bash(make) to the allow rules would allow it.",
  ]);
  expect(await explained({ mode: "plan" }, execute("make"))).toEqual(["In mode default, the verdict would be ask."]);
  expect(await explained({}, read(".env"))).toEqual(["Adding Read(/.env) to the allow rules would allow it."]);
  expect(await explained({}, write(".git/config"))).toEqual([
    "No rule can allow a write there: a person must consent each time.",
  ]);
  expect(await explained({}, execute("eval x", { understood: false }))).toEqual([
    "No rule can match a command that can't be parsed: write it as plain commands.",
  ]);
  expect(
    await explained({ isTrusted: false, others: sources({ allow: ["Bash(make)"] }, "project") }, execute("make")),
  ).toEqual([
    "If the folder is trusted (--trust), the verdict is allow by the allow rule Bash(make) (settings.json:1).",
    "Adding Bash(make) to the allow rules would allow it.",
  ]);
  expect(
    await explained(
      { sandbox: async () => ({ kind: undefined, reason: "bwrap is missing." }), consent: AGREED },
      execute("make"),
    ),
  ).toEqual([
    "Adding Bash(make) to the allow rules would allow it.",
    "With a sandbox, the verdict would be allow; there is no sandbox: bwrap is missing.",
  ]);
  expect(await explained({ sandbox: async () => SANDBOX, consent: consentDeps().deps }, execute("make"))).toEqual([
    "Adding Bash(make) to the allow rules would allow it.",
    "If commands in the sandbox need no question (--allow-sandboxed, or an answer to a question), the verdict is allow, in the sandbox.",
  ]);
  const judge = { judge: async () => ({ verdict: "yes" }) as const };
  expect(await explained({ mode: "auto", judge, rules: { allow: ["Bash(node *)"] } }, execute("node x.js"))).toEqual([
    "In mode default, the verdict would be allow.",
    "Adding Bash(node x.js) to the allow rules would allow it.",
    "The allow rule Bash(node *) (settings.json:1) doesn't count: ignored in mode auto, where a judge decides: it lets node run any code.",
  ]);
  const guard = { assess: async () => ({ kind: "impossible", why: "it stays published" }) as const };
  expect(await explained({ guard }, execute("npm publish", { hazards: [hazard("publishes", "publishes")] }))).toEqual([
    "Adding Bash(npm publish) to the allow rules would allow it.",
    'With destructiveGuard: "off" in settings, only the rules would decide.',
  ]);
});

test("an allowed call names its reasons", async () => {
  const rules = { allow: ["Bash(npm test *)"] };
  const { engine, bash } = setUp({ sandbox: async () => SANDBOX, consent: AGREED, rules });
  const explanation = await engine.explain(with_(bash("npm test"), { title: "npm test" }));
  expect([explanation.decision, explanation.confinement, explanation.changes]).toEqual([
    "allow",
    "in the sandbox",
    [
      "Without the allow rule Bash(npm test *) (settings.json:1), Quoll would ask about that part.",
      "A matching deny or ask rule would take precedence.",
    ],
  ]);
  const free = await engine.explain(bash("make"));
  expect([free.parts[0]?.why, free.uncovered]).toEqual([
    "the command stays in the sandbox, where commands need no question",
    [],
  ]);
  expect(free.changes[0]).toBe(
    "Without your consent to commands in the sandbox (/permissions revoke sandbox), Quoll would ask.",
  );
  const look = await engine.explain(bash("ls", { readOnly: true }));
  expect([look.decision, look.confinement]).toEqual(["allow", "needs no sandbox"]);
});

test("the verdict without a rule includes the sandbox", async () => {
  const { engine, bash } = setUp({
    sandbox: async () => SANDBOX,
    consent: AGREED,
    rules: { deny: ["Bash(make *)"] },
  });
  const { changes, uncovered } = await engine.explain(bash("make all"));
  expect([changes[0], uncovered]).toEqual([
    "Without the deny rule Bash(make *) (settings.json:1), the verdict would be allow, in the sandbox.",
    [],
  ]);
});

test("of a command that its rule does not take out of the sandbox, the setting that would is named", async () => {
  const { engine, bash } = setUp({ sandbox: async () => SANDBOX, rules: { allow: ["Bash(git *)"] } });
  const { confinement, uncovered, changes } = await engine.explain(
    bash("git push origin main", { needsNetwork: true }),
  );
  expect({ confinement, uncovered, changes }).toEqual({
    confinement: "outside the sandbox",
    uncovered: [],
    changes: ["Listing git push * in sandbox.excludedCommands would allow it, outside the sandbox."],
  });
  const push = bash("kubectl apply", { needsNetwork: true });
  expect((await engine.explain(push)).changes).toEqual([
    "Adding Bash(kubectl apply) to the allow rules, and listing kubectl apply in sandbox.excludedCommands would allow it, outside the sandbox.",
  ]);
});

test("of a command with a network of its own, the hosts are named", async () => {
  const reaches = { hosts: [{ host: "registry.example" }], named: [], settings: [] };
  const { engine, bash } = setUp({ sandbox: async () => SANDBOX, rules: { allow: ["Bash(npm *)"] } });
  const { decision, confinement } = await engine.explain(bash("npm install", { needsNetwork: true, reaches }));
  expect([decision, confinement]).toEqual(["allow", "in the sandbox, with access to registry.example"]);
});

test("an explanation is printed in lines of at most 100 columns", async () => {
  const { engine, request } = setUp({ sandbox: async () => SANDBOX, rules: { deny: ["Bash(make *)"] } });
  const call = request("Bash", "execute", execute("make all"), execute("npm install", { needsNetwork: true }));
  expect(renderExplanation(await engine.explain(with_(call, { title: "make all && npm install" })))).toBe(
    [
      "deny: Bash make all && npm install",
      "  mode: default",
      "  ✗ runs `make all`",
      "      deny rule Bash(make *) (settings.json:1)",
      "  ? runs `npm install`",
      "      `npm install` needs the network, and the sandbox has none",
      "  changes that would alter this:",
      "    - Without the deny rule Bash(make *) (settings.json:1), the verdict would be ask.",
    ].join("\n"),
  );
  const long = "漢字".repeat(80);
  const wide = request("Bash", "execute", ...["a ", "b-"].map((part) => execute(part.repeat(300) + long)));
  const lines = renderExplanation(await engine.explain(with_(wide, { title: long }))).split("\n");
  expect(lines.filter((line) => stringWidth(line) > 100)).toEqual([]);
});

test("terminal control characters are not printed", async () => {
  const { engine, bash } = setUp();
  const evil = "make \u001b]0;x\u0007 \u202e\u200b\r\nok";
  const text = renderExplanation(await engine.explain(with_(bash(evil), { title: evil })));
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what must not be there.
  expect(text.replaceAll("\n", "")).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e]/);
});
