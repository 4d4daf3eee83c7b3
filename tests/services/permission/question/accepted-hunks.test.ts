import { expect, test } from "bun:test";
import type { DiffHunk } from "../../../../src/contracts/display.ts";
import type { PermissionRequest } from "../../../../src/contracts/permission.ts";
import { setUp, short, with_ } from "../engine-support.ts";
import { read, write } from "../support.ts";

const hunk = (at: number): DiffHunk => ({ oldStart: at, newStart: at, lines: [{ kind: "added", text: `${at}` }] });

function edit(request: PermissionRequest, hunks = 3): PermissionRequest {
  return with_(request, {
    preview: { kind: "diff", path: "/a", isNew: false, hunks: Array.from({ length: hunks }, (_, i) => hunk(i)) },
    takeHunks: (indices) => ({ taken: indices }),
  });
}

/** The verdict on an edit when the person takes these hunks. */
async function taking(hunks: readonly number[], change: (one: PermissionRequest) => PermissionRequest = edit) {
  const set = setUp();
  const one = change(set.request("Edit", "write", write("a.ts")));
  const verdict = set.judge(one);
  set.questions.reply("q1", { decision: "once", hunks });
  return { ...set, one, verdict: await verdict };
}

test("an accepted part comes back as a new input and is allowed once without a question", async () => {
  const { verdict, one, judge, questions } = await taking([2, 0, 2]);
  expect(verdict).toMatchObject({ decision: "allow", updatedInput: { taken: [0, 2] } });
  expect(await judge(one)).toMatchObject({
    decision: "allow",
    grant: { decidedBy: { kind: "person", answer: "a part" } },
  });
  judge(one);
  expect(questions.pending).toHaveLength(1);
});

test("accepting all hunks, or naming none, accepts the whole call", async () => {
  const { verdict } = await taking([0, 1, 2]);
  expect([short(verdict), "updatedInput" in verdict]).toEqual(["allow/none", false]);
});

test.each([
  ["no hunk", []],
  ["a hunk that isn't there", [3]],
  ["a negative one", [-1]],
  ["a broken number", [0.5]],
] as const)("accepting %s refuses the call", async (_, hunks) => {
  expect(short((await taking(hunks)).verdict)).toBe("deny");
});

test("accepting a part of a call that can't be split refuses the call", async () => {
  const { verdict } = await taking([0], (one) => {
    const { takeHunks: _, ...call } = edit(one).call;
    return { ...one, call };
  });
  expect(verdict).toMatchObject({ decision: "deny", message: expect.stringContaining("can't be done in parts") });
  const broken = await taking([0], (one) =>
    with_(edit(one), {
      takeHunks: () => {
        throw new Error("the file changed");
      },
    }),
  );
  expect(broken.verdict).toMatchObject({ decision: "deny", message: expect.stringContaining("the file changed") });
});

test("an accepted part that touches something else needs a new question", async () => {
  for (const subjects of [[write("b.ts")], [write("a.ts"), read("/etc/hosts")], []]) {
    const { one, judge, questions } = await taking([0]);
    judge(with_(one, { subjects }));
    expect([subjects, questions.pending.length]).toEqual([subjects, 1]);
  }
});

test("accepting a part of one call does not allow another call", async () => {
  const { one, judge, questions } = await taking([0]);
  judge({ ...one, toolUseId: "another" });
  expect(questions.pending).toHaveLength(1);
});

test("deny rules hold for the part", async () => {
  const { verdict, one, judge, engine } = await taking([0]);
  expect(short(verdict)).toBe("allow/none");
  engine.mode = "plan";
  expect(short(await judge(one))).toBe("deny");
});
