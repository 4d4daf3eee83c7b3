import { expect, test } from "bun:test";
import type { AboveRequest } from "../../../src/contracts/permission.ts";
import { oneProcess, sessionIn } from "../../support/app-harness.ts";
import { tempProject } from "../../support/temp-project.ts";

const FILES = {
  "CLAUDE.md": "Rule of the workspace.\n",
  "a/.git/HEAD": "ref: refs/heads/main\n",
  "a/CLAUDE.md": "Rule of a.\n",
  "b/.git/HEAD": "ref: refs/heads/main\n",
};
const WORKSPACE = "Rule of the workspace.";

/** Runs one turn in a folder, with a person who gives these answers or with nobody. */
async function turnIn(here: Awaited<ReturnType<typeof oneProcess>>, cwd: string, answer?: "read" | "no") {
  const asked: AboveRequest[] = [];
  const askAbove = async (request: AboveRequest) => {
    asked.push(request);
    return answer ?? "no";
  };
  const trust = { isTrusted: undefined } as unknown as { isTrusted: true };
  const { session, warnings } = await sessionIn(here.app, cwd, trust, answer === undefined ? {} : { askAbove });
  await session.main.engine.submit({ prompt: "hello" });
  await session.close();
  return { asked, warnings, first: JSON.stringify(here.twin.requests.at(-1)?.body) };
}

test("instruction files above a repository are read after a yes, which is remembered for their folder", async () => {
  await using here = await oneProcess();
  await using project = await tempProject(FILES);
  const first = await turnIn(here, project.path("a"), "read");
  expect(first.asked.map(({ files }) => files)).toEqual([[project.path("CLAUDE.md")]]);
  expect(first.first).toContain(WORKSPACE);
  const second = await turnIn(here, project.path("b"), "read");
  expect(second.asked).toEqual([]);
  expect(second.first).toContain(WORKSPACE);
  expect((await turnIn(here, project.path("a"))).first).toContain(WORKSPACE);
});

test("instruction files above a repository stay out after a no, and are not named again", async () => {
  await using here = await oneProcess();
  await using project = await tempProject(FILES);
  expect((await turnIn(here, project.path("a"), "no")).first).not.toContain(WORKSPACE);
  const again = await turnIn(here, project.path("a"), "read");
  expect([again.asked, again.warnings]).toEqual([[], []]);
  expect(again.first).not.toContain(WORKSPACE);
});

test("without a person, instruction files above a repository are named and left out, and --trust reads them for one run", async () => {
  await using here = await oneProcess();
  await using project = await tempProject(FILES);
  const { first, warnings } = await turnIn(here, project.path("a"));
  expect(first).not.toContain(WORKSPACE);
  expect(warnings.filter((line) => line.includes(project.path("CLAUDE.md")))).toHaveLength(1);
  const { session } = await sessionIn(here.app, project.path("a"), { isTrusted: true });
  await session.main.engine.submit({ prompt: "hello" });
  const body = JSON.stringify(here.twin.requests.at(-1)?.body);
  expect(body.indexOf(WORKSPACE)).toBeGreaterThan(0);
  expect(body.indexOf("Rule of a.")).toBeGreaterThan(body.indexOf(WORKSPACE));
  await session.close();
  expect((await turnIn(here, project.path("a"))).first).not.toContain(WORKSPACE);
});

test("a session that asks no model names no instruction files above it, and tells nothing of skills", async () => {
  await using here = await oneProcess();
  await here.home.write(".claude/skills/s/SKILL.md", "---\ndescription: d\nodd: x\n---\nText.\n");
  await using project = await tempProject(FILES);
  const config = { isTrusted: undefined, asksNoModel: true } as unknown as { isTrusted: true };
  const { session, warnings } = await sessionIn(here.app, project.path("a"), config);
  expect(warnings).toEqual([]);
  await session.close();
});

test("a project in the home folder does not take the person's own files for files above it", async () => {
  await using here = await oneProcess();
  await here.home.write(".claude/CLAUDE.md", "Own rule.\n");
  await here.home.write("src/a/.git/HEAD", "ref: refs/heads/main\n");
  const { asked, warnings, first } = await turnIn(here, here.home.path("src/a"), "no");
  expect([asked, warnings]).toEqual([[], []]);
  expect(first.split("Own rule.")).toHaveLength(2);
});
