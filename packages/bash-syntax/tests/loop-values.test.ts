// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are shell sources, not templates
import { describe, expect, test } from "bun:test";
import { outline } from "./outline.ts";
import { callsInBash, hasBash } from "./real-bash.ts";
import { parser } from "./real-parser.ts";

/** Loops whose variable is known, and the commands that they run. */
const KNOWN: readonly (readonly [source: string, commands: readonly string[]])[] = [
  ['for f in src/*.ts; do a -3 "$f"; done', ["~<a> <-3> <src/*.ts>*"]],
  ["for f in x; do a $f; done", ["~<a> <x>"]],
  ['for f in x y; do a "$f" z; done', ["~<a> <x> <z>", "~<a> <y> <z>"]],
  ['for f in x y; do a "${f}" ${f}; done', ["~<a> <x> <x>", "~<a> <y> <y>"]],
  ["for f in 'x y' z; do a \"$f\"; done", ["~<a> <x y>", "~<a> <z>"]],
  ['for f in {1..3}; do a "$f"; done', ["~<a> <1>", "~<a> <2>", "~<a> <3>"]],
  ['for f in x; do a < "$f" > "$f"; done', ["~<a> read(x) write(x)"]],
  ['for f in x; do a -f "$f" "${f%.ts}" "${f:-y}"; done', ["~<a> <-f> <x> <?> <?>"]],
  ['for f in x; do a "$(b "$f")"; done', ["~s:<b> <x>", "~<a> <?>"]],
  [
    'for f in x y; do for g in v w; do a "$f" "$g"; done; done',
    ["~<a> <x> <v>", "~<a> <y> <v>", "~<a> <x> <w>", "~<a> <y> <w>"],
  ],
  ['for f in x; do if b "$f"; then a "$f"; fi; done | b', ["~<b> <x>", "~<a> <x>", "~<b>"]],
  ['for f in -rf; do a "$f"; done', ["~<a> <-rf>"]],
  ["for f in x y; do a src/$f.js; done", ["~<a> <src/x.js>", "~<a> <src/y.js>"]],
  ['for f in x; do a "${f}y" "$f$f" \'z\'"$f" "a b/$f"; done', ["~<a> <xy> <xx> <zx> <a b/x>"]],
  ['f=x; a "$f" $f "d/$f" ${f}.y', ["f:=x", "<a> <x> <x> <d/x> <x.y>"]],
  ['f=\'x y\'; a "$f" "z/$f"', ["f:=x y", "<a> <x y> <z/x y>"]],
  ['d=src; for f in x y; do a "$d/$f"; done', ["d:=src", "~<a> <src/x>", "~<a> <src/y>"]],
  ['f=x; if b; then a "$f"; fi', ["f:=x", "~<b>", "~<a> <x>"]],
  ['f=x; b | a "$f"', ["f:=x", "~<b>", "~<a> <x>"]],
  ['f=*; a "$f"', ["f:=*", "<a> <*>"]],
  ['f=x; a "$f\\"z"', ["f:=x", '<a> <x"z>']],
];

