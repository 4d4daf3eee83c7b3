import { describe, expect, test } from "bun:test";
import { decidedByText } from "../../../src/contracts/decided-by.ts";
import { bash, call, oneProcess, sessionIn } from "../../support/app-harness.ts";
import { deepTest, eachOrDeep } from "../../support/deep.ts";
import { eventually, isRunning } from "../../support/eventually.ts";
import { json, on, playing } from "../../support/hooked-session.ts";
import { tempProject } from "../../support/temp-project.ts";

describe("a command of settings", () => {
  test("gets the event on stdin and its variables, and blocks a call with exit code 2", async () => {
    const command = 'cat > in.json; echo "$CLAUDE_PROJECT_DIR $QUOLL_PROJECT_DIR" > dirs; echo "not that" >&2; exit 2';
    await using play = await playing(on("PreToolUse", { command }, "Bash"));
    const { denials } = await play.say(bash("echo ran > ran.txt"));
    expect(denials.map(({ decidedBy }) => decidedByText(decidedBy)).join()).toMatch(
      /^a hook: not that · cat > in\.json; .* \(PreToolUse, --settings:1\)$/,
    );
    expect(play.results().join()).toContain("Refused by a hook of the user: not that");
    expect(JSON.parse(await play.place.read("in.json"))).toMatchObject({
      hook_event_name: "PreToolUse",
      tool_name: "Bash",
      tool_input: { command: "echo ran > ran.txt" },
      session_id: play.session.conversation.log.sessionId,
      cwd: play.place.dir,
      permission_mode: "default",
    });
    expect(await play.place.read("dirs")).toBe(`${play.place.dir} ${play.place.dir}\n`);
    expect(await Bun.file(play.place.path("ran.txt")).exists()).toBe(false);
  });

  test("adds its plain output at the prompt, changes an input, and replaces a result", async () => {
    await using play = await playing({
      ...on("UserPromptSubmit", { command: "echo from-the-hook" }),
      ...on("PreToolUse", { command: json({ hookSpecificOutput: { updatedInput: { command: "echo two" } } }) }),
      ...on("PostToolUse", { command: json({ hookSpecificOutput: { updatedToolOutput: "replaced" } }) }),
    });
    await play.say(bash("echo one"));
    expect(JSON.stringify(play.here.twin.requests[0])).toContain("from-the-hook");
    expect(play.results()).toEqual([expect.stringContaining("replaced")]);
  });

  deepTest("runs only for calls that its rule matches", async () => {
    await using play = await playing(on("PreToolUse", { command: "exit 2", if: "Bash(git *)" }, "Bash"));
    await play.say(bash("echo one"));
    expect(play.results().join()).toContain("one");
    await play.say(bash("echo one && git status"));
    expect(play.results().at(-1)).toContain("Refused by a hook");
  });

  deepTest("without a shell gets its arguments as they are", async () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the settings contain the name of a variable.
    const args = ["-c", 'printf "%s|" "$@" > args', "x", "a  b", "$HOME", "${CLAUDE_PROJECT_DIR}/y"];
    await using play = await playing(on("UserPromptSubmit", { command: "sh", args }));
    await play.say("hello");
    expect(await play.place.read("args")).toBe(`a  b|$HOME|${play.place.dir}/y|`);
  });

  test("that fails is named with its file, and the session continues; with onFailure it blocks", async () => {
    await using play = await playing(on("PreToolUse", { command: "echo '{broken'" }));
    await play.say(bash("echo one"));
    expect(play.notices()).toEqual([
      expect.stringMatching(
        /^The hook echo '\{broken' \(PreToolUse, --settings:1\) failed: its output begins with \{ but is not JSON \(.*\)\. Quoll continued without the hook\.$/,
      ),
    ]);
    expect(play.results().join()).toContain("one");
    await using strict = await playing(on("PreToolUse", { command: "exit 7", onFailure: "block" }));
    await strict.say(bash("echo one"));
    expect(strict.results().join()).toContain("failed: it ended with exit code 7");
  });

  deepTest("sets variables for later commands", async () => {
    const command = 'echo "export GREETING=\\"hi there\\"" >> "$CLAUDE_ENV_FILE"';
    await using play = await playing(on("SessionStart", { command }));
    await play.say(bash('echo "<$GREETING>"'));
    expect(play.results().join()).toContain("<hi there>");
  });

  deepTest("in the background delays nothing, and with asyncRewake its stderr becomes a prompt", async () => {
    await using play = await playing({
      ...on("UserPromptSubmit", { command: "sleep 30", async: true }),
      ...on("Stop", { command: "echo look again >&2; exit 2", asyncRewake: true, once: true }),
    });
    await play.say("hello");
    const woken = () => play.here.twin.requests.some((request) => JSON.stringify(request).includes("look again"));
    await eventually("the model hears of the hook", woken);
  });
});

