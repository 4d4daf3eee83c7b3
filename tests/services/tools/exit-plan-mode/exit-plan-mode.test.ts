import { describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import type { PermissionMode } from "../../../../src/contracts/permission-mode.ts";
import type { Asker, Question, Reply } from "../../../../src/contracts/question.ts";
import { artifactFolder } from "../../../../src/platform/artifact-folder.ts";
import { randomIds } from "../../../../src/platform/clock.ts";
import { OpenQuestions } from "../../../../src/protocol/open-questions.ts";
import { exitPlanModeTool } from "../../../../src/services/tools/exit-plan-mode/exit-plan-mode.ts";
import { tempProject } from "../../../support/temp-project.ts";
import { toolContext } from "../../../support/tool-context.ts";
import { failure, runCall } from "../call-tool.ts";

const PLAN = "# Move the parser\n\n1. Split src/parse.ts.\n2. Run the tests.";

type Options = {
  readonly start?: PermissionMode;
  readonly before?: PermissionMode;
  readonly canAsk?: boolean;
  readonly refuses?: (rule: string) => boolean;
};

/** The tool with a real registry of questions, a real folder, and a mode that remembers what was set. */
async function session({ start = "plan", before = "default", canAsk = true, refuses = () => false }: Options = {}) {
  const project = await tempProject();
  const questions = new OpenQuestions(randomIds);
  const modes: PermissionMode[] = [start];
  const granted: string[] = [];
  const ask: Asker = {
    canAsk,
    ask: (question, signal) =>
      canAsk
        ? questions.ask({ ...question, id: "q", agentId: "main", parentAgentId: null }, signal)
        : Promise.resolve({ decision: "reject" }),
  };
  const artifacts = artifactFolder(project.path("session"));
  const mode = {
    get: () => modes.at(-1) ?? start,
    set: (next: PermissionMode) => void modes.push(next),
    before: () => before,
  };
  const grantRules = (rules: readonly string[]) => {
    granted.push(...rules.filter((rule) => !refuses(rule)));
    return rules.filter(refuses);
  };
  const tool = exitPlanModeTool({ mode, ask, artifacts, grantRules });
  const controller = new AbortController();
  const context = toolContext({ signal: controller.signal });
  /** Runs a call and answers its question; `atQuestion` is what happens meanwhile. */
  const answer = async (input: Readonly<Record<string, unknown>>, reply: Reply, atQuestion = () => {}) => {
    const asked = new Promise<Question>((resolve) => {
      const stop = questions.subscribe(() => {
        const [question] = questions.pending;
        if (!question) return;
        stop();
        resolve(question);
      });
    });
    const running = tool.prepare(input, context).then(runCall);
    const question = await Promise.race([asked, running.then(() => undefined)]);
    if (question) {
      atQuestion();
      questions.reply(question.id, reply);
    }
    return { question, result: await running };
  };
  return {
    tool,
    context,
    controller,
    modes,
    granted,
    answer,
    questions,
    file: project.path("session/plan.md"),
    [Symbol.asyncDispose]: () => project[Symbol.asyncDispose](),
  };
}

test("a plan is asked about with its file, which the person may edit, and what it would allow", async () => {
  await using s = await session();
  const input = { plan: `  ${PLAN}\n`, allowed: ["Bash(npm test *)", "Bash(npm test *)", "Bash(git mv *)"] };
  let seen = "";
  const { question } = await s.answer(input, { decision: "reject" }, () => {
    seen = readFileSync(s.file, "utf8");
  });
  expect(question).toEqual({
    id: "q",
    agentId: "main",
    parentAgentId: null,
    title: "Start this plan?",
    body: {
      kind: "plan",
      call: { toolUseId: "t", toolName: "ExitPlanMode" },
      preview: { kind: "text", text: PLAN, file: s.file },
      reason: "Plan mode changes nothing until you agree.",
      rules: ["Bash(npm test *)", "Bash(git mv *)"],
    },
  });
  expect([seen, statSync(s.file).mode & 0o777]).toEqual([`${PLAN}\n`, 0o600]);
});

test("the call itself touches nothing, so that plan mode lets it through", async () => {
  await using s = await session();
  const call = await s.tool.prepare({ plan: PLAN }, s.context);
  expect({ level: call.level, subjects: call.subjects, safe: call.concurrencySafe, title: call.title }).toEqual({
    level: "none",
    subjects: [],
    safe: false,
    title: "Move the parser",
  });
});

describe("a yes", () => {
  test.each(["default", "auto", "dontAsk", "bypassPermissions"] as const)(
    "once gives back the mode before: %s",
    async (before) => {
      await using s = await session({ before });
      const { result } = await s.answer({ plan: PLAN, allowed: ["Bash(npm test *)"] }, { decision: "once" });
      expect([s.modes, s.granted]).toEqual([["plan", before], ["Bash(npm test *)"]]);
      expect(result).toEqual({
        content: "The user agreed to the plan: carry it out now.\nAllowed for this session: Bash(npm test *).",
        display: { kind: "summary", text: "plan accepted, 1 rule for this session" },
      });
    },
  );

  test("for the session takes edits from now on", async () => {
    await using s = await session({ before: "default" });
    const { result } = await s.answer({ plan: PLAN }, { decision: "session" });
    expect([s.modes, s.granted]).toEqual([["plan", "acceptEdits"], []]);
    expect(result.content).toBe("The user agreed to the plan: carry it out now.");
  });

  test("once asks about edits again after acceptEdits, which only the other yes offers", async () => {
    await using once = await session({ before: "acceptEdits" });
    await once.answer({ plan: PLAN }, { decision: "once" });
    await using edits = await session({ before: "acceptEdits" });
    await edits.answer({ plan: PLAN }, { decision: "session" });
    expect([once.modes, edits.modes]).toEqual([
      ["plan", "default"],
      ["plan", "acceptEdits"],
    ]);
  });

  test("in a session that began in plan mode leads to the default mode", async () => {
    await using s = await session({ before: "plan" });
    await s.answer({ plan: PLAN }, { decision: "once" });
    expect(s.modes).toEqual(["plan", "default"]);
  });

  test("shows the model the plan as the person edited it", async () => {
    await using s = await session();
    const { result } = await s.answer({ plan: PLAN }, { decision: "once" }, () => {
      writeFileSync(s.file, "# Move the parser\r\n\r\nOnly step 1.\r\n");
    });
    expect(result).toEqual({
      content:
        "The user agreed to the plan: carry it out now.\nThe user edited the plan. This is the one to carry out:\n\n# Move the parser\n\nOnly step 1.",
      display: { kind: "summary", text: "plan accepted as edited" },
    });
  });

  test("names the rules that were too broad to be allowed", async () => {
    await using s = await session({ refuses: (rule) => rule.startsWith("Bash(sudo") });
    const { result } = await s.answer({ plan: PLAN, allowed: ["Bash(sudo *)", "Bash(ls *)"] }, { decision: "once" });
    expect(s.granted).toEqual(["Bash(ls *)"]);
    expect(result.content).toContain("Allowed for this session: Bash(ls *).");
    expect(result.content).toContain("Too broad to be allowed beforehand, so these will be asked: Bash(sudo *).");
  });

  test.each([
    ["gone", (file: string) => rmSync(file), "it is gone"],
    ["empty", (file: string) => writeFileSync(file, " \n"), "it is empty"],
    ["far too large", (file: string) => writeFileSync(file, "x".repeat(300_000)), "has 300000 bytes"],
    [
      "a folder",
      (file: string) => {
        rmSync(file);
        mkdirSync(file);
      },
      "not a regular file",
    ],
  ])("to a file that is then %s agrees to nothing", async (_, change, problem) => {
    await using s = await session();
    const message = await failure(
      s.answer({ plan: PLAN, allowed: ["Bash(ls *)"] }, { decision: "session" }, () => change(s.file)),
    );
    expect(message).toContain(problem);
    expect([s.modes, s.granted]).toEqual([["plan"], []]);
  });

  test("leaves the mode alone that the person chose meanwhile", async () => {
    await using s = await session({ before: "bypassPermissions" });
    await s.answer({ plan: PLAN }, { decision: "once" }, () => void s.modes.push("default"));
    expect(s.modes).toEqual(["plan", "default"]);
  });
});

describe("a no", () => {
  test("keeps plan mode and tells the model why", async () => {
    await using s = await session();
    const { result } = await s.answer(
      { plan: PLAN, allowed: ["Bash(ls *)"] },
      { decision: "reject", message: "Leave src/b.ts alone." },
    );
    expect([s.modes, s.granted]).toEqual([["plan"], []]);
    expect(result).toEqual({
      content:
        "The user said no to this plan: Leave src/b.ts alone.\nPlan mode stays on: fix the plan and hand it over again.",
      isError: true,
      display: { kind: "summary", text: "plan not accepted" },
    });
  });

  test("without words asks the model to find out", async () => {
    await using s = await session();
    const { result } = await s.answer({ plan: PLAN }, { decision: "reject" });
    expect(result.content).toBe(
      "The user said no to this plan. Plan mode stays on: ask what is missing, or stop here.",
    );
  });

  test("ends the call when the turn is aborted, changing nothing", async () => {
    await using s = await session();
    const message = await failure(
      s.answer({ plan: PLAN }, { decision: "once" }, () => s.controller.abort(new Error("stopped"))),
    );
    expect([message, s.modes, s.granted, s.questions.pending]).toEqual(["stopped", ["plan"], [], []]);
  });
});

test("with nobody to ask plan mode stays and the plan becomes the answer", async () => {
  await using s = await session({ canAsk: false });
  const result = await runCall(await s.tool.prepare({ plan: PLAN, allowed: ["Bash(ls *)"] }, s.context));
  expect([s.modes, s.granted]).toEqual([["plan"], []]);
  expect(result).toEqual({
    content:
      "Nobody can approve the plan, so plan mode stays on and nothing was changed. Give the plan as your answer.",
    end: { kind: "unanswered" },
  });
});

test.each(["default", "acceptEdits", "auto", "dontAsk", "bypassPermissions"] as const)(
  "in the mode %s it is an error, and nobody is asked",
  async (start) => {
    await using s = await session({ start });
    expect(await failure(runCall(await s.tool.prepare({ plan: PLAN }, s.context)))).toStartWith("Plan mode is off");
    expect([s.modes, s.questions.pending]).toEqual([[start], []]);
  },
);

test("a second plan in the same message finds plan mode left", async () => {
  await using s = await session();
  const second = await s.tool.prepare({ plan: PLAN }, s.context);
  await s.answer({ plan: PLAN }, { decision: "once" });
  expect(await failure(runCall(second))).toStartWith("Plan mode is off");
});

describe("an input that does not fit is refused before anyone is asked", () => {
  test.each([
    [{}, "plan"],
    [{ plan: "  " }, "plan"],
    [{ plan: "x".repeat(50_001) }, "plan"],
    [{ plan: PLAN, allowed: ["Bash"] }, "allowed[0]"],
    [{ plan: PLAN, allowed: ["Bash(*)"] }, "allowed[0]"],
    [{ plan: PLAN, allowed: ["Bash( :* )"] }, "allowed[0]"],
    [{ plan: PLAN, allowed: ["Bash()"] }, "allowed[0]"],
    [{ plan: PLAN, allowed: ["Edit(/**)"] }, "allowed[0]"],
    [{ plan: PLAN, allowed: ["npm test"] }, "allowed[0]"],
    [{ plan: PLAN, allowed: ["Bash(ls\nrm -rf /)"] }, "allowed[0]"],
    [{ plan: PLAN, allowed: ["Bash(ls \u202e*)"] }, "allowed[0]"],
    [{ plan: PLAN, allowed: ["Bash(ls \u001b[2J)"] }, "allowed[0]"],
    [{ plan: PLAN, allowed: [`Bash(${"x".repeat(300)})`] }, "allowed[0]"],
    [{ plan: PLAN, allowed: Array.from({ length: 11 }, (_, i) => `Bash(c${i})`) }, "allowed"],
  ])("%#", async (input, where) => {
    await using s = await session();
    expect(await failure(s.tool.prepare(input, s.context))).toContain(where);
    expect(s.modes).toEqual(["plan"]);
  });
});
