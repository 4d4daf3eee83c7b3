import { describe, expect } from "bun:test";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { deepTest, eachOrDeep } from "../../../tests/support/deep.ts";
import { tempProject } from "../../../tests/support/temp-project.ts";
import { reply, type Scenario, text, thinking } from "../src/scenario.ts";
import { startTwin } from "../src/server.ts";
import { body, errorMessage, HEADERS } from "./support/ask.ts";
import { chatBody } from "./support/openai.ts";

const MAIN = fileURLToPath(new URL("../src/main.ts", import.meta.url));
const NODE = fileURLToPath(new URL("../../../node_modules/.bin/node", import.meta.url));

/** The twin as a process of its own, ended at the end of the scope. */
function runMain(args: readonly string[], runtime = process.execPath) {
  const child = spawn(runtime, [MAIN, ...args], { stdio: ["pipe", "pipe", "pipe"] });
  let stderr = "";
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk;
  });
  const ended = once(child, "close").then(([code, signal]) => ({ code, signal, stderr }));
  const firstLine = async () => {
    for await (const line of createInterface({ input: child.stdout })) return JSON.parse(line) as { url: string };
    throw new Error(`No line on stdout; stderr: ${stderr}`);
  };
  return {
    child,
    ended,
    firstLine,
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

const scenarioFile = (scenario: Scenario | string) =>
  tempProject({ "s.json": typeof scenario === "string" ? scenario : JSON.stringify(scenario) });

async function askUrl(url: string) {
  const response = await fetch(`${url}/v1/messages`, {
    method: "POST",
    headers: HEADERS,
    body: JSON.stringify(body()),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: JSON.parse(text) as unknown };
}

describe("the twin as a separate process", () => {
  eachOrDeep(
    "serves its scenario on %s and ends with stdin",
    1,
    [
      ["this runtime", process.execPath],
      ["Node", NODE],
    ] as const,
    async (_name, runtime) => {
      await using project = await scenarioFile([reply("Hi.")]);
      await using twin = runMain(["--scenario", project.path("s.json")], runtime);
      const { url } = await twin.firstLine();

      expect(await askUrl(url)).toMatchObject({ status: 200, json: { content: [{ type: "text", text: "Hi." }] } });
      expect(errorMessage(await askUrl(url))).toBe("model-twin: the scenario has no more replies");
      twin.child.stdin.end();
      expect(await twin.ended).toEqual({ code: 0, signal: null, stderr: "" });
    },
  );

  eachOrDeep("ends at %s, with a silent answer still open", 1, ["SIGTERM", "SIGINT"] as const, async (signal) => {
    await using project = await scenarioFile([{ content: [], fault: { kind: "silence" } }]);
    await using twin = runMain(["--scenario", project.path("s.json")]);
    const { url } = await twin.firstLine();
    const silent = fetch(`${url}/v1/messages`, { method: "POST", headers: HEADERS, body: JSON.stringify(body()) });
    const outcome = silent.then(
      () => "answered",
      () => "broken",
    );
    await new Promise((resolve) => setImmediate(resolve));
    twin.child.kill(signal);

    expect(await twin.ended).toEqual({ code: 0, signal: null, stderr: "" });
    expect(await outcome).toBe("broken");
  });

  deepTest("restarts its scenario with --loop", async () => {
    await using project = await scenarioFile([reply("Hi.")]);
    await using twin = runMain(["--scenario", project.path("s.json"), "--loop"]);
    const { url } = await twin.firstLine();

    expect([(await askUrl(url)).status, (await askUrl(url)).status]).toEqual([200, 200]);
  });

  deepTest("serves every wire, as its options say", async () => {
    const options = { openai: { requireKey: false, chat: { reasoningField: "reasoning" } } };
    await using project = await tempProject({
      "s.json": JSON.stringify([reply([thinking("Hm."), text("Yes.")])]),
      "o.json": JSON.stringify(options),
    });
    await using twin = runMain(["--scenario", project.path("s.json"), "--options", project.path("o.json")]);
    const { url } = await twin.firstLine();
    const response = await fetch(`${url}/v1/chat/completions`, { method: "POST", body: JSON.stringify(chatBody()) });

    expect(await response.json()).toMatchObject({ choices: [{ message: { reasoning: "Hm.", content: "Yes." } }] });
  });

  deepTest("uses the given port, and reports a port that is taken", async () => {
    await using project = await scenarioFile([reply("Hi.")]);
    const holder = await startTwin({ scenario: [] });
    const port = new URL(holder.url).port;
    await using refused = runMain(["--scenario", project.path("s.json"), "--port", port]);
    const { code, stderr } = await refused.ended;
    await holder.close();
    await using twin = runMain(["--scenario", project.path("s.json"), "--port", port]);

    expect(code).toBe(1);
    expect(stderr).toMatch(/^model-twin: .*(EADDRINUSE|in use).*\n$/);
    expect(await twin.firstLine()).toEqual({ url: holder.url });
  });

  const WRONG: readonly (readonly [string, string[], string | undefined, number, RegExp])[] = [
    ["no scenario", [], undefined, 2, /^model-twin: --scenario is required; usage: .*\n$/],
    ["an unknown flag", ["--foo"], undefined, 2, /^model-twin: .*--foo.*; usage: .*\n$/],
    ["a port that is none", ["--scenario", "s.json", "--port", "99999"], undefined, 2, /--port 99999 is not a port/],
    ["a file that is missing", ["--scenario", "FILE"], undefined, 1, /^model-twin: .*s\.json: .*ENOENT.*\n$/],
    ["a file that is not JSON", ["--scenario", "FILE"], "[", 1, /^model-twin: .*s\.json: .*JSON.*\n$/],
    [
      "options with a mistake",
      ["--scenario", "FILE", "--options", "FILE"],
      '[{"content":[]}]',
      1,
      /s\.json: options: must be an object, not an array\n$/,
    ],
    ["a scenario with a mistake", ["--scenario", "FILE"], "[{}]", 1, /s\.json: replies\.0\.content: is required\n$/],
  ];
  eachOrDeep(
    "ends with one line about %s",
    (at) => at % 3 === 0,
    WRONG,
    async (_name, args, content, code, stderr) => {
      await using project = await tempProject(content === undefined ? {} : { "s.json": content });
      await using twin = runMain(args.map((arg) => (arg === "FILE" ? project.path("s.json") : arg)));
      const end = await twin.ended;

      expect(end.code).toBe(code);
      expect(end.stderr).toMatch(stderr);
    },
  );
});
