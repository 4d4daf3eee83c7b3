import { expect, setDefaultTimeout, test } from "bun:test";
import type { Session } from "../../../src/app/session/session.ts";
import { call, oneProcess, sessionIn } from "../../support/app-harness.ts";
import { deepTest } from "../../support/deep.ts";
import { until } from "../../support/engine-harness.ts";
import { tempProject } from "../../support/temp-project.ts";

setDefaultTimeout(60_000);

const step = (name: string) => `until test -e ${name}; do sleep 0.01; done`;
const SERVER = `echo starting; ${step("go")}; echo 'Server READY on 3000'; echo other; echo boom; ${step("end")}`;
const watched = (command: string, more: object = {}) =>
  call("Bash", { command, run_in_background: true, notify_on: "ready*3000|BOOM", ...more });
const status = (session: Session) => session.tasks.list().map(({ id, status }) => `${id} ${status}`);

/** A session whose model makes the call of a prompt; `request`: the user's messages of its last request. */
async function watching(settings = "{}", answerer: "person" | "program" = "program") {
  const here = await oneProcess();
  const project = await tempProject();
  const opened = await sessionIn(here.app, project.dir, { allow: ["Bash(until *)", "Bash(true)"], settings, answerer });
  return {
    ...opened,
    project,
    requests: () => here.twin.requests.length,
    request: () => {
      const { body } = here.twin.requests.at(-1) as { readonly body: unknown };
      const { messages } = body as { readonly messages: readonly { readonly role: string }[] };
      return JSON.stringify(messages.filter(({ role }) => role === "user"));
    },
    turns: () => opened.events.filter(({ event }) => event.type === "turn_finished").length,
    notices: () => opened.events.flatMap(({ event }) => (event.type === "notice" ? [event.message] : [])).join("\n"),
    async [Symbol.asyncDispose]() {
      await opened.session.close();
      await project[Symbol.asyncDispose]();
      await here[Symbol.asyncDispose]();
    },
  };
}

test("watched lines of a background command are reported once: to the person, and to the model with the next prompt", async () => {
  await using here = await watching();
  const { engine } = here.session.main;
  await engine.submit({ prompt: watched(SERVER) });
  expect(here.session.tasks.list()[0]?.state).toContain("ready*3000|BOOM");
  const before = here.requests();
  await here.project.write("go", "");
  await until(() => here.notices().includes("Background task b1 printed: Server READY on 3000"));
  expect(here.requests()).toBe(before);
  await engine.submit({ prompt: "hello" });
  const lines = /<task-lines id=.{1,3}b1.{1,3}>(.*?)<\/task-lines>/.exec(here.request())?.[1];
  expect(lines).toContain("Server READY on 3000\\nboom");
  expect(lines).not.toContain("other");
  await engine.submit({ prompt: "hello again" });
  expect(here.request().split("<task-lines")).toHaveLength(2);
});

test("the end of a command names its output file to the model, and the command that names it to the person", async () => {
  await using here = await watching("{}", "person");
  const { engine } = here.session.main;
  await engine.submit({ prompt: call("Bash", { command: step("end"), run_in_background: true }) });
  await here.project.write("end", "");
  await until(() => here.notices().includes("Background task b1 completed"));
  expect(here.notices()).toEndWith(". /tasks b1 names its output.");
  await engine.submit({ prompt: "hello" });
  expect(here.request()).toMatch(/Background task b1 completed .* done\. Its output is in \//);
});

deepTest("a watched command continues after a clear, and the person can stop it", async () => {
  await using here = await watching();
  const { engine } = here.session.main;
  await engine.submit({ prompt: watched(SERVER) });
  engine.clear();
  expect(status(here.session)).toEqual(["b1 running"]);
  await here.project.write("go", "");
  await until(() => here.notices().includes("Server READY"));
  await here.session.tasks.stop("b1", new AbortController().signal, "person");
  expect(status(here.session)).toEqual(["b1 cancelled"]);
});

deepTest("with the setting, a line and the end of a command each begin a turn of an idle session", async () => {
  await using here = await watching('{"tools":{"bashWakes":true}}');
  await here.session.main.engine.submit({ prompt: watched(SERVER) });
  const before = here.requests();
  await here.project.write("go", "");
  await until(() => here.requests() === before + 1 && here.turns() === 2);
  expect(here.request()).toContain("Server READY on 3000");
  await here.project.write("end", "");
  await until(() => here.requests() === before + 2);
  expect(here.request()).toContain("Background task b1 completed");
});

deepTest(
  "a regular expression, and a text for a command in the foreground, are refused with the way to say it",
  async () => {
    await using here = await watching();
    const ask = async (more: object) => (await here.session.main.engine.submit({ prompt: watched("true", more) })).text;
    expect(await ask({ notify_on: "^ready.*" })).toContain("plain texts");
    expect(await ask({ run_in_background: false })).toContain("run_in_background");
    expect(here.session.tasks.list()).toEqual([]);
  },
);
