import { expect, test } from "bun:test";
import { chmodSync } from "node:fs";
import { approvedContent } from "../../../src/services/trust/approved-content.ts";
import { tempProject } from "../../support/temp-project.ts";

const FILES = ["check.sh", "run.sh", "guard.log", "a.json", "b.json", "rules.json"];

/** The files that belong to the content of a command. */
async function codeOf(command: string): Promise<readonly string[]> {
  await using place = await tempProject(Object.fromEntries(FILES.map((file) => [file, `${file}\n`])));
  const lines = approvedContent({}, [command], { root: place.dir }).split("\n").slice(1);
  return lines.map((line) => line.split(" ").slice(1).join(" ")).sort();
}

test.each([
  ["sh check.sh", ["check.sh"]],
  ["./check.sh rules.json", ["check.sh", "rules.json"]],
  ["./check.sh < rules.json", ["check.sh", "rules.json"]],
  ["node --import=./check.sh ./run.sh", ["check.sh", "run.sh"]],
  ["sh guard.log", ["guard.log"]],
  [". ./guard.log", ["guard.log"]],
  ["./guard.log", ["guard.log"]],
  ["echo x > guard.log; sh guard.log", ["guard.log"]],
  ["cat check.sh > run.sh; sh run.sh", ["check.sh", "run.sh"]],
  ["[ check.sh -nt guard.log ] || sh check.sh", ["check.sh", "guard.log"]],
])("a file that %j reads or runs is a part of its content", async (command, files) => {
  expect(await codeOf(command)).toEqual(files);
});

test.each([
  ["echo x >> guard.log; exit 2", []],
  ["echo x>>guard.log", []],
  ["cat >| a.json; sh check.sh", ["check.sh"]],
  ["sh check.sh 2> guard.log > a.json", ["check.sh"]],
  ["sh check.sh &>> 'guard.log'", ["check.sh"]],
  ['sh check.sh > "$CLAUDE_PROJECT_DIR/a.json"', ["check.sh"]],
  ["jq . | tee -a a.json guard.log | sh check.sh", ["check.sh"]],
  ["./check.sh --log a.json --output=b.json rules.json", ["check.sh", "rules.json"]],
  ["./check.sh guard.log", ["check.sh"]],
  ['sh check.sh "guard.log"; exit 2', ["check.sh"]],
])("a file that %j only writes is no part of its content", async (command, files) => {
  expect(await codeOf(command)).toEqual(files);
});

const IN_FOLDERS = {
  "tools/check.sh": "a",
  "my tools/check.sh": "b",
  "tools/guard.js": "c",
  "tools/mod/index.js": "d",
  "tools/pyguard.py": "e",
  "guard.out": "f",
  "guard.log": "g",
};

test.each([
  ["cd tools && ./check.sh", "tools/check.sh"],
  ['cd "$CLAUDE_PROJECT_DIR/tools" || exit 2\n. ./check.sh', "tools/check.sh"],
  ["pushd tools; ./check.sh", "tools/check.sh"],
  ["env -C tools ./check.sh", "tools/check.sh"],
  ["D=tools; $D/check.sh", "tools/check.sh"],
  ['DIR="$CLAUDE_PROJECT_DIR/tools"; "$DIR/check.sh"', "tools/check.sh"],
  ["tee -a guard.log\n./tools/check.sh", "tools/check.sh"],
  ['"my tools/check.sh"', "my tools/check.sh"],
  ["sh my\\ tools/check.sh", "my tools/check.sh"],
  ["node tools/guard", "tools/guard.js"],
  ["node tools/mod", "tools/mod/index.js"],
  ["python3 -m tools.pyguard", "tools/pyguard.py"],
  ["if ./guard.out; then exit 2; fi", "guard.out"],
  ["X=1 ./guard.out", "guard.out"],
  ["timeout 5 ./guard.out", "guard.out"],
])("a change of the file that %j runs changes its content", async (command, file) => {
  await using place = await tempProject(IN_FOLDERS);
  const content = () => approvedContent({}, [command], { root: place.dir });
  const before = content();
  await place.write(file, "changed");
  expect(content()).not.toBe(before);
});

test("a guard that loses the right to run has another content", async () => {
  await using place = await tempProject(IN_FOLDERS);
  const content = () => approvedContent({}, ["./tools/check.sh"], { root: place.dir });
  chmodSync(place.path("tools/check.sh"), 0o755);
  const before = content();
  chmodSync(place.path("tools/check.sh"), 0o644);
  expect(content()).not.toBe(before);
});
