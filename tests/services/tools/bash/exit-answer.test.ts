import { describe, expect, test } from "bun:test";
import { eachOrDeep } from "../../../support/deep.ts";
import { bashSession } from "./bash-session.ts";

const FILES = { "a.txt": "one\n", "b.txt": "two\n" };

describe("exit code 1 that is an answer is no error", () => {
  eachOrDeep(
    "%j",
    (at) => at % 3 === 0,
    [
      ["grep none a.txt", "no match"],
      ["grep -rn none . 2>/dev/null", "no match"],
      ["cat a.txt | grep none", "no match"],
      ["cd . && grep none a.txt", "no match"],
      ["echo start; grep none a.txt", "no match"],
      ["echo start\ngrep none a.txt", "no match"],
      ["grep none a.txt || grep none b.txt", "no match"],
      ["test -f a.txt && grep none a.txt", "no match"],
      ["git grep --no-index none", "no match"],
      ["diff a.txt b.txt", "they differ"],
      ["[ -f c.txt ] && echo yes", "false"],
      ["test -f c.txt && cat c.txt", "false"],
      ["grep -q none a.txt && echo found && cat a.txt", "no match"],
      ["diff -u a.txt b.txt > /dev/null", "they differ"],
      ["cmp a.txt b.txt", "they differ"],
      ["git diff --no-index a.txt b.txt", "they differ"],
      ["test -e c.txt", "false"],
      ["[ 1 = 2 ]", "false"],
      ["[[ -e c.txt ]]", "false"],
      ["which no-such-program", "not found"],
      ["command -v no-such-program", "not found"],
    ],
    async (command, meaning) => {
      await using here = await bashSession({ files: FILES });
      const result = await here.run(command);
      expect([result.isError, result.text.includes(`[exit code 1 (${meaning})]`)]).toEqual([false, true]);
    },
  );

  test("a negated answer is no error either", async () => {
    await using here = await bashSession({ files: FILES });
    const result = await here.run("! grep -q one a.txt");
    expect([result.isError, result.text.includes("[exit code 1]")]).toEqual([false, true]);
  });
});

describe("exit code 1 stays an error", () => {
  test.each([
    ["false"],
    ["node -e 'process.exit(1)' && grep none a.txt"],
    ["sh -c 'exit 1'"],
    ["grep none a.txt && node -e ''; sh -c 'exit 1'"],
    ["set -o pipefail; sh -c 'exit 1' | grep -c ''"],
    ["cd nowhere && grep none a.txt"],
    ["test -f a.txt && cat c.txt"],
    ["test -f a.txt && sh -c 'exit 1'"],
    ["sh -c 'exit 1' && echo yes"],
    ["grep none a.txt > /no/such/folder/x"],
    ["cat a.txt | sh -c 'exit 1'"],
    ["find . -name '*.txt' -exec sh -c 'exit 1' \\; ; sh -c 'exit 1'"],
  ])("of %j", async (command) => {
    await using here = await bashSession({ files: FILES });
    expect((await here.run(command)).isError).toBe(true);
  });

  test.each([["grep none no-such-file"], ["diff a.txt no-such-file"], ["[ 1 -eq x ]"]])(
    "so does code 2 of %j",
    async (command) => {
      await using here = await bashSession({ files: FILES });
      expect((await here.run(command)).isError).toBe(true);
    },
  );
});
