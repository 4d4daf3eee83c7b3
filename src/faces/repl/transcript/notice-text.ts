/** A first word that is ordinary prose: no path, name with a sign, or option. */
const PLAIN_START = /^[a-z]+(?=[ ,:'])/;
/** A last word that is read as it stands (a path, an address, an option, an id) gets no full stop. */
const LITERAL_SIGN = /[/\\:=-]/;

/** A notice as a sentence: it begins with a capital letter and ends with a sign. */
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
