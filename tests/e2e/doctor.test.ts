import { describe, expect, test } from "bun:test";
import { mkdirSync, symlinkSync } from "node:fs";
import { failing, fault, reply } from "@quoll/model-twin/scenario";
import { textWidth } from "@quoll/terminal-text/text-width";
import type { Check, DoctorReport } from "../../src/contracts/doctor.ts";
import { answeringServer } from "../support/answering-server.ts";
import { deepTest } from "../support/deep.ts";
import { linesOf } from "../support/lines-of.ts";
import { quollPlace } from "../support/quoll-process.ts";

const KEY = "sk-ant-api03-Qm7Zr2Kx9Lw4Tn8Vb1Yc6Hd3";
type Place = Awaited<ReturnType<typeof quollPlace>>;

async function report(place: Place, args: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
  const { code, out, err } = await place.run(["doctor", "--json", ...args], { env });
  const { groups, isUsable, errors } = JSON.parse(out) as DoctorReport;
  const checks = groups.flatMap(({ checks }) => checks);
  const named = (name: string): readonly Check[] => checks.filter((check) => check.name === name);
  return { code, out, err, isUsable, errors, named, problems: checks.filter(({ level }) => level === "problem") };
}

const answering = (status: number) => answeringServer(() => Response.json({ data: [] }, { status }));

