import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { reply, toolUse } from "@quoll/model-twin/scenario";
import { builtArtefacts } from "../support/built.ts";
import { deepTest, eachOrDeep } from "../support/deep.ts";
import { quollPlace, resultsIn } from "../support/quoll-process.ts";
import { runCommand } from "../support/run-command.ts";
import { DOCUMENTATION_PAGES } from "../support/web-pages/documentation-pages.ts";
import { webServer } from "../support/web-server.ts";

setDefaultTimeout(60_000);

const PAGE = DOCUMENTATION_PAGES[0]?.html ?? "";
const fetching = (url: string, more = {}) => reply([toolUse("WebFetch", { url, ...more }, "toolu_web")]);
const LOCAL = { sandbox: { enabled: false }, permissions: { allow: ["WebFetch(domain:127.0.0.1)"] } };
const serving = (body: string, type = "text/html; charset=utf-8") =>
  webServer((_, response) => response.writeHead(200, { "content-type": type }).end(body));

const ARTEFACTS = [
  ["dist/quoll", async () => [(await builtArtefacts()).executable]],
  ["dist/cli.js on Node", async () => [(await builtArtefacts()).node, (await builtArtefacts()).cli]],
] as const;

eachOrDeep("%s reads a page of a host that a rule names, by its own child", 1, ARTEFACTS, async (_, start) => {
  await using server = await serving(PAGE);
  const url = `http://127.0.0.1:${server.port}/guide/page`;
  await using place = await quollPlace({ settings: LOCAL, scenario: [fetching(url), reply("Done.")] });
  const env = place.environmentOf({});
  const { code, err } = await runCommand([...(await start()), "-p", "go"], { cwd: place.project.dir, env });
  expect([code, err]).toEqual([0, ""]);
  const [result = ""] = resultsIn(place.sent()[1]);
  expect(result).toContain(`From ${url} (Install | Tool). This is material`);
  expect(result).toContain("```ts\nexport default {\n");
  expect(server.requests).toHaveLength(1);
  expect(server.requests[0]?.headers["user-agent"]).toMatch(/^Quoll\/\d/);
});

describe("without a rule", () => {
  test("a public host is asked about: nobody answers in -p, and the refusal names the exact host", async () => {
    await using place = await quollPlace({ scenario: [fetching("https://site.example/a"), reply("No.")] });
    const { code, err } = await place.run(["-p", "go"]);
    expect(code).toBe(4);
    expect(err).toContain("WebFetch(domain:site.example)");
  });

  test("that names its host, this machine is refused at once, also if every fetch is allowed", async () => {
    await using server = await serving(PAGE);
    const hosts = ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]"];
    const calls = hosts.map((host, at) =>
      toolUse("WebFetch", { url: `http://${host}:${server.port}/` }, `toolu_web${at}`),
    );
    await using place = await quollPlace({ scenario: [reply(calls), reply("No.")] });
    expect((await place.run(["-p", "go", "--allowed-tools", "WebFetch"])).code).toBe(0);
    expect(resultsIn(place.sent()[1])).toEqual(hosts.map(() => expect.stringContaining("private network")));
    expect(server.requests).toHaveLength(0);
  });
});

test("a secret in an address goes nowhere, and neither does the placeholder that stands for it", async () => {
  await using server = await serving(PAGE);
  const secret = `ghp_${"Zx9".repeat(12)}`;
  const base = `http://127.0.0.1:${server.port}/`;
  await using place = await quollPlace({
    settings: LOCAL,
    files: { "key.txt": `token = "${secret}"\n` },
    scenario: ({ body }) => {
      const results = JSON.stringify(body).match(/‹[^›]+›|\[[^\]]*hidden[^\]]*\]/g) ?? [];
      const turn = resultsIn(body as never).length;
      if (turn === 0) return reply([toolUse("Read", { file_path: "key.txt" })]);
      if (turn === 1) return fetching(`${base}?k=${results.at(-1) ?? secret}`);
      if (turn === 2) return fetching(`${base}?k=${secret}`);
      return reply("Done.");
    },
  });
  await place.run(["-p", "go"]);
  expect(server.requests).toHaveLength(0);
  expect(resultsIn(place.sent().at(-1))).toHaveLength(3);
});

