// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are shell sources, not templates
import { describe, expect, test } from "bun:test";
import { seededTest } from "../../../tests/support/deep.ts";
import { stripWrappers } from "../src/strip-wrappers.ts";
import type { SimpleCommand } from "../src/types.ts";
import { explains as mayExplain, missedCalls } from "./explains.ts";
import { generate } from "./generate.ts";
import { Random, SEED } from "./random.ts";
import { callsInBash, hasBash, runInBash } from "./real-bash.ts";
import { parser } from "./real-parser.ts";

/** Bash starts thousands of subshells; a busy machine needs longer than the default. */
const TEST_TIMEOUT_MS = 60_000;

const PLAIN = [..."abzAZ09_-+=:,.@%^/{}~!#]", "é", "日", "😀"];
const INSIDE = [..." \tab'$`\"\\;&|<>(){}*?[]~!#=,.\n", "é", "$(canary)", "`canary`", "${x}", "\\n"];

function singleQuoted(random: Random): string {
  return `'${random.many(0, 5, () => random.pick(INSIDE).replaceAll("'", ""))}'`;
}

function doubleQuoted(random: Random): string {
  const text = () => {
    const piece = random.pick(INSIDE);
    if (/^[`"\\]$/.test(piece)) return `\\${piece}`;
    return piece.replace(/^[$`]/, "\\$&").replace("canary`", "canary\\`");
  };
  return `"${random.many(0, 5, text)}${random.once(8) ? "\\\n" : ""}"`;
}

function ansiQuoted(random: Random): string {
  const piece = () =>
    random.pick([
      "a",
      " ",
      "\\n",
      "\\t",
      "\\'",
      '"',
      "\\\\",
      "\\x41",
      "\\101",
      "\\e",
      "\\?",
      "$",
      "`",
      "é",
      "\\z",
      "\\u41",
      "\\0",
      "\\cA",
      "\\8",
    ]);
  return `$'${random.many(0, 4, piece)}'`;
}

function escapedChar(random: Random): string {
  return `\\${random.pick([..." ab'\"\\$`;&|<>(){}*?[]~!#=\t", "é", "😀", "\n"])}`;
}

function wordPiece(random: Random): string {
  switch (random.int(9)) {
    case 0:
      return singleQuoted(random);
    case 1:
      return doubleQuoted(random);
    case 2:
      return ansiQuoted(random);
    case 3:
      return escapedChar(random);
    case 4:
      return random.pick(["*", "?", "[a]", "$", "{}", "{a}", "{a,b}", "{1..2}", "..", "~", "$x", "${x}", '"$x"']);
    default:
      return random.pick(PLAIN);
  }
}

const word = (random: Random) => random.many(1, 4, () => wordPiece(random));
const blank = (random: Random) => random.pick([" ", " ", " ", "  ", "\t", " \\\n ", " \\\n"]);

function simple(random: Random): string {
  const name = random.pick(["a", "b", "a", '"a"', "\\b", "'a'", 'a""']);
  const assignment = random.once(8) ? `${random.pick(["v=1", "w='x y'", "u=$x", "t+=2"])} ` : "";
  const redirect = random.once(6)
    ? ` ${random.pick([">f", "2>&1", "< /dev/null", ">>'g h'", "<<< x", "&>/dev/null", "3>&-"])}`
    : "";
  return `${assignment}${name}${random.once(8) ? "" : blank(random) + random.many(1, 3, () => word(random), blank(random))}${redirect}`;
}

function heredoc(random: Random): string {
  const [start, body, end] = random.pick([
    ["<<E", "a 'b \"c\n#x\n E", "E"],
    ["<<'E'", "$(canary)\n`canary`\nE x", "E"],
    ['<<"E"', "${x:-$(canary)}\n\tE", "E"],
    ["<<-E", "\tx\n\ty'", "\tE"],
    ["<<-'E'", "\t$(canary)\nb", "\t\tE"],
    ["<<E", "$(canary)", "E"],
    ["<<E", "\\", "E"],
  ] as const);
  return `a ${random.pick(["", "x "])}${start}${random.pick(["", " y", " | b", " >f"])}\n${body}\n${end}\n`;
}

