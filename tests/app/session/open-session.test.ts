import { expect, test } from "bun:test";
import { ConfigurationError } from "../../../src/contracts/errors.ts";
import type { SessionConfig } from "../../../src/contracts/session-config.ts";
import { oneProcess, sessionIn } from "../../support/app-harness.ts";
import { tempProject } from "../../support/temp-project.ts";

test("the error about an unusable configuration names the problem, without the option that set it", async () => {
  await using here = await oneProcess();
  await using place = await tempProject();
  const problemOf = async (more: Partial<SessionConfig>) => {
    const error = await sessionIn(here.app, place.dir, more).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof ConfigurationError)) throw error;
    expect(error.message).not.toMatch(/--(?:tools|fallback|continue|resume|session|fork)/);
    return [error.problem, error.exitCode];
  };
  expect(await problemOf({ tools: ["Fly"] })).toEqual(["tools", 2]);
  expect(await problemOf({ fallbackModels: ["mistral/small"] })).toEqual(["fallbackModels", 2]);
  expect(await problemOf({ conversation: { kind: "latest" } })).toEqual(["noSession", 2]);
  const { session } = await sessionIn(here.app, place.dir);
  await session.main.engine.submit({ prompt: "hello" });
  const { sessionId: id } = session.conversation.log;
  expect(await problemOf({ conversation: { kind: "saved", id } })).toEqual(["sessionOpen", 1]);
  await session.close();
  expect(await problemOf({ conversation: { kind: "new", id } })).toEqual(["sessionExists", 2]);
});
