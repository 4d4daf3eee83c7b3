import { afterEach, expect, setDefaultTimeout, test } from "bun:test";
import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SDKMessage } from "@anthropic-ai/claude-agent-sdk";
import { reply, toolUse } from "@quoll/model-twin/scenario";
import { deepTest } from "../support/deep.ts";
import { ask, closeQueries, lastWords, place, resultOf, speech } from "../support/sdk-client.ts";

setDefaultTimeout(60_000);
afterEach(closeQueries);

const OPTIONS = { allowedTools: ["Bash", "Edit", "Write"] };
const FILES = { "a.txt": "a\n", "gone.txt": "gone\n", "mine.txt": "mine\n" };

const changing = [
  reply([
    toolUse("Write", { file_path: "new.txt", content: "one\ntwo\n" }),
    toolUse("Bash", { command: "rm gone.txt; echo more >> a.txt; echo more >> mine.txt" }),
  ]),
  reply("Changed."),
];

/** Reads up to the next result. */
async function turn(messages: AsyncIterator<SDKMessage>): Promise<SDKMessage> {
  for (;;) {
    const { value, done } = await messages.next();
    if (done) throw new Error("The conversation ended.");
    if (value.type === "result") return value;
  }
}

test("a client's rewind names what would change, changes it, leaves a conflict, and the model is told", async () => {
  await using here = await place([...changing, reply("Noted.")], FILES);
  const read = (name: string) => {
    const path = join(here.project.dir, name);
    return existsSync(path) ? readFileSync(path, "utf8") : undefined;
  };
  const talk = speech();
  const query = ask(here, talk, OPTIONS);
  const messages = query[Symbol.asyncIterator]();
  const uuid = randomUUID();
  talk.say("change it", { uuid });
  await turn(messages);
  expect(await query.rewindFiles(uuid, { dryRun: true })).toMatchObject({ canRewind: true, conflicts: [] });
  writeFileSync(join(here.project.dir, "mine.txt"), "person\n");
  const expected = {
    canRewind: true,
    filesChanged: ["a.txt", "gone.txt", "new.txt"].map((name) => join(here.project.dir, name)),
    insertions: 1,
    deletions: 3,
    conflicts: [{ path: join(here.project.dir, "mine.txt"), reason: "it changed since" }],
  };
  const sorted = (result: { readonly filesChanged?: string[] }) => ({
    ...result,
    filesChanged: result.filesChanged?.toSorted(),
  });
  expect(sorted(await query.rewindFiles(uuid, { dryRun: true }))).toMatchObject(expected);
  expect([read("a.txt"), read("new.txt")]).toEqual(["a\nmore\n", "one\ntwo\n"]);
  expect(sorted(await query.rewindFiles(uuid))).toMatchObject(expected);
  expect([read("a.txt"), read("gone.txt"), read("new.txt"), read("mine.txt")]).toEqual([
    ...["a\n", "gone\n", undefined, "person\n"],
  ]);
  expect(await query.rewindFiles(randomUUID())).toMatchObject({ canRewind: false, error: expect.any(String) });
  talk.say("go on");
  await turn(messages);
  expect(JSON.stringify(here.sent().at(-1)?.messages)).toContain("set these files back");
  expect(lastWords(here, 2)).toBe("go on");
  talk.end();
});

deepTest("a client that resumes a session rewinds files of an earlier process", async () => {
  await using here = await place(changing, FILES);
  const uuid = randomUUID();
  const first = speech();
  first.say("change it", { uuid });
  first.end();
  const messages: SDKMessage[] = [];
  for await (const message of ask(here, first, OPTIONS)) messages.push(message);
  expect(readFileSync(join(here.project.dir, "mine.txt"), "utf8")).toBe("mine\nmore\n");
  const again = speech();
  const query = ask(here, again, { ...OPTIONS, resume: resultOf(messages).session_id });
  expect(await query.rewindFiles(uuid)).toMatchObject({ canRewind: true, conflicts: [] });
  expect(readFileSync(join(here.project.dir, "mine.txt"), "utf8")).toBe("mine\n");
  expect(existsSync(join(here.project.dir, "new.txt"))).toBe(false);
  again.end();
});

deepTest(
  "a client's rewind ends commands in the background first, names them, and names pushes as not undone",
  async () => {
    const loop = "while true; do echo x >> loop.txt; sleep 0.05; done";
    await using here = await place(
      [
        reply([
          toolUse("Bash", { command: loop, run_in_background: true }),
          toolUse("Bash", { command: "echo more >> a.txt; git push nowhere main" }),
        ]),
        reply("Started."),
      ],
      FILES,
    );
    const talk = speech();
    const query = ask(here, talk, OPTIONS);
    const messages = query[Symbol.asyncIterator]();
    const uuid = randomUUID();
    talk.say("start it", { uuid });
    await turn(messages);
    const named = { stopped_tasks: [expect.stringContaining("while true")], not_undone: ["git push nowhere main"] };
    expect(await query.rewindFiles(uuid, { dryRun: true })).toMatchObject(named);
    expect(await query.rewindFiles(uuid)).toMatchObject({ canRewind: true, ...named });
    expect(readFileSync(join(here.project.dir, "a.txt"), "utf8")).toBe("a\n");
    const size = () => {
      const path = join(here.project.dir, "loop.txt");
      return existsSync(path) ? readFileSync(path, "utf8").length : 0;
    };
    const before = size();
    expect(await query.rewindFiles(uuid, { dryRun: true })).toMatchObject({ stopped_tasks: [] });
    expect(size()).toBe(before);
    talk.end();
  },
);
