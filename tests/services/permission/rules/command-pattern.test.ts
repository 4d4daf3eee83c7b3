import { expect, test } from "bun:test";
import {
  exactCommandSpec,
  matchesCommand,
  parseCommandPattern,
} from "../../../../src/services/permission/rules/command-pattern.ts";
import { cpuClock } from "../../../support/cpu-clock.ts";

const matches = (spec: string, command: string) => matchesCommand(parseCommandPattern(spec), command);

test.each([
  ["ls *", "ls", true],
  ["ls *", "ls -a", true],
  ["ls *", "ls\t-a", true],
  ["ls *", "lsof", false],
  ["ls:*", "ls", true],
  ["ls:*", "ls -a", true],
  ["ls:*", "lsof", false],
  ["ls*", "lsof", true],
  ["ls*", "ls", true],
  ["ls", "ls", true],
  ["ls", "ls -a", false],
  ["npm run test *", "npm run test", true],
  ["npm run test *", "npm run test:unit", false],
  ["npm run test:*", "npm run test", true],
  ["npm run test:*", "npm run test:unit", false],
  ["npm run test:* --x", "npm run test:unit --x", true],
  ["git * main", "git push origin main", true],
  ["git * main", "git main", false],
  ["git * push *", "git -C x push", true],
  ["git * push *", "git -C x pushy", false],
  ["* --version", "node --version", true],
  ["* --version", "node --version x", false],
  ["*", "anything at all", true],
  ["a*b*c", "aXbYc", true],
  ["a*b*c", "ac", false],
  ["ab*ba", "aba", false],
  ["Ls *", "ls -a", false],
  ["echo \\*", "echo *", true],
  ["echo \\*", "echo a", false],
  ["echo a.c", "echo abc", false],
  ["grep a\\.b *", "grep a\\.b x", true],
])("Bash(%s) on %j: %p", (spec, command, expected) => {
  expect(matches(spec, command)).toBe(expected);
});

test("an exact spec matches its command and nothing longer", () => {
  for (const command of ["echo '*' (x)", "find . -name \\*.ts", "a\\\\b", "printf '\\(%s\\)'", "x:*", "trailing \\*"]) {
    expect([command, matches(exactCommandSpec(command), command)]).toEqual([command, true]);
    expect(matches(exactCommandSpec(command), `${command} more`)).toBe(false);
  }
});

test("no pattern can make it hang", () => {
  const pattern = parseCommandPattern(`${"*a".repeat(2_000)}*b`);
  const spent = cpuClock();
  expect(matchesCommand(pattern, "a".repeat(50_000))).toBe(false);
  expect(spent()).toBeLessThan(1_000);
});
