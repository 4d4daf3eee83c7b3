import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { UnansweredError } from "../../../src/contracts/errors.ts";
import type { PathRule } from "../../../src/contracts/permission.ts";
import type { NamedPath } from "../../../src/contracts/ports.ts";
import type { Asker, Reply } from "../../../src/contracts/question.ts";
import type { RuleSource } from "../../../src/contracts/settings.ts";
import { realPathOrSelf } from "../../../src/platform/paths.ts";
import { compileRules } from "../../../src/services/permission/rules/compile-rules.ts";
import { pathRulesOf } from "../../../src/services/permission/rules/path-rules.ts";
import { deepTest, eachOrDeep, testOrDeep } from "../../support/deep.ts";
import { until } from "../../support/eventually.ts";
import { newPartsOf } from "../../support/question.ts";
import { sandboxPlace } from "./sandbox-fixture.ts";

const SECRET = "hunter2-the-secret";
const KINDS = ["bubblewrap", "landlock"] as const;
type Wanted = { readonly deny?: readonly string[]; readonly ask?: readonly string[] };

function compile({ deny = [], ask = [] }: Wanted, root: string, home: string): readonly PathRule[] {
  const source = (decision: "deny" | "ask") => (rule: string) =>
    ({ rule, decision, file: "test", layer: "user", base: root }) as const satisfies RuleSource;
  const sources = [...deny.map(source("deny")), ...ask.map(source("ask"))];
  const { rules } = compileRules(sources, { roots: [root], home, realPath: realPathOrSelf });
  return pathRulesOf(rules, [root]);
}

type Options = Parameters<typeof sandboxPlace>[0] & Wanted;

/** A place with these rules, which a test may change. */
async function ruledPlace({ deny, ask, deps, ...options }: Options = {}) {
  let rules: readonly PathRule[] = [];
  const at = await sandboxPlace({ ...options, deps: { ...deps, rules: () => rules } });
  const change = (wanted: Wanted) => {
    rules = compile(wanted, at.project.dir, at.home.dir);
  };
  change({ ...(deny && { deny }), ...(ask && { ask }) });
  const tell = async (script: string, named: readonly NamedPath[] = []) => {
    const { spawn, confined, output } = await at.start(script, { named });
    await spawn.exited;
    await confined.dispose();
    return { out: output(), changes: confined.changes?.() ?? [] };
  };
  return { ...at, change, tell };
}

const PYTHON_READS = `python3 -c "print(open('.e' + 'nv').read())"`;
const PYTHON_WRITES = `python3 -c "open('sr' + 'c/a.ts', 'w').write('evil')"`;

const READ_RULES = [
  ["a plain path", "Read(./.env)"],
  ["a name", "Read(.env)"],
  ["a pattern", "Read(**/.e*)"],
  ["another case", "Read(.ENV)"],
  ["from home", "Read(~/secret/**)"],
] as const;
const EDIT_RULES = [
  ["a folder", "Edit(./src/**)"],
  ["a file", "Edit(./src/a.ts)"],
  ["a pattern", "Edit(**/*.ts)"],
  ["everything", "Edit(./**)"],
  ["a bare rule", "Edit"],
] as const;
/** `npm test` tries every other rule, under one of the two. */
const isQuick = (at: number, kind: (typeof KINDS)[number]) => at % 4 === 2 * KINDS.indexOf(kind);