describe("quoll doctor", () => {
  test("where all is well: exit 0, nothing wider than 80 columns, nothing on stderr", async () => {
    await using place = await quollPlace();
    await using there = answering(200);
    const env = { ANTHROPIC_BASE_URL: there.url, ANTHROPIC_API_KEY: KEY };
    const { code, out, err } = await place.run(["doctor"], { env });
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(linesOf(out).filter((line) => textWidth(line) > 80)).toEqual([]);
    expect(out).not.toContain("✗");
    expect(there.seen.map(({ method, path }) => `${method} ${path}`)).toEqual(["GET /v1/models?limit=1000"]);
  });

  test("--json holds no key, no address of the home folder, and every check", async () => {
    await using place = await quollPlace();
    await using there = answering(200);
    const env = { ANTHROPIC_BASE_URL: there.url, ANTHROPIC_API_KEY: KEY };
    const { code, out, named } = await report(place, [], env);
    expect(code).toBe(0);
    expect([out.includes(KEY), out.includes(place.home.dir)]).toEqual([false, false]);
    for (const name of [
      "quoll",
      "system",
      "config",
      "state",
      "rg",
      "bash",
      "git",
      "sandbox",
      "model",
      "provider",
      "settings",
    ])
      expect([name, named(name).length]).toEqual([name, 1]);
    expect(named("config")[0]?.text).toContain("~/own/config");
  });

  deepTest("without a key it says so, asks nobody, and is usable", async () => {
    await using place = await quollPlace();
    const { code, named } = await report(place);
    expect(code).toBe(0);
    expect(named("model")).toEqual([
      {
        name: "model",
        level: "warning",
        text: expect.stringContaining("offline"),
        fix: expect.stringContaining("quoll auth login"),
      },
    ]);
    expect(named("provider")).toEqual([]);
  });

  deepTest("each broken settings file is named with its line, and what is left is checked all the same", async () => {
    await using place = await quollPlace({ files: { ".quoll/settings.json": '{\n  "permissions": 3\n}\n' } });
    const file = await place.home.write("own/config/settings.json", '{\n  "model": "x",\n  oops\n}\n');
    const { code, named, isUsable, problems } = await report(place);
    expect({ code, isUsable }).toEqual({ code: 1, isUsable: false });
    const texts = problems.map(({ name, text }) => `${name}: ${text}`);
    expect(texts.length).toBe(2);
    expect(texts[0]).toStartWith(`settings: ${file.replace(place.home.dir, "~")}:3:`);
    expect(texts[1]).toContain(".quoll/settings.json:2:");
    expect([named("rg").length, named("sandbox").length, named("model").length]).toEqual([1, 1, 1]);
  });

  deepTest("each rule that no session would take is a problem with its line and the nearest name", async () => {
    await using place = await quollPlace();
    const file = await place.home.write(
      "own/config/settings.json",
      '{\n  "permissions": {\n    "allow": ["Bsh(ls *)"],\n    "deny": ["Raed(.env)", "Bash(rm *)"]\n  }\n}\n',
    );
    const { code, named, problems } = await report(place);
    const shown = file.replace(place.home.dir, "~");
    const texts = problems.map(({ name, text }) => `${name}: ${text}`);
    expect({ code, count: texts.length }).toEqual({ code: 1, count: 2 });
    expect(texts.find((text) => text.startsWith(`settings: ${shown}:3`))).toContain("did you mean Bash?");
    expect(texts.find((text) => text.startsWith(`settings: ${shown}:4`))).toContain("did you mean Read?");
    expect(named("settings").some(({ level }) => level === "ok")).toBe(false);
  });

  deepTest("an unknown key is a warning with its line", async () => {
    await using place = await quollPlace({ settings: { sandbox: { enabled: false }, modle: "x" } });
    const { code, named } = await report(place);
    expect(code).toBe(0);
    expect(named("settings").some(({ level, text }) => level === "warning" && text.includes("modle"))).toBe(true);
  });

  deepTest("a provider that does not answer is a problem that names the address", async () => {
    await using place = await quollPlace();
    const gone = answering(200);
    await gone[Symbol.asyncDispose]();
    const { code, named } = await report(place, [], { ANTHROPIC_BASE_URL: gone.url, ANTHROPIC_API_KEY: KEY });
    expect(code).toBe(1);
    expect(named("provider")).toMatchObject([{ level: "problem", fix: expect.stringContaining("ANTHROPIC_BASE_URL") }]);
    expect(named("provider")[0]?.text).toContain(gone.url.replace("http://", ""));
  });

  deepTest("a key that is refused is a problem that names where the key came from", async () => {
    await using place = await quollPlace();
    await using there = answering(401);
    const { code, named } = await report(place, [], { ANTHROPIC_BASE_URL: there.url, ANTHROPIC_API_KEY: KEY });
    expect(code).toBe(1);
    expect(named("provider")).toMatchObject([{ level: "problem", fix: expect.stringContaining("ANTHROPIC_API_KEY") }]);
  });

  deepTest("a missing bash is a problem, a missing git a warning", async () => {
    await using place = await quollPlace();
    mkdirSync(`${place.home.dir}/bin`);
    symlinkSync("/bin/sh", `${place.home.dir}/bin/sh`);
    const { code, named } = await report(place, [], { PATH: `${place.home.dir}/bin` });
    expect(code).toBe(1);
    expect([named("bash")[0]?.level, named("git")[0]?.level]).toEqual(["problem", "warning"]);
    expect([named("bash"), named("git")].flat().every(({ fix }) => fix !== undefined)).toBe(true);
  });

  deepTest(
    "a file in the place of a folder of ours is a problem, and an rg that can't be unpacked there a warning",
    async () => {
      await using place = await quollPlace();
      const file = await place.home.write("cache-file", "x");
      const { code, named } = await report(place, [], { QUOLL_HOME: "", XDG_CACHE_HOME: `${file}/x` });
      expect(code).toBe(1);
      expect(named("cache")).toMatchObject([{ level: "problem" }]);
      expect(named("rg")).toMatchObject([{ level: "warning", fix: expect.stringContaining("ripgrep") }]);
    },
  );

  deepTest("MCP servers are listed and not started; a program that is missing is a warning", async () => {
    await using place = await quollPlace();
    const started = place.project.path("started");
    const mcpServers = {
      here: { command: "sh", args: ["-c", `touch ${started}`] },
      gone: { command: "no-such-program" },
      web: { type: "http", url: `https://example.com/mcp?key=${KEY}` },
    };
    const { code, out, named } = await report(place, ["--mcp-config", JSON.stringify({ mcpServers })]);
    expect(code).toBe(0);
    expect(["here", "gone", "web"].map((name) => named(name)[0]?.level)).toEqual(["unasked", "warning", "unasked"]);
    expect(named("not asked")).toMatchObject([{ text: expect.stringContaining("quoll mcp list") }]);
    expect(out).not.toContain(KEY);
    expect(await Bun.file(started).exists()).toBe(false);
  });

  deepTest("failed requests of earlier sessions with --debug are among the last errors", async () => {
    await using place = await quollPlace({ scenario: [failing(fault.badRequest("no such field")), reply("x")] });
    await place.run(["-p", "go", "--debug"]);
    const { errors } = await report(place);
    expect(errors).toMatchObject([{ text: expect.stringContaining("status 400") }]);
    expect((await place.run(["doctor"])).out).toContain("Last errors");
  });

  deepTest("/doctor answers a program that speaks JSON lines, without a request for an answer", async () => {
    await using place = await quollPlace({ scenario: [reply("x")] });
    const stream = ["--input-format", "stream-json", "--output-format", "stream-json", "--verbose"];
    const stdin = `${JSON.stringify({ type: "user", message: { role: "user", content: "/doctor" } })}\n`;
    const { code, out } = await place.run(["-p", ...stream], { stdin });
    expect(code).toBe(0);
    const result = linesOf(out).find((line) => line.includes('"type":"result"'));
    expect(JSON.parse(result ?? "{}")).toMatchObject({ result: expect.stringContaining("MCP servers"), num_turns: 0 });
    expect(place.sent().filter((body) => body !== null)).toEqual([]);
  });

  deepTest("creates no file except the key for placeholders", async () => {
    await using place = await quollPlace();
    await report(place);
    expect(place.ownFiles().filter(([path]) => path.startsWith("data"))).toEqual([]);
  });
});
