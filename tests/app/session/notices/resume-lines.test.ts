import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { reply } from "@quoll/model-twin/scenario";
import type { SessionConfig } from "../../../../src/contracts/session-config.ts";
import { oneProcess, sessionIn } from "../../../support/app-harness.ts";
import { deepTest } from "../../../support/deep.ts";
import { tempProject } from "../../../support/temp-project.ts";

const MINUTE = 60_000;

type Saved = { readonly tokens: number; readonly idleMs?: number; readonly model?: string };

/** A saved session of one turn, whose last request was so long ago. */
async function savedSession({ tokens, idleMs = 0, model }: Saved) {
  const here = await oneProcess(() => reply("Hi.", { usage: { inputTokens: tokens, outputTokens: 10 } }));
  const place = await tempProject();
  const chosen = model !== undefined && { model };
  const { session } = await sessionIn(here.app, place.dir, { ...chosen });
  await session.main.engine.submit({ prompt: "hello" });
  await session.close();
  const entries = readFileSync(session.conversation.transcriptPath, "utf8").trim().split("\n");
  const aged = entries.map((line) => {
    const entry = JSON.parse(line) as { readonly time: string };
    return JSON.stringify({ ...entry, time: new Date(Date.parse(entry.time) - idleMs).toISOString() });
  });
  writeFileSync(session.conversation.transcriptPath, `${aged.join("\n")}\n`);
  /** The lines that the person gets when the session is resumed. */
  const resumed = async (more: Partial<SessionConfig> = {}, prompt?: string) => {
    const again = await sessionIn(here.app, place.dir, { conversation: { kind: "latest" }, ...chosen, ...more });
    if (prompt !== undefined) await again.session.main.engine.submit({ prompt });
    await again.session.close();
    return again.warnings;
  };
  return {
    resumed,
    async [Symbol.asyncDispose]() {
      await here[Symbol.asyncDispose]();
      await place[Symbol.asyncDispose]();
    },
  };
}

deepTest(
  "a large session that is resumed after its prompt cache has expired tells its price and /compact in one line",
  async () => {
    await using saved = await savedSession({ tokens: 80_000, idleMs: 20 * MINUTE });
    expect(await saved.resumed()).toEqual([expect.stringMatching(/20 min ago.*80k tokens.*\$0\.\d\d.*\/compact/)]);
  },
);

test.each<[string, Saved]>([
  ["a small session", { tokens: 40_000, idleMs: 20 * MINUTE }],
  ["a large session that is resumed within the life of its prompt cache", { tokens: 80_000, idleMs: 2 * MINUTE }],
])("%s tells no price when it is resumed", async (_, options) => {
  await using saved = await savedSession(options);
  expect(await saved.resumed()).toEqual([]);
});

test("a session that is resumed with another system prompt tells its price until a request was sent with it", async () => {
  await using saved = await savedSession({ tokens: 30_000 });
  const changed = { systemPrompt: { append: "Answer in Japanese." } };
  const line = expect.stringMatching(/system prompt.*30k tokens.*\$0\.\d/);
  expect(await saved.resumed(changed)).toEqual([line]);
  expect(await saved.resumed(changed, "hello again")).toEqual([line]);
  expect(await saved.resumed(changed)).toEqual([]);
  expect(await saved.resumed()).toEqual([line]);
});

test("a session of the offline model tells no price, which is zero, when it is resumed with another system prompt", async () => {
  await using saved = await savedSession({ tokens: 30_000, model: "offline" });
  expect(await saved.resumed({ systemPrompt: { append: "Answer in Japanese." } })).toEqual([]);
});
