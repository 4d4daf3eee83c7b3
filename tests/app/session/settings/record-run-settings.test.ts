import { expect, test } from "bun:test";
import { recordRunSettings } from "../../../../src/app/session/settings/record-run-settings.ts";
import { MAIN_AGENT } from "../../../../src/contracts/agent.ts";
import type { EntryBody } from "../../../../src/contracts/session.ts";
import { recordingLog } from "../../../support/engine-harness.ts";

const user = (id: string, by?: "hook"): EntryBody => ({
  kind: "user",
  prompt: id,
  message: { role: "user", id, content: [] },
  ...(by && { by }),
});

test("the run's settings are recorded before the first prompt, after /clear, and after each change", async () => {
  const { log, written, entries } = recordingLog();
  const setup = { cwd: "/p", model: "m", tools: ["Read"], platform: "linux x64", version: "1" };
  let mode: "default" | "plan" = "default";
  const noting = recordRunSettings(log, () => ({ ...setup, mode }));
  let parentId: string | null = null;
  const noted = (body: EntryBody) => {
    parentId = noting.append(body, { parentId, agent: MAIN_AGENT }).id;
  };
  expect(noting.sessionId).toBe(log.sessionId);
  noted(user("1"));
  noted(user("2"));
  mode = "plan";
  noted(user("3", "hook"));
  noted(user("4"));
  noted({ kind: "cleared" });
  noted(user("5"));
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
  expect(entries.map(({ parentId }) => parentId)).toEqual([null, ...entries.slice(0, -1).map(({ id }) => id)]);
  expect(written[0]).toEqual({ kind: "setup", isStart: true, ...setup, mode: "default" });
});
