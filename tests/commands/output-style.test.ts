import { expect, test } from "bun:test";
import { reply } from "@quoll/model-twin/scenario";
import { outputStyleCommand } from "../../src/commands/output-style.ts";
import { oneProcess, sessionIn } from "../support/app-harness.ts";
import { tempProject } from "../support/temp-project.ts";

const NEVER = new AbortController().signal;

test("a chosen style counts from the next request on, and its price is named", async () => {
  await using here = await oneProcess(() => reply("Yes.", { usage: { inputTokens: 20_000, outputTokens: 10 } }));
  await using place = await tempProject({ ".quoll/output-styles/teacher.md": "---\nname: Teacher\n---\nExplain.\n" });
  const { session } = await sessionIn(here.app, place.dir, { isTrusted: true });
  const { context } = session.commands;
  const choose = (name: string) => outputStyleCommand.run(name, context, NEVER);
  const listed = async () => {
    const list = await choose("");
    if (list.kind !== "choose") throw new Error("no list");
    return list.choices.flatMap(({ label, isCurrent }) => (isCurrent ? [label] : []));
  };
  expect(await listed()).toEqual(["default"]);
  await session.main.engine.submit({ prompt: "one" });
  const price = expect.stringMatching(/^The next request sends about [\d.]+k? tokens without the prompt cache\.$/);
  expect(await choose("teacher")).toEqual({
    kind: "text",
    lines: ["The output style of this project is now Teacher.", price],
  });
  expect(await choose("teacher")).toMatchObject({ lines: ["The output style of this project is now Teacher."] });
  expect(await listed()).toEqual(["Teacher"]);
  await session.main.engine.submit({ prompt: "two" });
  await choose("default");
  await session.main.engine.submit({ prompt: "three" });
  const systems = here.twin.requests.map(({ body }) => JSON.stringify((body as { system: unknown }).system));
  expect(systems.map((system) => system.includes("Explain."))).toEqual([false, true, false]);
  expect(systems[2]).toBe(systems[0] ?? "");
});