describe("a command that announces a later answer", () => {
  const LATE = `until [ -e go ]; do sleep 0.02; done; ${json({ systemMessage: "late", hookSpecificOutput: { additionalContext: "for the model", permissionDecision: "deny" } })}`;

  eachOrDeep(
    "%s is not waited for, and its texts come later",
    1,
    [
      ["on its first line", `echo '{"async":true,"asyncTimeout":60000}'`],
      ["without a line end", `printf '{"async": true}'`],
      ["over several lines", `printf '{\\n  "async": true\\n}\\n'`],
    ],
    async (_, announce) => {
      await using play = await playing(on("PreToolUse", { command: `${announce}; ${LATE}` }, "Bash"));
      await play.say(bash("echo one"));
      expect(play.results().join()).toContain("one");
      expect(play.notices()).toEqual([]);
      await play.place.write("go", "");
      await eventually("its line is told", () => play.notices().join("\n").split("\n").includes("late"));
      expect(play.notices().join()).toMatch(/^late\nThe hook .* refused in the background/);
      await play.say("hello");
      expect(JSON.stringify(play.here.twin.requests.at(-1))).toContain("for the model");
    },
  );

  deepTest("outlives the event, but not its own time limit, and then blocks nothing", async () => {
    const command = `echo '{"async":true,"asyncTimeout":300}'; echo $$ > pid; exec sleep 300`;
    await using play = await playing(on("PreToolUse", { command, timeout: 200, onFailure: "block" }, "Bash"));
    await play.say(bash("echo one"));
    expect(play.results().join()).toContain("one");
    await eventually("it is told", () => play.notices().join().includes("it did not answer within 0.3 s"));
    const pid = Number(await play.place.read("pid"));
    await eventually("it has ended", () => !isRunning(pid));
  });

  test("ends with the session", async () => {
    const command = `echo '{"async":true}'; echo $$ > pid; exec sleep 300`;
    let pid: number;
    {
      await using play = await playing(on("UserPromptSubmit", { command }));
      await play.say("hello");
      await eventually("it runs", async () => (await play.place.read("pid").catch(() => "")) !== "");
      pid = Number(await play.place.read("pid"));
    }
    await eventually("it has ended", () => !isRunning(pid));
  });
});

test("an older or another agent's name of a tool in a matcher calls the hook, which sees our name", async () => {
  const command = "cat > in.json; exit 2";
  await using play = await playing(on("PreToolUse", { command }, "Task|run_shell_command"));
  await play.say(bash("echo one"));
  expect(play.results().join()).toContain("Refused by a hook");
  expect(JSON.parse(await play.place.read("in.json"))).toMatchObject({ tool_name: "Bash" });
});

deepTest("an object that is no answer is told once, and blocks with onFailure", async () => {
  const hook = { command: json({ status: "denied" }) };
  await using play = await playing(on("PreToolUse", hook, "Bash"));
  await play.say(bash("echo one"));
  await play.say(bash("echo two"));
  expect(play.notices()).toEqual(["A hook for PreToolUse answered with status, which has no effect here."]);
  await using strict = await playing(on("PreToolUse", { ...hook, onFailure: "block" }, "Bash"));
  await strict.say(bash("echo one"));
  expect(strict.results().join()).toContain("its answer has no field that Quoll knows, only status");
});

deepTest("the line of a hook that takes a while is shown until the hook ends", async () => {
  const waits = { command: "until [ -e go ]; do sleep 0.02; done", statusMessage: "Checking" };
  await using play = await playing(on("PreToolUse", waits));
  const told = () => play.events.flatMap(({ event }) => (event.type === "hook_status" ? [event.text] : []));
  const said = play.say(bash("true"));
  await eventually("the line is shown", () => told().includes("Checking"));
  await play.place.write("go", "");
  await said;
  expect(told()).toEqual(["Checking", undefined]);
});

