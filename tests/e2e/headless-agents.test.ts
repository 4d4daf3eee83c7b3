import { expect, setDefaultTimeout } from "bun:test";
import { reply, type ScenarioRequest, toolUse } from "@quoll/model-twin/scenario";
import { deepTest } from "../support/deep.ts";
import { linesOf } from "../support/lines-of.ts";
import { typeErrors } from "../support/published-types.ts";
import { quollPlace } from "../support/quoll-process.ts";
import { control, said, streamClient } from "../support/stream-client.ts";

setDefaultTimeout(60_000);

const isChild = ({ body }: ScenarioRequest) => JSON.stringify(body).includes("You are an agent");
const last = ({ body }: ScenarioRequest) => JSON.stringify((body as { messages: unknown[] }).messages.at(-1));
const start = (prompt: string, more: object = { run_in_background: true }) =>
  toolUse("Agent", { description: `does ${prompt}`, prompt, subagent_type: "Explore", ...more }, `call-${prompt}`);

/** Starts the agents, ends its turn, and repeats the answers that it then gets. */
function delegating(...prompts: readonly string[]) {
  const gate = Promise.withResolvers<void>();
  const scenario = async (request: ScenarioRequest) => {
    if (isChild(request)) {
      if (last(request).includes("slow")) await gate.promise;
      return reply("found it");
    }
    const text = last(request);
    if (text.includes("agents in the background have ended")) {
      const answers = text.match(/<agent-answer id=.{1,4}"a\d/g)?.length ?? 0;
      return reply(`${answers} answers${text.includes("time limit") ? ", one stopped" : ""}`);
    }
    return text.includes("works in the background") ? reply("started") : reply(prompts.map((one) => start(one)));
  };
  return { scenario, open: () => gate.resolve() };
}

deepTest(
  "-p waits for background agents, gives the model their answers in one turn, and prints the last answer",
  async () => {
    await using here = await quollPlace({ scenario: delegating("one", "two").scenario });
    const text = await here.run(["-p", "go"]);
    expect(text).toMatchObject({ code: 0, out: "2 answers\n" });
  },
);

deepTest("-p stops agents that take longer than the setting, names them, and the model learns of it", async () => {
  await using here = await quollPlace({ scenario: delegating("quick", "slow").scenario });
  const settings = ["--settings", '{"agents":{"waitMs":1500}}'];
  const { code, out, err } = await here.run(["-p", "go", ...settings]);
  expect({ code, out }).toEqual({ code: 0, out: "1 answers, one stopped\n" });
  expect(err).toContain("stopped agents that still ran after 2 s: a2 (Explore: does slow)");
});

deepTest(
  "stream-json tells of agents in lines that the published types know, and their messages name the call",
  async () => {
    await using here = await quollPlace({ scenario: delegating("one").scenario });
    const { out } = await here.run(["-p", "go", "--output-format", "stream-json", "--verbose"]);
    const lines = linesOf(out).map((line) => JSON.parse(line));
    expect(await typeErrors(lines)).toBe("");
    const ofTasks = lines.filter(
      ({ task_id, subtype }) => task_id !== undefined || subtype === "background_tasks_changed",
    );
    const kinds = ofTasks.map(({ subtype, status, patch }) =>
      [subtype, status ?? patch?.status].filter(Boolean).join(" "),
    );
    expect(kinds.filter((kind) => kind !== "task_progress")).toEqual([
      ...["background_tasks_changed", "task_started", "task_updated running"],
      ...["task_updated completed", "background_tasks_changed", "task_notification completed"],
    ]);
    expect(ofTasks.at(-1)).toMatchObject({ task_id: "a1", tool_use_id: "call-one", usage: { tool_uses: 0 } });
    const ofChild = lines.filter(({ parent_tool_use_id }) => parent_tool_use_id === "call-one");
    expect(ofChild.map(({ type }) => type)).toEqual(["assistant"]);
    expect(lines.filter(({ type }) => type === "result").map(({ result }) => result)).toEqual(["1 answers"]);
  },
);

deepTest(
  "a program moves an agent to the background, reads its output and stops it; the answers of the rest start a turn",
  async () => {
    const gate = Promise.withResolvers<void>();
    const { scenario } = delegating();
    await using here = await quollPlace({
      scenario: async (request) => {
        if (isChild(request)) {
          await gate.promise;
          return reply("found it");
        }
        if (last(request).includes("moved to the background")) return reply("moved");
        return last(request).includes("go") ? reply([start("one", {}), start("two", {})]) : scenario(request);
      },
    });
    await using client = streamClient(here);
    client.send(said("go"));
    const running = (id: string) => (line: Readonly<Record<string, unknown>>) =>
      line["subtype"] === "task_progress" && line["task_id"] === id;
    await client.until("the first runs", running("a1"));
    await client.until("the second runs", running("a2"));
    const ask = async (id: string, request: object) => {
      client.send(control(id, request));
      const line = await client.until(id, ({ response }) => (response as { request_id?: string })?.request_id === id);
      return line["response"] as { subtype: string; error?: string; response?: { output: string } };
    };
    expect((await ask("1", { subtype: "background_tasks" })).subtype).toBe("success");
    await client.until("the turn ends", ({ type, result }) => type === "result" && result === "moved");
    const output = await ask("2", { subtype: "get_task_output", task_id: "a1" });
    expect(output.response).toMatchObject({ output: "Explore: does one\none\n\n", truncated: false });
    expect((await ask("3", { subtype: "stop_task", task_id: "a1" })).subtype).toBe("success");
    expect((await ask("4", { subtype: "stop_task", task_id: "a9" })).error).toContain("a9");
    gate.resolve();
    await client.until("the answer of the second", ({ type, result }) => type === "result" && result === "1 answers");
    client.end();
    expect(await client.ended()).toBe(0);
    const ended = client.lines.filter(({ subtype }) => subtype === "task_notification");
    expect(ended.map(({ task_id, status }) => `${task_id} ${status}`)).toEqual(["a1 stopped", "a2 completed"]);
    expect(await typeErrors(client.lines.filter(({ type }) => type !== "control_response"))).toBe("");
  },
);
