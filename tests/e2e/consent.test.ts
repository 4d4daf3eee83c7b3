import { afterEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Options } from "@anthropic-ai/claude-agent-sdk";
import { reply, type Scenario, toolUse } from "@quoll/model-twin/scenario";
import { projectId } from "../../src/services/workspace/open-workspace.ts";
import { deepTest, eachOrDeep, longerInDeep, testOrDeep } from "../support/deep.ts";
import { linesOf } from "../support/lines-of.ts";
import { QUOLL, quollPlace } from "../support/quoll-process.ts";
import { runCommand } from "../support/run-command.ts";
import { ask, closeQueries, collect, resultOf } from "../support/sdk-client.ts";
import { terminalProcess } from "../support/terminal-process.ts";

setDefaultTimeout(60_000);
afterEach(closeQueries);

type Place = Awaited<ReturnType<typeof quollPlace>>;

const IDLE = "? for keys";
const CLOSED = { read: [], write: [], hosts: [], rules: [] };
const AGREED = { sandbox: { autoAllowBashIfSandboxed: true } };
const bash = (command: string) => toolUse("Bash", { command, description: "A step" });
/** A script that no table knows: it makes a file beside it. */
const FILES = { "build.sh": "echo built > built.txt\n", "a.txt": "A\n" };
const BUILD = bash("sh build.sh");

/** Each turn of the model makes one call of `calls`, then says that it is done. */
function turns(...calls: readonly ReturnType<typeof toolUse>[]): Scenario {
  let at = 0;
  return () => {
    at += 1;
    const call = calls[Math.floor((at - 1) / 2)];
    return at % 2 === 1 && call ? reply([call]) : reply("Done.");
  };
}

/** The user's own file for the project, below the home. */
const ownPath = (here: Place) => `own/config/projects/${projectId(here.project.dir)}.json`;
const isBuilt = (here: Place) => existsSync(here.project.path("built.txt"));

/** The content of the user's own file for the project; undefined if there is none. */
function ownFile(here: Place): { readonly sandbox?: { readonly agreed?: object } } | undefined {
  const folder = here.home.path("own/config/projects");
  const [name] = existsSync(folder) ? readdirSync(folder).filter((one) => one.endsWith(".json")) : [];
  return name === undefined ? undefined : JSON.parse(readFileSync(join(folder, name), "utf8"));
}

