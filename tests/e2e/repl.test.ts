import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { reply, type Scenario, text, toolUse } from "@quoll/model-twin/scenario";
import { deepTest } from "../support/deep.ts";
import { eventually } from "../support/eventually.ts";
import { QUOLL, quollPlace } from "../support/quoll-process.ts";
import { terminalProcess } from "../support/terminal-process.ts";

const IDLE = "? for keys";
const ESC = "\u001b";
const KEY = "sk-test-0123456789-abcd";
const WAIT = "while [ ! -e go ]; do sleep 0.05; done";
const OPEN = { sandbox: { enabled: false }, permissions: { allow: ["Bash"] } };

type Place = Awaited<ReturnType<typeof quollPlace>>;

async function repl(place: Place, options: { readonly model?: boolean; readonly env?: Record<string, string> } = {}) {
  const terminal = terminalProcess([...QUOLL, "--trust"], {
    columns: 100,
    rows: 30,
    cwd: place.project.dir,
    env: place.environmentOf(options),
  });
  await terminal.shows(IDLE);
  return terminal;
}

/** The person's text in the messages of a request, without the parts that Quoll adds. */
const wordsIn = (place: Place, at: number) =>
  (place.sent().at(at)?.messages ?? []).flatMap(({ role, content }) =>
    role === "user"
      ? content.flatMap(({ type, text: words = "" }) => (type === "text" ? [words.split("\n").at(-1)] : []))
      : [],
  );

describe("input typed while a turn runs", () => {
  const oneCall: Scenario = (() => {
    let requests = 0;
    return () => {
      requests += 1;
      return requests === 1 ? reply([toolUse("Bash", { command: WAIT, description: "Wait" })]) : reply([text("Done.")]);
    };
  })();

  deepTest("reaches the model at the next call, and what is next has a turn of its own", async () => {
    await using place = await quollPlace({ scenario: oneCall, settings: OPEN });
    await using terminal = await repl(place);
    terminal.type("begin\r");
    await terminal.shows("esc to interrupt");
    await terminal.shows("$ ");
    terminal.type("then the docs\t");
    await terminal.shows("↳ next: then the docs");
    terminal.type("use bun\r");
    await terminal.shows("↳ after this step: use bun");
    await writeFile(join(place.project.dir, "go"), "");
    await terminal.shows("› then the docs");
    await terminal.shows(IDLE);
    expect([place.sent().length, place.refused()]).toEqual([3, []]);
    expect(wordsIn(place, 1).at(-1)).toContain("use bun");
    expect(wordsIn(place, 1).join()).not.toContain("then the docs");
    expect(wordsIn(place, 2).at(-1)).toBe("then the docs");
    expect(terminal.all.split("› use bun")).toHaveLength(2);
  });

  deepTest("outlives an interruption, and reaches the model once", async () => {
    let requests = 0;
    const scenario: Scenario = () => {
      requests += 1;
      return requests === 1 ? reply([toolUse("Bash", { command: WAIT, description: "Wait" })]) : reply([text("Done.")]);
    };
    await using place = await quollPlace({ scenario, settings: OPEN });
    await using terminal = await repl(place);
    terminal.type("begin\r");
    await terminal.shows("$ ");
    terminal.type("one\r");
    await terminal.shows("↳ after this step: one");
    terminal.type("two\t");
    await terminal.shows("↳ next: two");
    terminal.type(ESC);
    await terminal.shows("↳ waits: one");
    await terminal.shows("enter sends the queue");
    expect(place.sent()).toHaveLength(1);
    terminal.type("\r");
    await terminal.shows("› two");
    await terminal.shows(IDLE);
    expect(wordsIn(place, -1).filter((words) => words === "one" || words === "two")).toEqual(["one", "two"]);
    expect([place.sent().length, place.refused()]).toEqual([3, []]);
  });
});

deepTest(
  "a cap that is reached is asked about, and a no ends the turn with its reason and returns the prompt",
  async () => {
    const settings = { ...OPEN, spend: { sessionUsd: 0.0001 } };
    await using place = await quollPlace({ scenario: () => reply([text("Never.")]), settings });
    await using terminal = await repl(place);
    terminal.type("hello\r");
    await terminal.shows("Exceed the spending cap?");
    await terminal.asks();
    expect(terminal.screen).toContain("❯ 3 No, stop here");
    await terminal.answers("3");
    await terminal.shows("Your prompt is back in the editor");
    expect(terminal.screen).toContain("▲ The session's spending cap is reached");
    expect(terminal.screen.split("› hello")).toHaveLength(3);
    expect(place.sent()).toEqual([]);
    terminal.type("/cost\r");
    await terminal.shows("the session's spending cap (spend.sessionUsd)");
    await terminal.shows(/› hello *\n.*backspace drops it/);
    terminal.type("\u007f");
    await terminal.shows(IDLE);
    expect(terminal.screen).not.toMatch(/› hello *\n.*$/);
  },
);

