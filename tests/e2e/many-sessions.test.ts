import { expect, setDefaultTimeout } from "bun:test";
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { reply } from "@quoll/model-twin/scenario";
import { MAIN_AGENT } from "../../src/contracts/agent.ts";
import { type EntryBody, makeEntry } from "../../src/contracts/session.ts";
import { formatEntry } from "../../src/services/session/session-file.ts";
import { deepTest } from "../support/deep.ts";
import { QUOLL, quollPlace } from "../support/quoll-process.ts";
import { terminalProcess } from "../support/terminal-process.ts";

setDefaultTimeout(120_000);

const COUNT = 10_000;
const MINUTE_MS = 60_000;
const SIZES = [
  [80, 24],
  [120, 40],
] as const;

/** A log with one turn, whose id tells its number: `00042-…`. The last is the newest. */
function writeLog(folder: string, at: number, cwd: string): void {
  const sessionId = `${String(at).padStart(5, "0")}-0000-4000`;
  const time = Date.now() - (COUNT - at) * MINUTE_MS;
  let parentId: string | null = null;
  const line = (id: string, body: EntryBody) => {
    const entry = makeEntry(body, { parentId, agent: MAIN_AGENT }, { id: `${at}-${id}`, now: time });
    parentId = entry.id;
    return formatEntry(entry);
  };
  const prompt = `${at % 2 === 0 ? "fix" : "test"} part ${at} of the shop`;
  const usage = { inputTokens: 9, outputTokens: 9, cacheReadTokens: 0, cacheWriteTokens: 0 };
  const content = [{ type: "text" as const, text: `Part ${at} is done.` }];
  const text = [
    line("s", { kind: "session", sessionId, cwd, version: "1.0.0", branch: "main" }),
    line("u", { kind: "user", message: { role: "user", id: "u", content: [{ type: "text", text: prompt }] }, prompt }),
    line("a", {
      kind: "assistant",
      message: { role: "assistant", id: "a", model: "m", content, stopReason: "end_turn", usage },
    }),
    line("t", { kind: "turn_finished", reason: "completed", costUsd: 0.02 }),
  ];
  const path = join(folder, `${sessionId}.jsonl`);
  writeFileSync(path, text.join(""), { mode: 0o600 });
  utimesSync(path, time / 1_000, time / 1_000);
}

deepTest(
  "10,000 sessions are listed, ranked while a person types, marked, deleted, brought back and resumed",
  async () => {
    await using place = await quollPlace({ scenario: (_, index) => reply(`Answer ${index}.`) });
    await place.run(["-p", "the first", "--name", "the very first"]);
    const sessions = place.home.path("own/data/sessions");
    const folder = join(sessions, readdirSync(sessions)[0] ?? "");
    for (let at = 0; at < COUNT; at += 1) writeLog(folder, at, place.project.dir);
    mkdirSync(join(sessions, "elsewhere-1"), { mode: 0o700 });
    writeLog(join(sessions, "elsewhere-1"), 77_777, "/elsewhere");
    for (const [columns, rows] of SIZES) {
      await using terminal = terminalProcess([...QUOLL, "--trust", "--resume"], {
        ...{ columns, rows, cwd: place.project.dir, env: place.environmentOf({}) },
      });
      await terminal.shows(/of 10001/);
      expect(terminal.screen).toContain("❯ test part 9999 of the shop");
      terminal.type("7777");
      await terminal.shows("❯ test part 7777 of the shop");
      await terminal.shows(() => !terminal.screen.includes("part 9999"));
      // Part 42 is a whole word of one title, and the beginning of a hundred words and one id.
      terminal.type("\u007f\u007f\u007f\u007fpart 42");
      await terminal.shows("❯ fix part 42 of the shop");
      terminal.type("\u0010");
      await terminal.shows('Pinned "fix part 42 of the shop"');
      await terminal.shows(/ {2}pinned · main/);
      terminal.type("\u0010");
      await terminal.shows('Unpinned "fix part 42 of the shop"');
      terminal.type("\u001b[3~");
      await terminal.shows('Deleted "fix part 42 of the shop"');
      terminal.type("\u0015");
      await terminal.shows('Brought back "fix part 42 of the shop"');
      terminal.type("\u001b");
      await terminal.shows(/of 10001/);
      terminal.type("\u0006");
      await terminal.shows("Resume a session of any project");
      terminal.type("77777");
      await terminal.shows(() => terminal.screen.includes("› 77777") && !terminal.screen.includes("part 9999"));
      expect(terminal.screen).toContain("/elsewhere");
      terminal.type("\x1b");
      await terminal.shows("of 10002");
      terminal.type("\u001b");
      await terminal.shows(/of 10001/);
      terminal.type("very first\r");
      await terminal.shows(
        () => !terminal.screen.includes("Resume a session") && terminal.screen.includes("Answer 0."),
      );
      for (const line of terminal.screen.split("\n")) expect(line.length).toBeLessThanOrEqual(columns);
    }
  },
);
