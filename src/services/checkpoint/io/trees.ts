import type { ObjectStore, TreeEntry } from "./object-store.ts";
import { ShadowGitError } from "./shadow-git.ts";

/** The tree without entries, which git knows without storing it. */
export const EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
export const FOLDER_MODE = "40000";
const OID_BYTES = 20;

/** The entry of a path in a tree; undefined: there is none. */
export type Side = Omit<TreeEntry, "name"> | undefined;
export type Pair = { readonly before: Side; readonly after: Side };

type Entries = ReadonlyMap<string, NonNullable<Side>>;

/** Compares and changes trees of the shadow repository without a process of git. Paths are relative to a tree. */
export class Trees {
  readonly #objects: ObjectStore;

  constructor(objects: ObjectStore) {
    this.#objects = objects;
  }

  /** The paths that differ between two trees, folders included. @throws {ShadowGitError} a tree is missing. */
  async changes(before: string, after: string, signal: AbortSignal): Promise<Map<string, Pair>> {
    const found = new Map<string, Pair>();
    // One level of folders at a time: packed trees are read with one run of git.
    let level = before === after ? [] : [{ prefix: "", before, after }];
    while (level.length > 0) {
      const trees = await this.#read(
        level.flatMap((one) => [one.before, one.after]),
        signal,
      );
      const inner: typeof level = [];
      for (const { prefix, ...pair } of level) {
        const [old, next] = [trees(pair.before), trees(pair.after)];
        for (const name of new Set([...old.keys(), ...next.keys()])) {
          const sides = { before: old.get(name), after: next.get(name) };
          if (sides.before?.oid === sides.after?.oid && sides.before?.mode === sides.after?.mode) continue;
          found.set(prefix + name, sides);
          const [a, b] = [treeOf(sides.before), treeOf(sides.after)];
          if (a !== b) inner.push({ prefix: `${prefix}${name}/`, before: a, after: b });
        }
      }
      level = inner;
    }
    return found;
  }

  /** The entries at these paths of a tree; without those that are missing. @throws {ShadowGitError} a tree is missing. */
  async entriesAt(tree: string, paths: readonly string[], signal: AbortSignal): Promise<Entries> {
    const names = (await this.#read([tree], signal))(tree);
    const found = new Map<string, NonNullable<Side>>();
    for (const [name, inner] of Map.groupBy(paths, firstName)) {
      const entry = names.get(name);
      if (entry && inner.includes(name)) found.set(name, entry);
      const below = inner.filter((path) => path !== name).map((path) => path.slice(name.length + 1));
      if (below.length === 0 || treeOf(entry) === EMPTY_TREE) continue;
      for (const [path, one] of await this.entriesAt(treeOf(entry), below, signal)) found.set(`${name}/${path}`, one);
    }
    return found;
  }

  /**
   * Stores a tree with other entries at these paths; undefined: none. A file gives way to what is below it, a folder to a
   * file, and a folder without entries goes.
   * @throws {ShadowGitError} a tree is missing. {Error} a system error.
   */
  async withEntries(tree: string, entries: ReadonlyMap<string, Side>, signal: AbortSignal): Promise<string> {
    const names = new Map((await this.#read([tree], signal))(tree));
    const inner = new Map<string, Map<string, Side>>();
    for (const [path, entry] of entries) {
      const name = firstName(path);
      if (path !== name) inner.set(name, (inner.get(name) ?? new Map()).set(path.slice(name.length + 1), entry));
      else if (entry) names.set(name, entry);
      // A folder goes with the last path in it.
      else if (names.get(name)?.mode !== FOLDER_MODE) names.delete(name);
    }
    for (const [name, below] of inner) {
      const old = names.get(name);
      const oid = await this.withEntries(treeOf(old), below, signal);
      if (oid !== EMPTY_TREE) names.set(name, { mode: FOLDER_MODE, oid });
      else if (old?.mode === FOLDER_MODE) names.delete(name);
    }
    return names.size === 0 ? EMPTY_TREE : this.#objects.writeTree([...names].map(([name, one]) => ({ name, ...one })));
  }

  async #read(trees: readonly string[], signal: AbortSignal): Promise<(tree: string) => Entries> {
    const contents = await this.#objects.readMany(
      trees.filter((tree) => tree !== EMPTY_TREE),
      signal,
    );
    return (tree) => {
      const content = tree === EMPTY_TREE ? Buffer.of() : contents.get(tree);
      if (!content) throw new ShadowGitError(`the tree ${tree} is missing`);
      return parseTree(content);
    };
  }
}

function treeOf(side: Side): string {
  return side?.mode === FOLDER_MODE ? side.oid : EMPTY_TREE;
}

function firstName(path: string): string {
  const end = path.indexOf("/");
  return end < 0 ? path : path.slice(0, end);
}

/** The entries of a tree object: `<mode> <name>NUL<20 bytes of the object's name>` each (gitformat-pack(5), fsck). */
function parseTree(content: Buffer): Entries {
  const entries = new Map<string, NonNullable<Side>>();
  for (let at = 0; at < content.length; ) {
    const space = content.indexOf(0x20, at);
    const end = content.indexOf(0, space);
    const mode = content.toString("latin1", at, space);
    at = end + 1 + OID_BYTES;
    entries.set(content.toString("utf8", space + 1, end), { mode, oid: content.toString("hex", end + 1, at) });
  }
  return entries;
}
