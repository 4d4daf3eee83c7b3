/**
 * The sources of commands and tools, highest precedence first: of two entries with the same name, the entry of the
 * source with higher precedence is used.
 */
export const SOURCE_KINDS = ["builtin", "project", "user", "extension", "plugin", "mcp"] as const;
export type SourceKind = (typeof SOURCE_KINDS)[number];

export type Source = {
  readonly kind: SourceKind;
  /** The name of the extension, plugin, MCP server or folder. */
  readonly name?: string;
};

export type Registered<T> = { readonly name: string; readonly value: T; readonly source: Source };

/**
 * The items of one kind that have a name (commands, tools). All lists of such items are views of the registry.
 */
export interface Registry<T> {
  /**
   * The entries, highest precedence first; entries of one source keep their order. The array stays the same until an
   * entry changes.
   */
  readonly entries: readonly Registered<T>[];
  /** Entries without effect, because a source with higher precedence has an entry of the same name. */
  readonly shadowed: readonly Registered<T>[];
  get(name: string): Registered<T> | undefined;
  /** @returns the function that ends the subscription. */
  onChanged(listener: () => void): () => void;
}

/** A registry that its owner fills, source by source. */
export interface SourcedRegistry<T> extends Registry<T> {
  /**
   * Replaces all entries of a source.
   * @throws {UserFacingError} two entries of one source, or of two sources with equal precedence, have the same name;
   * nothing changes.
   */
  set(source: Source, values: readonly T[]): void;
}
