import { expect, test } from "bun:test";
import { readFileSync, utimesSync } from "node:fs";
import { forkSession } from "../../../src/services/session/fork-session.ts";
import { folderOfSession, latestSession, noSuchSession } from "../../../src/services/session/list-sessions.ts";
import { findCleared, listCleared, listSessions } from "../../../src/services/session/session-catalogue.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { tempProject } from "../../support/temp-project.ts";
import {
  asAssistant,
  asResults,
  asStarted,
  assistant,
  asUser,
  countingIds,
  openLog,
  restore,
  result,
  results,
  user,
} from "./support.ts";

/** A session with one prompt, changed so many seconds after the epoch. */
function saved(folder: string, sessionId: string, prompt: string, seconds: number): string {
  const log = openLog({ folder, sessionId });
  log.append(asUser(`u-${sessionId}`, prompt));
  log.close();
  utimesSync(log.path, seconds, seconds);
  return log.path;
}

test("sessions are listed newest first, titled by their first prompt", async () => {
  await using project = await tempProject({ "notes.txt": "", "broken.jsonl": "rubbish\n" });
  const old = saved(project.dir, "old", "fix\n  the\tbug \u001b[31m", 1_000);
  saved(project.dir, "new", `${"日本語 ".repeat(30)}end`, 2_000);
  utimesSync(project.path("broken.jsonl"), 10, 10);
  const bytes = (path: string) => readFileSync(path).length;
  const facts = { prompts: 1, costUsd: 0, folder: "/p" };
  expect(await listSessions(project.dir)).toEqual([
    {
      ...facts,
      id: "new",
      title: `${Array.from("日本語 ".repeat(30)).slice(0, 79).join("")}…`,
      modifiedAt: 2_000_000,
      bytes: bytes(project.path("new.jsonl")),
      lastPrompt: `${"日本語 ".repeat(30)}end`,
    },
    {
      ...{ ...facts, id: "old", title: "fix the bug [31m", modifiedAt: 1_000_000, bytes: bytes(old) },
      lastPrompt: "fix the bug [31m",
    },
    { id: "broken", title: "(no prompt)", modifiedAt: 10_000, bytes: 8, prompts: 0, costUsd: 0 },
  ]);
  expect(latestSession(project.dir)).toBe("new");
});

test("--continue takes the session that was opened last, even without a message in it", async () => {
  await using project = await tempProject();
  saved(project.dir, "old", "a", 1_000);
  saved(project.dir, "new", "b", 2_000);
  openLog({ folder: project.dir, sessionId: "old", how: "resume" }).close();
  expect(latestSession(project.dir)).toBe("old");
});

test("a first prompt longer than what is read still gives its title", async () => {
  await using project = await tempProject();
  saved(project.dir, "long", `start "of" a paste\\ ${"ü".repeat(200_000)}`, 1);
  expect((await listSessions(project.dir))[0]?.title).toStartWith('start "of" a paste\\ üü');
});

test("a project without sessions gives an empty list", async () => {
  await using project = await tempProject();
  expect([await listSessions(project.path("none")), latestSession(project.path("none"))]).toEqual([[], undefined]);
});

test("words that name no session are answered with what to do", async () => {
  await using project = await tempProject();
  saved(project.dir, "abc", "x", 1);
  const { message, exitCode } = noSuchSession(project.dir, "zz");
  expect({ message, exitCode }).toEqual({
    message:
      'No session of this project has a name or an id that begins with "zz": run `quoll --resume` in a terminal to choose a session, or continue the last session with --continue.',
    exitCode: 2,
  });
  for (const empty of ["", "  "])
    for (const folder of [project.dir, project.path("none")])
      expect(noSuchSession(folder, empty).message).toMatch(/^The name of the session is empty: .*`quoll --resume`/);
  expect(noSuchSession(project.path("none"), "a").message).toContain("the project has no session yet");
});

const copy = (folder: string, from: string, newSessionId: string, clearedId?: string) =>
  forkSession(
    { from, newSessionId, clearedId },
    { folder, cwd: "/p", version: "2", clock: fakeClock(), ids: countingIds("f") },
  );