describe("a run without a person", () => {
  test.concurrent("runs no confined command without consent, in an untrusted folder", async () => {
    await using here = await quollPlace({
      files: FILES,
      settings: {},
      scenario: [reply([bash("rm a.txt"), BUILD]), reply("No.")],
    });
    const { code, err } = await here.run(["-p", "go"]);
    expect([code, existsSync(here.project.path("a.txt")), isBuilt(here)]).toEqual([4, true, false]);
    expect(linesOf(err).at(-1)).toMatch(
      /^quoll: .*--allowed-tools 'Bash\(rm a\.txt\),Bash\(sh build\.sh\)'\), add: --allow-sandboxed$/,
    );
  });

  deepTest("a CI script pastes the line that the refused run printed, and the next run does the work", async () => {
    const calls = () => [
      reply([BUILD, toolUse("Edit", { file_path: "a.txt", old_string: "A", new_string: "it's B" })]),
      reply("Done."),
    ];
    await using here = await quollPlace({
      files: {
        ...FILES,
        "ci.sh": [
          "set -u",
          `quoll() { ${QUOLL.map((word) => `'${word}'`).join(" ")} "$@"; }`,
          'quoll -p "read a.txt, build and edit" 2> first.log; code=$?',
          '[ "$code" -eq 4 ] || exit 10',
          "pasted=$(sed -n 's/^quoll: To allow this next time.*, add: //p' first.log)",
          '[ -n "$pasted" ] || exit 11',
          'eval "quoll -p go $pasted" 2> second.log',
        ].join("\n"),
      },
      settings: {},
      scenario: [
        reply([toolUse("Read", { file_path: "a.txt" })]),
        ...calls(),
        reply([toolUse("Read", { file_path: "a.txt" })]),
        ...calls(),
      ],
    });
    const { code } = await runCommand(["sh", "ci.sh"], {
      cwd: here.project.dir,
      env: here.environmentOf({}),
    });
    const logs = ["first.log", "second.log"].map((name) => readFileSync(here.project.path(name), "utf8"));
    expect({ code, second: logs[1] }).toEqual({ code: 0, second: "" });
    expect(logs[0]).toContain("add: --allow-sandboxed --allowed-tools 'Edit(/a.txt)'");
    expect([isBuilt(here), await here.project.read("a.txt")]).toEqual([true, "it's B\n"]);
    expect(here.refused()).toEqual([]);
  });

  deepTest("the user's own settings count, a false of the project outranks them, trusted or not", async () => {
    await using here = await quollPlace({ files: FILES, settings: AGREED, scenario: turns(BUILD, BUILD, BUILD) });
    expect([(await here.run(["-p", "go"])).code, isBuilt(here)]).toEqual([0, true]);
    await here.project.write(".quoll/settings.json", JSON.stringify({ sandbox: { autoAllowBashIfSandboxed: false } }));
    for (const flags of [[], ["--trust", "--allow-sandboxed"]]) {
      const { code, err } = await here.run(["-p", "go", ...flags]);
      expect(code).toBe(4);
      // Pasting the flag would not help.
      expect(err).not.toContain("--allow-sandboxed");
    }
  });

  deepTest("dontAsk refuses without exit code 4, plan refuses what is agreed, exec says the same line", async () => {
    await using here = await quollPlace({ files: FILES, settings: {}, scenario: turns(BUILD, BUILD) });
    const silent = await here.run(["-p", "go", "--permission-mode", "dontAsk"]);
    expect([silent.code, silent.err.includes("add:")]).toEqual([0, false]);
    const plan = await here.run(["-p", "go", "--permission-mode", "plan", "--allow-sandboxed"]);
    expect([plan.code, isBuilt(here)]).toEqual([0, false]);
    const exec = ["exec", "Bash", "--input", JSON.stringify({ command: "sh build.sh", description: "Build" })];
    const refused = await here.run(exec);
    expect([refused.code, linesOf(refused.err).length]).toEqual([4, 1]);
    expect(refused.err).toEndWith("add: --allow-sandboxed\n");
    expect([(await here.run([...exec, "--allow-sandboxed"])).code, isBuilt(here)]).toEqual([0, true]);
  });
});

describe("in every mode, as text and as json", () => {
  const SAYS_YES = [
    ["nobody", {}, []],
    ["own settings", AGREED, []],
    ["the flag", {}, ["--allow-sandboxed"]],
  ] as const;
  const MODES = [
    ["default", 4],
    ["acceptEdits", 4],
    ["dontAsk", 0],
    ["plan", 0],
  ] as const;
  const FORMATS = ["text", "json"] as const;
  const cells = MODES.flatMap(([mode, code]) =>
    FORMATS.flatMap((format) =>
      SAYS_YES.map(([by, settings, flags]) => ({ mode, code, format, by, settings, flags: [...flags] })),
    ),
  );

  const check = async ({ mode, code, format, by, settings, flags }: (typeof cells)[number]) => {
    await using here = await quollPlace({ files: FILES, settings, scenario: turns(BUILD) });
    const run = await here.run(["-p", "go", "--permission-mode", mode, "--output-format", format, ...flags]);
    const runs = by !== "nobody" && mode !== "plan";
    const wanted = runs ? 0 : code;
    expect({ code: run.code, isBuilt: isBuilt(here) }).toEqual({ code: wanted, isBuilt: runs });
    expect(run.err.includes("add: --allow-sandboxed")).toBe(wanted === 4);
    if (format === "json") expect(JSON.parse(run.out).permission_denials).toHaveLength(runs ? 0 : 1);
  };

  // In `npm test` a mode that heeds a yes and one that doesn't; the tests above have the default with the others.
  for (const cell of cells) {
    const isQuick = cell.by === "the flag" && ["acceptEdits json", "plan text"].includes(`${cell.mode} ${cell.format}`);
    testOrDeep(isQuick)(`${cell.mode}, ${cell.format}, agreed by ${cell.by}`, () => check(cell));
  }
});

