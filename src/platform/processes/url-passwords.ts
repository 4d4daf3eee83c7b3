/** The place of a password in a URL: `scheme://user:password@host`. */
export type UrlPassword = { readonly start: number; readonly end: number; readonly user: string };

/** The maximum length of `user:password` that is searched. */
const MAX_USERINFO_CHARS = 512;
const SCHEME_END = /[A-Za-z0-9+.-]/;

/**
 * The places of passwords in the URLs of a text (RFC 3986, userinfo), connection strings included. A password may hold `@`
 * and `:`, as people write them: the last `@` before the host ends it. Linear: userinfo ends at a slash, a blank or a quote.
 */
export function findUrlPasswords(text: string): readonly UrlPassword[] {
  const found: UrlPassword[] = [];
  for (let at = text.indexOf("://"); at !== -1; at = text.indexOf("://", at + 3)) {
    if (at === 0 || !SCHEME_END.test(text[at - 1] ?? "")) continue;
    const start = at + 3;
    const end = userinfoEnd(text, start);
    if (end === undefined) continue;
    const colon = text.indexOf(":", start);
    if (colon === -1 || colon >= end - 1) continue;
    found.push({ start: colon + 1, end, user: text.slice(start, colon) });
  }
  return found;
}

/** The passwords alone, as written. */
export function urlPasswords(text: string): readonly string[] {
  return findUrlPasswords(text).map(({ start, end }) => text.slice(start, end));
}

/** The offset of the `@` that ends user and password; undefined when there is none. */
function userinfoEnd(text: string, start: number): number | undefined {
  let last: number | undefined;
  const limit = Math.min(text.length, start + MAX_USERINFO_CHARS);
  for (let at = start; at < limit; at += 1) {
    const sign = text.charCodeAt(at);
    if (sign === 0x40) last = at;
    else if (isBreak(sign)) break;
  }
  return last;
}

/** Blanks and controls, quotes, `/ ? # < > \ |` and brackets end an authority. */
function isBreak(sign: number): boolean {
  return sign <= 0x20 || "\"'`/?#<>\\|()[],;".includes(String.fromCharCode(sign));
}
