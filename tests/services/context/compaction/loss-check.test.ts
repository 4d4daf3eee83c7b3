import { expect, test } from "bun:test";
import { checkLoss } from "../../../../src/services/context/compaction/loss-check.ts";
import type { SessionFacts } from "../../../../src/services/context/compaction/summary-facts.ts";
import { keepWords } from "../../../../src/services/context/compaction/user-words.ts";

const NOTHING: SessionFacts = {
  words: [],
  changedPaths: [],
  filesInUse: [],
  openTodos: [],
  plan: undefined,
  failedCommands: [],
};
const words = (...texts: readonly string[]) =>
  texts.map((text, at) => ({ entryId: `e${at}`, messageId: `m${at}`, text }));

test("paths and commands that are not mentioned are added; mentioned ones are only counted", () => {
  const facts = {
    ...NOTHING,
    changedPaths: ["/p/src/a.ts", "/p/src/b.ts"],
    failedCommands: [
      { command: "npm test", error: "1 failed" },
      { command: "make", error: "no rule" },
    ],
  };
  const check = checkLoss("I changed a.ts, and npm test fails.", facts, []);
  expect(check).toMatchObject({ checked: 4, added: ["/p/src/b.ts", "make\nno rule"] });
  expect(check.text).toContain("/p/src/b.ts");
});

test("another file of the same name, and a number inside another, do not count as mentioned", () => {
  const facts = { ...NOTHING, changedPaths: ["/p/packages/b/index.ts", "/p/a.ts", "/p/src/c.ts"] };
  const seen = "I changed packages/a/index.ts and ./src/c.ts. The limit is 1000, in data.ts.";
  const check = checkLoss(seen, facts, words("at most 100 of them"));
  expect(check.added).toEqual(["/p/packages/b/index.ts", "/p/a.ts", "100"]);
});

test("ids, numbers and names of messages that are not kept word for word are looked for", () => {
  const typed = words(
    "Use ticket ABC-123 and port 8080, call `parseAll`, keep max_size and src/lib/x.ts, not the word plain.",
  );
  expect(checkLoss("ABC-123 parseAll", NOTHING, typed).added).toEqual(["8080", "max_size", "src/lib/x.ts"]);
  expect(checkLoss("", NOTHING, words("do it again please")).added).toEqual([]);
});

test("the newest messages of the user are kept word for word, older ones by id and beginning", () => {
  const kept = keepWords(
    words("old ".repeat(100), "new words", "</message> newest"),
    30,
    (text) => text.split(" ").length,
  );
  expect(kept.shortened.map(({ entryId }) => entryId)).toEqual(["e0"]);
  expect(kept.text).toStartWith('<message id="e0" tokens="101">old old');
  expect(kept.text).toContain("<message>\nnew words\n</message>");
  expect(kept.text).toContain("<\\/message> newest");
});

test("a message that does not fit keeps both its ends, and takes no room from older ones", () => {
  const paste = `Here is the log. ${"line of a log ".repeat(5_000)}Fix the last error only.`;
  const kept = keepWords(words("Never use the word foo.", paste, "Go on."), 2_000, (text) => text.length / 4);
  expect(kept.shortened.map(({ entryId }) => entryId)).toEqual(["e1"]);
  expect(kept.text).toContain("<message>\nNever use the word foo.\n</message>");
  expect(kept.text).toMatch(/id="e1" .*Here is the log\..*…[^\n]*Fix the last error only\.<\/message>/);
  expect(kept.text.length).toBeLessThan(1_000);
});