test.if(process.platform === "linux")(
  "a child in a session of its own ends with its hook at the time limit",
  async () => {
    const command = "setsid sh -c 'echo $$ > far; exec sleep 300' & sleep 300";
    await using play = await playing(on("UserPromptSubmit", { command, timeout: 1 }));
    await play.say("hello");
    expect(play.notices()).toEqual([expect.stringContaining("failed: it did not answer within 1 s.")]);
    const pid = Number(await play.place.read("far"));
    try {
      await eventually("the child has ended", () => !isRunning(pid));
    } finally {
      if (isRunning(pid)) process.kill(pid, "SIGKILL");
    }
  },
);

deepTest("a hook that formats an edited file tells the model its change, and the next Edit works", async () => {
  const format = "printf 'one;\\nTWO\\nend\\n' > a.txt";
  await using play = await playing(on("PostToolUse", { command: `grep -qx one a.txt && ${format}` }, "Edit"), {
    allow: ["Edit(**)"],
  });
  await play.place.write("a.txt", "zero\ntwo\n");
  const file_path = play.place.path("a.txt");
  await play.say(call("Read", { file_path }));
  await play.say(call("Edit", { file_path, old_string: "zero", new_string: "one" }));
  expect(play.results().at(-1)).toContain("-one\\n-two\\n+one;\\n+TWO\\n+end");
  await play.say(call("Edit", { file_path, old_string: "TWO", new_string: "three" }));
  expect(await play.place.read("a.txt")).toBe("one;\nthree\nend\n");
});

deepTest("the screen shows the diff of an edited file as a formatting hook left it", async () => {
  const format = "printf 'one;\\ntwo\\nthree;\\n' > a.txt";
  await using play = await playing(on("PostToolUse", { command: format }, "Edit"), { allow: ["Edit(**)"] });
  await play.place.write("a.txt", "zero\ntwo\nthree\n");
  const file_path = play.place.path("a.txt");
  await play.say(call("Read", { file_path }));
  await play.say(call("Edit", { file_path, old_string: "zero\n", new_string: "one\nmore\n" }));
  const shown = play.events.flatMap(({ event }) => (event.type === "tool_finished" ? [event.display] : [])).at(-1);
  expect(shown).toMatchObject({ kind: "diff", path: "a.txt", added: 2, removed: 2 });
  expect(
    shown?.kind === "diff" && shown.hunks.flatMap(({ lines }) => lines.map(({ kind, text }) => `${kind} ${text}`)),
  ).toEqual(["removed zero", "added one;", "same two", "removed three", "added three;"]);
});

eachOrDeep(
  "a hook at %s that formats a known file tells the model",
  1,
  ["PostToolBatch", "Stop", "UserPromptSubmit"],
  async (event) => {
    const command = "grep -qx one a.txt && printf 'one;\\ntwo\\n' > a.txt; true";
    await using play = await playing(on(event, { command }), { allow: ["Edit(**)"] });
    await play.place.write("a.txt", "zero\ntwo\n");
    const file_path = play.place.path("a.txt");
    await play.say(call("Read", { file_path }));
    await play.say(call("Edit", { file_path, old_string: "zero", new_string: "one" }));
    await play.say(call("Edit", { file_path, old_string: "two", new_string: "three" }));
    expect(await play.place.read("a.txt")).toBe("one;\nthree\n");
    expect(JSON.stringify(play.here.twin.requests)).toContain(`[A hook changed ${file_path}. The changes:]`);
  },
);

