/** The objects that `git cat-file --batch` printed (git-cat-file(1), BATCH OUTPUT), by name; missing ones are left out. */
export function objectsIn(printed: Buffer): ReadonlyMap<string, Buffer> {
  const found = new Map<string, Buffer>();
  for (let at = 0; at < printed.length; ) {
    const end = printed.indexOf("\n", at);
    const [oid = "", , size] = printed.toString("latin1", at, end).split(" ");
    at = end + 1;
    if (size === undefined) continue;
    found.set(oid, printed.subarray(at, at + Number(size)));
    at += Number(size) + 1;
  }
  return found;
}
