import { describe, expect, test } from "bun:test";
import { applyEdits, type EditedFile } from "../../../../src/services/tools/edit/apply-edits.ts";
import { cpuClock } from "../../../support/cpu-clock.ts";
import { longerInDeep } from "../../../support/deep.ts";
import { seeded } from "../call-tool.ts";

const edit = (oldString: string, newString: string, replaceAll = false) => ({ oldString, newString, replaceAll });
const apply = (text: string, oldString: string, newString: string) =>
  applyEdits(text, [edit(oldString, newString)], { shown: "f" });

function failing(text: string, ...edits: Parameters<typeof applyEdits>[1]): string {
  return failingIn({ shown: "f" }, text, ...edits);
}

function failingIn(file: EditedFile, text: string, ...edits: Parameters<typeof applyEdits>[1]): string {
  try {
    applyEdits(text, edits, file);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  throw new Error("It was expected to fail.");
}

const NUMBERS = "line numbers were pasted along";
const SIGNS = "quotes, dashes or spaces of another kind";
const TRAILING = "white space at line ends";
const CRLF = "line ends: the file's CRLF was kept";
const LF = "line ends: the file's LF was kept";
const OWN = "line ends: the file's own were kept";
const INDENT = "indentation: the file's own was kept";

describe("corrected edits", () => {
  type Row = { title: string; text: string; old: string; new: string; becomes: string; corrections: string[] };
  const rows: Row[] = [
    { title: "nothing, when it fits as sent", text: "a\nb\n", old: "b", new: "c", becomes: "a\nc\n", corrections: [] },
    {
      title: "signs of replacement patterns mean nothing",
      text: "a b",
      old: "b",
      new: "$& $1 $$",
      becomes: "a $& $1 $$",
      corrections: [],
    },
    // Line numbers.
    {
      title: "pasted numbers",
      text: "a\nb\nc\n",
      old: "     2\tb",
      new: "     2\tB",
      becomes: "a\nB\nc\n",
      corrections: [NUMBERS],
    },
    {
      title: "pasted numbers over an empty line, a new line without one",
      text: "a\n\nc\n",
      old: "     1\ta\n     2\n     3\tc\n",
      new: "     1\ta\nnew\n     3\tc\n",
      becomes: "a\nnew\nc\n",
      corrections: [NUMBERS],
    },
    {
      title: "numbers that are data stay",
      text: "1\tx\n2\ty\n",
      old: "1\tx",
      new: "1\tz",
      becomes: "1\tz\n2\ty\n",
      corrections: [],
    },
    {
      title: "numbers and CRLF",
      text: "a\r\nb\r\n",
      old: "     1\ta\n     2\tb",
      new: "     1\ta\n     2\tB",
      becomes: "a\r\nB\r\n",
      corrections: [NUMBERS, CRLF],
    },
    // Signs.
    {
      title: "straight for curly quotes; what stays, stays curly",
      text: "say “hi” and ‘bye’\n",
      old: `say "hi" and 'bye'`,
      new: `say "hi" or 'bye'`,
      becomes: "say “hi” or ‘bye’\n",
      corrections: [SIGNS],
    },
    {
      title: "curly for straight quotes; what stays, stays straight",
      text: `let a = "x";\n`,
      old: "let a = “x”;",
      new: "let b = “x”;",
      becomes: `let b = "x";\n`,
      corrections: [SIGNS],
    },
    {
      title: "dashes",
      text: "pages 1–2 — all\n",
      old: "pages 1-2 - all",
      new: "pages 1-2 - some",
      becomes: "pages 1–2 — some\n",
      corrections: [SIGNS],
    },
    {
      title: "spaces that don't break",
      text: "10\u00a0km away\n",
      old: "10 km away",
      new: "10 km off",
      becomes: "10\u00a0km off\n",
      corrections: [SIGNS],
    },
    // Trailing white space.
    {
      title: "white space the file has",
      text: "a  \nb\t\nc\n",
      old: "a\nb\nc",
      new: "a\nB\nc",
      becomes: "a  \nB\nc\n",
      corrections: [TRAILING],
    },
    {
      title: "white space the model added",
      text: "a\nb\n",
      old: "a \nb  \n",
      new: "a \nc  \n",
      becomes: "a\nc\n",
      corrections: [TRAILING],
    },
    {
      title: "white space and signs at once",
      text: "“a” \nb\n",
      old: '"a"\nb',
      new: '"a"\nc',
      becomes: "“a” \nc\n",
      corrections: [SIGNS, TRAILING],
    },
    // Line ends.
    {
      title: "LF sent to a CRLF file",
      text: "a\r\nb\r\nc\r\n",
      old: "a\nb\n",
      new: "a\nx\nb\n",
      becomes: "a\r\nx\r\nb\r\nc\r\n",
      corrections: [CRLF],
    },
    {
      title: "CRLF sent to an LF file",
      text: "a\nb\nc\n",
      old: "a\r\nb",
      new: "a\r\nB",
      becomes: "a\nB\nc\n",
      corrections: [LF],
    },
    {
      title: "one line to several in a CRLF file",
      text: "a\r\nb\r\n",
      old: "b",
      new: "b\nc",
      becomes: "a\r\nb\r\nc\r\n",
      corrections: [CRLF],
    },
    {
      title: "CRLF sent on purpose to an LF file",
      text: "a\nb\n",
      old: "b",
      new: "b\r",
      becomes: "a\nb\r\n",
      corrections: [],
    },
    {
      title: "CRLF with trailing white space",
      text: "a \r\nb\r\nc\r\n",
      old: "a\nb",
      new: "a\nB\nx",
      becomes: "a \r\nB\r\nx\r\nc\r\n",
      corrections: [OWN, TRAILING],
    },
    {
      title: "mixed line ends, each kept",
      text: "a\r\nb\nc\r\n",
      old: "a\nb\nc\n",
      new: "a\nB\nc\n",
      becomes: "a\r\nB\nc\r\n",
      corrections: [OWN],
    },
    {
      title: "mixed line ends, a word before a CRLF replaced",
      text: "a\r\nb \r\nc\n",
      old: "a\nb\nc\n",
      new: "a\nB\nc\n",
      becomes: "a\r\nB\r\nc\n",
      corrections: [OWN, TRAILING],
    },
    {
      title: "mixed line ends, words before them replaced",
      text: "a\r\nb\nc\r\n",
      old: "a\nb\nc\n",
      new: "A\nb\nC\n",
      becomes: "A\r\nb\nC\r\n",
      corrections: [OWN],
    },
    // Indentation.
    {
      title: "spaces for tabs",
      text: "if x {\n\tone()\n\t\ttwo()\n}\n",
      old: "    one()\n        two()\n",
      new: "    one()\n        three()\n    four()\n",
      becomes: "if x {\n\tone()\n\t\tthree()\n\tfour()\n}\n",
      corrections: [INDENT],
    },
    {
      title: "two spaces for tabs",
      text: "f {\n\tone()\n\t\ttwo()\n}\n",
      old: "  one()\n    two()",
      new: "  one()\n    three()\n      four()",
      becomes: "f {\n\tone()\n\t\tthree()\n\t\t\tfour()\n}\n",
      corrections: [INDENT],
    },
    {
      title: "tabs for spaces",
      text: "def f():\n    if x:\n        y()\n",
      old: "\tif x:\n\t\ty()",
      new: "\tif x:\n\t\tz()\n\t\t\tw()",
      becomes: "def f():\n    if x:\n        z()\n            w()\n",
      corrections: [INDENT],
    },
    {
      title: "all lines too far left",
      text: "class A:\n    def f(self):\n        return 1\n",
      old: "def f(self):\n    return 1",
      new: "def f(self):\n    x = 2\n    return x",
      becomes: "class A:\n    def f(self):\n        x = 2\n        return x\n",
      corrections: [INDENT],
    },
    {
      title: "all lines too far right",
      text: "a:\n  b\n",
      old: "    a:\n      b",
      new: "    a:\n      c\n    d",
      becomes: "a:\n  c\nd\n",
      corrections: [INDENT],
    },
    {
      title: "the first line without its indentation",
      text: "{\n    a(\n        b,\n    )\n}\n",
      old: "a(\n\tb,\n)",
      new: "a(\n\tb,\n\tc,\n)",
      becomes: "{\n    a(\n        b,\n        c,\n    )\n}\n",
      corrections: [INDENT],
    },
    {
      title: "tabs against spaces with CRLF",
      text: "{\r\n\ta\r\n\tb\r\n}\r\n",
      old: "    a\n    b\n",
      new: "    a\n    c\n",
      becomes: "{\r\n\ta\r\n\tc\r\n}\r\n",
      corrections: [INDENT],
    },
    {
      title: "a deletion takes its line end along",
      text: "{\n\ta\n\tb\n}\n",
      old: "    a\n    b\n",
      new: "",
      becomes: "{\n}\n",
      corrections: [INDENT],
    },
    {
      title: "blank lines of any width",
      text: "{\n\ta\n\t\n\tb\n}\n",
      old: "    a\n\n    b",
      new: "    a\n\n    c",
      becomes: "{\n\ta\n\t\n\tc\n}\n",
      corrections: [INDENT],
    },
    {
      title: "tabs of alignment in untouched lines stay",
      text: "\tint a;\t// x\n\t  int b;\n",
      old: "    int a;\t// x\n      int b;",
      new: "    int a;\t// x\n      int c;",
      becomes: "\tint a;\t// x\n\t  int c;\n",
      corrections: [INDENT],
    },
    // The file's last newline.
    { title: "no newline at the end stays so", text: "a\nb", old: "b", new: "c", becomes: "a\nc", corrections: [] },
  ];
  test.each(rows)("$title", (row) => {
    const { text, corrections } = apply(row.text, row.old, row.new);
    expect({ text, corrections }).toEqual({ text: row.becomes, corrections: row.corrections });
  });

  test("indentation that doesn't fit all lines alike is not corrected", () => {
    expect(failing("  a\n      b\n", edit("a\n  b\n  c", "x"))).toContain("not found");
    expect(failing("    a\n  b\n", edit("  a\n    b", "x"))).toContain("not found");
  });

  test("an exact place wins over places that need forgiving", () => {
    expect(apply("\tfoo()\n    foo()\n", "    foo()", "    bar()").text).toBe("\tfoo()\n    bar()\n");
    expect(apply('“a”\n"a"\n', '"a"', '"b"').text).toBe('“a”\n"b"\n');
  });

  test("corrected places must be unique too, and replace_all takes them all", () => {
    const text = "\ta()\n\tb()\n--\n\ta()\n\tb()\n";
    expect(failing(text, edit("    a()\n    b()", "    c()"))).toStartWith(
      "old_string occurs 2 times in f, in lines 1, 4.",
    );
    expect(applyEdits(text, [edit("    a()\n    b()", "    c()", true)], { shown: "f" })).toEqual({
      text: "\tc()\n--\n\tc()\n",
      replacements: 2,
      corrections: [INDENT],
    });
  });
});

describe("failed edits", () => {
  test("the same text twice, text that isn't unique, a change of nothing", () => {
    expect(failing("a", edit("a", "a"))).toBe("old_string and new_string are the same: nothing to change.");
    expect(failing("x\na\nb\na\n", edit("a", "c"))).toBe(
      "old_string occurs 2 times in f, in lines 2, 4.\nNext: Add lines around it so that it is one place, or set replace_all.",
    );
    expect(failing("a\n".repeat(30), edit("a", "c"))).toContain("in lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 ….");
    expect(failing(`${"b\n".repeat(1_200)}a\na\n`, edit("a", "c"))).toContain("in lines 1201, 1202.");
    expect(failing("“a”", edit('"a" ', '"a"  '))).toContain("would not change");
  });

  test("an empty old_string on a file with text", () => {
    expect(failing("a", edit("", "b"))).toStartWith("old_string is empty, which only creates a missing file");
    expect(applyEdits("", [edit("", "b")], { shown: "f" }).text).toBe("b");
    expect(failing("", edit("a", "b"))).toContain("f, which is empty");
  });

  test("a change that is made already says where", () => {
    expect(failing("one\ntwo\nthree\n", edit("zwei", "three"))).toBe(
      "old_string was not found in f, but new_string is there already, at line 3: this change seems to be made.\nNext: Go on, or read the file if you doubt it.",
    );
  });

  test("the nearest place is shown with what differs", () => {
    const text =
      "function add(a, b) {\n  const sum = a + b;\n  return sum;\n}\n\nfunction sub(a, b) {\n  return a - b;\n}\n";
    expect(failing(text, edit("function add(a, b) {\n  const total = a + b;\n  return sum;\n}", "x"))).toBe(
      [
        "old_string was not found in f. The nearest place is lines 1–4:",
        "     1\tfunction add(a, b) {",
        "     2\t  const sum = a + b;",
        "     3\t  return sum;",
        "     4\t}",
        "Line 2 differs. You sent:",
        "     2\t  const total = a + b;",
      ].join("\n"),
    );
    expect(failing(text, edit("  return a - c;", "x"))).toContain("The nearest place is line 7:");
    expect(failing(text, edit("SELECT * FROM users", "x"))).toContain("nothing in its 9 lines is like it");
    expect(failing("a\nb\nlast line here\n", edit("last line here\nand one more of it", "x"))).toContain("differs");
  });

  test("places that are equally near are all named, up to three", () => {
    const twin = (name: string) => `function ${name}() {\n  return "bulk";\n}\n`;
    const wrong = edit("  return 'bulk';\n}", "x");
    expect(failing(twin("a"), wrong)).toContain("The nearest place is lines 2–3:\n");
    expect(failing(twin("a") + twin("b"), wrong)).toContain("The nearest place is lines 2–3 (as near: line 5):\n");
    expect(failing(["a", "b", "c", "d"].map(twin).join(""), wrong)).toContain("(as near: lines 5, 8 and more):\n");
    expect(failing("one = 1\ntwo = 2\none = 1\n", edit("one = 7", "x"))).toContain("line 1 (as near: line 3):\n");
    const numbered = "line 12\nline 13\nline 14\n";
    expect(failing(numbered, edit("line 12\nline 14", "x"))).toContain("The nearest place is lines 1–2:\n");
  });

  test("a line that differs is shown as it is, and only blanks as JSON", () => {
    const text = "one\nconst pattern = /\\B(?=(\\d{3})+$)/g;\n\treturn pattern;\n";
    const sent = failing(text, edit("const pattern = /\\B(?=(\\d{3})+)/g;\n", "x"));
    expect(sent).toContain("\nLine 2 differs. You sent:\n     2\tconst pattern = /\\B(?=(\\d{3})+)/g;");
    expect(failing("total = one + two;\nend();\n", edit("total =  one + two;\nend();", "x"))).toContain(
      'Line 1 differs in blanks alone; as JSON: the file has "total = one + two;", you sent "total =  one + two;".',
    );
  });

  test("a text that begins or ends within a line does not differ in what it leaves out", () => {
    const text = "function add(a, b) {\n  const sum = a + b;\n  return sum; // the sum\n}\n";
    const said = failing(text, edit("add(a, b) {\n  const all = a + b;\n  return sum;", "x"));
    expect(said).toContain("Line 2 differs. You sent:");
    expect(said).not.toMatch(/Line [13] differs/);
  });

  test("for the source of a cell, the tool for cells is named if there is one", () => {
    const text = '{\n "source": [\n  "total = 1\\n"\n ]\n}\n';
    for (const old of ["total = 1\n", "nothing like it"]) {
      const withTool = failingIn({ shown: "a.ipynb", hasCellTool: true }, text, edit(old, "x"));
      expect(withTool).toMatch(/\nNext: .*NotebookEdit/);
      expect(failingIn({ shown: "a.ipynb" }, text, edit(old, "x"))).not.toContain("NotebookEdit");
      expect(failingIn({ shown: "a.py", hasCellTool: true }, text, edit(old, "x"))).not.toContain("NotebookEdit");
    }
  });

  test("one failed change of several undoes all, and is named", () => {
    expect(failing("a\nb\n", edit("a", "x"), edit("zzzz", "y"))).toStartWith(
      "Edit 2 of 2 failed, so none was made: old_string was not found in f",
    );
    expect(failing("a\nb\n", edit("a", "b"), edit("b", "a", true), edit("x", "x"))).toStartWith("Edit 3 of 3 failed");
  });

  test("all changes that fail are named at once, with what each needs", () => {
    const text = "const one = 1;\nsame();\nsame();\nconst two = 2;\n";
    const changes = [edit("const one = 7;", "x"), edit("const two = 2;", "y"), edit("same();", "z"), edit("q", "q")];
    expect(failing(text, ...changes)).toBe(
      [
        "3 of 4 edits failed, so none was made.",
        "Edit 1: old_string was not found in f. The nearest place is line 1:",
        "     1\tconst one = 1;",
        "Line 1 differs. You sent:",
        "     1\tconst one = 7;",
        "Edit 3: old_string occurs 2 times in f, in lines 2, 3.",
        "Edit 4: old_string and new_string are the same: nothing to change.",
        "Next: Add lines around it so that it is one place, or set replace_all.",
      ].join("\n"),
    );
  });

  test("a change that needs a line of a failed one is not judged", () => {
    const text = "const one = 1;\n";
    const said = failing(text, edit("const one = 7;", "const first = 1;"), edit("const first = 1;\n", "x"));
    expect(said).toStartWith("Edit 1 of 2 failed, so none was made: old_string was not found in f.");
    expect(said).not.toContain("Edit 2");
    const third = edit("second();", "third();");
    const chain = failing(text, edit("const one = 7;", "first();"), edit("first();", "second();"), third);
    expect(chain).toStartWith("Edit 1 of 3 failed");
  });

  test("the report of many failed changes is cut, and says so", () => {
    const said = failing("a\n", ...Array.from({ length: 7 }, (_, index) => edit(`zzzz${index}`, "y")));
    expect(said).toStartWith("5 of 7 edits failed, so none was made.");
    expect(said).toContain("\nThe edits after 5 were not checked.\nNext: ");
    expect(said.match(/Read the file again/g)).toHaveLength(1);
  });

  test("a change may build on the one before it", () => {
    expect(applyEdits("a\n", [edit("a", "b"), edit("b", "c")], { shown: "f" })).toEqual({
      text: "c\n",
      replacements: 2,
      corrections: [],
    });
  });

  longerInDeep("a failure in a large file costs little", async (isWhole) => {
    const text = Array.from(
      { length: isWhole ? 60_000 : 12_000 },
      (_, index) => `  const value${index} = compute(${index});\n`,
    ).join("");
    const spent = cpuClock();
    expect(failing(text, edit("  const valeu500 = compute(500);\n  nothing(like, this);", "x"))).toContain(
      "nearest place is lines 501",
    );
    const wide = isWhole ? 2_000_000 : 400_000;
    expect(failing(`${" ".repeat(wide)}x\n${"y".repeat(wide)}\n`, edit("q\nqq", "x"))).toContain("not found");
    expect(spent()).toBeLessThan(5_000);
  });
});

describe("properties", () => {
  const random = seeded(42);
  const words = ["alpha", "beta", "x = 1", "\tcall()", "  if (a) {", "}", "“q”", "'s'", "é", "😀", "", "a  "];
  const randomLines = (count: number) => Array.from({ length: count }, () => random.pick(words));

  test("an exact change of a unique text is what String.replace does", () => {
    let checked = 0;
    while (checked < 400) {
      const text = randomLines(random.below(12) + 1).join("\n") + random.pick(["", "\n"]);
      const from = random.below(text.length + 1);
      const old = text.slice(from, from + 1 + random.below(20));
      const wanted = randomLines(random.below(3)).join("\n");
      if (old === "" || old === wanted || !old.isWellFormed() || text.split(old).length !== 2) continue;
      checked += 1;
      expect(apply(text, old, wanted)).toEqual({
        text: text.replace(old, () => wanted),
        replacements: 1,
        corrections: [],
      });
    }
  });

  test("replace_all is what String.replaceAll does", () => {
    let checked = 0;
    while (checked < 200) {
      const text = randomLines(10).join("\n");
      const old = random.pick(words);
      const wanted = random.pick(["new", "", "two\nlines"]);
      if (old === "" || !text.includes(old)) continue;
      checked += 1;
      expect(applyEdits(text, [edit(old, wanted, true)], { shown: "f" }).text).toBe(text.replaceAll(old, () => wanted));
    }
  });

  test("forgiving never touches other lines", () => {
    const spoil = [
      (text: string) => text.replaceAll("\n", "\r\n"),
      (text: string) => text.replace(/^/gm, "    "),
      (text: string) => text.replaceAll("\t", "    "),
      (text: string) => text.replaceAll("'", "’").replaceAll("“", '"').replaceAll("”", '"'),
      (text: string) => text.replaceAll("\n", "  \n"),
      (text: string) =>
        text
          .split("\n")
          .map((line, index) => `${String(index + 1).padStart(6)}\t${line}`)
          .join("\n"),
    ];
    for (let round = 0; round < 600; round += 1) {
      const middle = [`start ${round}`, ...randomLines(random.below(4)), `end ${round}`];
      const before = `${randomLines(4).join("\n")}\n`;
      const after = `\n${randomLines(4).join("\n")}`;
      const text = before + middle.join("\n") + after;
      const old = random.pick(spoil)(middle.join("\n"));
      const result = apply(text, old, old.replace(`end ${round}`, `END ${round}`)).text;
      expect(result).toBe(before + middle.join("\n").replace(`end ${round}`, `END ${round}`) + after);
    }
  });
});