test("credentials in the texts of hooks reach neither the model nor the person", async () => {
  const token = ["ghp", "16C7e42F292c6912E7710c838347Ae178B4a"].join("_");
  await using play = await playing({
    ...on("UserPromptSubmit", { command: `echo context ${token}` }),
    ...on("PreToolUse", { command: json({ systemMessage: `told ${token}` }) }),
    ...on("PostToolUse", {
      command: json({
        decision: "block",
        reason: `why ${token}`,
        hookSpecificOutput: { updatedToolOutput: `output ${token}` },
      }),
    }),
    ...on("MessageDisplay", { command: json({ hookSpecificOutput: { displayContent: `shown ${token}` } }) }),
  });
  await play.say(bash("echo one"));
  const shown = play.events.map(({ event }) => (event.type === "assistant_message" ? event.displayText : ""));
  const seen = JSON.stringify([play.here.twin.requests, play.notices(), play.results(), shown]);
  for (const word of ["context", "told", "why", "output", "shown"]) expect(seen).toContain(`${word} `);
  expect(seen).not.toContain(token);
});

test("hooks hear of the events of a session", async () => {
  const events = [
    ...["InstructionsLoaded", "UserPromptExpansion", "PermissionRequest", "PostToolBatch", "MessageDisplay"],
    ...["Notification", "CwdChanged", "StopFailure", "SessionStart", "SessionEnd", "Stop", "ConfigChange"],
  ];
  const log = { command: 'cat >> "$CLAUDE_PROJECT_DIR/events.jsonl"' };
  const hooks = Object.assign({}, ...events.map((event) => on(event, log)), on("FileChanged", log, "watched.txt"));
  await using play = await playing(hooks, { allow: [] });
  await play.place.write("AGENTS.md", "Be kind.");
  await play.place.write("sub/b.txt", "");
  const seen = async () => {
    const text = await play.place.read("events.jsonl").catch(() => "");
    const lines = text.split("\n").filter((line) => line !== "");
    return new Map(lines.map((line) => JSON.parse(line)).map((input) => [input.hook_event_name, input]));
  };
  const answering = play.session.agents.subscribe(({ event }) => {
    if (event.type === "question_asked")
      play.session.main.engine.questions.reply(event.question.id, { decision: "once" });
  });
  await play.place.write("watched.txt", "1");
  await play.say(bash("cd sub && touch made.txt"));
  answering();
  expect(await play.session.commands.run("/init", new AbortController().signal)).toMatchObject({ kind: "prompt" });
  await eventually("the hooks have run", async () => {
    const known = await seen();
    return ["CwdChanged", "FileChanged", "Notification", "InstructionsLoaded"].every((event) => known.has(event));
  });
  const known = await seen();
  const { dir } = play.place;
  expect(known.get("PermissionRequest")).toMatchObject({
    tool_name: "Bash",
    tool_input: { command: "cd sub && touch made.txt" },
  });
  expect(known.get("PostToolBatch")).toMatchObject({ tool_calls: [{ tool_name: "Bash" }] });
  expect(known.get("CwdChanged")).toMatchObject({ old_cwd: dir, new_cwd: `${dir}/sub` });
  expect(known.get("FileChanged")).toMatchObject({ file_path: `${dir}/watched.txt`, event: expect.any(String) });
  expect(known.get("Notification")).toMatchObject({ notification_type: "permission_prompt" });
  expect(known.get("InstructionsLoaded")).toMatchObject({ file_path: `${dir}/AGENTS.md`, memory_type: "Project" });
  expect(known.get("UserPromptExpansion")).toMatchObject({ command_name: "init", expansion_type: "slash_command" });
  expect(known.get("MessageDisplay")).toMatchObject({ final: true });
  expect(known.get("Stop")?.prompt_id).toBe(known.get("PermissionRequest")?.prompt_id);
});

