/** Where something that can be invoked comes from, the strongest first: of two with one name the stronger source's counts. */
export const SOURCE_KINDS = ["builtin", "project", "user", "plugin", "mcp"] as const;
export type SourceKind = (typeof SOURCE_KINDS)[number];

export type Source = {
  readonly kind: SourceKind;
  /** Which plugin, MCP server or folder. */
  readonly name?: string;
};

export type Registered<T> = { readonly name: string; readonly value: T; readonly source: Source };

/**
 * The items of one kind that can be invoked by name (commands, tools). All lists of such items are views of one
 * registry.
 */
export interface Registry<T> {
  /** Strongest source first, within a source in its own order. The same array until something changes. */
  readonly entries: readonly Registered<T>[];
  /** Entries that don't count because a stronger source has their name. */
  readonly shadowed: readonly Registered<T>[];
  get(name: string): Registered<T> | undefined;
  /** @returns the function that ends it. */
  onChanged(listener: () => void): () => void;
}

/** A registry that its owner fills, source by source. */
export interface SourcedRegistry<T> extends Registry<T> {
  /**
   * Puts these in the place of all that the source brought before.
   * @throws {UserFacingError} two of the same source or of two equally strong ones share a name; nothing changes.
   */
  set(source: Source, values: readonly T[]): void;
}