describe("a person's answer", () => {
  const repl = async (here: Place, ...flags: readonly string[]) => {
    const terminal = terminalProcess([...QUOLL, ...flags], {
      columns: 100,
      rows: 30,
      cwd: here.project.dir,
      env: here.environmentOf({}),
    });
    await terminal.shows(IDLE);
    return terminal;
  };

  longerInDeep(
    "is kept for the project, counts in later runs, is offered anew when commands could do more, and is taken back",
    async (isWhole) => {
      await using here = await quollPlace({
        files: FILES,
        settings: {},
        scenario: turns(BUILD, BUILD, BUILD, BUILD, BUILD, BUILD),
      });
      {
        await using terminal = await repl(here, "--trust");
        terminal.type("build it\r");
        await terminal.shows("2 Yes to every command that stays in the sandbox");
        await terminal.asks();
        terminal.type("2");
        await terminal.shows("2 Yes, always in this project");
        expect(terminal.screen.replace(/[\s│]+/g, " ")).toContain(
          "and temporary files, read everything but stored credentials such as ~/.ssh (.env files of projects can be read), and reach no host.",
        );
        await terminal.answers("2");
        await terminal.shows("● Done.");
        expect(isBuilt(here)).toBe(true);
        terminal.type("again\r");
        await terminal.shows(() => terminal.all.split("● Done.").length === 3);
        expect(terminal.all).not.toContain("1 of 2");
      }
      expect(ownFile(here)).toEqual({
        sandbox: {
          agreed: {
            writable: [here.project.dir],
            opened: [],
            hosts: [],
            sockets: [],
            strength: "full",
            closed: CLOSED,
          },
        },
      });
      expect((await here.run(["-p", "go"])).code).toBe(0);
      // One more folder to write to, or sources without the user's file for the project: nobody agreed to that.
      expect((await here.run(["-p", "go", "--add-dir", here.home.dir])).code).toBe(4);
      if (!isWhole) return;
      expect((await here.run(["-p", "go", "--setting-sources", "user"])).code).toBe(4);
      {
        await using terminal = await repl(here, "--trust");
        terminal.type("/permissions\r");
        await terminal.shows("enter revokes it");
        terminal.type("\u001b");
        await terminal.shows("› Say what you want done");
        expect((await here.run(["permissions", "list"])).out).toContain(
          "Commands in the sandbox run without a question: your answer (",
        );
        terminal.type("/permissions revoke sandbox\r");
        await terminal.shows("Consent revoked: Quoll asks about commands in the sandbox again.");
        terminal.type("build it\r");
        await terminal.shows("2 Yes to every command that stays in the sandbox");
      }
      expect(ownFile(here)?.sandbox?.agreed).toBeUndefined();
    },
  );
});