deepTest("/hooks lists hooks with their last runs, and tries one with a sample", async () => {
  const command = 'printf "%s" "$CLAUDE_PROJECT_DIR" > dir; echo "sample-only" >&2; exit 2';
  await using play = await playing({
    ...on("PreToolUse", { command, timeout: 5 }, "Bash"),
    ...on("Stop", { command: "exit 3" }),
    ...on("SessionEnd", { command: "echo noise; echo trace >&2" }),
  });
  const run = async (words: string) => {
    const result = await play.session.commands.run(words, new AbortController().signal);
    return result && "lines" in result ? result.lines : [];
  };
  expect((await run("/hooks"))[0]).toMatch(/^1\. PreToolUse \(Bash\): printf .* · --settings:1 · not run yet$/);
  await play.say(bash("echo one"));
  expect((await run("/hooks"))[0]).toMatch(/ · blocked in .* ago$/);
  expect((await run("/hooks"))[1]).toMatch(/^2\. Stop: exit 3 · --settings:1 · failed in /);
  expect((await run("/hooks 1")).slice(0, 3)).toEqual([
    "PreToolUse (Bash), command, from --settings:1",
    expect.stringContaining("printf"),
    "  at most 5 s",
  ]);
  expect((await run("/hooks test 1")).at(-1)).toMatch(
    /^Answer after \d+ ms: \{"decision":"block","reason":"sample-only"\}$/,
  );
  expect((await run("/hooks test 2")).at(-1)).toMatch(/^It failed after \d+ ms: it ended with exit code 3\.$/);
  expect((await run("/hooks test 3")).slice(-3)).toEqual([
    expect.stringMatching(/^Answer after \d+ ms: \{\}$/),
    "On stdout: noise",
    "On stderr: trace",
  ]);
  await expect(run("/hooks 7")).rejects.toThrow("There is no hook 7");
  await expect(run("/hooks test 7")).rejects.toThrow("There is no hook 7");
});

deepTest(
  "changed hooks of the user's settings act in the running session, and the project's wait for approval",
  async () => {
    await using play = await playing({}, { settings: "{}" });
    const write = (hooks: object) =>
      play.here.home.write(".config/quoll/settings.json", JSON.stringify({ hooks, permissions: {} }));
    const listed = async () => {
      const result = await play.session.commands.run("/hooks", new AbortController().signal);
      return result && "lines" in result ? result.lines.join("\n") : "";
    };
    await play.say(bash("echo one"));
    await write(on("PreToolUse", { command: "echo stop >&2; exit 2" }));
    await play.place.write(".quoll/settings.json", JSON.stringify({ hooks: on("Stop", { command: "touch ran" }) }));
    expect((await play.say(bash("echo two"))).denials[0]?.decidedBy).toMatchObject({ kind: "hook", reason: "stop" });
    expect(play.notices().join()).toMatch(/In effect now: hooks\.PreToolUse\. At the next start: hooks\.Stop\./);
    expect(await listed()).toContain("echo stop");
    await write(on("MessageDisplay", { command: "touch shown" }));
    expect((await play.say(bash("echo three"))).denials).toEqual([]);
    await eventually("the new event is followed", () => Bun.file(play.place.path("shown")).exists());
    await write({});
    await play.say("hello");
    expect(await listed()).not.toContain("touch shown");
    expect(await Bun.file(play.place.path("ran")).exists()).toBe(false);
  },
);

test("hooks of the project run only after their approval", async () => {
  await using here = await oneProcess();
  const settings = JSON.stringify({ hooks: on("UserPromptSubmit", { command: "touch ran" }) });
  await using place = await tempProject({ ".git/HEAD": "", ".quoll/settings.json": settings });
  const ran = () => Bun.file(place.path("ran")).exists();
  const start = async (answer: "no" | "trust") => {
    const asked: string[] = [];
    const { session } = await sessionIn(
      here.app,
      place.dir,
      { isTrusted: undefined as never },
      {
        askTrust: async ({ reasons }) => {
          asked.push(...reasons);
          return answer;
        },
        askApproval: async ({ hasChangedHook }) => {
          asked.push(`changed hook: ${hasChangedHook}`);
          return "no";
        },
      },
    );
    await session.main.engine.submit({ prompt: "hello" });
    await session.close();
    return asked;
  };
  expect(await start("no")).toEqual(["runs at UserPromptSubmit: touch ran (.quoll/settings.json:1)"]);
  expect(await ran()).toBe(false);
  await start("trust");
  expect(await ran()).toBe(true);
  await Bun.file(place.path("ran")).delete();
  await place.write(".quoll/settings.json", settings.replace("touch ran", "touch ran #"));
  expect(await start("no")).toEqual(["changed hook: false"]);
  expect(await ran()).toBe(false);
});

