import { expect, test } from "bun:test";
import type { RuleSource } from "../../../../src/contracts/settings.ts";
import { compileRules } from "../../../../src/services/permission/rules/compile-rules.ts";
import { pathRulesOf } from "../../../../src/services/permission/rules/path-rules.ts";
import { seededTest } from "../../../support/deep.ts";
import { seededRandom } from "../../../support/seeded-random.ts";

const CONTEXT = { roots: ["/w"], home: "/h", realPath: (path: string) => path };

function rulesOf(...texts: readonly string[]) {
  const sources = texts.map(
    (rule): RuleSource => ({ rule, decision: "deny", file: "test", layer: "user", base: "/w" }),
  );
  return pathRulesOf(compileRules(sources, CONTEXT).rules, ["/w"]);
}

test.each([
  ["Read(./.env)", ["/w/.env"]],
  ["Edit(./src/**)", ["/w/src"]],
  ["Edit(/src/)", ["/w/src"]],
  ["Read(~/notes)", ["/h/notes"]],
  ["Read(//srv/x/**)", ["/srv/x"]],
  ["Edit(./a\\ b)", ["/w/a b"]],
  ["Edit(./**)", ["/w"]],
  ["Edit(../lib)", ["/lib"]],
  ["Read(.env)", undefined],
  ["Read(src/x)", undefined],
  ["Read(**/*.pem)", undefined],
  ["Read(./src/*.ts)", undefined],
  ["Edit", ["/w"]],
])("%s names %p", (text, plain) => {
  expect(rulesOf(text)[0]?.plain).toEqual(plain);
});

test("rules without paths and rules for a single tool are left out", () => {
  expect(rulesOf("Bash(rm *)", "WebFetch(domain:x.org)", "Read", "Cd(/srv)")).toEqual([]);
});

seededTest(
  "a name rejected by mayEnd belongs to no matching path",
  { seed: 20_261_122, cases: { quick: 500, deep: 2_000 } },
  (seed, rounds) => {
    const random = seededRandom(seed);
    const parts = [".env", "a", "A.ts", "b.gen.ts", "src", "é", "x y", "*", "**", "*.ts", "?.ts", "[ab]", "b*"];
    const names = [".env", "a", "a.ts", "B.GEN.TS", "src", "É", "x y", "b", "bb", "x.ts"];
    const path = (from: readonly string[]) => Array.from({ length: 1 + random.below(3) }, () => random.pick(from));
    let matched = 0;
    for (let round = 0; round < rounds; round += 1) {
      const text = `Read(${random.pick(["./", "", "/", "**/"])}${path(parts).join("/")}${random.pick(["", "/**", "/"])})`;
      const [rule] = rulesOf(text);
      if (!rule) throw new Error(text);
      for (let asked = 0; asked < 10; asked += 1) {
        const way = path(names);
        const at = `/w/${way.join("/")}`;
        const parent = way.length === 1 ? "/w" : at.slice(0, at.lastIndexOf("/"));
        if (!rule.matches(at) || rule.matches(parent)) continue;
        matched += 1;
        expect({ seed, text, at, mayEnd: rule.mayEnd(way.at(-1) ?? "") }).toEqual({ seed, text, at, mayEnd: true });
      }
    }
    expect(matched).toBeGreaterThan(rounds / 4);
  },
);
