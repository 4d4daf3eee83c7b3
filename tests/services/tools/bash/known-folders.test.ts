import { expect, test } from "bun:test";
import { withKnownFolders } from "../../../../src/services/tools/bash/known-folders.ts";
import { shellParser } from "./bash-session.ts";

async function lastValue(source: string, cwd: string, temporary?: string): Promise<string | undefined> {
  const parsed = (await shellParser()).parse(source);
  const commands = parsed.understood ? withKnownFolders(parsed.commands, {}, cwd, temporary) : [];
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

test("a variable that mktemp sets once stands for a file among the temporary ones", async () => {
  for (const source of [
    'f=$(mktemp); cat "$f"',
    'f="$(mktemp -t a.XXXX)" && cat -n "$f"',
    "f=$(mktemp /tmp/a.XXXX.log); rm -f $f",
  ])
    expect([source, await lastValue(source, "/srv", "/tmp")]).toEqual([source, "/tmp/mktemp-f"]);
  expect(await lastValue('d=$(mktemp -d); cat "$d/a"', "/srv", "/tmp")).toBe("/tmp/mktemp-d/a");
  for (const source of [
    "f=$(mktemp here.XXXX); cat $f",
    "f=$(mktemp -p /etc); cat $f",
    "f=$(mktemp); f=/etc/passwd; cat $f",
    "f=$(mktemp); read f; cat $f",
    "f=$(mktemp); for f in /etc/*; do cat $f; done",
    "f=$(mktemp; echo /etc/passwd); cat $f",
    "f=$(TMPDIR=/etc mktemp); cat $f",
    "f=$(mktemp)/../../etc/passwd; cat $f",
    "mktemp; cat $f",
  ])
    expect([source, await lastValue(source, "/srv", "/tmp")]).toEqual([source, undefined]);
  expect(await lastValue("f=$(mktemp); cat $f", "/srv")).toBeUndefined();
});
