import { expect, test } from "bun:test";
import { callOf, setUp } from "./engine-support.ts";
import { execute, hazard, ROOT, read, write } from "./support.ts";

const found = { kind: "impossible", why: "what is published can't be taken back" } as const;
const guard = { assess: async () => found };
const DELETES = { hazards: [hazard("deletes files: dist")] };
const PUBLISHES = { hazards: [hazard("publishes a package", "publishes")] };

test("each command stands in a row with its danger, and every other fact in one sentence", async () => {
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
    reason:
      "No rule allows it. There is no way back: what is published can't be taken back. /tmp, /tmp/x lie outside the project.",
    hazards: ["deletes files: dist", "publishes a package"],
    risks: [
      { command: "rm -rf dist", risks: ["deletes files: dist"] },
      { command: "npm publish", risks: ["publishes a package"] },
    ],
  });
});

test("one command alone needs no row with its name", async () => {
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