function command(random: Random, depth: number): string {
  if (depth <= 0) return simple(random);
  const inner = () => list(random, depth - 1);
  switch (random.int(12)) {
    case 0:
      return `( ${inner()} )`;
    case 1:
      return `{ ${inner()}; }`;
    case 2:
      return `if ${inner()}; then ${inner()}; ${random.pick(["", `else ${inner()}; `])}fi`;
    case 3:
      return `for x in ${word(random)} ${word(random)}; do ${inner()}; done`;
    case 4:
      return `case ${word(random)} in ${random.pick(["q", "*", "a|b", "(x"])}) ${inner()};; *) ${inner()};; esac`;
    case 5:
      return `! ${inner()}`;
    case 6:
      return `${inner()} # ${random.many(0, 3, () => random.pick(INSIDE).replaceAll("\n", ""))}\n${inner()}`;
    case 7:
      return heredoc(random);
    default:
      return simple(random);
  }
}

function list(random: Random, depth: number): string {
  return random.many(
    1,
    3,
    () => command(random, depth),
    random.pick(["; ", " && ", " || ", " | ", "\n", " & ", ";", "&&\n"]),
  );
}

/** Two values that may be equal: a known value must be exactly what bash made of it. */
function explains(listed: SimpleCommand, call: readonly string[]): boolean {
  const timed = stripWrappers(listed);
  if (timed) return explains(timed, call);
  if (listed.words[0]?.value === undefined) return mayExplain(listed, call);
  if (listed.words.some(({ value }) => value === undefined)) return listed.words[0].value === call[0];
  return listed.words.length === call.length && listed.words.every(({ value }, index) => value === call[index]);
}

type Case = { readonly source: string; readonly commands: readonly SimpleCommand[] };

function understoodCases(sources: readonly string[]): readonly Case[] {
  return sources.flatMap((source) => {
    const parsed = parser.parse(source);
    return parsed.understood ? [{ source, commands: parsed.commands }] : [];
  }, TEST_TIMEOUT_MS);
}

