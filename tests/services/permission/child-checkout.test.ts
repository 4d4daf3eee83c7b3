import { expect, test } from "bun:test";
import type { Subject } from "../../../src/contracts/subject.ts";
import type { ChildCheckout } from "../../../src/services/permission/permission-deps.ts";
import { setUp } from "./engine-support.ts";
import { HOME, ROOT } from "./support.ts";

const DATA = `${HOME}/.local/share/quoll`;
const TREE = `${DATA}/worktrees/shop/calm-otter`;
const CHECKOUT: ChildCheckout = {
  ...{ from: ROOT, to: TREE, roots: [TREE], gitFolders: [`${ROOT}/.git/worktrees/calm-otter`, `${ROOT}/.git`] },
  ...{ sandbox: undefined, guard: undefined },
};
const agent = { agentId: "child", parentAgentId: "main", parentToolUseId: "use", spendSource: "subagent" } as const;

function childOf(change: Parameters<typeof setUp>[0] = {}, scope: { readonly deny?: readonly string[] } = {}) {
  const { mode = "acceptEdits" } = change;
  const here = setUp({ canAsk: false, ...change, mode, ownFolders: [DATA] });
  const engine = here.engine.narrow({ agent, state: { mode }, checkout: CHECKOUT, ...scope });
  const judged = async (tool: string, level: "read" | "write" | "execute", ...subjects: Subject[]) =>
    (await engine.authorize(here.request(tool, level, ...subjects), new AbortController().signal)).decision;
  const edit = (path: string) => judged("Edit", "write", { action: "write", path });
  const read = (path: string) => judged("Read", "read", { action: "read", path });
  return { ...here, child: engine, edit, read, judged };
}

test("an agent in a checkout of its own writes there, and reads but never writes the replaced one", async () => {
  for (const mode of ["acceptEdits", "bypassPermissions"] as const) {
    const { edit, read } = childOf({ mode, rules: { allow: ["Edit(/**)", "Edit(//**)"] } });
    expect(await edit(`${TREE}/src/a.ts`)).toBe("allow");
    expect(await read(`${TREE}/src/a.ts`)).toBe("allow");
    expect(await read(`${ROOT}/src/a.ts`)).toBe("allow");
    expect(await edit(`${ROOT}/src/a.ts`)).toBe("deny");
    expect(await edit(`${ROOT}/.git/hooks/pre-commit`)).toBe("deny");
  }
});

test("a command that names a file of the replaced checkout to write is refused", async () => {
  const { judged } = childOf({ rules: { allow: ["Bash", "Edit"] } });
  const write = (path: string) =>
    judged("Bash", "execute", { action: "write", path, byCommand: true } satisfies Subject);
  expect(await write(`${ROOT}/a.txt`)).toBe("deny");
  expect(await write(`${TREE}/a.txt`)).toBe("allow");
});

test.each([
  ["Edit(/secrets/**)", "secrets/key.txt"],
  ["Edit(./secrets/**)", "secrets/key.txt"],
  ["Edit(secrets)", "deep/secrets/key.txt"],
  [`Edit(/${ROOT}/secrets/**)`, "secrets/key.txt"],
  ["Write(/generated/*)", "generated/x.ts"],
  ["Edit(//**/*.lock)", "bun.lock"],
])("the deny and ask rule %p of the parent holds in the checkout", async (rule, path) => {
  for (const decision of ["deny", "ask"] as const) {
    const { edit } = childOf({ mode: "bypassPermissions", rules: { [decision]: [rule] } });
    expect(await edit(`${TREE}/${path}`)).toBe("deny");
    expect(await edit(`${TREE}/other.ts`)).toBe("allow");
    expect(await edit(`${ROOT}/${path}`)).toBe("deny");
  }
});

test("a deny rule for reading holds in both checkouts, whatever the case of the name", async () => {
  const { child, read } = childOf({ rules: { deny: ["Read(/private/**)"], allow: ["Read"] } });
  for (const top of [ROOT, TREE]) {
    expect(await read(`${top}/private/a.txt`)).toBe("deny");
    expect(await read(`${top}/PRIVATE/a.txt`)).toBe("deny");
    expect(child.isHidden(`${top}/private/a.txt`)).toBe(true);
    expect(child.isHidden(`${top}/public/a.txt`)).toBe(false);
  }
});

