import { expect, test } from "bun:test";
import { settingsIn } from "../../../../src/services/tools/bash/git-aliases.ts";

test("settings of a git configuration file are read as git reads them", () => {
  const text = [
    "[alias] a = reset --hard ; remark",
    '\tb = "!rm -rf \\"$1\\" # no remark" # one',
    "  c = log \\",
    "--oneline",
    '[alias "d"]',
    "command = x\\ty",
    '[include "x"]',
    '[includeIf "gitdir:~/w/"]\r',
    "path = ~/more\r",
    "flag",
    "= broken",
  ].join("\n");
  expect(settingsIn(text)).toEqual([
    { key: "alias.a", value: "reset --hard" },
    { key: "alias.b", value: '!rm -rf "$1" # no remark' },
    { key: "alias.c", value: "log --oneline" },
    { key: "alias.d.command", value: "x\ty" },
    { key: "includeif.gitdir:~/w/.path", value: "~/more" },
    { key: "includeif.gitdir:~/w/.flag", value: "" },
  ]);
});
