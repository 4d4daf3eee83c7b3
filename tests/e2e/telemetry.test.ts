import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { failing, fault, reply, type Scenario, text, toolUse } from "@quoll/model-twin/scenario";
import { deepTest, eachOrDeep } from "../support/deep.ts";
import { eventually } from "../support/eventually.ts";
import { linesOf } from "../support/lines-of.ts";
import { otlpReceiver, treeOf, treeProblems } from "../support/otlp-receiver.ts";
import { QUOLL, quollPlace, resultsIn } from "../support/quoll-process.ts";
import { terminalProcess } from "../support/terminal-process.ts";
import { SELF_SIGNED, tlsFront } from "../support/tls-front.ts";

setDefaultTimeout(60_000);

const MODEL = "claude-sonnet-5-5";
const OPEN = { sandbox: { enabled: false }, permissions: { allow: ["Bash"] } };
const USAGE = { inputTokens: 1_000, outputTokens: 50, cacheReadTokens: 300, cacheCreationTokens: 70 };
const HELLO: Scenario = () => reply("Hello.");
const TOKEN = "q7Zk2vXw9Lp4Rt8Y";
/** What a run may take longer than one without telemetry when its telemetry goes nowhere: the 2 s at the end, and a margin. */
const LONGER_MS = 5_000;

const settingsFor = (url: string, more: object = {}) => ({
  ...OPEN,
  telemetry: { enabled: true, endpoint: url, ...more },
});

async function deadUrl(): Promise<string> {
  const collector = otlpReceiver();
  await collector[Symbol.asyncDispose]();
  return collector.url;
}

