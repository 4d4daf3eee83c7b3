/** A first word that is ordinary prose: not a path, a name with punctuation, or an option. */
const PLAIN_START = /^[a-z]+(?=[ ,:'])/;
/** A last word that must be read literally (a path, an address, an option, an id) gets no full stop. */
const LITERAL_SIGN = /[/\\:=-]/;

/** A notice as a sentence: it begins with a capital letter and ends with punctuation. */
export function noticeText(text: string): string {
  const begun = text.replace(PLAIN_START, (word) => word.charAt(0).toUpperCase() + word.slice(1));
  const isOpen = /[\p{L}\p{N})\]"'`%]$/u.test(begun);
  return isOpen && begun.includes(" ") && !begun.includes("\n") && !LITERAL_SIGN.test(lastWord(begun))
    ? `${begun}.`
    : begun;
}

function lastWord(text: string): string {
  return text.split(/\s/).at(-1) ?? "";
}
