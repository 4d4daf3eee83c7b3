import { expect, test } from "bun:test";
import stringWidth from "string-width";
import type { Subject } from "../../../src/contracts/subject.ts";
import { type Explanation, renderExplanation } from "../../../src/services/permission/explanation.ts";
import { AGREED, consentDeps, SANDBOX, setUp, with_ } from "./engine-support.ts";
import { execute, hazard, ROOT, read, sources, write } from "./support.ts";

const changesOf = ({ changes }: Explanation) => changes;

test("a call is explained part by part, with the rule of each and where it stands", async () => {
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
    changes: ["Allowed with Bash(npm publish) and Edit(/out.txt) among the allow rules."],
  });
});

test("nothing is asked, run or kept by explaining, and a judge isn't called", async () => {
  let made = 0;
  let judged = 0;
  const { engine, bash, broker } = setUp({
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
  expect([explanation.isForJudge, explanation.hazards, made, judged, broker.pending]).toEqual([
    true,
    ["deletes files (a copy is kept)"],
    0,
    0,
    [],
  ]);
});

test("every rule that stands in the way is named, not just the first", async () => {
  const { engine, bash } = setUp({ rules: { deny: ["Bash(rm *)", "Bash(rm -rf *)"], ask: ["Bash(*rm*)"] } });
  expect(changesOf(await engine.explain(bash("rm -rf x")))).toEqual([
    "Without the deny rule Bash(rm *) (settings.json:1) and deny rule Bash(rm -rf *) (settings.json:2) the verdict would be ask.",
  ]);
});

test("what would change a verdict was tried out", async () => {
  const TOOLS = { read: "Read", write: "Edit", execute: "Bash", network: "WebFetch", use: "Agent" } as const;
  const explained = async (change: Parameters<typeof setUp>[0], subject: Subject) => {
    const { engine, request } = setUp(change);
    return changesOf(await engine.explain(request(TOOLS[subject.action], "write", subject)));
  };

  expect(await explained({}, write("a.ts"))).toEqual([
    "In mode acceptEdits the verdict would be allow.",
    "Allowed with Edit(/a.ts) among the allow rules.",
  ]);
  expect(await explained({ mode: "dontAsk" }, execute("make"))).toEqual([
    "In mode default the verdict would be ask.",
    "Allowed with Bash(make) among the allow rules.",
  ]);
  expect(await explained({ mode: "plan" }, execute("make"))).toEqual(["In mode default the verdict would be ask."]);
  expect(await explained({}, read(".env"))).toEqual(["Allowed with Read(/.env) among the allow rules."]);
  expect(await explained({}, write(".git/config"))).toEqual([
    "No rule allows a write there: a person has to say yes each time.",
  ]);
  expect(await explained({}, execute("eval x", { understood: false }))).toEqual([
    "No rule covers what isn't understood: written as plain commands it could be judged.",
  ]);
  expect(
    await explained({ isTrusted: false, others: sources({ allow: ["Bash(make)"] }, "project") }, execute("make")),
  ).toEqual([
    "If the folder is trusted (--trust), the verdict is allow by the allow rule Bash(make) (settings.json:1).",
    "Allowed with Bash(make) among the allow rules.",
  ]);
  expect(
    await explained(
      { sandbox: async () => ({ kind: undefined, reason: "bwrap is missing." }), consent: AGREED },
      execute("make"),
    ),
  ).toEqual([
    "Allowed with Bash(make) among the allow rules.",
    "With a sandbox the verdict would be allow; there is none: bwrap is missing.",
  ]);
  expect(await explained({ sandbox: async () => SANDBOX, consent: consentDeps().deps }, execute("make"))).toEqual([
    "Allowed with Bash(make) among the allow rules.",
    "If confined commands need no question (--allow-sandboxed, or an answer to a question), the verdict is allow, in the sandbox.",
  ]);
  const judge = { judge: async () => ({ verdict: "yes" }) as const };
  expect(await explained({ mode: "auto", judge, rules: { allow: ["Bash(node *)"] } }, execute("node x.js"))).toEqual([
    "In mode default the verdict would be allow.",
    "Allowed with Bash(node x.js) among the allow rules.",
    "The allow rule Bash(node *) (settings.json:1) doesn't count: not in mode auto, where a judge decides: it lets node run any code.",
  ]);
  const guard = { assess: async () => ({ kind: "impossible", why: "it stays published" }) as const };
  expect(await explained({ guard }, execute("npm publish", { hazards: [hazard("publishes", "publishes")] }))).toEqual([
    "Allowed with Bash(npm publish) among the allow rules.",
    'With destructiveGuard: "off" in settings it would be judged by the rules alone.',
  ]);
});

test("an allowed call says what it rests on", async () => {
  const rules = { allow: ["Bash(npm test *)"] };
  const { engine, bash } = setUp({ sandbox: async () => SANDBOX, consent: AGREED, rules });
  const explanation = await engine.explain(with_(bash("npm test"), { title: "npm test" }));
  expect([explanation.decision, explanation.confinement, explanation.changes]).toEqual([
    "allow",
    "in the sandbox",
    [
      "Without the allow rule Bash(npm test *) (settings.json:1) that part would be asked for.",
      "A deny or ask rule that matches it would come first.",
    ],
  ]);
  const free = await engine.explain(bash("make"));
  expect([free.parts[0]?.why, free.uncovered]).toEqual([
    "it stays in the sandbox, and confined commands need no question here",
    [],
  ]);
  expect(free.changes[0]).toBe(
    "Without the agreement about confined commands (/permissions revoke confined) it would be asked for.",
  );
  const look = await engine.explain(bash("ls", { readOnly: true }));
  expect([look.decision, look.confinement]).toEqual(["allow", "needs no sandbox"]);
});

test("what a verdict would be without a rule says where it would run", async () => {
  const { engine, bash } = setUp({
    sandbox: async () => SANDBOX,
    consent: AGREED,
    rules: { deny: ["Bash(make *)"] },
  });
  const { changes, uncovered } = await engine.explain(bash("make all"));
  expect([changes[0], uncovered]).toEqual([
    "Without the deny rule Bash(make *) (settings.json:1) the verdict would be allow, in the sandbox.",
    [],
  ]);
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
      "  what would change that:",
      "    - Without the deny rule Bash(make *) (settings.json:1) the verdict would be ask.",
    ].join("\n"),
  );
  const long = "漢字".repeat(80);
  const wide = request("Bash", "execute", ...["a ", "b-"].map((part) => execute(part.repeat(300) + long)));
  const lines = renderExplanation(await engine.explain(with_(wide, { title: long }))).split("\n");
  expect(lines.filter((line) => stringWidth(line) > 100)).toEqual([]);
});

test("what a terminal would obey is not printed", async () => {
  const { engine, bash } = setUp();
  const evil = "make \u001b]0;x\u0007 \u202e\u200b\r\nok";
  const text = renderExplanation(await engine.explain(with_(bash(evil), { title: evil })));
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what must not be there.
  expect(text.replaceAll("\n", "")).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e]/);
});
