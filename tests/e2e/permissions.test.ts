import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { reply, text, toolUse } from "@quoll/model-twin/scenario";
import { deepTest } from "../support/deep.ts";
import { linesOf } from "../support/lines-of.ts";
import { quollPlace } from "../support/quoll-process.ts";

setDefaultTimeout(60_000);

const bash = (command: string, more: object = {}) => toolUse("Bash", { command, description: "A step", ...more });
const PROJECT_ALLOWS = { ".quoll/settings.json": '{\n  "permissions": {\n    "allow": ["Bash(touch *)"]\n  }\n}\n' };

describe("trust without a person", () => {
  test.concurrent("allow rules of a project's file are ignored, and one line names file and line", async () => {
    await using place = await quollPlace({
      files: PROJECT_ALLOWS,
      scenario: [reply([bash("touch made")]), reply("Done.")],
    });
    const { code, err } = await place.run(["-p", "go"]);
    expect(code).toBe(4);
    expect(existsSync(join(place.project.dir, "made"))).toBe(false);
    expect(err).toContain("is not trusted, so 1 setting is ignored: allows Bash(touch *) without asking");
    expect(err).toContain("settings.json:3");
    expect(err).toContain("--trust");
  });

  deepTest("--trust takes it for the run, and nothing is written down", async () => {
    const twice = [reply([bash("touch made")]), reply("Done.")];
    await using place = await quollPlace({ files: PROJECT_ALLOWS, scenario: twice });
    expect(await place.run(["-p", "go", "--trust"])).toMatchObject({ code: 0, err: "" });
    expect(existsSync(join(place.project.dir, "made"))).toBe(true);
    expect(place.ownFiles().filter(([path]) => path.includes("trusted"))).toEqual([]);
  });

  deepTest("git is asked for in a folder that is not trusted, and free in one that is", async () => {
    await using place = await quollPlace();
    const status = ["permissions", "explain", "git status"];
    const { out } = await place.run(status);
    expect(linesOf(out)[0]).toBe("ask: Bash git status");
    expect(out).toContain("the folder is not trusted, so `git status` is asked");
    expect(linesOf((await place.run([...status, "--trust"])).out)[0]).toBe("allow: Bash git status");
  });
});

describe("rules that nothing can match", () => {
  test.concurrent("a deny rule of that kind stops the start with its line, and an allow rule is one line", async () => {
    const sandbox = { enabled: false };
    const touch = ["exec", "Bash", "--input", JSON.stringify({ command: "touch a secret1", description: "A step" })];
    const denied = { permissions: { allow: ["Bash(touch *)"], deny: ["Bash(touch:* secret*)"] }, sandbox };
    await using place = await quollPlace({ settings: denied });
    const stopped = await place.run(touch);
    expect([stopped.code, stopped.err]).toEqual([2, expect.stringContaining('"touch * secret*"')]);
    expect(stopped.err).toMatch(/settings\.json:\d+: the deny rule/);
    expect(existsSync(join(place.project.dir, "secret1"))).toBe(false);
    const allowed = { permissions: { allow: ["Bash(touch *)", "Bash(curl:* --data *)"] }, sandbox };
    await using other = await quollPlace({ settings: allowed });
    const ran = await other.run(touch);
    expect([ran.code, ran.err]).toEqual([0, expect.stringContaining("the rule Bash(curl:* --data *) allows nothing")]);
    expect((await other.run([...touch, "--disallowed-tools", "Bash(git:* push)"])).code).toBe(2);
  });
});

