import { readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { MAIN_AGENT } from "../../../src/contracts/agent.ts";
import { type EntryBody, makeEntry } from "../../../src/contracts/session.ts";
import { formatEntry } from "../../../src/services/session/session-file.ts";

const MINUTE_MS = 60_000;
const WORK = ["fix the price of", "test", "document", "translate", "speed up", "remove"];
const PARTS = ["the cart", "the checkout", "the search", "the invoice", "the login", "the stock list"];

/** Writes many saved sessions of one turn into the folder of the only project. @param data Quoll's data folder; absolute. */
export function writeSessions(data: string, cwd: string, count: number): void {
  const sessions = join(data, "sessions");
  const folder = join(sessions, readdirSync(sessions)[0] ?? "");
  for (let at = 0; at < count; at += 1) {
    const time = Date.now() - (count - at) * MINUTE_MS;
    const path = join(folder, `${String(at).padStart(8, "0")}-0000-4000-8000-000000000000.jsonl`);
    writeFileSync(path, logOf(at, cwd, time), { mode: 0o600 });
    utimesSync(path, time / 1_000, time / 1_000);
  }
}

function logOf(at: number, cwd: string, time: number): string {
  let parentId: string | null = null;
  const line = (id: string, body: EntryBody) => {
    const entry = makeEntry(body, { parentId, agent: MAIN_AGENT }, { id: `${at}-${id}`, now: time });
    parentId = entry.id;
    return formatEntry(entry);
  };
  const prompt = `${WORK[at % WORK.length]} ${PARTS[Math.floor(at / WORK.length) % PARTS.length]}, part ${at}`;
  const content = [{ type: "text" as const, text: `Part ${at} is done.` }];
  const usage = { inputTokens: 9, outputTokens: 9, cacheReadTokens: 0, cacheWriteTokens: 0 };
  return [
    line("s", {
      kind: "session",
      sessionId: `${at}`,
      cwd,
      version: "1.0.0",
      branch: at % 3 === 0 ? "main" : "fix/cart",
    }),
    line("u", { kind: "user", message: { role: "user", id: "u", content: [{ type: "text", text: prompt }] }, prompt }),
    line("a", {
      kind: "assistant",
      message: { role: "assistant", id: "a", model: "m", content, stopReason: "end_turn", usage },
    }),
    line("t", { kind: "turn_finished", reason: "completed", costUsd: (at % 40) / 100 }),
  ].join("");
}
