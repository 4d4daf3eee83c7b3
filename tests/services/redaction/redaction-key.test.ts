import { expect, test } from "bun:test";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { redactionKey } from "../../../src/services/redaction/redaction-key.ts";
import { tempProject } from "../../support/temp-project.ts";

const hexOf = async (folder: string) => Buffer.from(await redactionKey(folder)).toString("hex");

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