describe.skipIf(!hasBash)("a real bash", () => {
  seededTest(
    "every word of a known value is the word that bash passes on",
    { seed: SEED, cases: { quick: 15, deep: 6_000 } },
    async (seed, count) => {
      const random = new Random(seed);
      const sources = Array.from(
        { length: count },
        () => `a${blank(random)}${random.many(1, 4, () => word(random), blank(random))}`,
      );
      const cases = understoodCases(sources).filter(({ commands }) =>
        commands.every(({ words }) => words.every(({ value }) => value !== undefined)),
      );
      expect(cases.length).toBeGreaterThan(count / 5);
      const calls = await callsInBash(
        cases.map(({ source }) => source),
        ["a", "canary"],
      );
      const wrong = cases.flatMap(({ source, commands }, index) => {
        // After a comment the rest is a command of its own, with a name that is not a stub.
        const named = commands.filter(({ words }) => words[0]?.value === "a");
        const expected = named.map(({ words }) => words.map(({ value }) => value ?? ""));
        return Bun.deepEquals(calls[index], expected) ? [] : [{ source, expected, ran: calls[index] }];
      });
      expect(wrong).toEqual([]);
    },
    TEST_TIMEOUT_MS,
  );

  seededTest(
    "nothing runs that was not listed, and what is sure to run does",
    { seed: SEED + 1, cases: { quick: 12, deep: 6_000 } },
    async (seed, count) => {
      const random = new Random(seed);
      const cases = understoodCases(Array.from({ length: count }, () => list(random, 2)));
      expect(cases.length).toBeGreaterThan(count / 5);
      const calls = await callsInBash(
        cases.map(({ source }) => source),
        ["a", "b", "canary"],
      );
      const wrong = cases.flatMap(({ source, commands }, index) => {
        const ran = calls[index] ?? [];
        const surprises = ran.filter((call) => !commands.some((listed) => explains(listed, call)));
        const sure = commands.filter(
          ({ conditional, words, redirects }) =>
            !conditional && redirects.length === 0 && (words[0]?.value === "a" || words[0]?.value === "b"),
        );
        const missing = sure.filter((listed) => !ran.some((call) => explains(listed, call)));
        return surprises.length + missing.length === 0
          ? []
          : [{ source, surprises, missing: missing.map((one) => one.source) }];
      });
      expect(wrong).toEqual([]);
    },
    TEST_TIMEOUT_MS,
  );

  seededTest(
    "a broken mix of fragments never runs what was not listed",
    { seed: SEED + 2, cases: { quick: 30, deep: 12_000 } },
    async (seed, count) => {
      const random = new Random(seed);
      const fragments = [
        ..."'\"\\$;&|<>(){}#!=~*?[] \n\t",
        ..." a | b | ; a | && b | || a |\n|\\\n|'x|y'|\"x|y\"|$'x|$x|${x}|`canary`|$(canary)|${x:-`canary`}|$((1))|<<E |<<'E' |\nE\n|<<-E |\tE|2>&1|>f|<(canary)|if |then |fi|do |done|for x in |case |esac|{ |; }|( | )|[[ |]]|[ |x=1 |x=(|a() {|eval |time |! ".split(
          "|",
        ),
      ];
      const sources = Array.from({ length: count }, () => `a ${random.many(1, 7, () => random.pick(fragments))}`);
      const cases = understoodCases(sources);
      expect(cases.length).toBeGreaterThan(count / 20);
      const calls = await callsInBash(
        cases.map(({ source }) => source),
        ["a", "b", "canary"],
      );
      // `eval` of a known text lists its commands with the inner ones.
      const wrong = cases.flatMap(({ source }, index) =>
        missedCalls(parser.parse(source), calls[index] ?? [], parser).map((call) => ({ source, call })),
      );
      expect(wrong).toEqual([]);
    },
    TEST_TIMEOUT_MS,
  );

  test(
    "the harness itself sees a command that hides in a substitution",
    async () => {
      const calls = await callsInBash(["a x", 'a "$(canary)"', "a ${x:-`canary y`}"], ["a", "canary"]);
      expect(calls).toEqual([[["a", "x"]], [["canary"], ["a", ""]], [["canary", "y"], ["a"]]]);
    },
    TEST_TIMEOUT_MS,
  );
});

