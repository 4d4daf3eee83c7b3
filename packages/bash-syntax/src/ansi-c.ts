const SIMPLE: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  e: "\x1b",
  E: "\x1b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
  "'": "'",
  '"': '"',
  "?": "?",
};

const ESCAPE = /\\(?:([abeEfnrtv\\'"?])|([0-7]{1,3})|x([0-9a-fA-F]{1,2})|([\s\S]?))/g;

/**
 * Decodes the text between `$'` and `'` (bash manual, "ANSI-C Quoting").
 * @returns undefined for escapes that depend on the locale (bytes from 0x80 up, `\u`), end the string (`\0`) or are
 * rare (`\c`).
 */
export function decodeAnsiC(body: string): string | undefined {
  let known = true;
  const text = body.replace(ESCAPE, (_, simple?: string, octal?: string, hex?: string) => {
    if (simple !== undefined) return SIMPLE[simple] ?? "";
    const code = octal !== undefined ? Number.parseInt(octal, 8) : hex !== undefined ? Number.parseInt(hex, 16) : 0;
    if (code === 0 || code >= 0x80) known = false;
    return String.fromCharCode(code);
  });
  return known ? text : undefined;
}
