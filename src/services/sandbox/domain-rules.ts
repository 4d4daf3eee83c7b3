/** Which hosts confined programs may reach, as settings say it. */
export type DomainRules = { readonly allowed: readonly string[]; readonly denied: readonly string[] };

/**
 * Whether a host may be reached: an entry allows it (`example.com` that very host, `*.example.com` all below it, `*` every
 * name) and none denies it. Capitals and a dot at the end don't matter. A numeric address is allowed only by its very text.
 */
export function isAllowedHost(host: string, { allowed, denied }: DomainRules, isNumeric: boolean): boolean {
  const name = normalize(host);
  if (name === "" || denied.some((entry) => covers(normalize(entry), name, false))) return false;
  return allowed.some((entry) => covers(normalize(entry), name, isNumeric));
}

/** Whether an entry names this very host: then even an inner address of it may be reached. */
export function isNamedHost(host: string, { allowed }: DomainRules): boolean {
  return allowed.some((entry) => normalize(entry) === normalize(host));
}

function covers(entry: string, name: string, onlyExact: boolean): boolean {
  if (entry === name) return true;
  if (onlyExact) return false;
  if (entry === "*") return true;
  return entry.startsWith("*.") && name.endsWith(entry.slice(1)) && name.length > entry.length - 1;
}

/** Settings may hold more than a name: a scheme, a path, a port are left aside. */
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
