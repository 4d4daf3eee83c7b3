import { describe, expect, test } from "bun:test";
import { stripWrappers } from "../src/strip-wrappers.ts";
import type { SimpleCommand } from "../src/types.ts";
import { parser } from "./real-parser.ts";

function commandOf(source: string): SimpleCommand {
  const parsed = parser.parse(source);
  const command = parsed.understood ? parsed.commands[0] : undefined;
  if (!command) throw new Error(`not understood: ${source}`);
  return command;
}

describe("a wrapper with known flags is taken off", () => {
  test.each([
    ["timeout 60 npm test x", "npm test x"],
    ["timeout 1.5m npm test", "npm test"],
    ["timeout -k 5s --signal=TERM 60 npm test", "npm test"],
    ["timeout -k5 -s KILL 60s npm test", "npm test"],
    ["timeout --preserve-status -- 5 ls", "ls"],
    ["time npm test", "npm test"],
    ["time -p npm test", "npm test"],
    ["nice npm test", "npm test"],
    ["nice -n 10 npm test", "npm test"],
    ["nice -n10 npm test", "npm test"],
    ["nice --adjustment=5 npm test", "npm test"],
    ["nohup npm start", "npm start"],
    ["stdbuf -oL npm test", "npm test"],
    ["stdbuf -o L -e 0 npm test", "npm test"],
    ["command ls -la", "ls -la"],
    ["builtin echo x", "echo x"],
    ["noglob ls x", "ls x"],
    ["env npm test", "npm test"],
    ["env -- npm test", "npm test"],
    ["env timeout 5 nice nohup npm test", "npm test"],
    ["time env A=1 timeout 5 npm test 'a b'", "npm test 'a b'"],
    ['timeout 5 echo "$x"', 'echo "$x"'],
  ])("%s → %s", (source, inner) => {
    expect(stripWrappers(commandOf(source))?.source).toBe(inner);
  });
});

describe("a wrapper that is not exactly known stays", () => {
  test.each([
    ["npm test"],
    ["ls"],
    ["timeout npm test"],
    ["timeout 5"],
    ["timeout --unknown 5 ls"],
    ["timeout -k $x 5 ls"],
    ["timeout $x ls"],
    ["timeout 5 $x"],
    ["timeout -k 'a b' 5 ls"],
    ["timeout 5x ls"],
    ["env -i ls"],
    ["env -S 'ls -la'"],
    ["env -u A ls"],
    ["env -C dir ls"],
    ["env"],
    ["env A=1"],
    ["env 'A B=1' ls"],
    ["env $x ls"],
    ["nice -10 ls"],
    ["nice -n ls"],
    ["nohup"],
    ["stdbuf --output L"],
    ["command -v ls"],
    ["timeout 5 cd x"],
    ["timeout 5 --help"],
    ["sudo ls"],
    ["xargs ls"],
    ["watch ls"],
    ["setsid ls"],
    ["ionice ls"],
    ["flock f ls"],
    ["npx ls"],
    ["bash -c ls"],
    [`${"nice ".repeat(20)}ls`],
    ["timeout 5 *"],
  ])("%s", (source) => {
    expect(stripWrappers(commandOf(source))).toBeUndefined();
  });
});

test("assignments of env join the command's own, and redirects stay", () => {
  expect(stripWrappers(commandOf("A=1 env B='x y' C=$z npm test > out"))).toEqual({
    source: "npm test",
    words: [
      { source: "npm", value: "npm", isGlob: false },
      { source: "test", value: "test", isGlob: false },
    ],
    assignments: [
      { name: "A", source: "A=1", value: { source: "1", value: "1", isGlob: false } },
      { name: "B", source: "B='x y'", value: { source: "'x y'", value: "x y", isGlob: false } },
      { name: "C", source: "C=$z", value: { source: "$z", value: undefined, isGlob: false } },
    ],
    redirects: [{ source: "> out", direction: "write", target: { source: "out", value: "out", isGlob: false } }],
    conditional: false,
    within: [],
    unknown: [],
  });
});