test("without a key, words that are no form of the offline engine get an answer, and the next words stand alone", async () => {
  await using place = await quollPlace({ files: { "a.txt": "A\n" }, settings: OPEN });
  await using terminal = await repl(place, { model: false });
  terminal.type("hello\r");
  await terminal.shows("not a language model");
  await terminal.shows("ANTHROPIC_API_KEY");
  await terminal.shows(IDLE);
  expect(terminal.screen).not.toContain("back in the editor");
  terminal.type("read a.txt\r");
  await terminal.shows(/● +1 +A/);
});

test("the exit message says how to resume, and --continue opens that session", async () => {
  await using place = await quollPlace({ scenario: () => reply([text("Done.")]), settings: OPEN });
  await using first = await repl(place);
  first.type("one\r");
  await first.shows("Done.");
  await first.shows(IDLE);
  await first.leaves();
  await first.shows(() => first.all.includes("quoll --resume"));
  const id = /quoll --resume (\S+)/.exec(first.all)?.[1] ?? "";
  expect(id).not.toBe("");
  await place.run(["-p", "two"]);
  await using second = await repl(place);
  second.type(`/resume ${id}\r`);
  await second.shows("› one");
  await second.leaves();
  await place.run(["-p", "three", "--continue"]);
  expect(wordsIn(place, -1).slice(-2)).toEqual(["one", "three"]);
});

deepTest("/login keeps a key that is shown nowhere, for oneself alone", async () => {
  await using place = await quollPlace();
  await using terminal = await repl(place, { model: false });
  terminal.type("/login openai\r");
  await terminal.shows("Key for openai (not shown)");
  terminal.type(KEY);
  await terminal.shows("•".repeat(KEY.length));
  terminal.type("\r");
  await terminal.shows("Saved the key …abcd for openai");
  await terminal.shows("Which model of openai?");
  terminal.type(ESC);
  await terminal.shows(() => !terminal.screen.includes("Which model of openai?"));
  terminal.type("/login\r");
  await terminal.shows(/❯ openai +…abcd/);
  expect(terminal.output).not.toContain(KEY);
  const own = join(place.home.dir, "own");
  const holding = readdirSync(own, { recursive: true, encoding: "utf8" })
    .map((name) => join(own, name))
    .filter((path) => statSync(path).isFile() && readFileSync(path, "utf8").includes(KEY));
  expect(holding.map((path) => [path.slice(own.length), statSync(path).mode & 0o777])).toEqual([
    ["/config/credentials.json", 0o600],
  ]);
});

describe("a server of models on this machine", () => {
  const serve = () => {
    const asked: string[] = [];
    const server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch(request) {
        asked.push(`${request.method} ${new URL(request.url).pathname}`);
        return Response.json({ object: "list", data: [{ id: "qwen3:8b" }, { id: "llama4" }] });
      },
    });
    const address = `127.0.0.1:${server.port}`;
    return { asked, address, [Symbol.asyncDispose]: () => server.stop(true) };
  };

  deepTest("is named where there is no key, and nothing but its list is asked for", async () => {
    await using server = serve();
    await using place = await quollPlace();
    await using terminal = await repl(place, { model: false, env: { OLLAMA_HOST: server.address } });
    await terminal.shows(`Ollama answers at ${server.address} (2 models there)`);
    await terminal.shows("/model ollama/qwen3:8b");
    expect(server.asked).toEqual(["GET /v1/models"]);
    terminal.type("/model ollama/qwen3:8b\r");
    await terminal.shows("The model is now qwen3:8b (ollama).");
    // The window of the chosen model is in the server's list or, with Ollama, on two separate pages.
    const pages = ["GET /v1/models", "GET /api/ps", "POST /api/show"];
    await eventually("all are asked for", () => pages.every((page) => server.asked.includes(page)));
    expect(new Set(server.asked)).toEqual(new Set(pages));
  });

  deepTest("is not looked for with a model, under -p, or by way of a proxy", async () => {
    await using server = serve();
    await using place = await quollPlace({ scenario: () => reply([text("Hello.")]) });
    const env = { OLLAMA_HOST: server.address };
    await using withModel = await repl(place, { env });
    await withModel.rests();
    await place.run(["-p", "what can you do"], { model: false, env });
    await using proxied = await repl(place, { model: false, env: { ...env, HTTP_PROXY: `http://${server.address}` } });
    await proxied.rests();
    expect(server.asked).toEqual([]);
  });
});