describe("options that take a program from elsewhere", () => {
  test.concurrent("a rule with a wildcard does not cover them, and a rule with exactly the command does", async () => {
    const calls = [
      "awk -f p.awk a",
      "sed -f s.sed a",
      "vim -c q a",
      "jq -f p.jq a",
      "make -f other.mk",
      "gcc -B./x a.c",
    ];
    const wild = calls.map((call) => `Bash(${call.split(" ")[0]} *)`);
    const test = async (allow: readonly string[], expect: string) => {
      await using place = await quollPlace({
        settings: { permissions: { allow }, sandbox: { enabled: false } },
        files: { "table.json": JSON.stringify(calls.map((call) => ({ call, expect }))), a: "", "a.c": "" },
      });
      return await place.run(["permissions", "test", "table.json", "--trust"]);
    };
    expect((await test(wild, "ask")).out).toContain("6 passed, 0 failed");
    expect(
      (
        await test(
          calls.map((call) => `Bash(${call})`),
          "allow",
        )
      ).out,
    ).toContain("6 passed, 0 failed");
  });
});

describe("quoll permissions", () => {
  const RULES = {
    permissions: { deny: ["Read(./secret/**)"], ask: ["Bash(git push *)"], allow: ["Bash(npm test *)"] },
  };
  const settings = { ...RULES, sandbox: { enabled: false } };

  test("list names each rule with its file and line", async () => {
    await using place = await quollPlace({ settings });
    const { code, out } = await place.run(["permissions", "list", "--json"]);
    expect(code).toBe(0);
    const file = expect.stringContaining("settings.json:1");
    expect(JSON.parse(out)).toMatchObject([
      { decision: "deny", rule: "Read(./secret/**)", source: file },
      { decision: "ask", rule: "Bash(git push *)", source: file },
      { decision: "allow", rule: "Bash(npm test *)", source: file },
    ]);
  });

  deepTest("explain takes an address for WebFetch and arguments for a skill, and no mistyped tool", async () => {
    const allow = ["WebFetch(domain:example.com)", "Skill(deploy *)"];
    await using place = await quollPlace({ settings: { permissions: { allow } } });
    const verdict = async (call: string) => linesOf((await place.run(["permissions", "explain", call])).out)[0];
    expect(await verdict("WebFetch(https://example.com:8443/a?b=c)")).toStartWith("allow: WebFetch");
    expect(await verdict("WebFetch(domain:example.com)")).toStartWith("allow: WebFetch");
    expect(await verdict("WebFetch(https://example.org/)")).toStartWith("ask: WebFetch");
    expect(await verdict("Skill(deploy prod)")).toStartWith("allow: Skill");
    expect(await verdict("Skill(deployx prod)")).toStartWith("ask: Skill");
    const mistyped = await place.run(["permissions", "explain", "Bsah(npm test)"]);
    expect([mistyped.code, mistyped.err]).toEqual([
      2,
      "quoll: Bsah(npm test) is not a call: it names an unknown tool (did you mean Bash?).\n",
    ]);
  });

  deepTest("a rule that names no tool ends the start with file, line and the nearest name", async () => {
    await using place = await quollPlace({ settings: { permissions: { deny: ["Bsh(rm *)"] } } });
    const { code, err } = await place.run(["-p", "go"]);
    expect(code).toBe(2);
    expect(err).toContain(
      'settings.json:1: the deny rule "Bsh(rm *)" is invalid: it names an unknown tool (did you mean Bash?).',
    );
  });

  deepTest("explain says which part no rule covers, and what would change it", async () => {
    await using place = await quollPlace({ settings });
    const { out } = await place.run(["permissions", "explain", "npm test && make install"]);
    expect(out).toContain("allow rule Bash(npm test *)");
    expect(out).toContain("settings.json:1");
    expect(out).toContain("no rule covers `make install`");
    expect(out).toContain("Bash(make install)");
  });

  test.concurrent("test checks a table: exit 0 when all hold, 1 with the reasons when one does not, 2 when it is none", async () => {
    const row = (call: string, expected: string) => ({ call, expect: expected });
    const good = [row("Bash(npm test)", "allow"), row("git push origin", "ask"), row("Read(secret/a)", "deny")];
    const files = {
      "good.json": JSON.stringify(good),
      "bad.json": JSON.stringify([
        ...good,
        row("make", "allow"),
        { ...row("Edit(a.txt)", "allow"), mode: "acceptEdits" },
      ]),
      "none.json": '{"call": 1}',
    };
    await using place = await quollPlace({ files, settings });
    expect(await place.run(["permissions", "test", "good.json"])).toEqual({
      code: 0,
      out: "3 passed, 0 failed\n",
      err: "",
    });
    const bad = await place.run(["permissions", "test", "bad.json"]);
    expect(bad.code).toBe(1);
    expect(bad.out).toContain("✗ make: expected allow, is ask");
    expect(linesOf(bad.out).at(-1)).toBe("4 passed, 1 failed");
    expect((await place.run(["permissions", "test", "none.json"])).code).toBe(2);
    expect((await place.run(["permissions", "test", "missing.json"])).code).toBe(2);
  });

  deepTest("a broken rule ends the start with its file and line, and so does an example that fails", async () => {
    await using place = await quollPlace({ settings: { permissions: { deny: ["Bash(ls"] } } });
    const broken = await place.run(["permissions", "list"]);
    expect(broken.code).toBe(2);
    expect(broken.err).toMatch(/settings\.json:1: the deny rule "Bash\(ls" is invalid/);
    await using other = await quollPlace({
      settings: { permissions: { allow: [{ rule: "Bash(ls *)", match: ["lsof"] }] } },
    });
    const failing = await other.run(["permissions", "list"]);
    expect(failing.code).toBe(2);
    expect(failing.err).toContain("lsof");
  });
});