describe.each(KINDS)("rules about paths, under %s", (kind) => {
  test("the control: without rules, programs read and write both", async () => {
    await using at = await ruledPlace({ kind, files: { ".env": SECRET, "src/a.ts": "mine" } });
    expect((await at.run(PYTHON_READS)).out).toContain(SECRET);
    await at.run(PYTHON_WRITES);
    expect(await at.project.read("src/a.ts")).toBe("evil");
  });

  const isNotRead = async (rule: string) => {
    await using at = await ruledPlace({
      kind,
      deny: [rule],
      files: { ".env": SECRET, other: "plain" },
      homeFiles: { "secret/deep/x": SECRET },
    });
    const script = rule.includes("~")
      ? "cat $HOME/secret/deep/x; ls $HOME/secret"
      : `${PYTHON_READS}; cp .env x; cat x`;
    expect((await at.run(`${script}; cat other`)).out).toEndWith("plain");
    expect((await at.run(script)).out).not.toContain("hunter2");
    expect(at.outside("cat .env $HOME/secret/deep/x").out).toBe(SECRET + SECRET);
  };

  for (const [at, [name, rule]] of READ_RULES.entries())
    testOrDeep(isQuick(at, kind))(`what must not be read can't be: ${name}`, () => isNotRead(rule));

  const isNotChanged = async (rule: string) => {
    await using at = await ruledPlace({ kind, deny: [rule], files: { "src/a.ts": "mine", "src/b/c.ts": "mine" } });
    await at.run(`${PYTHON_WRITES}; rm -rf src/a.ts; mv src moved; mv src/a.ts src/z; ln -sf /etc/passwd src/a.ts`);
    expect(await at.project.read("src/a.ts")).toBe("mine");
    expect((await at.run("cat src/a.ts")).out).toBe("mine");
  };

  for (const [at, [name, rule]] of EDIT_RULES.entries())
    testOrDeep(isQuick(at, kind))(`what must not be changed can't be: ${name}`, () => isNotChanged(rule));

  test("a path that is missing so far is moved aside when it appears, and the rule is named", async () => {
    await using at = await ruledPlace({
      kind,
      deny: ["Edit(./src/gen/**)", "Edit(**/*.gen.ts)"],
      files: { "src/a.ts": "mine", plain: "" },
    });
    const { changes } = await at.tell(
      "mkdir src/gen; echo evil > src/gen/x; echo evil > src/b.gen.ts; echo ok > src/c.ts",
    );
    expect(at.outside("find . -type f | grep -v set-aside | sort").out).toBe("./plain\n./src/a.ts\n./src/c.ts\n");
    expect(changes.map((line) => /the rule (\S+) forbids it/.exec(line)?.[1]).sort()).toEqual([
      "Edit(**/*.gen.ts)",
      "Edit(./src/gen/**)",
    ]);
  });

  test("a file that appears under a deny rule for reading is hidden from the next command on", async () => {
    await using at = await ruledPlace({ kind, deny: ["Read(**/*.pem)"], files: { "a/x": "" } });
    expect((await at.run("cat a/new.pem; cat a/x")).out).not.toContain("hunter2");
    writeFileSync(at.project.path("a/new.pem"), SECRET);
    expect((await at.run("cat a/new.pem")).out).not.toContain("hunter2");
  });

  test("a path of an ask rule is closed, except to an allowed command that names the path", async () => {
    await using at = await ruledPlace({
      kind,
      ask: ["Read(./notes.txt)", "Edit(./migrations/**)"],
      files: { "notes.txt": SECRET, "migrations/1.sql": "mine", x: "" },
    });
    const notes = { action: "read", path: at.project.path("notes.txt") } as const;
    const migration = { action: "write", path: at.project.path("migrations/2.sql") } as const;
    const script = "cat notes.txt; echo new > migrations/2.sql";
    expect((await at.tell(script)).out).not.toContain("hunter2");
    expect(existsSync(at.project.path("migrations/2.sql"))).toBe(false);
    const { out, changes } = await at.tell(script, [notes, migration]);
    expect(out).toBe(SECRET);
    expect(await at.project.read("migrations/2.sql")).toBe("new\n");
    expect(changes).toEqual([]);
    // A rule that allows reading does not allow changes.
    await at.tell("echo evil > migrations/1.sql", [{ ...migration, action: "read" }]);
    expect(await at.project.read("migrations/1.sql")).toBe("mine");
  });

  deepTest("the scan covers folders that builds and package managers wrote", async () => {
    await using at = await ruledPlace({
      kind,
      deny: ["Read(**/*.pem)", "Edit(**/*.sql)"],
      files: {
        "target/debug/a.pem": SECRET,
        "vendor/lib/node_modules/y/b.pem": SECRET,
        "node_modules/x/c.pem": SECRET,
        ".venv/lib/d.pem": SECRET,
        "dist/db/a.sql": "mine",
        other: "plain",
      },
    });
    const script =
      "cat target/debug/*.pem vendor/lib/node_modules/y/*.pem node_modules/x/*.pem .venv/lib/*.pem; cat other";
    expect((await at.run(script)).out).toEndWith("plain");
    expect((await at.run(script)).out).not.toContain("hunter2");
    await at.run("echo evil > dist/db/a.sql");
    expect(await at.project.read("dist/db/a.sql")).toBe("mine");
  });

  test("a rule that comes while the session runs counts for the next command", async () => {
    await using at = await ruledPlace({ kind, files: { "a/b/x.key": SECRET, y: "" } });
    expect((await at.run("cat a/b/x.key")).out).toBe(SECRET);
    at.change({ deny: ["Read(**/*.key)"] });
    expect((await at.run("cat a/b/x.key")).out).not.toContain("hunter2");
    at.change({});
    expect((await at.run("cat a/b/x.key")).out).toBe(SECRET);
  });

  test("a failure names the rule; one that asks says how to be asked", async () => {
    await using at = await ruledPlace({
      kind,
      deny: ["Edit(./src/**)"],
      ask: ["Edit(./migrations/**)"],
      files: { "src/a.ts": "mine", "migrations/1.sql": "mine" },
    });
    await at.run("true");
    const explain = (output: string) => at.sandbox.explainFailure(output);
    expect(explain("bash: src/a.ts: Read-only file system")).toBe(
      "In the sandbox the rule Edit(./src/**) keeps commands from changing src.",
    );
    expect(explain("can't write migrations/2.sql")).toContain("Edit(./migrations/**)");
    expect(explain("can't write migrations/2.sql")).toContain("dangerouslyDisableSandbox");
  });
});

