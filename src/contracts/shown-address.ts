const MAX_CHARS = 120;
const SCHEME = /^(?:[a-z][a-z0-9+.-]*:)?\/{0,3}/i;

/**
 * Shows an unusable address in an error: without the user name, the path and the query, since each may contain a key.
 */
export function shownAddress(text: string): string {
  const anonymous = text.replace(/\/\/[^/@]*@/, "//…@");
  const [scheme = ""] = SCHEME.exec(anonymous) ?? [];
  const host = anonymous.slice(scheme.length);
  const end = host.search(/[/?#]/);
  return (end < 0 ? anonymous : `${scheme}${host.slice(0, end)}/…`).slice(0, MAX_CHARS);
}
