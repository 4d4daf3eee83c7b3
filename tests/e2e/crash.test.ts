import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { reply, type ScenarioRequest, text, toolUse } from "@quoll/model-twin/scenario";
import { deepTest } from "../support/deep.ts";
import { eventually, isRunning } from "../support/eventually.ts";
import { quollPlace, resultsIn, type SentBody } from "../support/quoll-process.ts";

setDefaultTimeout(60_000);

const PASSWORD = "b7Qx92LmK4t8WzR1";
const SLEEPER = `echo $$ > pid; echo begun > part; : --password=${PASSWORD}; sleep 300; echo ended > part`;

/** True if the orphan watch, whose first process to watch is an argument, has been started for `pid`. */
function isWatched(pid: number): boolean {
  return readdirSync("/proc").some((entry) => {
    try {
      return /^\d+$/.test(entry) && readFileSync(`/proc/${entry}/cmdline`, "utf8").includes(`:${pid}:`);
    } catch {
      return false;
    }
  });
}

test("kill -9 in the middle of a command: --continue tells the model, and the work ends well", async () => {
  await using place = await quollPlace({
    files: { "a.txt": "one\n" },
    scenario: [
      reply([text("I look."), toolUse("Read", { file_path: "a.txt" }, "toolu_read")]),
      reply([text("Now the long one."), toolUse("Bash", { command: SLEEPER, description: "Wait" }, "toolu_long")]),
    ],
  });
  const { child, ended } = place.start(["-p", "do the long thing", "--allowed-tools", "Bash", "Edit(/**)"]);
  const pidFile = place.project.path("pid");
  await eventually("the command runs", () => existsSync(pidFile) && readFileSync(pidFile, "utf8").endsWith("\n"));
  const pid = Number(readFileSync(pidFile, "utf8"));
  try {
    // The watch starts right after the command: killed in between, nobody could end it.
    if (process.platform === "linux") await eventually("the orphan watch has started", () => isWatched(pid));
    // The entry that announces an action is on the disk before the action.
    expect(place.sessionEntries().at(-1)).toMatchObject({ kind: "tool_started", toolUseId: "toolu_long" });
    child.kill("SIGKILL");
    expect((await ended).code).not.toBe(0);
    await eventually("the command is ended though nobody of Quoll is left", () => !isRunning(pid));
    const record = place.home.path("own/state/ended-commands");
    await eventually("the record names it", () => existsSync(record));
    expect(readFileSync(record, "utf8")).not.toContain(PASSWORD);
    const firstRun = place.sent();

    const twin = await place.nextTwin(({ body }: ScenarioRequest) => {
      const told = resultsIn(body as SentBody).at(-1) ?? "";
      if (told.includes("nterrupted"))
        return reply([
          text("It was cut off."),
          toolUse("Bash", { command: "cat part", description: "See how far it got" }),
        ]);
      return reply(told.includes("begun") ? "It got as far as its beginning." : `Lost: ${told}`);
    });
    const second = await place.run(["-p", "go on", "--continue"]);
    expect(second).toMatchObject({ code: 0, out: "It got as far as its beginning.\n" });
    const [line = "", ...more] = second.err.trim().split("\n");
    expect(more).toEqual([]);
    expect(line).toStartWith("quoll: Quoll was killed while this command ran, so the command was ended: echo ");
    expect(line).toEndWith(` (in ${place.project.dir})`);
    expect(line).toContain("sleep 300");
    expect(line).not.toContain(PASSWORD);
    expect(twin.requests.flatMap(({ rejected }) => rejected)).toEqual([]);
    const [first] = place.sent();
    expect(first?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant", "user"]);
    const interrupted = first?.messages.at(-1)?.content[0];
    expect(interrupted).toMatchObject({ type: "tool_result", tool_use_id: "toolu_long", is_error: true });
    expect(first?.messages.at(-1)?.content.at(-1)?.text).toBe("go on");
    // The prompt cache compares bytes: what was sent before is sent again as it was.
    const before = withoutMarks(firstRun.at(-1));
    expect(withoutMarks(first).slice(0, before.length)).toEqual([...before]);
  } finally {
    if (isRunning(pid)) process.kill(-pid, "SIGKILL");
  }
  expect((await place.run(["-p", "what can you do", "--model", "offline"])).err).toBe("");
});

test.if(process.platform === "linux")(
  "kill -9 while a hook runs ends the hook's processes, also in another session",
  async () => {
    await using place = await quollPlace({ scenario: [reply("Never sent.")] });
    const command = "setsid sh -c 'echo $$ > far; exec sleep 300' & echo $$ > near; sleep 300";
    const hooks = { UserPromptSubmit: [{ hooks: [{ type: "command", command }] }] };
    const { child, ended } = place.start(["-p", "hello", "--settings", JSON.stringify({ hooks })]);
    const files = ["near", "far"].map((name) => place.project.path(name));
    const isWritten = (file: string) => existsSync(file) && readFileSync(file, "utf8").endsWith("\n");
    await eventually("the hook runs", () => files.every(isWritten));
    const pids = files.map((file) => Number(readFileSync(file, "utf8")));
    try {
      await eventually("the orphan watch has started", () => isWatched(pids[0] ?? 0));
      child.kill("SIGKILL");
      await ended;
      await eventually("no process of the hook runs", () => !pids.some(isRunning));
    } finally {
      for (const pid of pids.filter(isRunning)) process.kill(-pid, "SIGKILL");
    }
  },
);

deepTest("kill -9 in the middle of an answer: no part of the answer is kept, and the session continues", async () => {
  await using place = await quollPlace({ scenario: [reply("x".repeat(4_000), { paceMs: 20 })] });
  const { child, ended } = place.start(["-p", "tell me"]);
  await place.twin.request(0);
  child.kill("SIGKILL");
  await ended;
  await place.nextTwin([reply("Here again.")]);
  expect(await place.run(["-p", "and now?", "--continue"])).toEqual({ code: 0, out: "Here again.\n", err: "" });
  const [sent] = place.sent();
  expect(sent?.messages.map(({ role }) => role)).toEqual(["user"]);
  expect(sent?.messages[0]?.content.map(({ text: words }) => words).slice(1)).toEqual(["tell me", "and now?"]);
  expect(place.refused()).toEqual([]);
});

deepTest("a session with an incomplete last line continues without the line and says so", async () => {
  await using place = await quollPlace({ scenario: [reply("One."), reply("Two.")] });
  await place.run(["-p", "first"]);
  const [name] = place
    .ownFiles()
    .map(([path]) => path)
    .filter((path) => path.endsWith(".jsonl"));
  const file = place.home.path(`own/${name}`);
  await Bun.write(file, `${readFileSync(file, "utf8")}{"kind":"user","id":"torn`);
  const { code, out } = await place.run(["-p", "second", "--continue"]);
  expect({ code, out }).toEqual({ code: 0, out: "Two.\n" });
  expect(place.sent()[1]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
  expect(place.sessionEntries().every((entry) => typeof entry["kind"] === "string")).toBe(true);
});

/** Messages without their cache marks, which move on from request to request. */
function withoutMarks(body: SentBody | undefined): readonly unknown[] {
  return JSON.parse(
    JSON.stringify(body?.messages ?? [], (key, value) => (key === "cache_control" ? undefined : value)),
  );
}
