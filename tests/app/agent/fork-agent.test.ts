import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { reply, type ScenarioRequest, toolUse } from "@quoll/model-twin/scenario";
import { call, oneProcess, sessionIn } from "../../support/app-harness.ts";
import { deepTest } from "../../support/deep.ts";
import { until } from "../../support/engine-harness.ts";
import { tempProject } from "../../support/temp-project.ts";

type Block = { readonly type: string; readonly text?: string; readonly content?: unknown };
type Body = {
  readonly model: string;
  readonly system: unknown;
  readonly tools: readonly { readonly name: string }[];
  readonly messages: readonly { readonly role: string; readonly content: readonly Block[] }[];
};

/** Cache marks move with the conversation and are no content. */
const bytes = (value: unknown) =>
  JSON.stringify(value, (key, one: unknown) => (key === "cache_control" ? undefined : one));
/** The blocks of all messages in order, each with its role: what a prompt cache compares. */
const blocks = ({ messages }: Body) =>
  messages.flatMap(({ role, content }) => content.map((block) => bytes([role, block])));
const lastWords = ({ body }: ScenarioRequest) =>
  ((body as Body).messages.at(-1)?.content ?? []).map(({ text, content }) => text ?? bytes(content)).join("\n");

const fork = (prompt: string) => toolUse("Agent", { description: "aside", prompt, subagent_type: "fork" });
const isFork = (request: ScenarioRequest) => lastWords(request).includes("You are a fork of the conversation above");

deepTest("a fork sends the request of its conversation byte for byte, and the directive after it", async () => {
  await using here = await oneProcess((request) => {
    if (isFork(request)) return reply("Forked.");
    if (lastWords(request).includes("Read first")) return reply([toolUse("Read", { file_path: "a.txt" })]);
    return lastWords(request).includes("needle") ? reply([fork("Count the words.")]) : reply("Done.");
  });
  await using project = await tempProject({ "a.txt": "needle\n" });
  const { session } = await sessionIn(here.app, project.dir, { permissionMode: "plan" });
  await session.main.engine.submit({ prompt: "Read first." });
  const sent = here.twin.requests.map(({ body }) => body as Body);
  const [, before, child, after] = sent;
  if (!before || !child || !after) throw new Error("There were fewer requests.");
  expect([child.model, bytes(child.system), bytes(child.tools)]).toEqual([
    ...[before.model, bytes(before.system), bytes(before.tools)],
  ]);
  const old = blocks(before);
  expect(blocks(child).slice(0, old.length)).toEqual(old);
  const added = blocks(child).slice(old.length);
  expect(added.at(-1)).toContain("Count the words.");
  expect(added.join()).not.toContain("tool_use");
  expect(bytes(after.messages.at(-1))).toContain("Forked.");
  expect(bytes(after.messages)).not.toContain("You are a fork");
});

test("a fork can't fork again, asks in its parent, and is no part of the resumed conversation", async () => {
  const write = { file_path: "new.txt", content: "x" };
  await using here = await oneProcess((request) => {
    const last = lastWords(request);
    if (last.includes("starts no agents")) return reply([toolUse("Write", write)]);
    if (isFork(request)) return reply([fork("Again.")]);
    return last.includes("Begin") ? reply([fork("Write it.")]) : reply("End.");
  });
  await using project = await tempProject();
  const { session } = await sessionIn(here.app, project.dir);
  const { engine } = session.main;
  const turn = engine.submit({ prompt: "Begin." });
  await until(() => engine.questions.pending.length === 1);
  const [question] = engine.questions.pending;
  expect(question).toMatchObject({
    body: { call: { toolName: "Write" } },
    agentLabel: "fork: aside",
    parentAgentId: "main",
  });
  engine.questions.reply(question?.id ?? "", { decision: "once" });
  expect((await turn).outcome.reason).toBe("completed");
  expect(readFileSync(join(project.dir, "new.txt"), "utf8")).toBe("x");
  const { sessionId } = session.conversation.log;
  await session.close();
  const again = await sessionIn(here.app, project.dir, { conversation: { kind: "saved", id: sessionId } });
  await again.session.main.engine.submit({ prompt: "Go on." });
  const [last] = here.twin.requests.slice(-1).map(({ body }) => body as Body);
  const resumed = bytes(last?.messages) ?? "";
  expect([resumed.includes("Begin."), resumed.includes("Write it."), resumed.includes("You are a fork")]).toEqual([
    ...[true, true, false],
  ]);
});

test("a fork takes no other model and no other tools", async () => {
  await using here = await oneProcess();
  await using project = await tempProject();
  const { session } = await sessionIn(here.app, project.dir);
  const input = { description: "aside", prompt: "x", subagent_type: "fork", allowed_tools: ["Read"] };
  const { text } = await session.main.engine.submit({ prompt: call("Agent", input) });
  expect(text).toContain("leave out `model` and `allowed_tools`");
});
