import { expect, test } from "bun:test";
import { mkdir } from "node:fs/promises";
import { randomIds } from "../../src/platform/clock.ts";
import { OpenQuestions } from "../../src/protocol/open-questions.ts";
import { createPermissionEngine } from "../../src/services/permission/permission-engine.ts";
import { bashSession } from "../services/tools/bash/bash-session.ts";
import { DANGEROUS, READ_ONLY } from "./read-only-commands.ts";

const FILES = {
  "a.txt": "x\n",
  "a.json": "{}\n",
  "b.txt": "x\n",
  "package.json": "{}\n",
  "src/b.ts": "x\n",
  "src/tool": "#!/bin/sh\n",
  "scripts/a.sh": "x\n",
  Dockerfile: "",
};

/** The commands of a table that a trusted folder without a sandbox, rules and answers decides so. */
async function decided(commands: readonly string[], decision: "allow" | "ask"): Promise<readonly string[]> {
  await using session = await bashSession({ files: FILES });
  await mkdir(session.path(".git/objects"), { recursive: true });
  await mkdir(session.path(".git/refs/heads"), { recursive: true });
  await Bun.write(session.path(".git/HEAD"), "ref: refs/heads/main\n");
  await Bun.write(session.path(".git/config"), "[core]\n\trepositoryformatversion = 0\n\tbare = false\n");
  const engine = createPermissionEngine({
    settings: {
      rules: [],
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
      questions: new OpenQuestions(randomIds),
      canAsk: true,
      ids: { next: () => crypto.randomUUID() },
    },
    notices: {
      notify: () => undefined,
    },
  });
  const found: string[] = [];
  for (const command of commands) {
    const call = await session.prepare(command);
    const { decision: made } = await engine.explain(
      { toolUseId: "t", toolName: "Bash", call },
      new AbortController().signal,
    );
    if (made === decision) found.push(command);
  }
  return found;
}

test("the tables hold at least 220 commands of each kind, each once", () => {
  for (const table of [READ_ONLY, DANGEROUS]) {
    const all = Object.values(table).flat();
    expect(all.length).toBeGreaterThanOrEqual(220);
    expect(all.filter((command, at) => all.indexOf(command) !== at)).toEqual([]);
  }
});

test.each(Object.entries(READ_ONLY))("read-only commands run without a question: %s", async (_, commands) => {
  expect(await decided(commands, "ask")).toEqual([]);
});

test.each(Object.entries(DANGEROUS))("the dangerous forms of read-only commands ask: %s", async (_, commands) => {
  expect(await decided(commands, "allow")).toEqual([]);
});
