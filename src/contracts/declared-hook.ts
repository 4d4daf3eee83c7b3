import type { ConfigurableEvent } from "./hook-events.ts";
import type { HookSettings } from "./hook-settings.ts";
import type { RuleLayer } from "./settings.ts";

/** A hook of a settings file or of a plugin, with its file and line. */
export type DeclaredHook = {
  readonly event: ConfigurableEvent;
  readonly matcher?: string | undefined;
  readonly hook: HookSettings;
  /** A path, or `--settings`. */
  readonly file: string;
  /** Counting from 1. */
  readonly line?: number | undefined;
  readonly layer: RuleLayer;
  /** The plugin that declares the hook: its name, its folder and the folder for its data; both absolute. */
  readonly plugin?: { readonly name: string; readonly root: string; readonly data: string };
};
