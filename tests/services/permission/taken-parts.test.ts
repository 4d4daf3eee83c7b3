import { expect, test } from "bun:test";
import type { PermissionRequest } from "../../../src/contracts/permission.ts";
import type { DiffHunk } from "../../../src/contracts/tool.ts";
import { setUp, short, with_ } from "./engine-support.ts";
import { read, write } from "./support.ts";

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
  set.broker.reply("q1", { decision: "once", hunks });
  return { ...set, one, verdict: await verdict };
}

test("a part that was taken comes back as an input of its own, and is allowed unasked the second time, once", async () => {
  const { verdict, one, judge, broker } = await taking([2, 0, 2]);
  expect(verdict).toMatchObject({ decision: "allow", updatedInput: { taken: [0, 2] } });
  expect(await judge(one)).toMatchObject({ decision: "allow", grant: { by: "the user's answer (a part)" } });
  judge(one);
  expect(broker.pending).toHaveLength(1);
});

test("all hunks, or none named, take the call as it is", async () => {
  const { verdict } = await taking([0, 1, 2]);
  expect([short(verdict), "updatedInput" in verdict]).toEqual(["allow/none", false]);
});

test.each([
  ["no hunk", []],
  ["a hunk that isn't there", [3]],
  ["a negative one", [-1]],
  ["a broken number", [0.5]],
] as const)("to take %s refuses the call", async (_, hunks) => {
  expect(short((await taking(hunks)).verdict)).toBe("deny");
});

test("a part of a call that can't be done in parts refuses it: less was wanted than all", async () => {
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

test("the part is asked for anew when it touches something else", async () => {
  for (const subjects of [[write("b.ts")], [write("a.ts"), read("/etc/hosts")], []]) {
    const { one, judge, broker } = await taking([0]);
    judge(with_(one, { subjects }));
    expect([subjects, broker.pending.length]).toEqual([subjects, 1]);
  }
});

test("what a person saw of one call says nothing about another", async () => {
  const { one, judge, broker } = await taking([0]);
  judge({ ...one, toolUseId: "another" });
  expect(broker.pending).toHaveLength(1);
});

test("deny rules hold for the part", async () => {
  const { verdict, one, judge, engine } = await taking([0]);
  expect(short(verdict)).toBe("allow/none");
  engine.mode = "plan";
  expect(short(await judge(one))).toBe("deny");
});
