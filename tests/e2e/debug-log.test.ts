import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { failing, fault, reply, text, toolUse } from "@quoll/model-twin/scenario";
import { deepTest } from "../support/deep.ts";
import { linesOf } from "../support/lines-of.ts";
import { quollPlace } from "../support/quoll-process.ts";

const KEY = "sk-ant-api03-Qm7Zr2Kx9Lw4Tn8Vb1Yc6Hd3";
const OTHER = "V9s8Kq3mN7xB2wTzP4rL6yHd";
const ID = "11111111-2222-4333-8444-555555555555";
const SHELL = [
  reply([text("Look."), toolUse("Bash", { command: `echo password=${OTHER}; env`, description: "Look" })]),
  reply("Done."),
];
type Place = Awaited<ReturnType<typeof quollPlace>>;

const logOf = (place: Place, id = ID) => readFileSync(join(place.home.dir, "own/state/debug", `${id}.log`), "utf8");
const topicsIn = (log: string) => new Set(linesOf(log).flatMap((line) => /^\S+Z (\w+)/.exec(line)?.[1] ?? []));

describe("quoll -p --debug", () => {
  test("writes one log that only the user can read; stdout is as without it, and stderr names the log once", async () => {
    await using place = await quollPlace({ scenario: [reply("Hello."), reply("Hello.")] });
    const plain = await place.run(["-p", "hi"]);
    const { code, out, err } = await place.run(["-p", "--debug", "hi there", "--session-id", ID]);
    expect({ code, out }).toEqual({ code: 0, out: plain.out });
    expect(linesOf(err)).toEqual([expect.stringContaining(`~/own/state/debug/${ID}.log`)]);
    expect(place.ownFiles().filter(([path]) => path.startsWith("state/debug"))).toEqual([
      ["state/debug", "700"],
      [`state/debug/${ID}.log`, "600"],
    ]);
    expect(JSON.stringify(place.sent().at(-1)?.messages)).toContain("hi there");
    const log = logOf(place);
    expect(log).toContain("a prompt of 8 characters");
    expect(log).not.toContain("hi there");
    expect(log).toMatch(/request 1 ok after .+ 1 attempt: /);
    expect(linesOf(log).at(-1)).toEndWith("closed");
  });

  deepTest("a run without --debug writes no log", async () => {
    await using place = await quollPlace({ scenario: [reply("Hello.")] });
    await place.run(["-p", "hi"]);
    expect(place.ownFiles().filter(([path]) => path.includes("debug"))).toEqual([]);
  });

  test("credentials of the environment and in commands stand nowhere in the log", async () => {
    await using place = await quollPlace({ scenario: SHELL });
    const env = { ANTHROPIC_API_KEY: KEY, DEPLOY_TOKEN: OTHER };
    const { code } = await place.run(["-p", "go", "--debug", "--session-id", ID, "--allowed-tools", "Bash"], { env });
    expect(code).toBe(0);
    const log = logOf(place);
    expect(log).toMatch(/Bash \(\w+\): echo password=/);
    expect([log.includes(KEY), log.includes(OTHER)]).toEqual([false, false]);
  });

  deepTest("a filter keeps the other topics out", async () => {
    const change = toolUse("Bash", { command: "touch new.txt", description: "Make a file" });
    await using place = await quollPlace({ scenario: [reply([text("I make it."), change]), reply("Done.")] });
    await place.run(["-p", "go", "--debug=tools,permissions", "--session-id", ID]);
    expect(topicsIn(logOf(place))).toEqual(new Set(["log", "tools", "permissions"]));
    expect(logOf(place)).toMatch(/permissions +\S+ Bash denied: .+; nobody could be asked \(/);
  });

  deepTest("tries, their status and the failure of a request are there", async () => {
    await using place = await quollPlace({
      scenario: [failing(fault.overloaded()), failing(fault.badRequest("no such field"))],
    });
    const { code } = await place.run(["-p", "go", "--debug", "api", "--session-id", ID]);
    expect(code).toBe(1);
    expect(logOf(place)).toMatch(/request 1 attempt 2 of \d+ in .+ status 529: /);
    expect(logOf(place)).toMatch(/request 1 failed after .+, 2 attempts: status 400: /);
  });

  deepTest("a session that is resumed continues its log", async () => {
    await using place = await quollPlace({ scenario: [reply("One."), reply("Two.")] });
    await place.run(["-p", "one", "--debug", "--session-id", ID]);
    await place.run(["-p", "two", "--debug", "--resume", ID]);
    expect(linesOf(logOf(place)).filter((line) => line.endsWith("closed"))).toHaveLength(2);
  });

  deepTest("a log that can't be written is reported, and the session continues", async () => {
    await using place = await quollPlace({ scenario: [reply("Hello.")] });
    await place.home.write("own/state/debug", "a file");
    const { code, out, err } = await place.run(["-p", "hi", "--debug"]);
    expect({ code, out }).toEqual({ code: 0, out: "Hello.\n" });
    expect(err).toContain("there is no debug log");
  });
});

deepTest("a program that speaks JSON lines gets nothing of the log on stdout", async () => {
  await using place = await quollPlace({ scenario: [reply("Hello.")] });
  const stream = ["--input-format", "stream-json", "--output-format", "stream-json", "--verbose"];
  const stdin = `${JSON.stringify({ type: "user", message: { role: "user", content: "hi" } })}\n`;
  const { code, out, err } = await place.run(["-p", ...stream, "--debug", "--session-id", ID], { stdin });
  expect(code).toBe(0);
  for (const line of linesOf(out)) expect(JSON.parse(line)).toHaveProperty("type");
  expect(err).toContain(`${ID}.log`);
  expect(logOf(place)).toContain("turn completed");
});