describe("the rule after `if`", () => {
  const GUARD = { command: "echo generated >&2; exit 2" };

  eachOrDeep(
    "%j with a mistake keeps no hook from its calls, and one line says so",
    (at) => at % 4 === 1,
    [
      ["Raed(**)", "Read", { file_path: "a.txt" }, "Raed is not a tool: Quoll takes it as Read(**)"],
      ["Edti(/src/generated/**)", "Edit", { file_path: "src/generated/a.ts" }, "takes it as Edit(/src/generated/**)"],
      ["run_shell_command(git)", "Bash", { command: "echo one" }, "Quoll takes it as Bash"],
      ["bash(echo *)", "Bash", { command: "echo one" }, "Quoll takes it as Bash(echo *)"],
      ["Frobnicate(x)", "Bash", { command: "echo one" }, "Frobnicate is not a tool; the hook runs for every call"],
      ["Bash(echo", "Bash", { command: "echo one" }, "; the hook runs for every call"],
      ["Bash(ls # all)", "Bash", { command: "echo one" }, "leave it out; the hook runs for every call"],
      ["Read(src:*)", "Bash", { command: "echo one" }, ":* is for commands"],
      ["", "Bash", { command: "echo one" }, undefined],
    ],
    async (rule, tool, input, told) => {
      await using play = await playing(
        on("PreToolUse", { ...GUARD, ...(rule !== "" && { if: rule }) }),
        {},
        undefined,
        {
          "src/generated/a.ts": "one\n",
        },
      );
      await play.say(call(tool, input));
      expect(play.results().join()).toContain("Refused by a hook of the user: generated");
      const lines = [...play.warnings, ...play.notices()].filter((line) => line.includes(rule || "nothing"));
      expect(lines).toEqual(told === undefined ? [] : [expect.stringContaining(told)]);
    },
  );

  eachOrDeep(
    "refuses no unrelated call that can't run: %s",
    1,
    [
      ["an unread file", "Edit", { file_path: "src/other.ts", old_string: "one", new_string: "two" }, "was not read"],
      ["a missing file", "Edit", { file_path: "src/none.ts", old_string: "one", new_string: "two" }, "exist"],
      ["an invalid input", "Edit", { file_path: "src/other.ts" }, "old_string"],
      ["another spelling of the path", "Write", { path: "./src/other.ts" }, "content"],
    ],
    async (_, tool, input, reason) => {
      const files = { "src/other.ts": "one\n", "src/generated/a.ts": "one\n" };
      await using play = await playing(
        on("PreToolUse", { ...GUARD, if: "Edit(/src/generated/**)" }),
        {},
        undefined,
        files,
      );
      await play.say(call(tool, input));
      expect(play.results().join()).not.toContain("Refused by a hook");
      expect(play.results().join()).toContain(reason);
      await play.say(call(tool, { ...input, file_path: "src/generated/a.ts" }));
      expect(play.results().at(-1)).toContain("Refused by a hook of the user: generated");
    },
  );

  test("does not match a call that another protection would refuse", async () => {
    await using play = await playing(on("PreToolUse", { ...GUARD, if: "Read(/src/generated/**)" }), {
      deny: ["Read(secret.txt)"],
    });
    await play.say(call("Read", { file_path: "secret.txt" }));
    expect(play.results().join()).not.toContain("generated");
  });
});

describe("a matcher", () => {
  const told = async (matchers: readonly string[]) => {
    const hooks = matchers.map((matcher) => ({ matcher, hooks: [{ type: "command", command: "exit 2" }] }));
    await using play = await playing({ PreToolUse: hooks });
    await play.say("hello");
    return [...play.warnings, ...play.notices()].join("\n");
  };

  test("that misses the tool it names is told", async () => {
    const lines = await told(["Raed|Write", "^(Edit|Wirte)$", "Bahs.*", "/Bash/", "Bash(git push *)", "Bash Edit"]);
    for (const line of [
      "names no tool Raed (did you mean Read?)",
      "names no tool Wirte (did you mean Write?)",
      "names no tool Bahs (did you mean Bash?)",
      "does not match the tool Bash",
      'into "if"',
      "does not match the tool Edit",
    ])
      expect(lines).toContain(line);
  });

  test("that names what it matches is not told", async () => {
    const matchers = ["Todo(Write|Read)", "^(?!Bash).*$", "mcp__read__.*", "Task|Shell", "^(Bash|Edit)$", "[Bb]ash"];
    expect(await told([...matchers, "Lint|deploy.*"])).not.toContain("the matcher");
  });
});