describe("faults of the place", () => {
  deepTest("settings that change while it runs neither widen nor break anything", async () => {
    await using place = await quollPlace({
      scenario: [reply([bash("true")]), reply([bash("touch made")]), reply("Done.")],
      settings: { permissions: { deny: ["Bash(touch *)"], allow: ["Bash(true)"] }, sandbox: { enabled: false } },
    });
    const file = join(place.home.dir, "own", "config", "settings.json");
    const running = place.run(["-p", "go"]);
    writeFileSync(file, '{"permissions": {"allow": ["Bash"');
    const { code } = await running;
    writeFileSync(file, '{"permissions": {"allow": ["Bash"]}}');
    // Read before the change it holds; read in the middle of it the start ends.
    expect([0, 2]).toContain(code);
    expect(existsSync(join(place.project.dir, "made"))).toBe(false);
  });

  deepTest(
    "a folder for Quoll's own files that can't be written is an error or a question, never an allow",
    async () => {
      await using place = await quollPlace({
        files: { file: "x" },
        scenario: [reply([bash("touch made")]), reply("Done.")],
      });
      const env = { QUOLL_HOME: join(place.project.dir, "file", "below") };
      await place.run(["-p", "go", "--no-session-persistence"], { env });
      expect(existsSync(join(place.project.dir, "made"))).toBe(false);
    },
  );
});

describe("secrets", () => {
  const KEY = ["ghp", "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"].join("_");

  test.concurrent("a credential in a file reaches neither the model nor the session, and an edit puts it back", async () => {
    let mark = "";
    const scenario = (request: { body: unknown }, index: number) => {
      const found = /\[\[SECRET:[^\]]+\]\]/.exec(JSON.stringify(request.body))?.[0];
      if (found !== undefined) mark = found;
      if (index === 0) return reply([toolUse("Read", { file_path: "config.txt" })]);
      if (index === 1)
        return reply([
          toolUse("Edit", { file_path: "config.txt", old_string: `key=${mark}`, new_string: `api_key=${mark}` }),
        ]);
      return reply("Done.");
    };
    await using place = await quollPlace({
      files: { "config.txt": `token: x\nkey=${KEY}\n` },
      scenario: scenario as never,
    });
    const { code } = await place.run(["-p", "go", "--permission-mode", "acceptEdits"]);
    expect({ code, mark: mark.slice(0, 9) }).toEqual({ code: 0, mark: "[[SECRET:" });
    expect(readFileSync(join(place.project.dir, "config.txt"), "utf8")).toBe(`token: x\napi_key=${KEY}\n`);
    expect(JSON.stringify(place.sent())).not.toContain(KEY);
    expect(JSON.stringify(place.sessionEntries())).not.toContain(KEY);
  });

  test.concurrent("commands don't inherit credentials, a failing one says what was withheld, env.pass gives them", async () => {
    const command = "set -u; : $GH_TOKEN";
    const scenario = [reply([bash(command)]), reply("Done.")];
    const allow = { permissions: { allow: ["Bash(set -u)", "Bash(: *)"] }, sandbox: { enabled: false } };
    await using place = await quollPlace({ scenario, settings: allow });
    await place.run(["-p", "go"], { env: { GH_TOKEN: KEY } });
    expect(JSON.stringify(place.sent().at(-1))).toMatch(/Withheld from this command: [A-Z_, ]*GH_TOKEN/);
    await using giving = await quollPlace({ scenario, settings: { ...allow, env: { pass: ["GH_TOKEN"] } } });
    await giving.run(["-p", "go"], { env: { GH_TOKEN: KEY } });
    expect(JSON.stringify(giving.sent().at(-1))).toMatch(/\[exit code 0[ \]]/);
  });
});