describe("rules about paths, under bubblewrap", () => {
  test("a link that a rule means keeps its target from being read or changed", async () => {
    await using at = await ruledPlace({
      deny: ["Read(./.env)", "Edit(./conf)"],
      files: { "deep/env": SECRET, "deep/conf": "mine" },
    });
    symlinkSync("deep/env", at.project.path(".env"));
    symlinkSync("deep/conf", at.project.path("conf"));
    expect((await at.run("cat .env deep/env; echo evil > deep/conf; rm conf; echo evil > conf")).out).not.toContain(
      "hunter2",
    );
    expect(await at.project.read("conf")).toBe("mine");
  });

  test("a tracked file can't be committed as if it was emptied", async () => {
    await using at = await ruledPlace({
      git: true,
      deny: ["Read(./keys/**)", "Read(./token)", "Read(./.env)"],
      files: { "keys/a": SECRET, token: SECRET, ".env": SECRET, x: "1", ".gitignore": ".env\n" },
    });
    at.outside("git add keys token x; git commit -qm one");
    const { out } = await at.run(
      "echo 2 > x; git commit -qam two; git add -A; git commit -qm three; cat .env; echo end",
    );
    expect(out).not.toContain("hunter2");
    // A file that git ignores is empty inside, so that programs that read it start.
    expect(out).toEndWith("end\n");
    expect(out).not.toContain(".env: Permission denied");
    at.outside("git checkout -q -f HEAD");
    expect(at.outside("git show HEAD:keys/a HEAD:token").out).toBe(SECRET + SECRET);
  });

  test("a hidden file that git neither tracks nor ignores is not committed as an empty file", async () => {
    await using at = await ruledPlace({
      git: true,
      deny: ["Read(./.env)", "Read(*.pem)", "Read(./old)"],
      files: { ".env": SECRET, "deep/k.pem": SECRET, "out/k.pem": SECRET, old: SECRET, x: "1", ".gitignore": "out/\n" },
    });
    at.outside("git add old x .gitignore; git commit -qm one; git rm -q --cached old; git commit -qm two");
    const { out } = await at.run(
      "echo 2 > x; git add -A; git add .; git commit -qm bad; git add x; git commit -qm three",
    );
    expect(out).toContain(".env");
    expect((await at.run("cat out/k.pem && echo empty; cat .env")).out).toMatch(/empty\n.*\.env: Permission denied/);
    expect(at.outside("git ls-files; git log -1 --format=%s").out).toBe(".gitignore\nx\nthree\n");
  });

  test("a tracked file that a confined checkout can't create is not committed as deleted", async () => {
    await using at = await ruledPlace({
      git: true,
      deny: ["Read(./keys/**)"],
      files: { "keys/a": SECRET, x: "1" },
    });
    at.outside(`touch -d '1 hour ago' keys/a x; git add -A; git commit -qm one; git checkout -qb more; echo b > keys/b
      git add -A; git commit -qm more; git checkout -q main`);
    await at.run("git checkout -q more");
    await at.run("echo 2 > x; git commit -qam two; git add -A; git commit -qm three; git add x; git commit -qm four");
    expect(at.outside("git show HEAD:keys/b HEAD:keys/a; git log -1 --format=%s").out).toBe(`b\n${SECRET}four\n`);
  });

  test("a tracked file that a rule hides looks unchanged to git, and other files can be added and committed", async () => {
    const warned: string[] = [];
    await using at = await ruledPlace({
      git: true,
      deny: ["Read(./keys/**)", "Read(./token)", "Read(*.pem)"],
      files: { "keys/a": SECRET, "keys/deep/run": SECRET, token: SECRET, "src/k.pem": SECRET, "src/x": "1", y: "1" },
      deps: { onNotice: (line) => warned.push(line) },
    });
    at.outside(`chmod +x keys/deep/run; find . -path ./.git -prune -o -type f -exec touch -d '1 hour ago' {} +
      git add -A; git commit -qm one`);
    const { out } = await at.run(`git status --short; git diff; echo 2 > src/x; git status --short
      git add src/x && git commit -qm two; echo 2 > y; git add -A && git commit -qam three; git stash list; git status --short
      cat keys/a token src/k.pem keys/deep/run 2>&1 | grep -c 'Permission denied'; git log --format=%s`);
    expect(out).toBe(" M src/x\n4\nthree\ntwo\none\n");
    expect(at.outside("git show HEAD:keys/a HEAD:token HEAD:src/k.pem HEAD:keys/deep/run").out).toBe(SECRET.repeat(4));
    expect(at.outside("git status --short; git diff --name-only HEAD~2").out).toBe("src/x\ny\n");
    // The person is told once about the way that stays open.
    expect(warned.filter((line) => line.includes(".git/objects"))).toHaveLength(1);
  });

  test("a tracked file that a rule hides looks unchanged to git after a clone, and a change in the same second stays one", async () => {
    await using at = await ruledPlace({
      git: true,
      deny: ["Read(./keys/**)"],
      files: { "keys/a": SECRET, x: "1", y: "1" },
    });
    // A clone writes the files and the index in one second.
    at.outside(`git add -A; git commit -qm one; find keys x y .git/index -exec touch -d '10 seconds ago' {} +
      git update-index --refresh; touch -d '10 seconds ago' .git/index`);
    const { out } = await at.run(
      "git status --short; echo 2 > x; git add -A && git commit -qm two; git status --short",
    );
    expect(out).toBe("");
    expect(at.outside("git show HEAD:keys/a; git diff --name-only HEAD~1").out).toBe(`${SECRET}x\n`);

    at.outside(`git update-index --refresh; echo 3 > y; touch -r keys/a y; git update-index y; echo 4 > y
      touch -r keys/a y .git/index`);
    expect((await at.run("git status --short y")).out).toBe("MM y\n");
  });

  test("a hidden file with changes of the person stays changed for git, and is never recorded", async () => {
    await using at = await ruledPlace({
      git: true,
      deny: ["Read(./keys/**)", "Read(./token)"],
      files: { "keys/a": SECRET, token: SECRET, x: "1" },
    });
    at.outside("touch -d '1 hour ago' keys/a token x; git add -A; git commit -qm one; echo longer >> keys/a; rm token");
    const { out } = await at.run(
      "git status --short; echo 2 > x; git add x; git commit -qm two; git commit -qam three; git add -A; git show --stat --format=",
    );
    expect(out).toContain(" M keys/a\n");
    expect(at.outside("git show HEAD:keys/a").out).toBe(SECRET);
    expect(await at.project.read("keys/a")).toBe(`${SECRET}longer\n`);
  });

  test("git's objects can be closed too: programs then read no tracked file that a rule hides", async () => {
    await using at = await ruledPlace({
      git: true,
      deny: ["Read(./token)"],
      files: { token: SECRET, x: "1" },
    });
    at.outside("git add -A; git commit -qm one");
    const read =
      "git show HEAD:token; git cat-file -p HEAD:token; git log -p; git archive HEAD; git bundle create b HEAD";
    expect((await at.run(read)).out).toContain("hunter2");
    const warned: string[] = [];
    await using closed = await ruledPlace({
      git: true,
      deny: ["Read(./token)", "Read(./.git/objects/**)"],
      files: { token: SECRET, x: "1" },
      deps: { onNotice: (line) => warned.push(line) },
    });
    closed.outside("git add -A; git commit -qm one; git gc -q; git tag t");
    const { out } = await closed.run(`${read}; find . -type f | xargs cat | python3 -c '
import sys, zlib
data = sys.stdin.buffer.read()
for at in range(len(data)):
    try: print(zlib.decompressobj().decompress(data[at:]))
    except zlib.error: pass'`);
    expect(out).not.toContain("hunter2");
    expect(warned.filter((line) => line.includes(".git/objects"))).toEqual([]);
  });

  deepTest("hooks further down stay closed in a folder that an ask rule has opened", async () => {
    await using at = await ruledPlace({ ask: ["Edit(pack*/**)"], files: { "packages/a/x": "1" } });
    at.outside("git init -q packages/a");
    const named = [{ action: "write", path: at.project.path("packages/a/x") }] as const;
    await at.tell("echo 2 > packages/a/x; echo evil > packages/a/.git/hooks/pre-commit", named);
    expect(await at.project.read("packages/a/x")).toBe("2\n");
    expect(existsSync(at.project.path("packages/a/.git/hooks/pre-commit"))).toBe(false);
  });

  const person = (reply: Reply) => {
    const asked: string[] = [];
    const asker: Asker = {
      canAsk: true,
      ask: async (question) => {
        const { reason } = newPartsOf(question);
        asked.push(reason);
        return reply;
      },
    };
    return { asker, asked };
  };

  eachOrDeep(
    "%s is asked about once a session, with the rule and the numbers",
    2,
    [
      ["a wildcard outside the workspace", "Read(~/**/*.key)", () => undefined, "outside the workspace"],
      [
        "more folders than are looked into",
        "Read(.env)",
        (dir: string) => {
          for (let n = 0; n < 1_100; n += 1) mkdirSync(`${dir}/d${n}`);
        },
        "more than 1000 folders",
      ],
      [
        "more rule matches than can be mounted",
        "Read(*.pem)",
        (dir: string) => {
          for (let n = 0; n < 510; n += 1) writeFileSync(`${dir}/${n}.pem`, "");
        },
        "510 paths and only 500 are mounted",
      ],
    ] as const,
    async (_, rule, prepare, reason) => {
      const { asker, asked } = person({ decision: "once" });
      await using at = await ruledPlace({ deny: [rule], deps: { asker } });
      prepare(at.project.dir);
      for (const _run of [1, 2]) expect((await at.run("echo ran")).out).toBe("ran\n");
      expect(asked).toHaveLength(1);
      expect(asked[0]).toContain(reason);
    },
  );

  const manyPackages = (dir: string) => {
    for (let n = 0; n < 1_100; n += 1) mkdirSync(`${dir}/node_modules/p${n}`, { recursive: true });
  };

  eachOrDeep(
    "many packages are no gap of %s, which means nothing there",
    1,
    ["Read(./.env)", "Read(~/notes/**)", "Read(./src/**/*.pem)", "Edit(**/*.lock)"],
    async (rule) => {
      const { asker, asked } = person({ decision: "once" });
      await using at = await ruledPlace({ deny: [rule], deps: { asker }, files: { "src/a": "" } });
      manyPackages(at.project.dir);
      expect((await at.run("echo ran")).out).toBe("ran\n");
      expect(asked).toEqual([]);
    },
  );

  deepTest("many packages are a gap of a rule that may mean files in them", async () => {
    const { asker, asked } = person({ decision: "once" });
    await using at = await ruledPlace({ deny: ["Read(**/*.pem)"], deps: { asker } });
    manyPackages(at.project.dir);
    for (const _run of [1, 2]) expect((await at.run("echo ran")).out).toBe("ran\n");
    expect(asked).toEqual([expect.stringMatching(/^Node_modules has more than 1000 folders/)]);
  });

  test("where nobody can answer in a session nothing runs, and the refusal names the rule and the way out", async () => {
    const asker: Asker = { canAsk: false, ask: async () => ({ decision: "reject" }) };
    await using at = await ruledPlace({ deny: ["Read(~/**/*.key)"], deps: { asker } });
    const refused = await at.run("touch made").catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(UnansweredError);
    const { decidedBy } = (refused as UnansweredError).refusal;
    expect(decidedBy).toMatchObject({ kind: "sandbox", rule: "Read(~/**/*.key)" });
    expect(decidedBy.reason).toContain("narrower rule");
    expect(readdirSync(at.project.dir)).toEqual([]);
  });

  deepTest("where nobody can answer, many packages stop no command: one line tells of them", async () => {
    const told: string[] = [];
    const asker: Asker = { canAsk: false, ask: async () => ({ decision: "reject" }) };
    const deps = { asker, onNotice: (line: string) => void told.push(line) };
    await using at = await ruledPlace({ deny: ["Read(**/*.pem)"], deps });
    manyPackages(at.project.dir);
    for (const _run of [1, 2]) expect((await at.run("echo ran")).out).toBe("ran\n");
    expect(told).toEqual([expect.stringContaining("node_modules has more than 1000 folders")]);
  });

  deepTest("a no to that runs nothing; outside of a session one line tells it", async () => {
    const { asker } = person({ decision: "reject" });
    await using at = await ruledPlace({ deny: ["Read(~/**/*.key)"], deps: { asker } });
    const refused = at.run("touch made");
    expect(refused).rejects.toThrow("Read(~/**/*.key)");
    await refused.catch(() => undefined);
    expect(readdirSync(at.project.dir)).toEqual([]);
    const told: string[] = [];
    await using alone = await ruledPlace({
      deny: ["Read(~/**/*.key)"],
      deps: { onNotice: (line) => told.push(line) },
    });
    for (const _run of [1, 2]) await alone.run("true");
    expect(told).toHaveLength(1);
  });

  deepTest("a command in the background keeps what was closed to it, and the next one is not stopped", async () => {
    await using at = await ruledPlace({
      deny: ["Read(./.env)", "Edit(./src/**)"],
      files: { ".env": SECRET, "src/a": "1" },
    });
    const { spawn, confined } = await at.start("touch ready; while [ ! -e stop ]; do sleep 0.01; done", {
      isBackground: true,
    });
    await until(() => existsSync(at.project.path("ready")));
    expect((await at.run("cat .env; echo 2 > src/a; cat src/a")).out).toEndWith("1");
    at.outside("touch stop");
    await spawn.exited;
    await confined.dispose();
  });
});