test("a fork is a separate session that continues the same conversation", async () => {
  await using project = await tempProject();
  const log = openLog({ folder: project.dir });
  for (const body of [
    asUser("before"),
    { kind: "cleared" } as const,
    asUser("u1"),
    asAssistant("a1", "t1"),
    asStarted("t1"),
  ])
    log.append(body);
  // The old session is still open: a fork only reads it.
  expect(await copy(project.dir, "s1", "s2")).toEqual([]);
  const fork = openLog({ folder: project.dir, sessionId: "s2", how: "resume" });
  fork.append(asUser("u2"));
  fork.close();
  log.append(asResults("r1", "t1"));
  log.close();
  const { sessionId, messages } = restore(fork.path);
  expect([sessionId, messages.map(({ id }) => id)]).toEqual(["s2", ["u1", "a1", "a1-results", "u2"]]);
  expect(restore(log.path).messages).toEqual([user("u1"), assistant("a1", "t1"), results("r1", result("t1"))]);
  const [header] = readFileSync(fork.path, "utf8").split("\n");
  expect(JSON.parse(header ?? "")).toMatchObject({ kind: "session", sessionId: "s2", forkedFrom: "s1", version: "2" });
});

test("each conversation that a clear ended is listed by its first prompt, and can be forked", async () => {
  await using project = await tempProject();
  const log = openLog({ folder: project.dir });
  const cleared = { kind: "cleared" } as const;
  log.append(asUser("first"));
  log.append(asAssistant("a1"));
  log.append(asUser("more"));
  const one = log.append(cleared);
  // Nothing was said before this clear.
  log.append(cleared);
  log.append(asUser("second"));
  const two = log.append(cleared);
  expect(await listCleared(project.dir)).toMatchObject([{ id: two, isLast: true }, { id: one }]);
  log.append(asUser("now"));
  const own = { sessionId: "s1", folder: "/p", endedAt: expect.any(Number) };
  expect(await listCleared(project.dir)).toEqual([
    { ...own, id: two, title: "second", prompts: 1, lastPrompt: "second" },
    { ...own, id: one, title: "first", prompts: 2, lastPrompt: "more" },
  ]);
  for (const wanted of ["second", two]) expect(await findCleared(project.dir, wanted)).toMatchObject({ id: two });
  await copy(project.dir, "s1", "s2", one);
  await copy(project.dir, "s1", "s3", two);
  const ids = (name: string) => restore(project.path(`${name}.jsonl`)).messages.map(({ id }) => id);
  expect([ids("s2"), ids("s3")]).toEqual([["first", "a1", "more"], ["second"]]);
  const unknown = copy(project.dir, "s1", "s4", "x");
  await expect(unknown).rejects.toThrow("no such conversation");
  for (let at = 0; at < 102; at += 1) {
    log.append(asUser(`p${at}`));
    log.append(cleared);
  }
  log.close();
  const titles = (await listCleared(project.dir)).map(({ title }) => title);
  expect(titles.toSorted()).toEqual(Array.from({ length: 100 }, (_, at) => `p${at + 2}`).toSorted());
  expect(await listCleared(project.path("none"))).toEqual([]);
});

test("a fork of nothing, or into a session that is there, is one clear line", async () => {
  await using project = await tempProject();
  saved(project.dir, "s1", "x", 1);
  await expect(copy(project.dir, "gone", "s2")).rejects.toThrow("does not exist");
  await expect(copy(project.dir, "s1", "s1")).rejects.toThrow("There already is a session s1.");
  await expect(copy(project.dir, "s1", "../x")).rejects.toThrow("is not a session id");
});

test("a session that began without a person is listed as such", async () => {
  await using project = await tempProject({});
  const head = (isHeadless: object) =>
    `${JSON.stringify({ v: 2, id: "h", parentId: null, time: "", kind: "session", sessionId: "s", cwd: "/p", version: "1", ...isHeadless })}\n`;
  await project.write("run.jsonl", head({ isHeadless: true }));
  await project.write("talk.jsonl", head({}));
  const marked = (await listSessions(project.dir)).map(({ id, isHeadless = false }) => [id, isHeadless] as const);
  expect(new Map(marked)).toEqual(
    new Map([
      ["run", true],
      ["talk", false],
    ]),
  );
});

test("a session of another project is found with its folder, by at least four characters", async () => {
  await using root = await tempProject({ "unrelated/x.txt": "" });
  const [here, there] = [root.path("here"), root.path("there")];
  saved(here, "1111aaaa", "of this project", 1);
  const log = saved(there, "2222bbbb", "of another", 2);
  saved(there, "2222bbcc", "of another", 3);
  const first = JSON.parse(readFileSync(log, "utf8").split("\n")[0] ?? "") as { cwd: string };
  expect(first.cwd).not.toBe("");
  expect(folderOfSession(here, "2222bbb")).toBe(first.cwd);
  for (const wanted of ["2222bb", "222", "1111aaaa", "zzzzzz", ""])
    expect(folderOfSession(here, wanted)).toBeUndefined();
  const { message, exitCode } = noSuchSession(here, "2222bbbb");
  expect({ message, exitCode }).toEqual({ message: expect.stringContaining(`belongs to ${first.cwd}`), exitCode: 2 });
});
