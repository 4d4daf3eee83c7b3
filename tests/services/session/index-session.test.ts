import { expect, test } from "bun:test";
import type { EntryBody } from "../../../src/contracts/session.ts";
import { parseEntry } from "../../../src/services/session/entry.ts";
import { indexSession } from "../../../src/services/session/index-session.ts";
import { tempProject } from "../../support/temp-project.ts";
import { asAssistant, asFinished, asResults, asStarted, assistant, asUser, openLog, user } from "./support.ts";

/** The same answer as the adapters of providers build it: its id comes last. */
function lateId(id: string): EntryBody {
  const { id: _, ...message } = assistant(id, "t9");
  return { kind: "assistant", message: { ...message, id } };
}

const BODIES: readonly EntryBody[] = [
  {
    kind: "setup",
    isStart: true,
    cwd: "/p",
    mode: "default",
    model: "m",
    tools: ["Bash"],
    platform: "l",
    version: "1",
  },
  asUser("u1", 'a long "prompt" with "message":{"role":"user","id":"other"} in it. '.repeat(20)),
  asAssistant("a1", "t1"),
  lateId("a2"),
  asStarted("t1"),
  asFinished("t1"),
  asResults("r1", "t1"),
  { kind: "results", message: { role: "user", id: "r2", content: user("x").content } },
  { kind: "turn_finished", reason: "completed", costUsd: 0.25 },
  { kind: "shown", optional: true, fact: { type: "notice", message: "n" } },
  { kind: "note", optional: true, text: "ls" },
  { kind: "compacted", why: "full", stubs: [], summary: user("s1"), note: "n" },
  { kind: "pinned", optional: true, ids: ["u1"] },
  { kind: "worktree", optional: true, name: "w" },
  { kind: "uncompacted", compactedId: "x" },
  { kind: "branch", from: null },
];

test("the entries of a log are found without a check of their content, but for those that are about the session", async () => {
  await using project = await tempProject();
  const log = openLog({ folder: project.dir });
  for (const body of BODIES) log.append(body);
  log.close();
  const parsed: string[] = [];
  const parse = (line: string) => {
    const read = parseEntry(line);
    if (read.kind === "entry") parsed.push(read.entry.kind);
    return read;
  };
  const quick = indexSession(log.path, { parse });
  expect(parsed).toEqual(["session"]);
  const checked = indexSession(log.path, { parse, checksAll: true });
  expect(quick).toEqual(checked);
  expect(quick.entries.flatMap(({ messageId }) => messageId ?? [])).toEqual(["u1", "a1", "a2", "r1", "r2"]);
});