deepTest("an answer given in a full sandbox does not hold in a weaker one", async () => {
  const files = { "build.sh": "echo built > out/built.txt\n", "out/old.txt": "" };
  await using here = await quollPlace({ files, settings: {}, scenario: turns(BUILD, BUILD) });
  // Where bubblewrap is no program, Landlock confines.
  const weakly = ["bwrap", "--dev-bind", "/", "/", "--bind", "/dev/null", Bun.which("bwrap") ?? "bwrap", ...QUOLL];
  const ran: unknown[] = [];
  for (const strength of ["full", "weak"]) {
    const agreed = { writable: [here.project.dir], opened: [], hosts: [], sockets: [], strength, closed: CLOSED };
    await here.home.write(ownPath(here), JSON.stringify({ sandbox: { agreed } }));
    const run = await runCommand([...weakly, "-p", "go"], { cwd: here.project.dir, env: here.environmentOf({}) });
    ran.push([strength, run.code, existsSync(here.project.path("out/built.txt"))]);
    expect(run.err).toContain("The sandbox is weaker here: landlock only");
  }
  expect(ran).toEqual([
    ["full", 4, false],
    ["weak", 0, true],
  ]);
});

describe("a program that answers permission requests", () => {
  const asking = () => {
    const asked: string[] = [];
    const canUseTool: Options["canUseTool"] = async (name, input) => {
      asked.push(name);
      return { behavior: "allow", updatedInput: input };
    };
    return { asked, canUseTool };
  };
  const calls = () => [
    reply([BUILD]),
    reply([bash("ls")]),
    reply([bash("rm a.txt")]),
    reply([toolUse("Write", { file_path: "b.txt", content: "b" })]),
    reply("Done."),
  ];
  /** The user agreed in own settings and in an answer that was kept. */
  const agreedPlace = async () => {
    const here = await quollPlace({ files: FILES, settings: AGREED, scenario: calls() });
    const agreed = { writable: ["/"], opened: [], hosts: ["*"], sockets: [], strength: "weak", closed: CLOSED };
    await here.home.write(ownPath(here), JSON.stringify({ sandbox: { agreed } }));
    return here;
  };

  deepTest("is asked about every such command where it loaded no settings, whatever the user agreed to", async () => {
    await using here = await agreedPlace();
    const { asked, canUseTool } = asking();
    expect(resultOf(await collect(ask(here, "go", { canUseTool })))).toMatchObject({ subtype: "success" });
    expect(asked).toEqual(["Bash", "Bash", "Write"]);
    expect(isBuilt(here)).toBe(true);
  });

  eachOrDeep<[string, Options]>(
    "is not asked about confined commands where %s say so",
    1,
    [
      ["its sandbox option", { settingSources: [], sandbox: { enabled: true, autoAllowBashIfSandboxed: true } }],
      ["its settings", { settings: { sandbox: { autoAllowBashIfSandboxed: true } } }],
      ["the setting sources that it named", { settingSources: ["user"] }],
    ],
    async (_, options) => {
      await using here = await agreedPlace();
      const { asked, canUseTool } = asking();
      await collect(ask(here, "go", { canUseTool, ...options }));
      expect(asked).toEqual(["Write"]);
    },
  );

  deepTest("is asked where it named sources in which only the kept answer stands", async () => {
    await using here = await agreedPlace();
    const { asked, canUseTool } = asking();
    await collect(ask(here, "go", { canUseTool, settingSources: ["local"] }));
    expect(asked).toEqual(["Bash", "Bash", "Write"]);
  });

  deepTest("without a callback what the user agreed to counts, as for -p; the rest is refused and named", async () => {
    await using here = await agreedPlace();
    const result = resultOf(await collect(ask(here, "go", { settingSources: ["local"] })));
    expect([isBuilt(here), result.permission_denials.map(({ tool_name }) => tool_name)]).toEqual([true, ["Write"]]);
  });
});

test("a run where nobody can answer refuses a command under a rule that is not carried out in full, with exit code 4", async () => {
  const settings = { permissions: { deny: ["Read(~/**/*.key)"] } };
  await using here = await quollPlace({ files: FILES, settings, scenario: turns(BUILD) });
  const run = await here.run(["-p", "go", "--allow-sandboxed"]);
  expect([run.code, isBuilt(here)]).toEqual([4, false]);
  expect(run.err).toMatch(/can.t fully enforce the rule Read\(~\/\*\*\/\*\.key\).*narrower rule/);
});
