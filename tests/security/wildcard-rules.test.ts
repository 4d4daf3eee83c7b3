import { expect, test } from "bun:test";
import { mkdir } from "node:fs/promises";
import { knownOptions } from "@quoll/bash-syntax/known-options";
import { OPTION_TABLES } from "@quoll/bash-syntax/tables/options";
import { randomIds } from "../../src/platform/clock.ts";
import { OpenQuestions } from "../../src/protocol/open-questions.ts";
import type { PermissionService } from "../../src/services/permission/permission-deps.ts";
import { createPermissionEngine } from "../../src/services/permission/permission-engine.ts";
import { bashSession } from "../services/tools/bash/bash-session.ts";
import { eachOrDeep, longerInDeep } from "../support/deep.ts";
import { partsOf } from "../support/question.ts";
import { EVERYDAY, HARMFUL } from "./wildcard-commands.ts";

const FILES = {
  f: "x\n",
  g: "y\n",
  "src/a.ts": "x\n",
  "README.md": "x\n",
  "requirements.txt": "",
  curlrc: "",
  evil: "",
};
const SIGNAL = new AbortController().signal;

async function place() {
  const session = await bashSession({ files: FILES });
  await mkdir(session.path(".git/objects"), { recursive: true });
  await mkdir(session.path(".git/refs/heads"), { recursive: true });
  await Bun.write(session.path(".git/HEAD"), "ref: refs/heads/main\n");
  await Bun.write(session.path(".git/config"), "[core]\n\trepositoryformatversion = 0\n\tbare = false\n");
  return session;
}

type Session = Awaited<ReturnType<typeof place>>;

/** Without a sandbox, in a trusted folder; a person answers. */
function engineWith(session: Session, allow: readonly string[]) {
  const questions = new OpenQuestions(randomIds);
  const engine = createPermissionEngine({
    settings: {
      rules: allow.map((rule) => ({
        rule,
        decision: "allow",
        file: "settings.json",
        layer: "user",
        base: session.dir,
      })),
      isTrusted: true,
      checkBypass: () => undefined,
      persist: async () => "own.json",
    },
    agent: {
      state: { mode: "default" },
    },
    folders: {
      workspace: session.workspace,
      home: "/home/ann",
      freeReadRoots: [],
      ownFolders: [],
    },
    deciders: {
      questions,
      canAsk: true,
      ids: { next: () => crypto.randomUUID() },
    },
    notices: {
      notify: () => undefined,
    },
  });
  return { engine, questions };
}

async function explained(session: Session, engine: PermissionService, command: string) {
  const call = await session.prepare(command);
  return engine.explain({ toolUseId: "t", toolName: "Bash", call }, SIGNAL);
}

longerInDeep(
  "a wildcard rule leaves at most three of 300 everyday commands to be asked about",
  async (isWhole) => {
    await using session = await place();
    const all = Object.entries(EVERYDAY).flatMap(([rule, commands]) => commands.map((command) => ({ rule, command })));
    expect(all.length).toBeGreaterThanOrEqual(300);
    const asked: string[] = [];
    for (const { rule, command } of all.filter((_, at) => isWhole || at % 4 === 0)) {
      const { parts } = await explained(session, engineWith(session, [rule]).engine, command);
      const newly = parts.filter(({ decision, why }) => decision !== "allow" && why.includes("doesn't cover"));
      if (newly.length > 0) asked.push(`${command}: ${newly.map(({ why }) => why).join("; ")}`);
    }
    expect(asked.length, asked.join("\n")).toBeLessThanOrEqual(3);
  },
  120_000,
);