test("rules that the parent gets later, and rules of the agent's own scope, hold in the checkout as well", async () => {
  const { engine, edit } = childOf({}, { deny: ["Edit(/own/**)"] });
  expect(await edit(`${TREE}/own/a.ts`)).toBe("deny");
  expect(await edit(`${TREE}/later/a.ts`)).toBe("allow");
  engine.changeRules({ kind: "add", decision: "deny", rules: ["Edit(/later/**)"] }, "a program");
  expect(await edit(`${TREE}/later/a.ts`)).toBe("deny");
});

test("protected names, git's own folders and Quoll's other files stay protected", async () => {
  const { edit } = childOf({ rules: { allow: ["Edit(/**)", `Edit(/${DATA}/**)`] } });
  for (const name of [".git", ".git/hooks/pre-commit", ".quoll/settings.json", ".bashrc"])
    expect({ name, decision: await edit(`${TREE}/${name}`) }).toEqual({ name, decision: "deny" });
  expect(await edit(`${DATA}/sessions/a.jsonl`)).toBe("deny");
  expect(await edit(`${DATA}/worktrees/shop/other/a.ts`)).toBe("deny");
  expect(await edit(`${HOME}/elsewhere.txt`)).toBe("deny");
});

test("allow rules count at the same places of the checkout, and an answer about it counts there alone", async () => {
  const here = childOf({ mode: "default", canAsk: true, rules: { allow: ["Edit(/src/**)"] } });
  expect(await here.edit(`${TREE}/src/a.ts`)).toBe("allow");
  const asked = here.edit(`${TREE}/b.ts`);
  const question = await here.asked(asked as never);
  here.questions.reply(question?.id ?? "", { decision: "session" });
  expect(await asked).toBe("allow");
  expect(await here.edit(`${TREE}/c.ts`)).toBe("allow");
  const main = here.engine.authorize(
    here.request("Edit", "write", { action: "write", path: `${ROOT}/c.ts` }),
    new AbortController().signal,
  );
  const again = await here.asked(main as never);
  here.questions.reply(again?.id ?? "", { decision: "reject" });
  expect((await main).decision).toBe("deny");
});

test("an answer for always names the place in the project, and so counts in both checkouts", async () => {
  const here = childOf({ mode: "default", canAsk: true });
  const inner = here.child.narrow({
    agent: { ...agent, agentId: "inner" },
    state: { mode: "default" },
    checkout: { ...CHECKOUT, from: TREE, to: `${TREE}-2`, roots: [`${TREE}-2`] },
  });
  const edit = (engine: typeof inner, path: string) =>
    engine.authorize(here.request("Edit", "write", { action: "write", path }), new AbortController().signal);
  const first = edit(here.child, `${TREE}/src/b.ts`);
  const question = await here.asked(first);
  expect(question?.suggestions).toEqual(["Edit(/src/b.ts)"]);
  here.questions.reply(question?.id ?? "", { decision: "always" });
  expect((await first).decision).toBe("allow");
  expect(here.persisted).toEqual([["Edit(/src/b.ts)"]]);
  expect((await edit(here.child, `${TREE}/src/b.ts`)).decision).toBe("allow");
  expect((await edit(inner, `${TREE}-2/src/b.ts`)).decision).toBe("allow");
  const main = here.request("Edit", "write", { action: "write", path: `${ROOT}/src/b.ts` });
  expect((await here.engine.authorize(main, new AbortController().signal)).decision).toBe("allow");
  const other = edit(inner, `${TREE}-2/src/c.ts`);
  const deeper = await here.asked(other);
  expect(deeper?.suggestions).toEqual(["Edit(/src/c.ts)"]);
  here.questions.reply(deeper?.id ?? "", { decision: "reject" });
  expect((await other).decision).toBe("deny");
});

test("the sandbox gets the moved rules for the agent's own commands, and no rule of the agent for the others", () => {
  const { engine, child } = childOf({ rules: { deny: ["Read(/private)", "Edit(//srv/x)"] } });
  const plain = (rules: ReturnType<typeof engine.pathRules>) => rules.flatMap((rule) => rule.plain ?? []);
  expect(plain(engine.pathRules())).toEqual([`${ROOT}/private`, "/srv/x"]);
  expect(plain(child.pathRules())).toEqual([`${ROOT}/private`, `${TREE}/private`, "/srv/x"]);
});