describe("quoll -p with a collector", () => {
  test("sends the tree of its spans, with the tokens and the cost of the result", async () => {
    await using collector = otlpReceiver();
    const scenario = [
      reply([toolUse("Read", { file_path: "a.txt" })], { usage: USAGE }),
      reply([toolUse("Bash", { command: "echo hi", description: "Say hi" })], { usage: USAGE }),
      reply("Done.", { usage: USAGE }),
    ];
    await using here = await quollPlace({
      files: { "a.txt": "A\n" },
      scenario,
      settings: settingsFor(collector.url),
    });
    const { code, out, err } = await here.run(["-p", "look around", "--output-format", "json"]);
    expect([code, err]).toEqual([0, ""]);
    const result = JSON.parse(out);
    const spans = collector.spans();
    expect(treeProblems(spans)).toEqual([]);
    expect(treeOf(spans)).toEqual([
      "session",
      "  invoke_agent quoll",
      `    chat ${MODEL}`,
      "    execute_tool Read",
      `    chat ${MODEL}`,
      "    execute_tool Bash",
      `    chat ${MODEL}`,
    ]);
    const chats = spans.filter(({ name }) => name.startsWith("chat"));
    const sum = (name: string) => chats.reduce((total, { attributes }) => total + Number(attributes[name]), 0);
    const cached = sum("gen_ai.usage.cache_read.input_tokens") + sum("gen_ai.usage.cache_creation.input_tokens");
    expect({
      input_tokens: sum("gen_ai.usage.input_tokens") - cached,
      output_tokens: sum("gen_ai.usage.output_tokens"),
      cache_read_input_tokens: sum("gen_ai.usage.cache_read.input_tokens"),
      cache_creation_input_tokens: sum("gen_ai.usage.cache_creation.input_tokens"),
    }).toEqual(result.usage);
    expect(sum("gen_ai.usage.cost")).toBeCloseTo(result.total_cost_usd, 9);
    expect(result.total_cost_usd).toBeGreaterThan(0);
    const [turn] = spans.filter(({ name }) => name.startsWith("invoke"));
    expect(turn?.attributes).toMatchObject({
      "session.id": result.session_id,
      "quoll.steps": 3,
      "quoll.cost.usd": result.total_cost_usd,
    });
    const [cost] = collector.metrics().filter(({ name }) => name === "quoll.cost");
    expect(cost?.points[0]?.value).toBeCloseTo(result.total_cost_usd, 9);
    expect(collector.logs().map(({ eventName }) => eventName)).toEqual([
      "quoll.user_prompt",
      "quoll.tool_decision",
      "quoll.tool_decision",
    ]);
    expect(collector.text()).not.toContain("look around");
  });

  test("with content sends what was said, and no credential of it", async () => {
    await using collector = otlpReceiver();
    const secret = `ghp_${"a1B2c3D4e5".repeat(4).slice(0, 36)}`;
    await using here = await quollPlace({
      files: { ".env": `GITHUB_TOKEN=${secret}\n`, "notes.txt": `the token is ${secret}\n` },
      scenario: [reply([toolUse("Read", { file_path: "notes.txt" })]), reply(`I saw ${secret}, a quail.`)],
      settings: settingsFor(collector.url, { content: true }),
    });
    expect((await here.run(["-p", `find quails, my token is ${secret}`])).code).toBe(0);
    const sent = collector.text();
    for (const word of ["find quails", "notes.txt", "the token is", "a quail"]) expect(sent).toContain(word);
    expect(sent).not.toContain(secret);
  });

  deepTest("of a judge's request tells the source", async () => {
    await using collector = otlpReceiver();
    const scenario: Scenario = (request) => {
      const { tools = [], messages } = request.body as { tools?: unknown[]; messages: { role: string }[] };
      if (tools.length === 0) return reply("yes");
      if (messages.length > 1) return reply("Done.");
      return reply([toolUse("Bash", { command: "touch made.txt", description: "Make it" })]);
    };
    await using here = await quollPlace({
      scenario,
      settings: { sandbox: { enabled: false }, telemetry: { enabled: true, endpoint: collector.url } },
    });
    const { code, out } = await here.run(["-p", "make it", "--permission-mode", "auto", "--output-format", "json"]);
    expect(code).toBe(0);
    const spans = collector.spans();
    expect(treeProblems(spans)).toEqual([]);
    const chats = spans.filter(({ name }) => name.startsWith("chat"));
    expect(chats.map(({ attributes }) => attributes["quoll.source"]).sort()).toEqual(["judge", "main", "main"]);
    const cost = chats.reduce((sum, { attributes }) => sum + Number(attributes["gen_ai.usage.cost"]), 0);
    expect(cost).toBeCloseTo(JSON.parse(out).total_cost_usd, 9);
    expect(collector.logs().find(({ eventName }) => eventName === "quoll.tool_decision")?.attributes).toMatchObject({
      "quoll.decided_by": "judge",
    });
  });

  deepTest("speaks in each turn of a session in lines of JSON", async () => {
    await using collector = otlpReceiver();
    await using here = await quollPlace({ scenario: HELLO, settings: settingsFor(collector.url) });
    const said = (content: string) => `${JSON.stringify({ type: "user", message: { role: "user", content } })}\n`;
    const { code } = await here.run(
      ["-p", "--verbose", "--input-format", "stream-json", "--output-format", "stream-json"],
      { stdin: said("one") + said("two") },
    );
    expect(code).toBe(0);
    expect(treeProblems(collector.spans())).toEqual([]);
    expect(treeOf(collector.spans())).toEqual([
      "session",
      "  invoke_agent quoll",
      `    chat ${MODEL}`,
      "  invoke_agent quoll",
      `    chat ${MODEL}`,
    ]);
  });
});

deepTest("a run that a signal ends sends its telemetry up to that moment", async () => {
  await using collector = otlpReceiver();
  await using here = await quollPlace({
    scenario: () => failing({ kind: "silence" }),
    settings: settingsFor(collector.url),
  });
  const run = here.start(["-p", "hi"]);
  await eventually("a request came", () => here.sent().length > 0);
  run.child.kill("SIGINT");
  expect((await run.ended).code).toBe(130);
  const spans = collector.spans();
  expect(treeProblems(spans)).toEqual([]);
  expect(treeOf(spans)).toEqual(["session", "  invoke_agent quoll", `    chat ${MODEL}`]);
  expect(spans.map(({ attributes }) => attributes["quoll.outcome"]).sort()).toEqual([
    "aborted",
    "cancelled",
    undefined,
  ]);
});

