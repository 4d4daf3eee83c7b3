import type { DeclaredHook } from "../../contracts/declared-hook.ts";
import type { HeldSetting, RuleLayer, RuleSource, SettingsFile } from "../../contracts/settings.ts";
import type { ParsedSettings } from "./parse-settings.ts";

/** The content of one settings file, or of a flag. */
export type Layer = {
  /** The settings that take effect, without rules. */
  readonly value: SettingsFile;
  readonly rules: readonly RuleSource[];
  readonly warnings: readonly string[];
  readonly held: readonly HeldSetting[];
  /** The whole text, for the positions of its parts; absent without a file. */
  readonly written?: ParsedSettings;
  readonly hooks: readonly DeclaredHook[];
};

/** A layer with the place that it was read from. */
export type NamedLayer = Layer & {
  readonly name: RuleLayer;
  /** A path, or the option that gave it. */
  readonly file: string;
};

/** A layer, and the base folder of its relative paths. */
export type BasedLayer = NamedLayer & { readonly folder: string };

export const EMPTY_LAYER: Layer = { value: {}, rules: [], warnings: [], held: [], hooks: [] };

/** Merges the values of layers, lowest first. `home`: the folder of `~`. */
export type MergeLayers = (layers: readonly BasedLayer[], home: string) => SettingsFile;

/** What counts of a repository's files in a running session, even if no file sets anything anymore. */
export type PinLayers = {
  /** Gives the layers that count, instead of those that were read. */
  layers(now: readonly NamedLayer[]): readonly NamedLayer[];
  readonly merge: MergeLayers;
};