describe.skipIf(!hasBash)("the whole grammar in a bash of its own, with variables that hold code", () => {
  seededTest(
    "no program starts that was not listed, unless a part of the line was said to be unknown",
    { seed: SEED + 3, cases: { quick: 30, deep: 2_000 } },
    async (seed, count) => {
      const random = new Random(seed);
      const sources = Array.from({ length: count }, () => generate(random));
      const cases = sources.flatMap((source) => {
        const parsed = parser.parse(source);
        return parsed.understood ? [{ source, parsed }] : [];
      });
      expect(cases.length).toBeGreaterThan(count / 3);
      const calls = await runInBash(cases.map(({ source }) => source));
      expect(calls.flat().length).toBeGreaterThan(count / 3);
      const missed = cases.flatMap(({ source, parsed }, index) => {
        const surprises = missedCalls(parsed, calls[index] ?? [], parser);
        return surprises.length === 0 ? [] : [{ source, surprises }];
      });
      expect(missed).toEqual([]);
    },
    TEST_TIMEOUT_MS,
  );

  test(
    "commands that must run do run, with the words that the reading knows",
    async () => {
      const sources = [
        'a $(b \'x y\') "$(canary "1 2")" `c \\`b z\\``',
        'f() { b "$@"; }; f 1; a 2',
        "a <<E\n$(b $((1+1)))\nE\n",
        "a <(b 1) < <(canary 2)",
        "v=(1 $(b)); a ${v:-$(canary)} {x,y}{1..2}",
        "[[ -n $(b) || -f q ]]; case $(canary 3) in *) a 1;; esac",
      ];
      const calls = await runInBash(sources);
      const verdicts = sources.map((source, index) => {
        const parsed = parser.parse(source);
        const ran = calls[index] ?? [];
        return {
          source,
          ran: ran.length > 0,
          missed: missedCalls(parsed, ran, parser),
          understood: parsed.understood,
        };
      });
      expect(verdicts).toEqual(sources.map((source) => ({ source, ran: true, missed: [], understood: true })));
    },
    TEST_TIMEOUT_MS,
  );

  test(
    "a planted miss is detected in every place where a command may hide",
    async () => {
      const sources = [
        "a $(canary)",
        "a `canary`",
        "a <(canary)",
        "f() { canary; }; f",
        "a <<E\n$(canary)\nE",
        "a ${v:-$(canary)}",
        "v=$(canary) a",
        "case $(canary) in *) a;; esac",
        "a & canary &",
      ];
      const calls = await runInBash(sources);
      const seen = sources.map((source, index) => {
        const parsed = parser.parse(source);
        if (!parsed.understood) return "not understood";
        const commands = parsed.commands.filter(({ words }) => words[0]?.value !== "canary");
        return missedCalls({ understood: true, commands }, calls[index] ?? [], parser);
      });
      expect(seen).toEqual(sources.map(() => [["canary"]]));
    },
    TEST_TIMEOUT_MS,
  );

  test(
    "code in a variable's value runs only where the reading says unknown",
    async () => {
      const sources = [
        "a $((x))",
        "a ${y@P}",
        "[[ $x -eq 0 ]]",
        "test $w",
        'printf -v "$x" 1',
        'read "$x" <<< 1',
        'declare "$x=1"',
        "a ${!n}",
        "a ${v:x}",
        "v[x]=1",
        "a ${v[x]}",
        'unset "$x"',
        "let x",
        "((x))",
        "for ((;x;)); do a; done",
        "a >& $y",
        "SECONDS=$x",
        'a=(1); declare a="($y)"',
        'eval "$y"',
        "{ a; } >& '$(leak r)'",
        "a {$,b}[$x]",
        "$z",
      ];
      const calls = await runInBash(sources);
      const wrong = sources.filter((source) => {
        const parsed = parser.parse(source);
        return parsed.understood && parsed.commands.every(({ unknown }) => unknown.length === 0);
      });
      expect(wrong).toEqual([]);
      const leaking = calls.filter((ran) => ran.some(([name]) => name === "leak" || name === "canary"));
      expect(leaking.length).toBeGreaterThan(12);
    },
    TEST_TIMEOUT_MS,
  );
});

describe("whether a listed command may be a call", () => {
  const command = (source: string): SimpleCommand => {
    const parsed = parser.parse(source);
    if (!parsed.understood) throw new Error(parsed.reason);
    const last = parsed.commands.at(-1);
    if (!last) throw new Error("no command");
    return last;
  };

  test.each([
    ["a b", ["a", "b"], true],
    ["a b", ["a"], false],
    ["a b", ["a", "b", "c"], false],
    ["a $x c", ["a", "c"], true],
    ["a $x c", ["a", "1", "2", "c"], true],
    ["a $x c", ["a", "1", "d"], false],
    ["a *", ["a", "f", "g"], true],
    ["a $x", ["b"], false],
    ["timeout 5 a b", ["a", "b"], true],
  ] as const)("%j for %j: %p", (source, call, expected) => {
    expect(mayExplain(command(source), call)).toBe(expected);
  });
});
