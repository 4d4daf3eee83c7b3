import { describe, expect, test } from "bun:test";
import { openSession } from "../../../src/app/session/open-session.ts";
import type { SessionPorts } from "../../../src/app/session/session.ts";
import type { ApprovalRequest } from "../../../src/contracts/approval.ts";
import type { EventEnvelope } from "../../../src/contracts/event.ts";
import type { Question } from "../../../src/contracts/question.ts";
import type { SessionConfig } from "../../../src/contracts/session-config.ts";
import { bash, MODEL, oneProcess } from "../../support/app-harness.ts";
import { eachOrDeep } from "../../support/deep.ts";
import { eventually } from "../../support/eventually.ts";
import { on } from "../../support/hooked-session.ts";
import { tempProject } from "../../support/temp-project.ts";

const CHECK = "sh tools/check.sh";
const REFUSING = "echo by the script >&2; exit 2\n";

type Opening = { readonly ports?: Partial<SessionPorts>; readonly trusts?: boolean };
const TRUSTING = { ports: { askTrust: async () => "trust" as const }, trusts: false };

/** A project with these hooks in its own settings. */
async function project(hooks: object, files: Readonly<Record<string, string>> = { "tools/check.sh": REFUSING }) {
  const here = await oneProcess();
  const place = await tempProject({ ".git/HEAD": "", ".quoll/settings.json": JSON.stringify({ hooks }), ...files });
  const open = async (answerer: "person" | "nobody", { ports = {}, trusts = true }: Opening = {}) => {
    const warnings: string[] = [];
    const events: EventEnvelope[] = [];
    const config: SessionConfig = {
      ...{ cwd: place.dir, answerer, conversation: { kind: "new" }, isSaved: true, model: MODEL, allow: ["Bash(*)"] },
      ...(trusts && { isTrusted: true }),
    };
    const session = await openSession(here.app, config, {
      startupWarning: (line) => void warnings.push(line),
      ...ports,
    });
    session.agents.subscribe((envelope) => void events.push(envelope));
    const { questions } = session.main.engine;
    return {
      session,
      say: (prompt: string) => session.main.engine.submit({ prompt }),
      told: () => [...warnings, ...events.flatMap(({ event }) => (event.type === "notice" ? [event.message] : []))],
      /** Answers the questions of the session, and lists them. */
      answering: (decision: "once" | "reject") => {
        const asked: Question[] = [];
        questions.subscribe(() => {
          for (const question of questions.pending)
            if (questions.reply(question.id, { decision })) asked.push(question);
        });
        return asked;
      },
    };
  };
  return {
    here,
    place,
    open,
    async [Symbol.asyncDispose]() {
      await place[Symbol.asyncDispose]();
      await here[Symbol.asyncDispose]();
    },
  };
}

const made = (dir: string, name: string) => Bun.file(`${dir}/${name}`).exists();

