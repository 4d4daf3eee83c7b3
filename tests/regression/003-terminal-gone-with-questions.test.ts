import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { reply, toolUse } from "@quoll/model-twin/scenario";
import { ROOT } from "../support/built.ts";
import { deepTest } from "../support/deep.ts";
import { eventually } from "../support/eventually.ts";
import { QUOLL, quollPlace } from "../support/quoll-process.ts";
import { terminalProcess } from "../support/terminal-process.ts";

setDefaultTimeout(60_000);

const SERVER = join(ROOT, "tests/services/mcp/servers/raw-server.ts");

/** Quoll in a terminal, with a server whose call puts 30 questions and never ends. */
async function asked() {
  const scope = new AsyncDisposableStack();
  const place = scope.use(
    await quollPlace({ scenario: [reply([toolUse("mcp__srv__echo", { text: "x" })]), reply("Done.")] }),
  );
  const log = place.project.path("log");
  const servers = { srv: { command: process.execPath, args: [SERVER, "asks-much"], env: { QUOLL_TEST_LOG: log } } };
  const options = ["--trust", "--mcp-config", JSON.stringify({ mcpServers: servers }), "--allowed-tools", "mcp__srv"];
  const terminal = scope.use(
    terminalProcess([...QUOLL, ...options], { cwd: place.project.dir, env: place.environmentOf({}) }),
  );
  // A prompt waits for the tools of a server no longer than a second.
  await eventually(
    "the request for the server's tools",
    () => existsSync(log) && readFileSync(log, "utf8").includes("tools/list"),
  );
  await terminal.shows("? for keys");
  terminal.type("go\r");
  await terminal.shows("Name 0?");
  const answers = () =>
    readFileSync(log, "utf8")
      .split("\n")
      .filter((line) => line.includes('"id":10'))
      .map((line): string => {
        const { id, result, error } = JSON.parse(line);
        return id < 1_000 ? "" : (result?.action ?? error?.message ?? "");
      })
      .filter((action) => action !== "");
  await eventually("declined questions", () => answers().length === 25);
  return { terminal, answers, log, [Symbol.asyncDispose]: () => scope.disposeAsync() };
}

/** The processes of the server and those that it started. */
function left(log: string): readonly string[] {
  return readdirSync("/proc").filter((entry) => {
    try {
      return /^\d+$/.test(entry) && readFileSync(`/proc/${entry}/environ`, "utf8").includes(`QUOLL_TEST_LOG=${log}`);
    } catch {
      return false;
    }
  });
}

test("a terminal that goes while a server's questions are open ends everything", async () => {
  await using play = await asked();
  const { terminal, log } = play;
  expect(left(log).length).toBeGreaterThan(0);
  terminal.child.terminal?.close();
  await terminal.child.exited;
  expect(terminal.child.signalCode ?? terminal.child.exitCode).toBeOneOf([129, "SIGHUP"]);
  await eventually("the end of the server", () => left(log).length === 0);
});

deepTest("Ctrl+C while a server's questions are open declines all of them, and the session continues", async () => {
  await using play = await asked();
  const { terminal, answers, log } = play;
  await terminal.asks();
  terminal.type("\u0003");
  await terminal.shows("Interrupted");
  await eventually("answers to all questions", () => answers().length === 30);
  await terminal.shows(() => !terminal.screen.includes("asks you"));
  expect(new Set(answers())).toEqual(new Set(["decline", "cancel"]));
  terminal.type("\u0003");
  terminal.type("\u0003");
  await terminal.child.exited;
  await eventually("the end of the server", () => left(log).length === 0);
});