describe("plan mode", () => {
  deepTest("with nobody to agree the plan stays a plan, and nothing is changed", async () => {
    await using place = await quollPlace({
      scenario: [
        reply([bash("touch made")]),
        reply([toolUse("ExitPlanMode", { plan: "# Plan\n\n1. Make a file." })]),
        reply([bash("touch made")]),
        reply([text("The plan: make a file.")]),
      ],
    });
    await place.run(["-p", "go", "--permission-mode", "plan", "--allowed-tools", "Bash(touch *)"]);
    expect(existsSync(join(place.project.dir, "made"))).toBe(false);
    expect(JSON.stringify(place.sent().at(-1))).toContain("Nobody can approve the plan");
  });
});

describe("auto mode", () => {
  /** The judge is asked without tools; the conversation has them. */
  const judgedBy = (...verdicts: readonly string[]) => {
    const left = [...verdicts];
    let step = 0;
    return ({ body }: { body: { tools?: readonly unknown[] } }) => {
      if ((body.tools ?? []).length === 0) return reply(left.shift() ?? "what?");
      step += 1;
      return step === 1 ? reply([bash("touch made")]) : reply("Done.");
    };
  };

  test.concurrent("a call that the judge allows runs unasked; it was shown the call and the person's words alone", async () => {
    await using place = await quollPlace({ scenario: judgedBy("yes") as never });
    const { code } = await place.run([
      "-p",
      "make a file please",
      "--permission-mode",
      "auto",
      "--output-format",
      "json",
    ]);
    expect({ code, made: existsSync(join(place.project.dir, "made")) }).toEqual({ code: 0, made: true });
    const [, question] = place.sent();
    const shown = JSON.stringify(question);
    expect(shown).toContain("touch made");
    expect(shown).toContain("make a file please");
    expect(shown).not.toContain("<environment>");
  });

  deepTest("the model learns of a no with its reason; an unusual answer means ask, and nobody can answer", async () => {
    await using place = await quollPlace({
      scenario: judgedBy("no", "It makes a file.\nVERDICT: no: not asked for") as never,
    });
    await place.run(["-p", "look around", "--permission-mode", "auto"]);
    expect(existsSync(join(place.project.dir, "made"))).toBe(false);
    expect(JSON.stringify(place.sent().at(-1))).toContain("not asked for");
    await using odd = await quollPlace({ scenario: judgedBy("Sure, why not") as never });
    expect((await odd.run(["-p", "look around", "--permission-mode", "auto"])).code).toBe(4);
    expect(existsSync(join(odd.project.dir, "made"))).toBe(false);
  });

  deepTest("can be forbidden, and is unavailable without a model", async () => {
    await using place = await quollPlace({
      scenario: [reply("Hi.")],
      settings: { permissions: { disableAutoMode: "disable" } },
    });
    expect((await place.run(["-p", "hi", "--permission-mode", "auto"])).code).toBe(2);
  });
});

