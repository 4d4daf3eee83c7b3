import { expect, test } from "bun:test";
import { withKnownFolders } from "../../../../src/services/tools/bash/known-folders.ts";
import { shellParser } from "./bash-session.ts";

async function lastValue(source: string, cwd: string): Promise<string | undefined> {
  const parsed = (await shellParser()).parse(source);
  const commands = parsed.understood ? withKnownFolders(parsed.commands, {}, cwd) : [];
  return commands.at(-1)?.words.at(-1)?.value;
}

test("the working folder is known by its variable, unless the line moves or sets it", async () => {
  expect(await lastValue("cat $PWD/a", "/srv/app")).toBe("/srv/app/a");
  expect(await lastValue('cat "$PWD/a b"', "/srv/app")).toBe("/srv/app/a b");
  for (const source of ["cd sub; cat $PWD/a", "PWD=/etc; cat $PWD/a", "read PWD; cat $PWD/a", "pushd x; cat $PWD/a"])
    expect([source, await lastValue(source, "/srv/app")]).toEqual([source, undefined]);
});

test("a working folder among temporary files stays a variable: what is spelled out there needs no way back", async () => {
  expect(await lastValue("rm -rf $PWD/a", "/tmp/app")).toBeUndefined();
});
