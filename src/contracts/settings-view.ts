import type { SettingScope } from "./setting-sources.ts";

/** A change of one settings file. `value`: the value as a person types it. */
export type SettingEdit = { readonly key: string; readonly scope: SettingScope } & (
  | { readonly what: "set"; readonly value: string; readonly adds: boolean }
  /** With a value, only this item is removed from a list. */
  | { readonly what: "unset"; readonly value?: string }
);

/** The outcome of a change, for the person. */
export type SettingEdited = {
  readonly lines: readonly string[];
  readonly warnings: readonly string[];
  /** True if the file already had this value. */
  readonly isSame: boolean;
  /** False if a running session takes the change, or a part of it, at its next start. */
  readonly isLive: boolean;
};

/** A setting as a person sees it. */
export type SettingRow = {
  /** The key in the form of `quoll config set`: `tools.bashTimeoutMs`. */
  readonly key: string;
  /**
   * The effective value, as JSON without credentials; the values of a list are joined. If absent, the default applies.
   */
  readonly value?: string;
  /** The items of a list, each with the file that holds it. */
  readonly items?: readonly { readonly value: string; readonly scope?: SettingScope; readonly source: string }[];
  /** The file and line that set the effective value; absent for a default. */
  readonly source?: string;
  /** The scope of the file that sets the value, if `quoll config` can write that file. */
  readonly scope?: SettingScope;
  /** Files whose values are overridden. */
  readonly overridden: readonly string[];
  readonly description: string;
  /** The type in a word or two: `true or false`, `a list`. */
  readonly type: string;
  /** All possible values, if they are few. */
  readonly values: readonly string[];
  readonly isList: boolean;
  /** True if the value contains a credential, which is not shown. */
  readonly isHidden?: true;
  /** False if a running session keeps the old value until the next start. */
  readonly isLive: boolean;
};

/** The settings of the session's folder. */
export type SettingsView = {
  /** Reads the files. @throws {UserFacingError} (as a rejection) a file is malformed. */
  list(): Promise<readonly SettingRow[]>;
  /**
   * Describes a setting that is not set.
   * @throws {UserFacingError} if there is no such key; the message names the nearest one.
   */
  describe(key: string): SettingRow;
  /** The files that can be written, as people read them. */
  readonly files: Readonly<Record<SettingScope, string>>;
  /**
   * Writes a file, and applies the change to the running session as far as possible.
   * @throws {UserFacingError} (as a rejection) the key or the value does not fit, or the file can't be written.
   */
  edit(edit: SettingEdit): Promise<SettingEdited>;
};