/** The variable may hold something else, or become several words. */
const UNSURE: readonly (readonly [source: string])[] = [
  ["for f in *.ts; do a $f; done"],
  ["for f in 'x y'; do a $f; done"],
  ['for f in x; do f=y; a "$f"; done'],
  ['for f in x; do a "$f"; f+=y; done'],
  ['for f in x; do read f; a "$f"; done'],
  ["for f in x; do read 'f'; a \"$f\"; done"],
  ['for fo in x; do read f{o,z}; a "$fo"; done'],
  ['for f in x; do read -r a f; a "$f"; done'],
  ['for f in x; do printf -v f y; a "$f"; done'],
  ['for f in x; do mapfile f; a "$f"; done'],
  ['for f in x; do declare f=y; a "$f"; done'],
  ['for f in x; do export f=y; a "$f"; done'],
  ['for f in x; do unset f; a "$f"; done'],
  ['for f in x; do a "${f:=y}" "$f"; done'],
  ['for f in x; do a "$f" $((f=1)); done'],
  ['for f in x; do a "$f"; a {f}>y; done'],
  ['for f in x; do eval f=y; a "$f"; done'],
  ["for f in x; do eval $'\\x66=y'; a \"$f\"; done"],
  ["for f in x; do builtin eval $'\\x66=y'; a \"$f\"; done"],
  ['for f in x; do . ./y; a "$f"; done'],
  ['for f in x; do $y; a "$f"; done'],
  ['for f in x; do for f in y; do a "$f"; done; a "$f"; done'],
  ['for f in x; do select f in y; do a "$f"; done; done'],
  ['for f in x "$y"; do a "$f"; done'],
  ['for f in x $(b); do a "$f"; done'],
  ['for f in ""; do a $f; done'],
  ['for f in ~/x; do a "$f"; done'],
  ['for f; do a "$f"; done'],
  ['select f in x; do a "$f"; done'],
  ['for f in x; do :; done; a "$f"'],
  ['a "$f"; for f in x; do :; done'],
  ['for f in *.x; do a "${f}y"; done'],
  ["for f in 'x y'; do a z$f; done"],
  ['for f in x; do a "$f$g"; done'],
  ['for f in x; do a "$f`b`"; done'],
  ['f=x | b; a "$f"'],
  ['(f=x); a "$f"'],
  ['f=x & a "$f"'],
  ['b && f=x; a "$f"'],
  ['if b; then f=x; fi; a "$f"'],
  ['f=x b; a "$f"'],
  ['b "$(f=x)"; a "$f"'],
  ['g() { f=x; }; a "$f"'],
  ['a "$f"; f=x'],
  ['f=x; f=y; a "$f"'],
  ['f=x; read f; a "$f"'],
  ['f=$(b); a "$f"'],
  ['f+=x; a "$f"'],
  ['f=(x y); a "$f"'],
  ["f='x y'; a $f"],
  ['f=-x; unset f; a "$f"'],
  ['while b; do a "$f"; f=x; done'],
  ['readonly f=y; f=x; a "$f"'],
  ["IFS=x; f=axb; a $f"],
  ['for _ in x; do a "$_"; done'],
  ['for RANDOM in x; do a "$RANDOM"; done'],
  ['g() { f=y; }; for f in x; do g; a "$f"; done'],
  ['for f in {1..17}; do a "$f"; done'],
  ['for f in x; do a "$f" <<E\n$(b "$f")\nE\ndone'],
  ['for f in x; do `read f`; a "$f"; done'],
];

describe("the variable of a loop over known words", () => {
  test.each(KNOWN)("%j is known in its body", (source, commands) => {
    expect(outline(parser.parse(source))).toEqual([...commands]);
  });

  test("is what bash passes on, one call for each word", async () => {
    if (!hasBash) return;
    const calls = await callsInBash(
      KNOWN.map(([source]) => source),
      ["a", "b"],
    );
    const wrong = KNOWN.flatMap(([source], index) => {
      const parsed = parser.parse(source);
      const listed = parsed.understood ? parsed.commands.map(({ words }) => words.map(({ value }) => value)) : [];
      const isListed = (call: readonly string[]) =>
        listed.some(
          (words) => words.length === call.length && words.every((word, at) => word === undefined || word === call[at]),
        );
      const missed = (calls[index] ?? []).filter((call) => !isListed(call));
      return missed.length === 0 ? [] : [{ source, missed }];
    });
    expect(wrong).toEqual([]);
  });
});

describe("the variable of a loop whose value may change", () => {
  test.each(UNSURE)("%j is not known", (source) => {
    const parsed = parser.parse(source);
    const known = parsed.understood
      ? parsed.commands.filter(
          ({ words: [head, ...args] }) => head?.value === "a" && args.every(({ value }) => value !== undefined),
        )
      : [];
    expect(known.filter(({ words }) => words.length > 1)).toEqual([]);
  });
});

test("too many combinations of nested loops stay unknown, and take no time", () => {
  const loops = (depth: number) =>
    `${Array.from({ length: depth }, (_, at) => `for v${at} in 1 2 3 4; do `).join("")}a ${Array.from(
      { length: depth },
      (_, at) => `"$v${at}"`,
    ).join(" ")}${"; done".repeat(depth)}`;
  const parsed = parser.parse(loops(8));
  expect(parsed.understood && parsed.commands.length).toBe(16);
});
