import { expect, test } from "bun:test";
import { notingSetup } from "../../src/cli/note-setup.ts";
import type { EntryBody } from "../../src/contracts/session.ts";
import { recordingLog } from "../support/engine-harness.ts";

const user = (id: string, by?: "hook"): EntryBody => ({
  kind: "user",
  prompt: id,
  message: { role: "user", id, content: [] },
  ...(by && { by }),
});

test("what a session runs with stands before its first prompt, after /clear, and where it has changed", async () => {
  const { log, written } = recordingLog();
  const setup = { cwd: "/p", model: "m", tools: ["Read"], platform: "linux x64", version: "1" };
  let mode: "default" | "plan" = "default";
  const noting = notingSetup(log, () => ({ ...setup, mode }));
  expect(noting.sessionId).toBe(log.sessionId);
  noting.append(user("1"));
  noting.append(user("2"));
  mode = "plan";
  noting.append(user("3", "hook"));
  noting.append(user("4"));
  noting.append({ kind: "cleared" });
  noting.append(user("5"));
  await noting.sync();
  const kinds = written.map((one) =>
    one === "sync" ? one : one.kind === "setup" ? [one.isStart, one.mode] : one.kind === "user" ? one.prompt : one.kind,
  );
  expect(kinds).toEqual([
    [true, "default"],
    "1",
    "2",
    "3",
    [false, "plan"],
    "4",
    "cleared",
    [true, "plan"],
    "5",
    "sync",
  ]);
  expect(written[0]).toEqual({ kind: "setup", isStart: true, ...setup, mode: "default" });
});
