import { expect, test } from "bun:test";
import { skillApprover } from "../../../src/app/skills/approve-skill.ts";
import { consentTo } from "../../../src/app/skills/skill-permissions.ts";
import type { Approvable } from "../../../src/contracts/approval.ts";
import { OpenQuestions } from "../../../src/protocol/open-questions.ts";
import { createApprovalStore, NO_APPROVALS } from "../../../src/services/trust/approval-store.ts";
import { tempProject } from "../../support/temp-project.ts";

/** A file of a project as content to approve, and a person who approves what they are shown. */
async function asking({ before = async () => undefined }: { before?(): Promise<unknown> } = {}) {
  const place = await tempProject({ "repo/x.md": "one" });
  const approvals = await createApprovalStore(place.path("state/approved.json"), { root: place.path("repo") });
  const shown: string[] = [];
  const read = async (): Promise<Approvable> => {
    return { kind: "skill", name: "x", content: await place.read("repo/x.md"), lines: [] };
  };
  const approveSkill = async (item: Approvable) => {
    shown.push(item.content);
    await before();
    await approvals.approve([item], "always");
  };
  return { ...place, approvals, shown, read, approveSkill };
}

const { signal } = new AbortController();

test("content is asked about once, and again after a change", async () => {
  await using person = await asking();
  const { read, approvals, shown, approveSkill } = person;
  const states = [await consentTo(read, approvals)];
  for (const text of ["one", "one", "two"]) {
    await person.write("repo/x.md", text);
    states.push(await consentTo(read, approvals, { approveSkill, signal }));
  }
  expect({ states, shown }).toEqual({ states: ["new", "approved", "approved", "approved"], shown: ["one", "two"] });
});

test("content that changes while its question is open is not approved", async () => {
  let swap = async (): Promise<unknown> => undefined;
  await using person = await asking({ before: () => swap() });
  swap = () => person.write("repo/x.md", "two");
  const { read, approvals, shown, approveSkill } = person;
  expect(await consentTo(read, approvals, { approveSkill, signal })).toBe("changed");
  expect(shown).toEqual(["one"]);
});

test("content that nobody can approve is not asked about", async () => {
  await using person = await asking();
  const { read, approvals, shown, approveSkill } = person;
  const obstacle = async () => ({ ...(await read()), obstacle: "it is too long" });
  expect(await consentTo(obstacle, approvals, { approveSkill, signal })).toBe("refused");
  expect(await consentTo(async () => "unchecked", approvals, { approveSkill, signal })).toBe("unchecked");
  expect(shown).toEqual([]);
});

test("a skill and an agent of one name are each asked about once in a session", async () => {
  let last = 0;
  const questions = new OpenQuestions({ next: () => String(++last) }, "person");
  const titles: string[] = [];
  questions.answerWith(async ({ id, title }) => {
    titles.push(title);
    questions.reply(id, { decision: "reject" });
  });
  const environment = { approvals: NO_APPROVALS, unapproved: [] };
  const approve = skillApprover({ questions, environment, notices: { notify: () => undefined } });
  const skill: Approvable = { kind: "skill", name: "x", content: "of the skill", lines: [] };
  const agent: Approvable = { kind: "agent", name: "x", content: "of the agent", lines: [] };
  for (const item of [skill, agent, skill, agent]) await approve(item, signal);
  expect(titles).toEqual(["Use all parts of the skill x?", "Use all parts of the agent x?"]);
});
