import { expect, test } from "bun:test";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { createRedactor } from "../../../src/services/redaction/create-redactor.ts";
import { redactionKey } from "../../../src/services/redaction/redaction-key.ts";
import { tempProject } from "../../support/temp-project.ts";

const hexOf = async (folder: string) => Buffer.from(redactionKey(folder)).toString("hex");

test("the key is made once, for this user alone, and is the same from then on", async () => {
  await using project = await tempProject();
  const state = join(project.dir, "a", "state");
  const first = await hexOf(state);
  expect(first).toMatch(/^[0-9a-f]{64}$/);
  expect(await hexOf(state)).toBe(first);
  expect(statSync(join(state, "redaction-key")).mode & 0o777).toBe(0o600);
  expect(statSync(state).mode & 0o777).toBe(0o700);
  expect(readdirSync(state)).toEqual(["redaction-key"]);
});

test("the key is made for the first placeholder, and not before", async () => {
  await using project = await tempProject();
  let made = 0;
  const key = () => {
    made += 1;
    return redactionKey(project.path("state"));
  };
  const { redact, placeholdersIn } = await createRedactor({ key });
  expect(redact("Nothing to hide.")).toBe("Nothing to hide.");
  expect([made, readdirSync(project.dir)]).toEqual([0, []]);
  const hidden = redact("password = 'Zk8!qPw3xVn'  token ghp_0123456789abcdefghijABCDEFGHIJ012345");
  expect(placeholdersIn(hidden).length).toBeGreaterThan(0);
  expect(made).toBe(1);
  expect(hidden).toBe(
    (await createRedactor({ key: redactionKey(project.path("state")) })).redact(
      "password = 'Zk8!qPw3xVn'  token ghp_0123456789abcdefghijABCDEFGHIJ012345",
    ),
  );
});

test("two that start at once take the same key, two users' folders have different ones", async () => {
  await using project = await tempProject();
  const [one, two] = await Promise.all([hexOf(project.path("s")), hexOf(project.path("s"))]);
  expect(two).toBe(one);
  expect(await hexOf(project.path("t"))).not.toBe(one);
});

test.each(["", "rubbish", `${"0".repeat(63)}`, "z".repeat(64)])(
  "a file that holds no key (%j) is replaced",
  async (text) => {
    await using project = await tempProject({ "s/redaction-key": text });
    const made = await hexOf(project.path("s"));
    expect((await project.read("s/redaction-key")).trim()).toBe(made);
  },
);

test("where nothing can be kept there is a key all the same", async () => {
  await using project = await tempProject({ file: "", "s/redaction-key/x": "" });
  for (const folder of ["file", "s"]) {
    expect(await hexOf(project.path(folder))).toMatch(/^[0-9a-f]{64}$/);
    expect(await hexOf(project.path(folder))).not.toBe(await hexOf(project.path(folder)));
  }
});
