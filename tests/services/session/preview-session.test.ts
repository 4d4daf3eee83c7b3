import { expect, test } from "bun:test";
import { appendFileSync } from "node:fs";
import { previewSession } from "../../../src/services/session/preview-session.ts";
import { tempProject } from "../../support/temp-project.ts";
import { asAssistant, asUser, openLog } from "./support.ts";

test("a preview holds the last prompt and answer and the folder, also of a long file with a broken end", async () => {
  await using project = await tempProject({});
  const log = openLog({ folder: project.dir, sessionId: "long" });
  log.append(asUser("u1", "the first wish"));
  log.append(asUser("big", "x".repeat(200_000)));
  log.append(asUser("u1b", "an earlier wish"));
  log.append(asAssistant("a1"));
  log.append(asUser("u2", "the last\n\u001b[31m wish"));
  log.append(asAssistant("a2"));
  log.close();
  appendFileSync(log.path, '{"kind":"user","prompt":"cut');
  const { folder, ...end } = previewSession(project.dir, "long");
  expect(end).toEqual({ lastPrompt: expect.stringMatching(/^the last .*wish$/), lastAnswer: "answer a2" });
  expect(end.lastPrompt).not.toContain("\u001b");
  expect(folder).toBe("/p");
});

test("a file that can't be read has no preview", async () => {
  await using project = await tempProject({ "broken.jsonl": "rubbish\n" });
  expect([previewSession(project.dir, "broken"), previewSession(project.dir, "none")]).toEqual([{}, {}]);
});

test("a session that is read whole tells its branch and how many prompts the person gave", async () => {
  await using project = await tempProject({
    ".git/HEAD": "ref: refs/heads/fix/cart\n",
    ".git/objects/x": "",
    ".git/refs/x": "",
  });
  const log = openLog({ folder: project.dir, sessionId: "short", cwd: project.dir });
  log.append(asUser("u1", "one"));
  log.append(asAssistant("a1"));
  log.append(asUser("u2", "two"));
  log.close();
  expect(previewSession(project.dir, "short")).toMatchObject({ branch: "fix/cart", prompts: 2 });
});

test("a session that a process has open is marked", async () => {
  await using project = await tempProject({});
  const log = openLog({ folder: project.dir, sessionId: "open" });
  log.append(asUser("u1", "one"));
  expect(previewSession(project.dir, "open").isOpen).toBe(true);
  log.close();
  expect(previewSession(project.dir, "open")).not.toHaveProperty("isOpen");
});
