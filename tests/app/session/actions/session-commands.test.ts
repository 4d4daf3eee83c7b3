import { expect, test } from "bun:test";
import { BUILTIN_COMMANDS } from "../../../../src/commands/builtin-commands.ts";
import { oneProcess, sessionIn } from "../../../support/app-harness.ts";
import { everyKindCommand } from "../../../support/every-kind-command.ts";
import { tempProject } from "../../../support/temp-project.ts";

const never = new AbortController().signal;

test("a session runs its slash commands for any face, and those of sources that come later", async () => {
  await using here = await oneProcess();
  await using place = await tempProject();
  const doctor = async () => ({ isUsable: true, groups: [], errors: [] });
  const { session } = await sessionIn(here.app, place.dir, {}, { commands: { builtin: BUILTIN_COMMANDS, doctor } });
  const { commands, main } = session;
  expect(commands.run("no command", never)).toBeUndefined();
  expect(commands.run("/no-command", never)).toBeUndefined();
  await expect(commands.run("/resume 1", never)).rejects.toThrow("/resume needs a screen");
  expect(() => commands.assertNeedsNoScreen("/help")).toThrow("/help needs a screen");
  for (const words of ["/cost", "/no-command", "help"]) commands.assertNeedsNoScreen(words);
  for (const words of ["/cost", "/usr is a folder", "/a/b", "help"]) await commands.assertKnown(words, never);
  const unknown = commands.assertKnown("/contxt 1 2", never);
  await expect(unknown).rejects.toMatchObject({
    message: "There is no command /contxt. Did you mean /context?",
    exitCode: 2,
  });
  await expect(commands.assertKnown("/mcp__no__x", never)).rejects.toMatchObject({ exitCode: 1 });
  await commands.run("/effort low", never);
  expect(session.main.state.effort).toBe("low");
  expect(await commands.run("/cost", never)).toMatchObject({ kind: "text" });
  const refused = commands.run("/clear all", never);
  await expect(refused).rejects.toMatchObject({ message: "/clear takes no argument.", exitCode: 2 });
  expect(commands.list().map(({ name }) => name)).not.toContain("resume");
  expect(commands.context.doctor).toBe(doctor);
  commands.registry.set({ kind: "user" }, [everyKindCommand]);
  expect(await commands.run("/every choose", never)).toMatchObject({ kind: "choose" });
  const kinds = commands.inventory.list().map(({ kind, name }) => `${kind} ${name}`);
  expect(kinds).toContain("command every");
  expect(kinds).toContain(`tool ${main.registry.names[0]}`);
});

test("a command lists the saved sessions of the project, and refuses one that is open", async () => {
  await using here = await oneProcess();
  await using place = await tempProject();
  const { session } = await sessionIn(here.app, place.dir);
  await session.main.engine.submit({ prompt: "to be listed" });
  const { sessions } = session.commands.context;
  const { sessionId } = session.conversation.log;
  expect(await sessions.list()).toMatchObject([{ id: sessionId, title: "to be listed" }]);
  await expect(sessions.assertFree?.(sessionId) ?? Promise.resolve()).rejects.toThrow("open");
});

test("a session without commands of its own has none", async () => {
  await using here = await oneProcess();
  await using place = await tempProject();
  const { session } = await sessionIn(here.app, place.dir);
  expect(session.commands.list()).toEqual([]);
  expect(session.commands.run("/cost", never)).toBeUndefined();
});
