import { expect, test } from "bun:test";
import { callOf, setUp } from "../engine-support.ts";
import { execute, hazard, ROOT, read, write } from "../support.ts";

const found = { kind: "impossible", why: "a published version can't be withdrawn" } as const;
const guard = { assess: async () => found };
const DELETES = { hazards: [hazard("deletes files: dist")] };
const PUBLISHES = { hazards: [hazard("publishes a package", "publishes")] };

test("each command has a row with its hazard, and every other fact is one sentence", async () => {
  const { judge, request, asked } = setUp({ guard });
  const preview = { kind: "command", command: "cd /tmp; …", description: "", unclear: [] } as const;
  const subjects = [
    read("/tmp"),
    execute("ls"),
    execute("rm -rf dist", DELETES),
    write(`${ROOT}/dist`, { byCommand: true }),
    write("/tmp/x", { byCommand: true }),
    execute("npm publish", PUBLISHES),
  ];
  const asking = { ...request("Bash", "execute"), call: callOf("execute", subjects, { preview }) };
  expect(await asked(judge(asking))).toMatchObject({
    title: "Run this command?",
    reason: "No backup is possible: a published version can't be withdrawn. /tmp, /tmp/x lie outside the project.",
    hazards: ["deletes files: dist", "publishes a package"],
    risks: [
      { command: "rm -rf dist", risks: ["deletes files: dist"] },
      { command: "npm publish", risks: ["publishes a package"] },
    ],
  });
});

test("a single command needs no row with its name", async () => {
  const { judge, bash, asked } = setUp({ guard });
  const question = await asked(judge(bash("npm publish", PUBLISHES)));
  expect(question).toMatchObject({ hazards: ["publishes a package"] });
  expect(question).not.toHaveProperty("risks");
});

test("no path inside the project is absolute", async () => {
  const { judge, request, asked } = setUp();
  const reasons = await Promise.all(
    [".git/config", ".env", "src/a.ts"].map(
      async (path) => (await asked(judge(request("Edit", "write", write(`${ROOT}/${path}`)))))?.reason ?? "",
    ),
  );
  expect(reasons.filter((reason) => reason === "" || reason.includes(ROOT))).toEqual([]);
});

test.each<[string, (set: ReturnType<typeof setUp>) => Parameters<ReturnType<typeof setUp>["judge"]>[0], boolean]>([
  ["a push", ({ bash }) => bash("git push origin main"), true],
  ["a pull request", ({ bash }) => bash("gh pr create --fill"), true],
  ["a test run", ({ bash }) => bash("npm test"), false],
  [
    "a file that may hold secrets",
    ({ request }) => ({ ...request("Read", "read"), call: callOf("read", [read(`${ROOT}/.env`)]) }),
    true,
  ],
  [
    "a write outside the project",
    ({ request }) => ({ ...request("Write", "write"), call: callOf("write", [write("/srv/x")]) }),
    true,
  ],
  [
    "a read outside the project",
    ({ request }) => ({ ...request("Read", "read"), call: callOf("read", [read("/srv/x")]) }),
    false,
  ],
])("the question about %s is risky: %p", async (_, requestOf, isRisky) => {
  const set = setUp({ guard });
  const question = await set.asked(set.judge(requestOf(set)));
  expect(question?.isRisky ?? false).toBe(isRisky);
});
