import type { Command } from "../../contracts/command.ts";
import { UserFacingError } from "../../contracts/errors.ts";
import {
  type Registered,
  SOURCE_KINDS,
  type Source,
  type SourcedRegistry,
  type SourceKind,
} from "../../contracts/registry.ts";
import type { ToolSpec } from "../../contracts/tool.ts";

const SOURCE_WORDS = {
  builtin: "Quoll itself",
  project: "the project",
  user: "your own files",
  extension: "the extension",
  plugin: "the plugin",
  mcp: "the MCP server",
} as const satisfies Record<SourceKind, string>;

type Contribution<T> = { readonly source: Source; readonly values: readonly T[] };

/**
 * Creates an empty registry.
 * @param noun The kind of its entries, for errors: `command`.
 */
export function createRegistry<T>(noun: string, nameOf: (value: T) => string): SourcedRegistry<T> {
  const listeners = new Set<() => void>();
  let sources: ReadonlyMap<string, Contribution<T>> = new Map();
  let entries: readonly Registered<T>[] = [];
  let shadowed: readonly Registered<T>[] = [];
  let byName: ReadonlyMap<string, Registered<T>> = new Map();
  return {
    get entries() {
      return entries;
    },
    get shadowed() {
      return shadowed;
    },
    get: (name) => byName.get(name),
    onChanged(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    set(source, values) {
      const next = new Map(sources).set(keyOf(source), { source, values });
      const merged = merge([...next.values()], noun, nameOf);
      sources = next;
      ({ byName, shadowed } = merged);
      entries = [...byName.values()];
      for (const listener of listeners) listener();
    },
  };
}

/** A registry of tools (declarations, or callable tools) in the order in which the model sees them. */
export function toolRegistry<T extends { readonly spec: ToolSpec }>(builtin: readonly T[]): SourcedRegistry<T> {
  const registry = createRegistry<T>("tool", ({ spec }) => spec.name);
  registry.set({ kind: "builtin" }, builtin);
  return registry;
}

/**
 * A registry of commands, which are also found by their aliases.
 * @param decorate Wraps each command of each source.
 */
export function commandRegistry(
  builtin: readonly Command[],
  decorate: (command: Command) => Command = (command) => command,
): SourcedRegistry<Command> {
  const registry = createRegistry<Command>("command", ({ name }) => name);
  const set = (source: Source, values: readonly Command[]) => registry.set(source, values.map(decorate));
  set({ kind: "builtin" }, builtin);
  return {
    get entries() {
      return registry.entries;
    },
    get shadowed() {
      return registry.shadowed;
    },
    get: (name) => registry.get(name) ?? registry.entries.find(({ value }) => value.aliases?.includes(name)),
    onChanged: (listener) => registry.onChanged(listener),
    set,
  };
}

function keyOf({ kind, name = "" }: Source): string {
  return `${kind}:${name}`;
}

/** @throws {UserFacingError} two entries of equally strong sources share a name. */
function merge<T>(contributions: readonly Contribution<T>[], noun: string, nameOf: (value: T) => string) {
  const byName = new Map<string, Registered<T>>();
  const shadowed: Registered<T>[] = [];
  for (const kind of SOURCE_KINDS) {
    for (const { source, values } of contributions.filter((one) => one.source.kind === kind)) {
      for (const value of values) {
        const name = nameOf(value);
        const other = byName.get(name);
        if (other?.source.kind === kind) throw clash(noun, name, [other.source, source]);
        if (other) shadowed.push({ name, value, source });
        else byName.set(name, { name, value, source });
      }
    }
  }
  return { byName, shadowed };
}

function clash(noun: string, name: string, [first, second]: readonly [Source, Source]): UserFacingError {
  return new UserFacingError(`Two ${noun}s are named "${name}": one from ${words(first)}, one from ${words(second)}.`);
}

function words({ kind, name = "" }: Source): string {
  return `${SOURCE_WORDS[kind]} ${name}`.trimEnd();
}
