/**
 * The name under which curl and wget save the file of an address: `https://host/a/b.tgz?x` as `b.tgz`.
 * @returns undefined if the address does not show the name.
 */
export function downloadName(address: string): string | undefined {
  const [, ...path] = address
    .replace(/^[a-z]+:\/\//i, "")
    .replace(/[?#].*$/s, "")
    .split("/");
  const name = decoded(path.at(-1) || "index.html");
  return name === undefined || /[*?[{/\\]|^\.{1,2}$/.test(name) ? undefined : name;
}

/** wget reads `%2e` in an address as a dot. */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
