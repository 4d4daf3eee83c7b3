import { expect, test } from "bun:test";
import { outputStyleCommand } from "../../src/commands/output-style.ts";
import type { CommandContext } from "../../src/contracts/command.ts";
import { oneProcess, sessionIn } from "../support/app-harness.ts";
import { tempProject } from "../support/temp-project.ts";

const NEVER = new AbortController().signal;

test("after a choice the list marks the chosen style, and names the one in use until the session ends", async () => {
  await using here = await oneProcess();
  await using place = await tempProject({ ".quoll/output-styles/teacher.md": "---\nname: Teacher\n---\nExplain.\n" });
  const { session } = await sessionIn(here.app, place.dir, { isTrusted: true });
  const context: CommandContext = session.commands.context;
  const listed = async () => {
    const list = await outputStyleCommand.run("", context, NEVER);
    if (list.kind !== "choose") throw new Error("no list");
    return list.choices.map(({ label, detail, isCurrent = false }) => ({ label, detail, isCurrent }));
  };
  expect(await listed()).toMatchObject([
    { label: "default", detail: expect.stringContaining("in use ·"), isCurrent: true },
    ...["concise", "explanatory", "learning", "Teacher"].map((label) => ({ label, isCurrent: false })),
  ]);
  await outputStyleCommand.run("teacher", context, NEVER);
  expect(await listed()).toMatchObject([
    { label: "default", detail: expect.stringContaining("this session"), isCurrent: false },
    ...["concise", "explanatory", "learning"].map((label) => ({ label, isCurrent: false })),
    { label: "Teacher", detail: expect.stringContaining("next session"), isCurrent: true },
  ]);
});
