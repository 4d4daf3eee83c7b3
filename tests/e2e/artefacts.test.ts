import { afterAll, beforeAll, describe, expect } from "bun:test";
import { join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { BUN_FLAGS } from "../../src/platform/host.ts";
import { builtArtefacts, ROOT } from "../support/built.ts";
import { deepTest, testOrDeep } from "../support/deep.ts";
import { runCommand } from "../support/run-command.ts";
import { tempProject } from "../support/temp-project.ts";

const PROMPT = 'replace "foo" with "bar" in src/**/*.ts then run git diff --stat';
const FILES = {
  "src/a.ts": "export const foo = 1;\n",
  "src/deep/b.ts": 'import { foo } from "../a.ts";\n',
  "notes.md": "foo stays here\n",
};
const REPLACED = {
  "src/a.ts": "export const bar = 1;\n",
  "src/deep/b.ts": 'import { bar } from "../a.ts";\n',
  "notes.md": "foo stays here\n",
};

type Artefact = {
  readonly name: string;
  /** How much of it `npm test` tries: it has each runtime once. */
  readonly quick: readonly ("version" | "work")[];
  readonly start: () => Promise<readonly string[]>;
};

const ARTEFACTS: readonly Artefact[] = [
  { name: "dist/quoll", quick: ["version"], start: async () => [(await builtArtefacts()).executable] },
  {
    name: "dist/cli.js on Node 24",
    quick: ["version", "work"],
    start: async () => [(await builtArtefacts()).node, (await builtArtefacts()).cli],
  },
  {
    name: "dist/cli.js on Bun",
    quick: [],
    start: async () => [(await builtArtefacts()).bun, ...BUN_FLAGS, (await builtArtefacts()).cli],
  },
  {
    name: "npm start from another folder",
    quick: [],
    start: async () => ["npm", "--silent", "--prefix", ROOT, "start", "--"],
  },
];

let home: Awaited<ReturnType<typeof tempProject>>;

beforeAll(async () => {
  home = await tempProject({}, "disk");
  await builtArtefacts();
}, 60_000);
afterAll(() => home[Symbol.asyncDispose]());

/** A real repository with one commit. */
async function repository() {
  const project = await tempProject(FILES, "disk");
  const git = async (...args: string[]) => {
    const identity = ["-c", "user.name=T", "-c", "user.email=t@example.invalid", "-c", "commit.gpgsign=false"];
    const result = await runCommand(["git", ...identity, ...args], { cwd: project.dir, env: { HOME: home.dir } });
    expect(result).toEqual({ code: 0, out: expect.any(String), err: expect.any(String) });
  };
  await git("init", "-q", "-b", "main");
  await git("add", ".");
  await git("commit", "-q", "-m", "start");
  return project;
}

const contents = async (project: Awaited<ReturnType<typeof tempProject>>) =>
  Object.fromEntries(await Promise.all(Object.keys(FILES).map(async (name) => [name, await project.read(name)])));

describe.each(ARTEFACTS)("$name", ({ start, quick }) => {
  const run = async (cwd: string, args: readonly string[]) =>
    runCommand([...(await start()), ...args], { cwd, env: { HOME: home.dir, QUOLL_HOME: join(home.dir, "quoll") } });

  testOrDeep(quick.includes("version"))("--version prints the version and nothing else", async () => {
    expect(await run(home.dir, ["--version"])).toEqual({ code: 0, out: `${manifest.version}\n`, err: "" });
  });

  deepTest(
    "stops at the question without a rule",
    async () => {
      await using project = await repository();

      const asked = await run(project.dir, ["-p", PROMPT]);

      expect({ code: asked.code, files: await contents(project) }).toEqual({ code: 4, files: FILES });
      expect(`${asked.out}${asked.err}`).toMatch(/Edit|replace|src\//);
    },
    60_000,
  );

  // The other tests of this folder run dist/quoll; in `npm test` this one has the other runtime.
  testOrDeep(quick.includes("work"))(
    "runs what a rule allows, and finds the prompt again",
    async () => {
      await using project = await repository();
      const flags = ["--permission-mode", "acceptEdits", "--allowed-tools", "Bash(git diff *)"];

      const { code, out } = await run(project.dir, ["-p", PROMPT, ...flags]);

      expect({ code, files: await contents(project) }).toEqual({ code: 0, files: REPLACED });
      expect(out).toContain("2 files changed, 2 insertions(+), 2 deletions(-)");

      // The index is one of SQLite, which each runtime has in another form.
      const found = await run(project.dir, ["sessions", "search", "foo"]);

      expect({ code: found.code, err: found.err }).toEqual({ code: 0, err: "" });
      expect(found.out).toContain(`prompt: ${PROMPT}`);
    },
    60_000,
  );
});

deepTest(
  "a build replaces an earlier one, and nothing else",
  async () => {
    const mine = { "mine/letter.txt": "Dear Ann", "clones/quoll/letter.txt": "Dear Bob", "tool/cli.js": "start();" };
    await using place = await tempProject(mine);
    const build = async (target: string) => {
      const words = [process.execPath, "build.ts", place.path(target)];
      const run = Bun.spawn(words, { cwd: ROOT, stdout: "ignore", stderr: "pipe" });
      return [await run.exited, await new Response(run.stderr).text()];
    };
    for (const target of ["mine", "mine/letter.txt", "clones", "tool"])
      expect(await build(target)).toEqual([
        2,
        `${place.path(target)} contains other files than a build of Quoll: use an empty or a new folder.\n`,
      ]);
    for (const _ of ["first", "second"]) expect(await build("new")).toEqual([0, ""]);
    for (const [path, text] of Object.entries(mine)) expect(await Bun.file(place.path(path)).text()).toBe(text);
  },
  120_000,
);
