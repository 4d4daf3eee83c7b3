import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { reply, toolUse } from "@quoll/model-twin/scenario";
import { deepTest } from "../support/deep.ts";
import { quollPlace } from "../support/quoll-process.ts";

const MINUTE = 60_000;

type Place = Awaited<ReturnType<typeof quollPlace>>;

/** Makes the saved session so much older. */
function age(place: Place, ms: number): void {
  const [[path] = [""]] = place.ownFiles().filter(([name]) => /sessions\/.*\.jsonl$/.test(name));
  const lines = place.sessionEntries().map((entry) => {
    const time = new Date(Date.parse(String(entry["time"])) - ms).toISOString();
    return JSON.stringify({ ...entry, time });
  });
  writeFileSync(join(place.home.dir, "own", path), `${lines.join("\n")}\n`);
}

async function resumed({ tokens, idleMs, args = [] }: { tokens: number; idleMs: number; args?: readonly string[] }) {
  const scenario = [reply("One.", { usage: { inputTokens: tokens, outputTokens: 10 } }), reply("Two.")];
  await using place = await quollPlace({ scenario });
  await place.run(["-p", "one", ...args]);
  age(place, idleMs);
  const { code, out, err } = await place.run(["-p", "two", "--continue", ...args]);
  expect([code, out, place.refused()]).toEqual([0, "Two.\n", []]);
  return err;
}

test("a session that is resumed after its prompt cache has expired tells the price and /compact", async () => {
  const err = await resumed({ tokens: 80_000, idleMs: 20 * MINUTE, args: ["--model", "claude-sonnet-4-5"] });
  expect(err.trim().split("\n")).toHaveLength(1);
  expect(err).toMatch(/20 min ago.*80k tokens.*\$0\.\d\d.*\/compact/);
});

deepTest("a resumed session tells the model that commands run in the starting folder again", async () => {
  const scenario = [
    reply([toolUse("Bash", { command: "cd sub && pwd", description: "Go there" })]),
    ...["There.", "Back.", "Still here."].map((text) => reply(text)),
  ];
  await using place = await quollPlace({ scenario, files: { "sub/a.txt": "a\n" } });
  const rules = ["--allowed-tools", "Bash"];
  await place.run(["-p", "one", ...rules]);
  await place.run(["-p", "two", "--continue", ...rules]);
  const told = JSON.stringify(place.sent().at(-1)?.messages.at(-1));
  expect(told).toContain("was resumed");
  expect(told).toContain(`${place.project.dir}/sub`);
  await place.run(["-p", "three", "--continue", ...rules]);
  const third = JSON.stringify(place.sent().at(-1)?.messages.at(-1));
  expect([third.includes("three"), third.includes("was resumed")]).toEqual([true, false]);
});

deepTest("a small session, and one that is resumed at once, tell nothing", async () => {
  expect(await resumed({ tokens: 40_000, idleMs: 20 * MINUTE })).toBe("");
  expect(await resumed({ tokens: 80_000, idleMs: 2 * MINUTE })).toBe("");
});

deepTest("a session that is resumed with another system prompt tells so with the price, once", async () => {
  const usage = { inputTokens: 30_000, outputTokens: 10 };
  await using place = await quollPlace({ scenario: () => reply("Hi.", { usage }) });
  const model = ["--model", "claude-sonnet-4-5"];
  const resume = async (settings: object) =>
    (await place.run(["-p", "again", "--continue", "--settings", JSON.stringify(settings), ...model])).err;
  await place.run(["-p", "one", ...model]);
  expect(await resume({})).toBe("");
  const err = await resume({ language: "Japanese" });
  expect(err.trim().split("\n")).toHaveLength(1);
  expect(err).toMatch(/system prompt.* 3\dk tokens.*\$0\.\d/);
  expect(await resume({ language: "Japanese" })).toBe("");
  expect(await resume({})).toContain("system prompt");
});

deepTest("a session file without a hash of the system prompt, as older versions wrote it, tells nothing", async () => {
  await using place = await quollPlace({ scenario: () => reply("Hi.") });
  await place.run(["-p", "one"]);
  const [[path] = [""]] = place.ownFiles().filter(([name]) => /sessions\/.*\.jsonl$/.test(name));
  const lines = place.sessionEntries().map(({ systemHash: _, ...entry }) => JSON.stringify(entry));
  writeFileSync(join(place.home.dir, "own", path), `${lines.join("\n")}\n`);
  const settings = ["--settings", JSON.stringify({ language: "Japanese" })];
  expect((await place.run(["-p", "two", "--continue", ...settings])).err).toBe("");
});
