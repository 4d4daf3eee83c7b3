/** The maximum length of the part of a value that is checked. */
const JUDGED_CHARS = 256;
const MIN_PASSWORD_CHARS = 6;
const MIN_RANDOM_CHARS = 16;
/** Shannon entropy in bits per character below which a text of its length is not random. */
const MIN_ENTROPY_BITS = 2.9;
/** The maximum number of consecutive letters of one case that still count as a word. */
const MAX_WORD_CHARS = 24;
const MIN_WORD_CHARS = 3;

/** Matches a placeholder for a value: a reference, a template, a mask, a pattern. */
const REFERENCE =
  /\(\?[:=!<]|\[\\{1,2}[dsw]|\{\d+,?\d*\}|\[[A-Za-z0-9]-[A-Za-z0-9]|\$\{|\$\(|\{\{|<%|#\{|%\{|^\$[A-Za-z_]\w*$|^[<{|>`[]|^!(?:Ref|Sub|GetAtt|ImportValue|reference|secret|vault)\b|^[*&@][A-Za-z_][\w.]*@?$|^%\w+%$|\.\.\.|…|\*{3}|^(?:op|vault|awssm|gcpsm|keychain|file|env|ssm|secret|ref\+\w+):|^(?:arn:|projects\/|bao:|k8s:)|(?:process|import\.meta|os|std)\.env|os\.environ|getenv|\bENV\[|^(?:secrets|vars|var|local|config|module|data|env|settings|options|this|self)\.\w/i;
const EXAMPLE_WORD =
  /(?:^|[^a-z0-9])(?:your|yours|example|examples|sample|dummy|placeholder|change-?_?me|changeit|redacted|hidden|masked|insert|replace|todo|fixme|fake|mock|foo|bar|foobar|undefined|null|none|nil|true|false|xxx+|lorem|ipsum)(?:$|[^a-z0-9])|x{6,}|EXAMPLE|changeme|yourpassword|placeholder|redacted/i;
/** Sequences of the alphabet, the digits or the keyboard, which random values don't contain. */
const SEQUENCE = /abcdef(?:gh|01)|12345678|01234567|98765432|87654321|qwertyui|asdfgh|deadbeef|cafebabe|aabbccdd/i;
/** Neighbours in the alphabet, the digits and on the keyboard; a run of them may go either way. */
const ROWS = ["abcdefghijklmnopqrstuvwxyz", "01234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm"].flatMap((row) => [
  row,
  [...row].reverse().join(""),
]);
const MIN_RUN_CHARS = 4;
/** So many letters and digits, and different ones, beside a sequence are a secret all the same: an id in it was counted up. */
const MIN_BESIDE_CHARS = 20;
const MIN_BESIDE_SIGNS = 12;
/** Words that people use in passwords of tests and initial setups. */
const ORDINARY =
  /^(?:pass(?:word|wd|phrase|code)?|secret|token|api-?_?key|admin|administrator|root|user|username|guest|test|tests|testing|demo|default|dev|develop|development|local|localhost|prod|production|staging|postgres|postgresql|mysql|mariadb|mongo|redis|rabbitmq|docker|public|private|string|text|number|boolean|object|any|unknown|never|void|str|int|bytes|bool|required|optional|enabled|disabled|empty|value|keyboard cat)\d{0,2}$/i;
/** Passwords that documents, courses and jokes use. */
const PUBLISHED_PASSWORD =
  /^(?:hunter2|p[a@]ssw[o0]rd!?\d{0,4}!?|passw[o0]rd\d{0,4}!?|my-?(?:secret)?-?(?:password|secret|pw)\d{0,3}|(?:super|top)-?secret(?:password|key)?\d{0,3}|s[3e]cr[3e]t\d{0,3}|test(?:pass(?:word)?|pw|ing)\d{0,4}|letmein\d{0,3}|qwerty\d{0,3}|correct ?horse ?battery ?staple|t0ps3cr3t|tr0ub4dor&3)$/i;
const VERSION_OR_ADDRESS = /^(?:[~^]?\d+\.\d+\.\d+|https?:)/;
/** A number, a version, a path, an address. */
const NOT_TEXT = /^(?:\d{1,7}|[~^]?\d+\.\d+\.\d+.*|\.{0,2}\/.*|~\/.*|https?:.*)$/;

/** An element's id, a class, a relative path. */
const SELECTOR = /^[#./\\]{1,2}[\w./\\-]+$/;

/** True if a text in place of a secret is only a placeholder: `<YOUR_TOKEN>`, `${TOKEN}`, `xxxx`, `changeme`. */
export function isDummyValue(value: string): boolean {
  const text = value.slice(0, JUDGED_CHARS);
  return (
    REFERENCE.test(text) ||
    EXAMPLE_WORD.test(text) ||
    isSequence(text) ||
    PUBLISHED_PASSWORD.test(text.replace(/^["'`]|["'`]$/g, "")) ||
    new Set(text).size <= 3
  );
}

/** True if a value is made of sequences: `sk-1234567890abcdef`, not a random key with a number such as 1234567890 in it. */
function isSequence(text: string): boolean {
  if (!SEQUENCE.test(text)) return false;
  const beside = withoutRuns(text).replace(/[^A-Za-z0-9]|deadbeef|cafebabe|aabbccdd/gi, "");
  return beside.length < MIN_BESIDE_CHARS || new Set(beside).size < MIN_BESIDE_SIGNS;
}

function withoutRuns(text: string): string {
  const lower = text.toLowerCase();
  let rest = "";
  for (let at = 0; at < text.length; ) {
    let end = at + 1;
    while (end < text.length && ROWS.some((row) => row.includes(lower.slice(at, end + 1)))) end += 1;
    if (end - at < MIN_RUN_CHARS) end = at + 1;
    rest += end - at === 1 ? text.charAt(at) : "";
    at = end;
  }
  return rest;
}

/** True if a value could be a password that a person or a program chose: letters and digits, no stand-in, no common word. */
export function looksLikePassword(value: string): boolean {
  const text = value.slice(0, JUDGED_CHARS);
  const isMixed = /\d/.test(text) ? /[A-Za-z!@$%^&*?~+]/.test(text) : looksRandom(text);
  return isMixed && !SELECTOR.test(text) && mayBePassword(text);
}

/** True if a single word may be a chosen password: for the most certain contexts only. */
export function mayBePassword(value: string): boolean {
  const text = value.slice(0, JUDGED_CHARS);
  if (text.length < MIN_PASSWORD_CHARS || /\s/.test(text) || ORDINARY.test(text) || NOT_TEXT.test(text)) return false;
  return !isDummyValue(text);
}

/** True if several words may be a password, in the most certain context: a variable name, quotes, its own line. */
export function isPassphrase(value: string): boolean {
  const text = value.slice(0, JUDGED_CHARS);
  return /^\S+(?: \S+)+$/.test(text) && text.length >= 8 && !isDummyValue(text);
}

/** True if a value looks random: long, many different characters, not made of words. */
export function looksRandom(value: string, minChars = MIN_RANDOM_CHARS): boolean {
  const text = value.slice(0, JUDGED_CHARS);
  if (text.length < minChars || /\s/.test(text) || !/[A-Za-z]/.test(text) || VERSION_OR_ADDRESS.test(text))
    return false;
  if (isWordy(text)) return false;
  return entropyBits(text) >= MIN_ENTROPY_BITS && !isDummyValue(text);
}

/** True if a value consists only of words and numbers, like names and paths. */
export function isWordy(value: string): boolean {
  const parts = value.slice(0, JUDGED_CHARS).split(/[^A-Za-z0-9]+/);
  return parts.every((part) => part === "" || isWordLike(part));
}

/** The words that names consist of: `accessToken`, `HTTP2`, `prod`, `2024`. */
function isWordLike(part: string): boolean {
  if (/^\d{1,8}$/.test(part)) return true;
  if (!/^\d{0,4}[A-Za-z]+\d{0,4}$/.test(part)) return false;
  const words = part.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? [];
  const letters = words.reduce((sum, word) => sum + word.length, 0);
  if (words.length === 1) return letters <= MAX_WORD_CHARS;
  return letters / words.length >= MIN_WORD_CHARS && words.every((word) => word.length <= MAX_WORD_CHARS);
}

/** Shannon entropy of the text's own distribution, in bits per character. */
function entropyBits(text: string): number {
  const counts = new Map<string, number>();
  for (const sign of text) counts.set(sign, (counts.get(sign) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}