describe("nothing is sent", () => {
  const sentWith = async (settings: object, env: Record<string, string>, files: Record<string, string> = {}) => {
    await using collector = otlpReceiver();
    await using here = await quollPlace({ scenario: HELLO, settings, files });
    const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
    const { code, err } = await here.run(["-p", "hi", "--trust"], { env: { ...endpoint, ...env } });
    return { code, err, signals: new Set(collector.requests.map(({ path }) => path)).size };
  };
  const ON = { ...OPEN, telemetry: { enabled: true } };

  eachOrDeep(
    "%s",
    1,
    [
      ["where only the variables of OpenTelemetry are set, which others set too", OPEN, {}],
      ["where OTEL_SDK_DISABLED says so", ON, { OTEL_SDK_DISABLED: "true", QUOLL_TELEMETRY: "1" }],
      ["where QUOLL_TELEMETRY says so for this run", ON, { QUOLL_TELEMETRY: "0" }],
      ["where every exporter is none", ON, allExporters("none")],
    ],
    async (_, settings, env) => {
      expect(await sentWith(settings, env)).toEqual({ code: 0, err: "", signals: 0 });
    },
  );

  eachOrDeep(
    "unless %s switch it on",
    1,
    [
      ["settings", ON, {}],
      ["QUOLL_TELEMETRY", OPEN, { QUOLL_TELEMETRY: "1" }],
    ],
    async (_, settings, env) => {
      expect(await sentWith(settings, env)).toEqual({ code: 0, err: "", signals: 3 });
    },
  );

  deepTest("by a project's files, trusted or not", async () => {
    await using elsewhere = otlpReceiver();
    const telemetry = { enabled: true, endpoint: elsewhere.url, content: true, headers: { "x-a": "b" } };
    const files = { ".quoll/settings.json": JSON.stringify({ telemetry }) };
    const off = await sentWith(OPEN, {}, files);
    expect(off).toMatchObject({ code: 0, signals: 0 });
    expect(off.err).toContain("ignored, because project files may not set these keys: telemetry.enabled");
    expect(await sentWith(ON, {}, files)).toMatchObject({ code: 0, signals: 3 });
    expect(elsewhere.requests.length).toBe(0);
  });
});

function allExporters(value: string): Record<string, string> {
  return { OTEL_TRACES_EXPORTER: value, OTEL_METRICS_EXPORTER: value, OTEL_LOGS_EXPORTER: value };
}

