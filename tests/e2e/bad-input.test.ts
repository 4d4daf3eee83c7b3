import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { truncate } from "node:fs/promises";
import { failing, fault, rawToolUse, reply, toolUse } from "@quoll/model-twin/scenario";
import { deepTest, eachOrDeep } from "../support/deep.ts";
import { eventually } from "../support/eventually.ts";
import { linesOf } from "../support/lines-of.ts";
import { quollPlace, resultsIn, type SentBlock } from "../support/quoll-process.ts";

setDefaultTimeout(60_000);

/** Plays one call of a model. @returns the result that the model gets. */
async function toldOf(call: ReturnType<typeof toolUse>, prepare?: (path: (name: string) => string) => Promise<void>) {
  await using place = await quollPlace({
    files: { "a.txt": "one\n", "logo.bin": new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 0, 1, 2, 0, 0xff]) },
    scenario: [reply([call]), reply("I see.")],
  });
  await place.project.write("big.log", "first line\n".repeat(50_000));
  await prepare?.(place.project.path);
  const { child, ended } = place.start(["-p", "do it"]);
  const { code, out, err } = await ended;
  const { cpuTime, maxRSS } = child.resourceUsage() ?? {};
  const result = place.sent()[1]?.messages.at(-1)?.content[0] as SentBlock;
  expect({ out, refused: place.refused() }).toEqual({ out: "I see.\n", refused: [] });
  return {
    ...{ code, err, isError: result.is_error ?? false, text: resultsIn(place.sent()[1])[0] ?? "" },
    /** The processor time and the memory of the program, not of a busy machine. */
    used: { cpuMs: Number(cpuTime?.total ?? 0) / 1_000, bytes: maxRSS ?? 0 },
  };
}

describe("a model's wrong call gets an error result, and the turn continues", () => {
  deepTest("an unknown tool: the nearest names", async () => {
    const told = await toldOf(toolUse("Gerp", { pattern: "x" }));
    expect(told).toMatchObject({
      code: 0,
      err: "",
      isError: true,
      text: 'There is no tool named "Gerp". Did you mean Grep?',
    });
  });

  deepTest("another case of a name and an alias of a field are corrected, and the corrections are named", async () => {
    const told = await toldOf(toolUse("read", { path: "a.txt", limit: "1" }));
    expect({ code: told.code, isError: told.isError }).toEqual({ code: 0, isError: false });
    expect(told.text).toContain("1\tone");
    for (const said of [
      "`read` was taken as `Read`",
      "`path` was taken as `file_path`",
      "`limit` was sent as a string",
    ])
      expect(told.text).toContain(said);
  });

  test.concurrent("input that does not fit: what is wrong and which fields there are", async () => {
    const told = await toldOf(toolUse("Read", { offset: "soon" }));
    expect({ code: told.code, isError: told.isError }).toEqual({ code: 0, isError: true });
    expect(told.text).toMatch(
      /^The input of Read does not fit: .*file_path.*Its fields are: file_path, offset\?, limit\?, pages\?\.$/,
    );
  });

  deepTest("input that is not JSON: where it broke", async () => {
    const told = await toldOf(rawToolUse("Read", '{"file_path": "a.t'));
    expect({ code: told.code, isError: told.isError }).toEqual({ code: 0, isError: true });
    expect(told.text).toStartWith("The input of Read is not valid JSON (");
  });

  deepTest("a binary file: said to be one", async () => {
    const told = await toldOf(toolUse("Read", { file_path: "logo.bin" }));
    expect({ code: told.code, isError: told.isError }).toEqual({ code: 0, isError: true });
    expect(told.text).toStartWith("logo.bin is an ELF program or library (9 bytes), not text.");
    expect(told.text).not.toContain("\u0000");
  });

  deepTest("a file of 1 GB: its first part, its true size, soon and in little memory", async () => {
    const told = await toldOf(toolUse("Read", { file_path: "big.log", limit: 1 }), async (path) => {
      await truncate(path("big.log"), 2 ** 30);
    });
    expect(told.code).toBe(0);
    expect(told.text.length).toBeLessThan(5_000);
    expect(told.text).toContain("1\tfirst line");
    expect(told.text).toContain("1,073,741,824 bytes");
    expect(told.text).toContain("offset: 2");
    expect(told.used.cpuMs).toBeWithin(1, 10_000);
    // Linux counts the memory of the process that starts another one as a part of the other's peak.
    const ownPeak = process.resourceUsage().maxRSS * 1024;
    expect(told.used.bytes).toBeWithin(1, Math.max(2 ** 30, 1.1 * ownPeak));
  });

  deepTest("a missing file: the nearest name", async () => {
    const told = await toldOf(toolUse("Read", { file_path: "a.tx" }));
    expect({ code: told.code, isError: told.isError }).toEqual({ code: 0, isError: true });
    expect(told.text).toContain("a.txt");
  });

  deepTest("a path outside the workspace is asked, and refused where nobody can answer", async () => {
    const told = await toldOf(toolUse("Read", { file_path: "/etc/hostname" }));
    expect({ code: told.code, isError: told.isError }).toEqual({ code: 4, isError: true });
    expect(told.text).toContain("lies outside the workspace");
    const [refused = "", advice = "", ...more] = linesOf(told.err);
    expect(refused).toContain("Refused: Read (");
    expect(advice).toContain("--allowed-tools 'Read(//etc/hostname)'");
    expect(more).toEqual([]);
    expect(told.err).toStartWith("quoll: Refused: Read (/etc/hostname lies outside the workspace");
  });
});

