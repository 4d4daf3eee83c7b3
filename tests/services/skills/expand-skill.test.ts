import { expect, test } from "bun:test";
import type { Skill, SkillFormat } from "../../../src/contracts/skill.ts";
import { expandSkill } from "../../../src/services/skills/expand-skill.ts";
import { splitArguments } from "../../../src/services/skills/fill-arguments.ts";
import { splitRules } from "../../../src/services/skills/skill-header.ts";
import { cpuClock } from "../../support/cpu-clock.ts";

/** The text of a skill with commands that echo themselves, and with one readable file. */
function expand(text: string, argument = "", format: SkillFormat = "skill", argumentNames: readonly string[] = []) {
  const skill: Skill = {
    ...{ name: "x", origin: "user", format, file: "/s/x/SKILL.md", folder: "/s/x", chars: 0, description: "" },
    ...{
      argumentNames,
      isForModel: true,
      isForUser: true,
      allowedTools: [],
      disallowedTools: [],
      isForked: false,
      paths: [],
    },
  };
  return expandSkill(skill, {
    text,
    argument,
    variables: { SKILL_DIR: "/s/x", SESSION_ID: "id-1" },
    run: async (command) => `«${command}»`,
    read: async (path) => (path === "a.txt" ? "text of a" : undefined),
  });
}

test.each([
  ["Fix $ARGUMENTS.", "the bug", "skill", "Fix the bug."],
  ["$0 then $1 then $ARGUMENTS[1]", "a 'b c'", "skill", "a then b c then b c"],
  ["$1 and $2", "a b", "command", "a and b"],
  ["$0 and $1", "a b", "command", "a and b"],
  ["awk '{print $1}'", "", "skill", "awk '{print $1}'"],
  ["Say hello.", "to me", "skill", "Say hello.\n\nARGUMENTS: to me"],
  [`In \${CLAUDE_SKILL_DIR} and \${QUOLL_SESSION_ID}, $HOME stays`, "", "skill", "In /s/x and id-1, $HOME stays"],
  ["Costs \\$ARGUMENTS and $ARGUMENTS", "5", "skill", "Costs $ARGUMENTS and 5"],
  ["Fix $FILE", "FILE=a.ts", "prompt", "Fix a.ts"],
] as const)("%j with %j as a %s becomes %j", async (text, argument, format, wanted) => {
  expect(await expand(text, argument, format)).toBe(wanted);
});

test.each([
  ["Caps: $15,000, $1.50 and $9.", "for spring", "skill", "Caps: $15,000, $1.50 and $9.\n\nARGUMENTS: for spring"],
  ["Caps: $15,000 and {print $7}", "", "command", "Caps: $15,000 and {print $7}"],
  ["Fix #$1.", "12", "command", "Fix #12."],
  ["compare $1, $2", "a b", "command", "compare a, b"],
  ["compare $1, $2", "a", "command", "compare a, $2"],
  ["$0, $1.", "a b", "skill", "a, b."],
  ["$1,000 for $1", "a b", "command", "$1,000 for a"],
  ["$0.50 for $1", "a", "command", "$0.50 for a"],
  ["$1.5k, $20M, $5/month, $1st", "a b", "command", "$1.5k, $20M, $5/month, $1st\n\nARGUMENTS: a b"],
  ["$10 of $1", "a b", "skill", "$10 of b"],
  ["$ARGUMENTS[0] and $ARGUMENTS[4]", "a", "skill", "a and $ARGUMENTS[4]"],
  ["Fix $ARGUMENTS now", "", "command", "Fix  now"],
  ["\\$1, \\$15,000, \\$ARGUMENTS and \\$HOME; $1", "a", "command", "$1, $15,000, $ARGUMENTS and \\$HOME; a"],
  ["Pay $AMOUNT of $5,000", "AMOUNT=3", "prompt", "Pay 3 of $5,000"],
  ["!`awk '{print $2}' $1`", "log", "command", "«awk '{print $2}' log»"],
  ["```sh\nawk '{print $1}' $1\n```", "log", "command", "```sh\nawk '{print $1}' log\n```"],
  ["!`awk -F, '/$ARGUMENTS/ {print $0}' f`", "x", "command", "«awk -F, '/x/ {print $0}' f»"],
  ["perl -pe 's/(a)/$1/' $2 and '$1'", "a b", "command", "perl -pe 's/(a)/$1/' b and 'a'"],
  ["awk doesn't need $1, it's text", "a", "command", "awk doesn't need a, it's text"],
  ["Move $1", "'$2 $ARGUMENTS' b", "command", "Move $2 $ARGUMENTS"],
] as const)("%j with %j as a %s keeps what is no placeholder: %j", async (text, argument, format, wanted) => {
  expect(await expand(text, argument, format)).toBe(wanted);
});

test("an amount in TOML stays", async () => {
  expect(await expand('prompt = "{{args}} for $15,000 and $1"', "a", "toml")).toBe("a for $15,000 and $1");
});

test("a named argument without a word stays, and a backslash keeps one", async () => {
  expect(await expand("Move $part to $place.", "a", "skill", ["part", "place"])).toBe("Move a to $place.");
  expect(await expand("Move \\$part, $part.", "a", "skill", ["part"])).toBe("Move $part, a.");
});

test("named arguments take the words in order", async () => {
  expect(await expand("Move $part to $place.", "a b", "skill", ["part", "place"])).toBe("Move a to b.");
});

test("commands give their output, outside of code blocks only", async () => {
  const text = "Now: !`git status`\n```sh\n!`rm -rf x`\n```\n```!\nls\npwd\n```\nEnd";
  expect(await expand(text)).toBe("Now: «git status»\n```sh\n!`rm -rf x`\n```\n«ls\npwd»End");
});

test("the output of a command and the words of the user are never read as commands", async () => {
  expect(await expand("Do $ARGUMENTS", "!`rm x` @a.txt")).toBe("Do !`rm x` @a.txt");
});

test("a file after @ follows the text, and other words with @ stay as they are", async () => {
  expect(await expand("See @a.txt, and ask @somebody or me@a.txt.")).toBe(
    'See @a.txt, and ask @somebody or me@a.txt.\n\n<file path="a.txt">\ntext of a\n</file>',
  );
});

test("a command in TOML fills in {{args}}, quotes them in commands and includes files in place", async () => {
  const text = 'description = "d"\nprompt = """Look for {{args}}: !{grep {{args}} .} in @{a.txt}"""';
  expect(await expand(text, "it's", "toml")).toBe("Look for it's: «grep 'it'\\''s' .» in text of a");
});

test.each([
  ["a b", ["a", "b"]],
  ["'a b' c", ["a b", "c"]],
  ['"a \\" b"c', ['a " bc']],
  ["it's", ["it's"]],
  ["", []],
])("the words of %j are %j", (text, words) => {
  expect(splitArguments(text)).toEqual(words);
});

test("rules are split at commas and spaces outside of parentheses", () => {
  expect(splitRules("Read, Bash(git log *) Bash(npm test -- a, b)")).toEqual([
    "Read",
    "Bash(git log *)",
    "Bash(npm test -- a, b)",
  ]);
});

test("a text of 100,000 braces without an end is read in one pass", async () => {
  const text = `prompt = "${"!{".repeat(100_000)} then !{ls}"`;
  const spent = cpuClock();
  expect(await expand(text, "", "toml")).toEndWith("then «ls»");
  expect(spent()).toBeLessThan(2_000);
});
