import { expect, test } from "bun:test";
import { reply } from "@quoll/model-twin/scenario";
import { oneProcess, sessionIn } from "../../support/app-harness.ts";
import { tempProject } from "../../support/temp-project.ts";

test("WebSearch joins with a model whose provider searches, and stays when another one follows", async () => {
  await using here = await oneProcess(() => reply("Hello."));
  await using project = await tempProject();
  const { session } = await sessionIn(here.app, project.dir, { answerer: "nobody" });
  const namesOf = async () => {
    await session.main.engine.submit({ prompt: "hi" });
    const body = here.twin.requests.at(-1)?.body as { tools: { name: string }[] } | undefined;
    return (body?.tools ?? []).map(({ name }) => name);
  };
  const { state } = session.main;
  const { provider, model } = state.model;
  expect(await namesOf()).not.toContain("WebSearch");
  const searching = { name: provider.name, searchesWeb: true, stream: provider.stream.bind(provider) };
  state.model = { provider: searching, model };
  expect((await namesOf()).at(-1)).toBe("WebSearch");
  const names = await namesOf();
  state.model = { provider, model };
  expect(await namesOf()).toEqual(names);
});