describe("a guard hook of the project", () => {
  eachOrDeep(
    "that writes its own files blocks every call: %s",
    1,
    [
      "echo x >> guard.log; exit 2",
      "cat > in.json; exit 2",
      'cat | tee -a "log dir/a.log" b.log > /dev/null; exit 2',
      "sh tools/check.sh 2> err.log; exit 2",
      "sh tools/check.sh --log guard.log; date > last.txt; exit 2",
    ],
    async (command) => {
      await using here = await project(on("PreToolUse", { command }, "Bash"), {
        "tools/check.sh": "echo y >> guard.log\n",
        "log dir/a.log": "old\n",
        "guard.log": "old\n",
      });
      const session = await here.open("nobody");
      for (const name of ["one", "two", "three"]) {
        const { denials } = await session.say(bash(`touch ${name}`));
        expect(denials).toEqual([
          expect.objectContaining({ unanswered: false, decidedBy: expect.objectContaining({ kind: "hook" }) }),
        ]);
        expect(await made(here.place.dir, name)).toBe(false);
      }
      await session.session.close();
    },
  );

  test("whose script has changed refuses what it guards if nobody can be asked, until the script is as before", async () => {
    await using here = await project(on("PreToolUse", { command: CHECK }, "Bash"), { "tools/check.sh": "exit 0\n" });
    const session = await here.open("nobody");
    expect((await session.say(bash("touch one"))).denials).toEqual([]);
    await here.place.write("tools/check.sh", "touch changed\n");
    const { denials } = await session.say(bash("touch two"));
    expect(denials).toEqual([expect.objectContaining({ unanswered: true })]);
    expect(JSON.stringify([denials, session.told()])).toContain("tools/check.sh");
    await here.place.write("tools/check.sh", "exit 0\n");
    expect((await session.say(bash("touch three"))).denials).toEqual([]);
    const files = ["one", "two", "three", "changed"].map((name) => made(here.place.dir, name));
    expect(await Promise.all(files)).toEqual([true, false, true, false]);
    await session.session.close();
  });

  test("that has changed asks the person, runs after a yes, and is then approved for later starts", async () => {
    await using here = await project(on("PreToolUse", { command: CHECK, timeout: 20 }, "Bash"), {
      "tools/check.sh": "exit 0\n",
    });
    const session = await here.open("person", TRUSTING);
    const asked = session.answering("once");
    await here.place.write("tools/check.sh", REFUSING);
    const { denials } = await session.say(bash("touch one"));
    expect(asked.map(({ body, title }) => [body.kind, title])).toEqual([["content", expect.stringContaining(CHECK)]]);
    expect(denials).toEqual([
      expect.objectContaining({
        decidedBy: expect.objectContaining({ reason: expect.stringContaining("by the script") }),
      }),
    ]);
    await session.session.close();
    const later = await here.open("nobody", { trusts: false });
    expect((await later.say(bash("touch two"))).denials).toEqual([expect.objectContaining({ unanswered: false })]);
    expect(later.told()).toEqual([]);
    await later.session.close();
  });

  test("that has changed refuses its calls after a no, without another question", async () => {
    await using here = await project(on("PreToolUse", { command: CHECK }, "Bash"), { "tools/check.sh": "exit 0\n" });
    const session = await here.open("person");
    const asked = session.answering("reject");
    await here.place.write("tools/check.sh", "touch changed\n");
    const { denials } = await session.say(bash("touch one"));
    // The line says in full how the person can approve the hook.
    expect(denials).toEqual([
      expect.objectContaining({
        decidedBy: expect.objectContaining({ reason: expect.stringContaining("the next start") }),
      }),
    ]);
    expect((await session.say(bash("touch two"))).denials).toHaveLength(1);
    expect(asked).toHaveLength(1);
    const files = ["one", "two", "changed"].map((name) => made(here.place.dir, name));
    expect(await Promise.all(files)).toEqual([false, false, false]);
    await session.session.close();
  });

  test("that changed between two runs without a person refuses what it guards, and a new one is left out", async () => {
    await using here = await project(on("PreToolUse", { command: CHECK }, "Bash"), { "tools/check.sh": "exit 0\n" });
    const first = await here.open("nobody", TRUSTING);
    await first.session.close();
    await here.place.write("tools/check.sh", "touch changed\n");
    const seen: boolean[] = [];
    const askApproval = async ({ hasChangedHook }: ApprovalRequest) => {
      seen.push(hasChangedHook);
      return "no" as const;
    };
    await (await here.open("person", { ports: { askApproval }, trusts: false })).session.close();
    expect(seen).toEqual([true]);
    const second = await here.open("nobody", { trusts: false });
    expect((await second.say(bash("touch one"))).denials).toEqual([expect.objectContaining({ unanswered: true })]);
    expect(second.told().join()).toContain("what these hooks guard is refused");
    await second.session.close();
    await here.place.write(".quoll/settings.json", JSON.stringify({ hooks: on("PreToolUse", { command: "exit 2" }) }));
    const third = await here.open("nobody", { trusts: false });
    expect((await third.say(bash("touch two"))).denials).toEqual([]);
    expect(third.told().join()).toContain("left out, because you have not approved this content");
    await third.session.close();
  });

  test("for prompts refuses the prompt once it has changed", async () => {
    await using here = await project(on("UserPromptSubmit", { command: CHECK }), { "tools/check.sh": "exit 0\n" });
    const session = await here.open("nobody");
    await session.say("hello");
    await here.place.write("tools/check.sh", "exit 1\n");
    const { outcome } = await session.say("again");
    expect(JSON.stringify(outcome)).toContain("tools/check.sh changed since the user approved it");
    expect(here.here.twin.requests).toHaveLength(1);
    await session.session.close();
  });
});

test("a changed hook after a call does not run, one line says so, and the call stands", async () => {
  await using here = await project(on("PostToolUse", { command: CHECK }, "Bash"), { "tools/check.sh": "exit 0\n" });
  const session = await here.open("nobody");
  await here.place.write("tools/check.sh", "touch changed\n");
  expect((await session.say(bash("touch one"))).denials).toEqual([]);
  await eventually("it is told", () => session.told().join().includes("tools/check.sh changed since"));
  expect([await made(here.place.dir, "one"), await made(here.place.dir, "changed")]).toEqual([true, false]);
  await session.session.close();
});
