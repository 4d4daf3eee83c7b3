import type { Level } from "./tokens.ts";

/** Words that the shell takes as they stand: no quote, expansion, operator, pattern, tilde or comment, and no assignment before the command. */
const PLAIN = /^[A-Za-z][\w./-]*(?: [\w./,:@%+-][\w./,:@%+=-]*)*$/;

/** These go to the tree, which has nodes of its own for their words. */
const DECLARING = new Set(["declare", "export", "local", "readonly", "typeset", "unset", "unsetenv"]);

/** True if a level is one simple command, and its words are exactly what stands between the blanks: a syntax tree has nothing to add. */
export function isPlainCommand({ source, start, end, drafts, tokens }: Level): boolean {
  const text = source.slice(start, end);
  if (drafts.length !== 1 || !PLAIN.test(text)) return false;
  const words = text.split(" ");
  if (DECLARING.has(words[0] ?? "")) return false;
  const own = drafts[0]?.words ?? [];
  let at = start;
  return (
    tokens.length === words.length &&
    own.length === words.length &&
    own.every((word, index) => {
      const isThere = word.start === at && word.word.source === words[index];
      at = word.end + 1;
      return isThere;
    })
  );
}