describe("errors of the API", () => {
  const CASES: readonly (readonly [number, string])[] = [
    [400, "the request is odd"],
    [401, "ANTHROPIC_API_KEY"],
    [403, "not for you"],
    [404, "claude-sonnet-5-5"],
  ];
  eachOrDeep("%i is told in one line, at once, and the session is kept", 1, CASES, async (status, said) => {
    await using place = await quollPlace({
      scenario: [failing(fault.status(status, { message: status === 403 ? "not for you" : "the request is odd" }))],
    });
    const { code, out, err } = await place.run(["-p", "hello"]);
    expect({ code, out, lines: linesOf(err).length }).toEqual({ code: 1, out: "", lines: 1 });
    expect(err).toContain(said);
    expect(err).not.toMatch(/\n {4}at |twin/);
    // A model that the server does not know is looked for in its list, for a name that is near.
    const lists = status === 404 ? ["/v1/models"] : [];
    expect(place.twin.requests.map(({ path }) => path.split("?")[0])).toEqual(["/v1/messages", ...lists]);
    await place.nextTwin([reply("Back.")]);
    expect(await place.run(["-p", "again", "--continue"])).toEqual({ code: 0, out: "Back.\n", err: "" });
    expect(place.refused()).toEqual([]);
    expect(
      place
        .sent()[0]
        ?.messages[0]?.content.map(({ text }) => text)
        .slice(1),
    ).toEqual(["hello", expect.stringContaining("last turn failed"), "again"]);
  });

  deepTest("500 and 529 are retried; each attempt is reported, in text and in stream-json", async () => {
    await using place = await quollPlace({
      scenario: [failing(fault.serverError()), failing(fault.overloaded()), reply("At last.")],
    });
    const { code, out, err } = await place.run(["-p", "hello"]);
    expect({ code, out }).toEqual({ code: 0, out: "At last.\n" });
    expect(linesOf(err)).toEqual([
      expect.stringMatching(/^quoll: .+ Trying again in \d\.\d s \(attempt 2 of 10\)\.$/),
      expect.stringMatching(/^quoll: .+ Trying again in \d\.\d s \(attempt 3 of 10\)\.$/),
    ]);
    await place.nextTwin([failing(fault.serverError()), reply("At last.")]);
    const streamed = await place.run(["-p", "hello", "--output-format", "stream-json"]);
    const lines = linesOf(streamed.out).map((line) => JSON.parse(line));
    expect(lines.find(({ subtype }) => subtype === "api_retry")).toEqual({
      type: "system",
      subtype: "api_retry",
      attempt: 1,
      max_retries: 9,
      retry_delay_ms: expect.any(Number),
      error_status: 500,
      error: "server_error",
      message: expect.stringContaining("failed (500)"),
      session_id: lines[0].session_id,
      uuid: expect.any(String),
    });
    expect(streamed.err).toBe("");
  });

  deepTest("a broken stream starts again, and its text so far is not part of the answer", async () => {
    await using place = await quollPlace({
      scenario: [reply("This half is lost because of a cut.", { fault: fault.cut({ deltas: 1 }) }), reply("Whole.")],
    });
    const { code, out } = await place.run(["-p", "hello"]);
    expect({ code, out }).toEqual({ code: 0, out: "Whole.\n" });
  });

  deepTest("a missing server is reported with its address, within the retries", async () => {
    await using place = await quollPlace();
    const { child, ended, errSoFar } = place.start(["-p", "hello"], {
      env: { ANTHROPIC_BASE_URL: "http://127.0.0.1:9", ANTHROPIC_API_KEY: "k" },
    });
    await eventually("the first try has failed", () => errSoFar().includes("\n"));
    child.kill("SIGINT");
    const { code, err } = await ended;
    expect(code).toBe(130);
    expect(linesOf(err)[0]).toContain("127.0.0.1:9");
  });
});