describe("a collector that rejects or never answers", () => {
  eachOrDeep("because it %s changes neither answer nor exit code", 0, ["refuses", "hangs"] as const, async (how) => {
    await using collector = otlpReceiver({ answer: "hang" });
    const url = how === "hangs" ? collector.url : await deadUrl();
    const settings = settingsFor(url);
    await using here = await quollPlace({ scenario: HELLO, settings });
    await using failed = await quollPlace({ scenario: () => failing(fault.status(401)), settings });
    await using plain = await quollPlace({ scenario: HELLO, settings: OPEN });
    const startedAt = performance.now();
    // All three at once: a busy machine slows them alike.
    const [good, bad, without] = await Promise.all(
      [here, failed, plain].map(async (place) => {
        const ran = await place.run(["-p", "hi"]);
        return { ...ran, tookMs: performance.now() - startedAt };
      }),
    );
    if (!good || !bad || !without) throw new Error("A run is missing.");
    expect(Math.max(good.tookMs, bad.tookMs)).toBeLessThan(without.tookMs + LONGER_MS);
    expect([good.code, good.out, linesOf(good.err).length]).toEqual([0, "Hello.\n", 1]);
    expect(good.err).toStartWith("quoll: telemetry was not delivered: ");
    expect(good.err).toContain(`traces to ${url}/v1/traces`);
    expect([bad.code, linesOf(bad.err).length]).toEqual([1, 2]);
  });

  deepTest("writes nothing onto the screen of a conversation, and one line when it is over", async () => {
    await using here = await quollPlace({ scenario: HELLO, settings: settingsFor(await deadUrl()) });
    await using terminal = terminalProcess([...QUOLL, "--trust"], {
      columns: 160,
      cwd: here.project.dir,
      env: here.environmentOf({}),
    });
    await terminal.shows("? for keys");
    terminal.type("hi\r");
    await terminal.shows("Hello.");
    expect(terminal.all).not.toContain("telemetry");
    expect(await terminal.leaves()).toBe(0);
    expect(terminal.output.split("telemetry was not delivered").length).toBe(2);
  });

  deepTest("with an untrusted certificate is reported; a trusted one works", async () => {
    await using collector = otlpReceiver();
    await using front = await tlsFront(collector.url);
    await using here = await quollPlace({ scenario: HELLO, settings: settingsFor(front.url, { signals: ["traces"] }) });
    const stranger = await here.run(["-p", "hi"]);
    expect([stranger.code, stranger.err, collector.requests.length]).toEqual([
      0,
      `quoll: telemetry was not delivered: traces to ${front.url}/v1/traces (DEPTH_ZERO_SELF_SIGNED_CERT)\n`,
      0,
    ]);
    const known = await here.run(["-p", "hi"], { env: { NODE_EXTRA_CA_CERTS: SELF_SIGNED } });
    expect([known.code, known.err, collector.requests.length]).toEqual([0, "", 1]);
  });

  deepTest("that supports only grpc is reported at the start", async () => {
    await using collector = otlpReceiver();
    await using here = await quollPlace({ scenario: HELLO, settings: { ...OPEN, telemetry: { enabled: true } } });
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" };
    const { code, err } = await here.run(["-p", "hi"], { env });
    expect([code, err]).toEqual([
      0,
      'quoll: telemetry: OTEL_EXPORTER_OTLP_PROTOCOL is "grpc", but only http is supported: http/protobuf is used (a collector\'s port for it is usually 4318)\n',
    ]);
  });
});

deepTest("the key to a collector reaches no command, and is hidden wherever it turns up", async () => {
  await using collector = otlpReceiver();
  const basic = Buffer.from(`pk:${TOKEN}`).toString("base64");
  const other = "V9s8Kq3mN7xB2wTz";
  await using here = await quollPlace({
    files: { "keys.txt": `one ${basic} two ${other} end\n` },
    scenario: [
      reply([text("Look."), toolUse("Bash", { command: "env; cat keys.txt", description: "Look" })]),
      reply("Done."),
    ],
    settings: { ...OPEN, telemetry: { enabled: true, headers: { Authorization: `Bearer ${other}` } } },
  });
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_EXPORTER_OTLP_HEADERS: `x-key=Basic%20${basic}` };
  const { code } = await here.run(["-p", "go", "--debug"], { env });
  expect(code).toBe(0);
  const headers = collector.requests.map(
    (request) => `${request.headers["x-key"]}, ${request.headers["authorization"]}`,
  );
  expect([...new Set(headers)]).toEqual([`Basic ${basic}, Bearer ${other}`]);
  const [result = ""] = resultsIn(here.sent()[1]);
  expect(result).toContain("OTEL_EXPORTER_OTLP_ENDPOINT=");
  expect(result).not.toContain("OTEL_EXPORTER_OTLP_HEADERS");
  expect(result).toMatch(/one \S+ two \S+ end/);
  expect([result.includes(basic), result.includes(other)]).toEqual([false, false]);
  expect(JSON.stringify(here.sessionEntries())).not.toContain(basic);
});
