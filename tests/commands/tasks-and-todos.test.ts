import { expect, test } from "bun:test";
import { tasksCommand } from "../../src/commands/tasks.ts";
import { todosCommand } from "../../src/commands/todos.ts";
import type { CommandResult } from "../../src/contracts/command-result.ts";
import { linesOf } from "../../src/contracts/command-result.ts";
import { call, oneProcess, sessionIn } from "../support/app-harness.ts";
import { tempProject } from "../support/temp-project.ts";

const BUILTIN = { commands: { builtin: [tasksCommand, todosCommand] } };
const signal = new AbortController().signal;

function said(result: CommandResult | undefined): string {
  if (!result || result.kind === "prompt" || result.kind === "operation") throw new Error("No lines.");
  return linesOf(result).join("\n");
}

test("/tasks lists a shell in the background, shows it, and stops it", async () => {
  await using here = await oneProcess();
  await using project = await tempProject();
  const { session } = await sessionIn(here.app, project.dir, { allow: ["Bash"] }, BUILTIN);
  const ask = async (words: string) => said(await session.commands.run(words, signal));
  expect(await ask("/tasks")).toBe("Nothing runs in the background.");
  await session.main.engine.submit({
    prompt: call("Bash", { command: "sleep 300", description: "waits", run_in_background: true }),
  });
  expect(await ask("/tasks")).toMatch(/ {2}b1 {2}sleep 300 {2}shell · \d+s · is running/);
  expect(await ask("/tasks b1")).toMatch(/^b1, shell: sleep 300\n {2}is running[\s\S]*Output: \//);
  const one = await session.commands.run("/tasks b1", signal);
  expect(one?.kind === "choose" && one.choices.map(({ input }) => input)).toEqual([
    ...["", "/tasks stop b1", "/tasks keep b1"],
  ]);
  expect(await ask("/tasks stop b1")).toBe("b1 was stopped by the user.");
  expect(await ask("/tasks stop b1")).toBe("b1 was stopped by the user.");
  expect(await ask("/tasks")).toMatch(/b1 {2}sleep 300 {2}shell · \d+s · was stopped/);
  await expect(ask("/tasks message b1 hello")).rejects.toThrow("b1 is not an agent");
  await expect(ask("/tasks message b1")).rejects.toThrow("/tasks message a1");
  await expect(session.commands.run("/tasks b7", signal)).rejects.toThrow("There is no task b7. Known are b1.");
});

test("/todos shows the model's last steps and the shared tasks, open ones first", async () => {
  await using here = await oneProcess();
  await using project = await tempProject();
  const tools = ["TodoWrite", "TaskCreate", "TaskUpdate", "Bash"];
  const { session } = await sessionIn(here.app, project.dir, { tools, allow: ["Bash"] }, BUILTIN);
  const ask = async () => said(await session.commands.run("/todos", signal));
  const make = (prompt: string) => session.main.engine.submit({ prompt });
  expect(await ask()).toMatch(/^There is no list/);
  const step = (content: string, status: string) => ({ content, status, activeForm: content });
  await make(
    call("TodoWrite", { todos: [step("Read", "completed"), step("Fix", "in_progress"), step("Test", "pending")] }),
  );
  for (const subject of ["first", "second", "third"]) await make(call("TaskCreate", { subject, description: "x" }));
  await make(call("TaskUpdate", { taskId: "1", status: "completed" }));
  await make(call("TaskUpdate", { taskId: "2", owner: "a1", status: "in_progress" }));
  await make(call("TaskUpdate", { taskId: "3", addBlockedBy: ["1", "2"] }));
  expect((await ask()).split("\n")).toEqual([
    "Steps of this conversation: 1 of 3 completed",
    // Nothing works on a step between turns.
    "  ○ Fix",
    "  ○ Test",
    "  ✓ Read",
    "Shared tasks: 1 of 3 completed",
    "  ○ 2  second · a1",
    "  ○ 3  third · waits for 2",
    "  ✓ 1  first",
  ]);
  const turn = make(call("Bash", { command: "until [ -e go ]; do sleep 0.05; done", description: "waits" }));
  expect(await ask()).toMatch(/◐ Fix[\s\S]*◐ 2 {2}second/);
  await Bun.write(`${project.dir}/go`, "");
  await turn;
  await Bun.write(`${session.conversation.artifacts.path}/tasks.json`, "{");
  await expect(session.commands.run("/todos", signal)).rejects.toThrow("is not a list of tasks");
});