deepTest("a prompt is answered by the fast model, without tools and as a cost of its own", async () => {
  const text = `# Book\n\n${"A sentence of it. ".repeat(400)}The answer is 42.`;
  await using server = await serving(text, "text/markdown");
  const url = `http://127.0.0.1:${server.port}/book.md`;
  await using place = await quollPlace({
    settings: LOCAL,
    scenario: [fetching(url, { prompt: "What is the answer?" }), reply("It says 42."), reply("Done.")],
  });
  const { code, out } = await place.run(["-p", "go", "--output-format", "json"]);
  expect(code).toBe(0);
  const [main, aside, last] = place.sent();
  expect(aside?.model).not.toBe(main?.model);
  expect(aside?.tools ?? []).toEqual([]);
  expect(JSON.stringify(aside?.messages)).toContain("The question: What is the answer?");
  expect(resultsIn(last)[0]).toContain("It says 42.");
  expect(Object.keys(JSON.parse(out).modelUsage ?? {})).toHaveLength(2);
});

test("a hook sees the call and may stop it", async () => {
  await using server = await serving(PAGE);
  const hooks = {
    PreToolUse: [
      { matcher: "WebFetch", hooks: [{ type: "command", command: "cat > seen.json; echo no >&2; exit 2" }] },
    ],
  };
  const url = `http://127.0.0.1:${server.port}/`;
  await using place = await quollPlace({ settings: { ...LOCAL, hooks }, scenario: [fetching(url), reply("Done.")] });
  await place.run(["-p", "go"]);
  expect(JSON.parse(readFileSync(place.project.path("seen.json"), "utf8"))).toMatchObject({
    tool_name: "WebFetch",
    tool_input: { url },
  });
  expect(server.requests).toHaveLength(0);
});

deepTest("an agent that only reads has the tool", async () => {
  await using server = await serving(PAGE);
  const url = `http://127.0.0.1:${server.port}/guide/page`;
  await using place = await quollPlace({
    settings: LOCAL,
    scenario: [
      reply([toolUse("Agent", { description: "read a page", prompt: "read it", subagent_type: "Explore" })]),
      fetching(url),
      reply("It is about installing."),
      reply("Done."),
    ],
  });
  await place.run(["-p", "go"]);
  const names = ((place.sent()[1]?.tools ?? []) as readonly { name: string }[]).map(({ name }) => name);
  expect(names).toContain("WebFetch");
  expect(server.requests).toHaveLength(1);
});

deepTest("doctor says how pages are reached", async () => {
  await using place = await quollPlace();
  const text = async (env: Readonly<Record<string, string>>) =>
    (await place.run(["doctor", "--json"], { env })).out.match(/"name":\s*"pages"[\s\S]*?"text":\s*"([^"]*)"/)?.[1];
  expect(await text({})).toContain("directly");
  expect(await text({ HTTPS_PROXY: "http://proxy.example:3128" })).toContain(
    "through proxy.example:3128 (HTTPS_PROXY)",
  );
  expect(await text({ ALL_PROXY: "socks5://proxy.example:1080" })).toContain("ALL_PROXY names no http or https proxy");
});

deepTest("a replay takes a page from the recording and fetches nothing", async () => {
  await using server = await serving(PAGE);
  const url = `http://127.0.0.1:${server.port}/`;
  await using place = await quollPlace({ settings: LOCAL, scenario: [fetching(url), reply("Done.")] });
  const id = "11111111-1111-4111-8111-111111111111";
  await place.run(["-p", "go", "--session-id", id]);
  const { code, out } = await place.run(["replay", id, "--json"]);
  expect([code, server.requests.length]).toEqual([0, 1]);
  expect(out).toContain("WebFetch");
});
