import { expect, test } from "bun:test";
import { mkdir, symlink } from "node:fs/promises";
import { randomIds } from "../../src/platform/clock.ts";
import { OpenQuestions } from "../../src/protocol/open-questions.ts";
import { createPermissionEngine } from "../../src/services/permission/permission-engine.ts";
import { bashSession } from "../services/tools/bash/bash-session.ts";
import { COMMAND_CORPUS } from "./command-corpus.ts";

const FILES = {
  "README.md": "# Read me\n\na:b\n",
  "package.json": "{}\n",
  "src/a.ts": "export const a = 1;\n",
  "src/b.ts": "export const b = 2;\n",
  ".env": "TOKEN=abc\n",
  "sub/x": "x\n",
  ".aws/credentials": "[default]\nx = 1\n",
  "hid/.env": "TOKEN=abc\n",
  "sec/k": "k\n",
  "plain/a.txt": "a\n",
  "links/own": "x\n",
  "odd/-ox": "x\n",
  "odd/a": "x\n",
  f: "x\n",
  g: "y\n",
};

async function place(isHidden: (path: string) => boolean) {
  const session = await bashSession({ files: FILES, isHidden });
  // As git makes it, without starting git.
  await mkdir(session.path(".git/objects"), { recursive: true });
  await mkdir(session.path(".git/refs/heads"), { recursive: true });
  await Bun.write(session.path(".git/HEAD"), "ref: refs/heads/main\n");
  await Bun.write(session.path(".git/config"), "[core]\n\trepositoryformatversion = 0\n\tbare = false\n");
  await symlink(session.path(".env"), session.path("link-to-env"));
  await symlink(session.path("hid"), session.path("links/hid"));
  await symlink("/etc", session.path("links/out"));
  return session;
}

test("the corpus has at least 400 commands, each with a source", () => {
  const count = COMMAND_CORPUS.reduce((sum, { commands }) => sum + new Set(commands).size, 0);
  expect(count).toBeGreaterThanOrEqual(400);
  expect(COMMAND_CORPUS.every(({ source }) => source.length > 10)).toBe(true);
});

test.each(COMMAND_CORPUS.map((group) => [group.source, group] as const))("corpus: %s", async (_, group) => {
  await using session = await place((path) => engine.isHidden(path));
  if (group.tracked) {
    const env = { PATH: process.env["PATH"] ?? "", HOME: session.dir };
    const { exitCode } = Bun.spawnSync(["git", "update-index", "--add", "--", ...group.tracked], {
      cwd: session.dir,
      env,
    });
    expect(exitCode).toBe(0);
  }
  const engine: ReturnType<typeof createPermissionEngine> = createPermissionEngine({
    settings: {
      rules: [
        ...(group.allow ?? []).map((rule) => ({ rule, decision: "allow" as const })),
        ...(group.deny ?? []).map((rule) => ({ rule, decision: "deny" as const })),
      ].map((rule) => ({ ...rule, file: "settings.json", layer: "user", base: session.dir })),
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
      canAsk: false,
      ids: { next: () => "id" },
    },
    notices: {
      notify: () => undefined,
    },
  });
  const wrong: string[] = [];
  for (const command of group.commands) {
    const decision = await decide(command);
    const isRight =
      group.expect === "denied" ? decision === "deny" : (decision === "allow") === (group.expect === "free");
    if (!isRight) wrong.push(`${decision}: ${command}`);
  }
  expect(wrong).toEqual([]);

  async function decide(command: string): Promise<string> {
    try {
      const call = await session.prepare(command);
      return (await engine.explain({ toolUseId: "t", toolName: "Bash", call })).decision;
    } catch (error) {
      return error instanceof Error ? `error (${error.message})` : "error";
    }
  }
});
