import { expect, setDefaultTimeout, test } from "bun:test";
import { reply, type ScenarioRequest, toolUse } from "@quoll/model-twin/scenario";
import type { HookInput, Hooks } from "../../../src/contracts/hook.ts";
import { oneProcess, sessionIn } from "../../support/app-harness.ts";
import { tempProject } from "../../support/temp-project.ts";

setDefaultTimeout(60_000);

const isChild = ({ body }: ScenarioRequest) => JSON.stringify(body).includes("You are an agent");
const last = ({ body }: ScenarioRequest) => JSON.stringify((body as { messages: unknown[] }).messages.at(-1));

test("hooks see the start and the end of an agent, add to its first message, and can keep it at work", async () => {
  const seen: HookInput[] = [];
  const hooks: Hooks = {
    wants: (event) => event === "SubagentStart" || event === "SubagentStop",
    run: async (input) => {
      seen.push(input);
      if (input.event === "SubagentStart") return { additionalContext: "Mind the gap." };
      return input.event === "SubagentStop" && !input.isAgain ? { block: { reason: "Look once more." } } : {};
    },
  };
  await using here = await oneProcess((request) => {
    const text = last(request);
    if (isChild(request)) return reply(text.includes("Look once more") ? "second look" : "first look");
    if (text.includes("tool_result")) return reply(text.includes("second look") ? "good" : "bad");
    return reply([toolUse("Agent", { description: "look", prompt: "go", subagent_type: "Explore" })]);
  });
  await using project = await tempProject();
  const { session } = await sessionIn(here.app, project.dir, {}, { hooks });
  expect((await session.main.engine.submit({ prompt: "begin" })).text).toBe("good");
  const [, child] = here.twin.requests;
  expect(JSON.stringify(child?.body)).toContain("Mind the gap.");
  const agentId = session.tasks.list()[0]?.agent?.agentId ?? "";
  const about = { subagentId: agentId, subagentType: "Explore", agentId };
  expect(seen).toMatchObject([
    { event: "SubagentStart", ...about },
    { event: "SubagentStop", ...about, isAgain: false, lastText: "first look" },
    { event: "SubagentStop", ...about, isAgain: true, lastText: "second look" },
  ]);
  await session.close();
});