test("the question names the word, and its always offers a rule after which the option is free in any place", async () => {
  await using session = await place();
  const { engine, questions } = engineWith(session, ["Bash(curl *)", "Bash(git *)"]);
  const ask = async (command: string) => {
    const call = await session.prepare(command);
    const asked = Promise.withResolvers<void>();
    const leave = questions.subscribe(() => asked.resolve());
    const verdict = engine.authorize({ toolUseId: "t", toolName: "Bash", call }, SIGNAL);
    await asked.promise;
    leave();
    return { verdict, question: questions.pending.map(partsOf)[0] };
  };
  const { verdict, question } = await ask("curl -sS --foo x http://localhost");
  expect(question?.reason).toBe("The rule Bash(curl *) (settings.json) doesn't cover --foo.");
  expect(question?.suggestions).toEqual(["Bash(curl --foo *)"]);
  questions.reply(question?.id ?? "", { decision: "always" });
  expect((await verdict).decision).toBe("allow");
  for (const command of ["curl --foo x http://a", "curl -sS http://a --foo=y", "curl --foo"])
    expect([command, (await explained(session, engine, command)).decision]).toEqual([command, "allow"]);
  for (const command of ["curl --foo x --bar y", "curl --fooo", "curl --foo x -o .mcp.json http://a", "git --foo"])
    expect([command, (await explained(session, engine, command)).decision]).toEqual([command, "ask"]);
  const push = await ask("git push --bar");
  expect(push.question?.suggestions).toEqual(["Bash(git push --bar *)"]);
  questions.reply(push.question?.id ?? "", { decision: "reject" });
  await push.verdict;
  const unknown = await ask("git evil --x");
  expect(unknown.question?.suggestions).toEqual(["Bash(git evil *)"]);
  questions.reply(unknown.question?.id ?? "", { decision: "reject" });
  await unknown.verdict;
});

test("a word that starts a program is offered with the whole command alone", async () => {
  await using session = await place();
  const { engine } = engineWith(session, ["Bash(make *)"]);
  const { changes, parts } = await explained(session, engine, "make --eval=x all");
  expect(parts[0]?.why).toBe(
    "the rule Bash(make *) (settings.json) doesn't cover --eval, which may start a program or point it elsewhere",
  );
  expect(changes.join()).toContain("Bash(make --eval=x all)");
});

test("a pattern that finds a file named like an option is asked for, and one that finds none is not", async () => {
  await using session = await place();
  const { engine } = engineWith(session, ["Bash(tar *)"]);
  const verdict = async (command: string) => (await explained(session, engine, command)).decision;
  expect(await verdict("tar cf out.tar *")).toBe("allow");
  await Bun.write(session.path("--checkpoint-action=exec=id"), "");
  expect(await verdict("tar cf out.tar *")).toBe("ask");
  expect(await verdict("tar cf out.tar -- *")).toBe("allow");
  expect(await verdict("tar cf out.tar ./*")).toBe("allow");
});

test("a rule that spells a word out covers it, and one without a star covers the very command", async () => {
  await using session = await place();
  for (const [rule, command, decision] of [
    ["Bash(make --eval *)", "make --eval x", "allow"],
    ["Bash(make * --eval=*)", "make all --eval=x", "allow"],
    ["Bash(make --eval=x all)", "make --eval=x all", "allow"],
    ["Bash(git evil *)", "git evil --x", "allow"],
    ["Bash(make --ev*)", "make --eval=x", "ask"],
    ["Bash", "make --eval=x", "allow"],
  ] as const)
    expect([rule, (await explained(session, engineWith(session, [rule]).engine, command)).decision]).toEqual([
      rule,
      decision,
    ]);
});

test("harmful commands are asked for under the rule with a star for their program", async () => {
  await using session = await place();
  const all = Object.entries(HARMFUL).flatMap(([rule, commands]) => commands.map((command) => ({ rule, command })));
  expect(all.length).toBeGreaterThanOrEqual(60);
  const free: string[] = [];
  for (const { rule, command } of all) {
    const { decision } = await explained(session, engineWith(session, [rule]).engine, command);
    if (decision !== "ask") free.push(`${decision}: ${command}`);
  }
  expect(free).toEqual([]);
}, 120_000);

eachOrDeep(
  "an option that the table of %s doesn't know is asked for, alone, with a value and behind a subcommand",
  (at) => at % 10 === 0,
  OPTION_TABLES.filter(({ isOpen }) => !isOpen).map((table) => [table.name, table] as const),
  async (name, table) => {
    await using session = await place();
    const { engine } = engineWith(session, [`Bash(${name} *)`]);
    const [sub] = Object.keys(table.subs ?? {}).flatMap((key) => key.split(" "));
    expect(knownOptions(table, sub)).toBeDefined();
    for (const head of sub === undefined ? [name] : [name, `${name} ${sub}`])
      for (const option of ["--quoll-unknown", "--quoll-unknown=x", "--quoll-unknown x", "-§"]) {
        const { decision, parts } = await explained(session, engine, `${head} ${option}`);
        const why = parts.map((part) => part.why).join("; ");
        expect([head, option, decision, why.includes(option.split(/[= ]/)[0] ?? "")]).toEqual([
          head,
          option,
          "ask",
          true,
        ]);
      }
  },
  60_000,
);
