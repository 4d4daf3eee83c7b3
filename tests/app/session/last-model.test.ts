import { expect, test } from "bun:test";
import { failing, fault, reply, type ScenarioRequest } from "@quoll/model-twin/scenario";
import type { ConversationChoice, SessionConfig } from "../../../src/contracts/session-config.ts";
import { oneProcess, sessionIn } from "../../support/app-harness.ts";
import { tempProject } from "../../support/temp-project.ts";

const LATEST: ConversationChoice = { kind: "latest" };
const CHOSEN = "claude-opus-4-1";
const SKILL = "---\nname: tidy\ndescription: d\nmodel: claude-sonnet-4-5\n---\nTidy up.\n";

/** A session in which the person chose a model with `/model` and sent a prompt. */
async function savedSession(prompt: { readonly prompt: string; readonly skill?: string } = { prompt: "hello" }) {
  const here = await oneProcess();
  const place = await tempProject({ ".claude/skills/tidy/SKILL.md": SKILL });
  const usual = { model: undefined as never };
  const first = await sessionIn(here.app, place.dir, usual);
  const usualModel = first.session.main.engine.state.model;
  await first.session.main.engine.setModel(CHOSEN);
  await first.session.main.engine.submit({ prompt: "hello" });
  await first.session.main.engine.submit(prompt);
  await first.session.close();
  return {
    usualModel,
    lastRequested: () => (here.twin.requests.at(-1)?.body as { model: string } | undefined)?.model,
    /** The model with which the session is resumed, and the lines that the person gets. */
    async resumed(more: Partial<SessionConfig> = {}) {
      const { session, warnings } = await sessionIn(here.app, place.dir, { ...usual, conversation: LATEST, ...more });
      const { model } = session.main.engine.state;
      await session.close();
      return { model, warnings };
    },
    place,
    async [Symbol.asyncDispose]() {
      await here[Symbol.asyncDispose]();
      await place[Symbol.asyncDispose]();
    },
  };
}

test("a resumed session continues with the model of its last prompt, and a new one with the usual model", async () => {
  await using saved = await savedSession();
  expect(await saved.resumed()).toEqual({ model: CHOSEN, warnings: [] });
  expect((await saved.resumed({ conversation: { kind: "new" } })).model).toBe(saved.usualModel);
  await saved.place.write(".quoll/settings.json", JSON.stringify({ model: "claude-sonnet-4-5" }));
  expect((await saved.resumed()).model).toBe(CHOSEN);
});

test("an option that names a model is stronger than the last model of a session", async () => {
  await using saved = await savedSession();
  expect((await saved.resumed({ model: "claude-sonnet-4-5" })).model).toBe("claude-sonnet-4-5");
  const settings = JSON.stringify({ model: "claude-sonnet-4-5" });
  expect((await saved.resumed({ settings })).model).toBe("claude-sonnet-4-5");
});

test("a session whose last prompt was a skill with a model of its own continues with the person's model", async () => {
  await using saved = await savedSession({ prompt: "Tidy up.", skill: "tidy" });
  expect(saved.lastRequested()).toBe("claude-sonnet-4-5");
  expect((await saved.resumed()).model).toBe(CHOSEN);
});

test("a session in which a fallback took over continues with the model that the person chose", async () => {
  const scenario = ({ body }: ScenarioRequest) =>
    (body as { model: string }).model === CHOSEN ? failing(fault.overloaded()) : reply("Done.");
  await using here = await oneProcess(scenario);
  await using place = await tempProject();
  const config = { model: CHOSEN, fallbackModels: ["claude-sonnet-4-5"] };
  const first = await sessionIn(here.app, place.dir, config);
  const { engine } = first.session.main;
  for (const prompt of ["hello", "and now"]) await engine.submit({ prompt });
  expect(engine.state.model).toBe("claude-sonnet-4-5");
  await first.session.close();
  const again = await sessionIn(here.app, place.dir, { model: undefined as never, conversation: LATEST });
  expect(again.session.main.engine.state.model).toBe(CHOSEN);
  await again.session.close();
});

test("a session whose last model is gone continues with the usual model and says so in one line", async () => {
  await using here = await oneProcess();
  await using place = await tempProject();
  const box = { box: { type: "anthropic", baseUrl: here.twin.url, apiKeyEnv: "ANTHROPIC_API_KEY" } };
  const settings = JSON.stringify({ providers: box });
  const first = await sessionIn(here.app, place.dir, { settings, model: "box/claude-opus-4-1" });
  await first.session.main.engine.submit({ prompt: "hello" });
  await first.session.close();
  const again = await sessionIn(here.app, place.dir, { settings, model: undefined as never, conversation: LATEST });
  expect(again.session.main.engine.state).toMatchObject({ model: "claude-opus-4-1", providerName: "box" });
  await again.session.close();
  const gone = await sessionIn(here.app, place.dir, { model: undefined as never, conversation: LATEST });
  expect(gone.session.main.engine.state.providerName).toBe("anthropic");
  expect(gone.warnings.filter((line) => line.startsWith("claude-opus-4-1"))).toHaveLength(1);
  await gone.session.close();
});