describe.each(KINDS)("files that one run may not read, under %s", (kind) => {
  test("a search finds nothing in them, and the next run reads them again", async () => {
    await using at = await sandboxPlace({
      kind,
      files: { ".env": SECRET, "deep/er/a/b/c/d/k.pem": SECRET, "a.txt": "hunter2 plain" },
    });
    const hidden = [".env", "deep/er/a/b/c/d/k.pem", "missing"].map((name) => `${at.project.dir}/${name}`);
    const search = async (more: Parameters<typeof at.start>[1]) => {
      const { spawn, confined, output } = await at.start("grep -rl hunter2 . 2>/dev/null | sort", more);
      await spawn.exited;
      await confined.dispose();
      return output().trim().split("\n");
    };
    expect(await search({ hidden })).toEqual(["./a.txt"]);
    expect(await search({})).toEqual(["./.env", "./a.txt", "./deep/er/a/b/c/d/k.pem"]);
    expect(await at.project.read(".env")).toBe(SECRET);
  });
});

deepTest("a file that an ask rule let one command make is not moved aside for another running command", async () => {
  await using at = await ruledPlace({ ask: ["Edit(**/*.sql)"], files: { "m/1.sql": "mine" } });
  const { spawn, confined } = await at.start("touch ready; while [ ! -e stop ]; do sleep 0.01; done", {
    isBackground: true,
  });
  await until(() => existsSync(at.project.path("ready")));
  const made = at.project.path("m/2.sql");
  expect((await at.tell("echo new > m/2.sql", [{ action: "write", path: made }])).changes).toEqual([]);
  expect((await at.tell("echo evil > m/3.sql")).changes).toHaveLength(1);
  at.outside("touch stop");
  await spawn.exited;
  await confined.dispose();
  expect(
    readdirSync(at.project.path("m"))
      .filter((name) => !name.includes("set-aside"))
      .sort(),
  ).toEqual(["1.sql", "2.sql"]);
});
