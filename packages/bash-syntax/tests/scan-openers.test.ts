// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are shell sources, not templates
import { describe, expect, test } from "bun:test";
import { checkOpeners } from "../src/check-openers.ts";
import { readLine } from "../src/parse.ts";
import { scanOpeners } from "../src/scan-openers.ts";
import { UNDERSTOOD } from "./corpus.ts";
import { NESTED, PARTLY_UNKNOWN } from "./corpus-nested.ts";

/** The kinds of the openers found, in order. */
const kinds = (source: string, mode: "commands" | "heredoc" = "commands") =>
  scanOpeners({ source, mode })
    .map(({ kind }) => kind)
    .join(" ");

describe("a scan that knows only quotes", () => {
  test.each([
    ["ls", ""],
    ["a $(b) `c` ${d} <(e) >(f)", "$( ` ${ <( >("],
    ["a '$(b)' \\$\\(c\\) \\`d\\` '`e`'", ""],
    ['a "$(b)" "`c`" "${d}" "<(e)"', "$( ` ${"],
    ["a \"'$(b)'\" '\"$(c)\"'", "$("],
    ["a $'\\'$(b)' $(c)", "$("],
    ["a # $(b)\nc", "\n"],
    ["a#$(b)", "$("],
    ["a \\# $(b)", "$("],
    ['a "$(b "$(c)")" $(d)', "$( $( $("],
    ["a $(b ')' $(c))", "$( $("],
    ["a $( (b) ) '$(c)'", "$("],
    ["a $((1 << 2)) <<E\n$(b)\nE\nc $(d)", "$( << \n $("],
    ["((1 << 2)); a", ""],
    ["a <<'E' <<-\"F\" <<\\G\n$(b)\nE\n\tF\nG\n$(c)", "<< << << \n $("],
    ["a <<< $(b)", "$("],
    ["a ${b:-'}$(c)'} ${d:-\"$(e)\"}", "${ ${ $("],
    ["a \"${b:-'$(c)'}\"", "${ $("],
    ["a `b \\` $(c)` $(d)", "` $("],
    ["a 'b\nc' d\ne", "\n"],
  ])("finds in %j: %s", (source, expected) => {
    expect(kinds(source)).toBe(expected);
  });

  test("reads quotes in a here-document as text", () => {
    expect(kinds("it's \"$(a)\" '`b`' \\$(c) # ${d}\n", "heredoc")).toBe("$( ` ${");
  });

  test.each(["$(", "`", "${", '"', "'", "$'", "((", "<<", "<<E\n", "\\", "$(\\", "<(", "${x:-'"])(
    "ends with %j at the end of a text",
    (piece) => {
      expect(scanOpeners({ source: `a ${piece}`, mode: "commands" }).length).toBeLessThan(3);
    },
  );

  test("finds the same as the reader in every source that is understood", () => {
    for (const [source] of [...UNDERSTOOD, ...NESTED, ...PARTLY_UNKNOWN])
      for (const text of readLine(source).line.texts) expect(() => checkOpeners(text)).not.toThrow();
  });

  test("refuses a source if only one of the two readers finds an opener", () => {
    const source = "a $(b) '$(c)'";
    const found = { at: 2, kind: "$(" } as const;
    expect(() => checkOpeners({ source, mode: "commands", openers: [found] })).not.toThrow();
    expect(() => checkOpeners({ source, mode: "commands", openers: [] })).toThrow();
    expect(() => checkOpeners({ source, mode: "commands", openers: [found, { at: 8, kind: "$(" }] })).toThrow();
    expect(() => checkOpeners({ source, mode: "commands", openers: [{ at: 2, kind: "`" }] })).toThrow();
  });
});
