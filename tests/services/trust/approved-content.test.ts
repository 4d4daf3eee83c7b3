import { expect, test } from "bun:test";
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
])("a file that %j only writes is not", async (command, files) => {
  expect(await codeOf(command)).toEqual(files);
});
