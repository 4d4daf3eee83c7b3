/** The hosts that confined programs may reach, from settings. */
export type DomainRules = { readonly allowed: readonly string[]; readonly denied: readonly string[] };

/**
 * True if a host may be reached: an entry allows it (`example.com` exactly that host, `*.example.com` all hosts below
 * it, `*` every name) and no entry denies it. Ignores case and a trailing dot. A numeric address must be listed
 * literally.
 */
export function isAllowedHost(host: string, { allowed, denied }: DomainRules, isNumeric: boolean): boolean {
  const name = normalize(host);
  if (name === "" || denied.some((entry) => covers(normalize(entry), name, false))) return false;
  return allowed.some((entry) => covers(normalize(entry), name, isNumeric));
}

/** True if an entry names exactly this host: it may then resolve to a private address. */
export function isNamedHost(host: string, { allowed }: DomainRules): boolean {
  return allowed.some((entry) => normalize(entry) === normalize(host));
}

function covers(entry: string, name: string, onlyExact: boolean): boolean {
  if (entry === name) return true;
  if (onlyExact) return false;
  if (entry === "*") return true;
  return entry.startsWith("*.") && name.endsWith(entry.slice(1)) && name.length > entry.length - 1;
}

/** The host name of an entry, without a scheme, port or path. */
function normalize(host: string): string {
  return host
    .trim()
    .toLowerCase()
    .replace(/^[a-z][a-z0-9+.-]*:\/\//, "")
    .replace(/\/.*$/, "")
    .replace(/^\[|\]$/g, "")
    .replace(/^([^:]*):\d+$/, "$1")
    .replace(/\.$/, "");
}