describe("quoll sandbox", () => {
  deepTest("status says how commands are confined, run confines one, doctor finds no problem", async () => {
    await using place = await quollPlace({ settings: {} });
    expect((await place.run(["sandbox", "status"])).out).toMatch(/^on: /);
    const outside = join(place.home.dir, "outside");
    const run = await place.run([
      "sandbox",
      "run",
      "--",
      "sh",
      "-c",
      `echo in > inside; echo out > ${outside}; exit 7`,
    ]);
    expect(run.code).toBe(7);
    expect(readFileSync(join(place.project.dir, "inside"), "utf8")).toBe("in\n");
    expect(existsSync(outside)).toBe(false);
    expect((await place.run(["sandbox", "doctor"])).code).toBe(0);
  });

  test.concurrent("mode acceptEdits covers commands in it that only write in the workspace, and no others", async () => {
    const asked = [
      "sed -i -e 's/a/b/w out' a",
      "sed -i 's/a/b/e' a",
      "rm a",
      "mkdir /usr/b",
      "touch .mcp.json",
      "make",
      "echo x > b",
    ];
    const covered = ["mkdir -p b/c && touch b/c/d", "mv a b", "cp a b", "sed -i 's/x y/z/' a"];
    const rows = [
      ...asked.map((call) => ({ call, expect: "ask" })),
      ...covered.map((call) => ({ call, expect: "allow" })),
    ];
    await using place = await quollPlace({
      files: { a: "x y\n", "table.json": JSON.stringify(rows) },
      settings: {},
    });
    const { code, out } = await place.run(["permissions", "test", "table.json", "--permission-mode", "acceptEdits"]);
    expect({ code, out }).toEqual({ code: 0, out: `${rows.length} passed, 0 failed\n` });
  });

  test.concurrent("where settings agree, a command in it needs no question; what is denied or destroys for good still does", async () => {
    await using place = await quollPlace({
      settings: { sandbox: { autoAllowBashIfSandboxed: true }, permissions: { deny: ["Bash(mkfifo *)"] } },
      scenario: [
        reply([bash("touch made"), bash("mkfifo pipe"), bash("npm publish"), bash("touch ../beside")]),
        reply([bash("touch other", { dangerouslyDisableSandbox: true })]),
        reply("Done."),
      ],
    });
    const { code } = await place.run(["-p", "go"]);
    expect(code).toBe(4);
    expect(["made", "pipe", "other", "../beside"].map((name) => existsSync(join(place.project.dir, name)))).toEqual([
      true,
      false,
      false,
      false,
    ]);
    expect(statSync(join(place.project.dir, ".git")).isDirectory()).toBe(true);
    expect(existsSync(join(place.project.dir, ".mcp.json"))).toBe(false);
    expect(JSON.stringify(place.sent()[1])).toContain("destructiveGuard");
  });

  deepTest(
    "rules about paths hold for a program that no word tells of; an ask rule opens what a person allowed",
    async () => {
      await using place = await quollPlace({
        settings: {
          sandbox: { autoAllowBashIfSandboxed: true },
          permissions: { deny: ["Read(./.env)"], ask: ["Edit(./migrations/**)"] },
        },
        files: { ".env": "hunter2-the-secret", "migrations/1.sql": "mine" },
        scenario: [
          reply([bash(`python3 -c "print(open('.e' + 'nv').read())"`)]),
          reply([bash(`python3 -c "open('migrations/' + '1.sql', 'w').write('evil')"`)]),
          reply("Done."),
        ],
      });
      expect((await place.run(["-p", "go"])).code).toBe(0);
      expect(JSON.stringify(place.sent())).not.toContain("hunter2");
      expect(JSON.stringify(place.sent().at(-1))).toContain(
        "the rule Edit(./migrations/**) keeps commands from changing",
      );
      expect(await place.project.read("migrations/1.sql")).toBe("mine");
    },
  );
});
