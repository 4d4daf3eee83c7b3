import { expect, test } from "bun:test";
import { failing, reply, type ScenarioRequest, toolUse } from "@quoll/model-twin/scenario";
import { bash } from "../../support/app-harness.ts";
import { deepTest, eachOrDeep } from "../../support/deep.ts";
import { json, on, playing } from "../../support/hooked-session.ts";

const specific = (fields: object) => json({ hookSpecificOutput: fields });

test("a PermissionRequest hook answers in the person's place, changes the input, and its rule holds for later calls", async () => {
  const rules = [{ toolName: "Bash", ruleContent: "mkdir made" }];
  const updatedPermissions = [{ type: "addRules", behavior: "allow", destination: "localSettings", rules }];
  const decision = { behavior: "allow", updatedInput: { command: "mkdir made", description: "x" }, updatedPermissions };
  const hooks = on("PermissionRequest", { command: specific({ decision }), once: true });
  await using play = await playing(hooks, { allow: [], answerer: "nobody" });
  expect((await play.say(bash("mkdir other"))).denials).toEqual([]);
  expect((await play.say(bash("mkdir made"))).denials).toEqual([]);
  expect(play.results().at(-1)).toContain("File exists");
  expect((await play.say(bash("mkdir other"))).denials).toHaveLength(1);
});

deepTest("a PreCompact hook stops a compaction, and the person is told", async () => {
  await using play = await playing(on("PreCompact", { command: "echo keep it >&2; exit 2" }, "manual"));
  await play.say("one");
  await play.say("two");
  const before = play.here.twin.requests.length;
  await play.session.main.engine.compact();
  expect(play.here.twin.requests.length).toBe(before);
  expect(play.notices().join()).toContain("keep it");
});

test("a StopFailure hook hears why a turn failed", async () => {
  const hooks = on("StopFailure", { command: "cat > failure.json" }, "invalid_request");
  await using play = await playing(hooks, {}, () => failing({ kind: "status", status: 400, message: "no" }));
  await play.say("hello");
  await play.session.close();
  expect(JSON.parse(await play.place.read("failure.json"))).toMatchObject({ error: "invalid_request" });
});

deepTest("a ConfigChange hook keeps a changed file out", async () => {
  const hooks = on("ConfigChange", { command: "echo not now >&2; exit 2" }, "user_settings");
  await using play = await playing(hooks);
  await play.here.home.write(".config/quoll/settings.json", JSON.stringify({ permissions: { deny: ["Bash"] } }));
  expect((await play.say(bash("echo ran"))).denials).toEqual([]);
  expect(play.notices().join()).toMatch(/A hook refused the changed settings of .*settings\.json: not now/);
});

/** A session with a question as its hook; the model answers the question with `text`. */
async function judged(type: "prompt" | "agent", text: string, more: object = {}) {
  const play = await playing(on("PreToolUse", { type, prompt: `$ARGUMENTS\n${text}`, ...more }, "Bash"));
  return { play, denials: (await play.say(bash("echo ran"))).denials };
}

eachOrDeep(
  "a hook of kind %s allows, blocks with its reason, and fails at a broken answer or its time limit",
  1,
  ["prompt", "agent"] as const,
  async (type) => {
    const yes = await judged(type, '{"ok": true}');
    await using _yes = yes.play;
    expect([yes.denials, yes.play.notices()]).toEqual([[], []]);
    const no = await judged(type, '{"ok": false, "reason": "judged"}');
    await using _no = no.play;
    expect(no.denials[0]?.decidedBy).toMatchObject({
      ...{ kind: "hook", reason: "judged" },
      source: expect.stringMatching(/ \(PreToolUse, --settings:1\)$/),
    });
    const broken = await judged(type, "perhaps", { onFailure: "block" });
    await using _broken = broken.play;
    expect(broken.denials[0]?.decidedBy.reason).toContain("failed: the model did not answer with");
    const late = await judged(type, '{"ok": true}', { timeout: 0.001 });
    await using _late = late.play;
    expect(late.play.notices().join()).toContain("failed: it did not answer within 0.001 s");
  },
);

const judgeOrCall = (verdicts: readonly string[]) => {
  const left = [...verdicts];
  let step = 0;
  return ({ body }: ScenarioRequest) => {
    if (((body as { tools?: readonly unknown[] }).tools ?? []).length === 0) return reply(left.shift() ?? "what?");
    step += 1;
    return step === 1 ? reply([toolUse("Bash", { command: "touch made", description: "x" })]) : reply("Done.");
  };
};

test("a PermissionDenied hook hears the judge's reason, and its retry tells the model to try again", async () => {
  const hooks = on("PermissionDenied", { command: `cat > denied.json; ${specific({ retry: true })}` }, "Bash");
  const scenario = judgeOrCall(["no", "It makes a file.\nVERDICT: no: not asked for"]);
  await using play = await playing(hooks, { allow: [], permissionMode: "auto", answerer: "nobody" }, scenario);
  await play.say("look around");
  expect(JSON.parse(await play.place.read("denied.json"))).toMatchObject({
    hook_event_name: "PermissionDenied",
    tool_name: "Bash",
    reason: expect.stringContaining("not asked for"),
  });
  expect(play.results().join()).toContain("A hook of the user's says that you may try this call again.");
  expect(play.results().join()).not.toContain("Don't try to do the same");
});

test.each(["prompt", "agent"] as const)(
  "a model error in a hook of kind %s with onFailure blocks the call",
  async (type) => {
    const scenario = ({ body }: ScenarioRequest) => {
      const sent = JSON.stringify(body);
      if (sent.includes("HOOK-ASKS")) return failing({ kind: "status", status: 400, message: "no such model" });
      return sent.includes("tool_result") ? reply("Done.") : reply([toolUse("Bash", { command: "touch made" })]);
    };
    const hook = { type, prompt: "HOOK-ASKS $ARGUMENTS", onFailure: "block" };
    await using play = await playing(on("PreToolUse", hook, "Bash"), {}, scenario);
    const { denials } = await play.say("go");
    expect(denials[0]?.decidedBy.reason).toMatch(/^it failed: .*no such model/);
    expect(await Bun.file(play.place.path("made")).exists()).toBe(false);
  },
);
