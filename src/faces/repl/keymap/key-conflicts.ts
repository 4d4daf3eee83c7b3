import { LAYER_CONTEXTS } from "./bindable.ts";
import { KEY_CONTEXTS, type KeyBinding, type KeyContext, type Keymap } from "./keymap.ts";

export type KeyConflict = { readonly binding: KeyBinding; readonly text: string };

/**
 * The keys that a person's bindings and other bindings override in each other, in contexts that are active at the same
 * time.
 */
export function conflictsOf(keymap: Keymap, own: readonly KeyBinding[]): readonly KeyConflict[] {
  const seen = new Set<string>();
  return own.flatMap((binding) =>
    conflictsWith(keymap, binding).flatMap((text) => {
      if (seen.has(text)) return [];
      seen.add(text);
      return [{ binding, text }];
    }),
  );
}

/**
 * The keys that a binding and the other bindings override in each other. The keymap may already contain the binding.
 */
export function conflictsWith(keymap: Keymap, { key, context, action }: KeyBinding): readonly string[] {
  return LAYER_CONTEXTS.filter((layer) => layer.includes(context)).flatMap((layer) =>
    keymap.flatMap((other) => {
      if (!layer.includes(other.context)) return [];
      if (other.key.startsWith(`${key} `)) return [`${key} waits for ${other.key}, so it never acts alone`];
      if (key.startsWith(`${other.key} `)) return [`${other.key} waits for ${key}, so it no longer acts alone`];
      const isHidden = other.key === key && isBefore(layer, other.context, context) && other.action !== action;
      return isHidden
        ? [`${key} in ${context} gives way to ${other.action} in ${other.context} (${KEY_CONTEXTS[other.context]})`]
        : [];
    }),
  );
}

function isBefore(layer: readonly KeyContext[], one: KeyContext, other: KeyContext): boolean {
  return layer.indexOf(one) < layer.indexOf(other);
}
