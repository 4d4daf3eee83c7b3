import { errorMessage, UserFacingError } from "../../../contracts/errors.ts";
import type { RuleSource, Settings } from "../../../contracts/settings.ts";
import { type PathState, pathState } from "../../../platform/files/path-state.ts";
import type { LoadedSettings, MergeSettings } from "../../../services/config/load-settings.ts";

export type LiveParts = {
  /** All settings files that the session reads, including missing files, with their states before they were read. */
  readonly states: ReadonlyMap<string, PathState>;
  readonly isTrusted: boolean;
  /** The initial settings of the session. */
  readonly start: LoadedSettings;
  /** Reads the files again. @throws {UserFacingError} a file is malformed or unreadable. */
  read(): Promise<MergeSettings>;
  /** A file's name for people. */
  shown(file: string): string;
};

/** Applies changed settings. */
export type SettingsUser = {
  /** @throws {UserFacingError} the settings can't be used; the earlier settings stay. */
  apply(loaded: LoadedSettings): void | Promise<void>;
  /** Asks whether the changes of these files may take effect. @returns false if the earlier settings stay. */
  accepts(files: readonly string[]): Promise<boolean>;
  /** Tells the person one line. */
  notify(line: string): void;
};

/**
 * The settings of a running session. The files are not watched: their states are compared when a step begins and before
 * each permission check.
 */
export class LiveSettings {
  readonly #parts: LiveParts;
  #loaded: LoadedSettings;
  #states: ReadonlyMap<string, PathState>;
  #user: SettingsUser | undefined;
  #reading: Promise<void> | undefined;

  constructor(parts: LiveParts) {
    this.#parts = parts;
    this.#loaded = parts.start;
    this.#states = parts.states;
  }

  get settings(): Settings {
    return this.#loaded.settings;
  }

  /** Everything that is in effect. */
  get loaded(): LoadedSettings {
    return this.#loaded;
  }

  get rules(): readonly RuleSource[] {
    return this.#loaded.rules;
  }

  /** Begins to take changes. If absent, the initial settings stay in effect. */
  connect(user: SettingsUser): void {
    this.#user = user;
  }

  /** Applies changes of the files. @returns undefined if no file changed, so that the caller need not wait. */
  refresh(): Promise<void> | undefined {
    if (!this.#user) return undefined;
    if (!this.#reading && this.#changedFiles(statesOf(this.#states.keys())).length === 0) return undefined;
    this.#reading ??= this.#read(true).finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  /** Call this after the session itself wrote a file: the person already knows the change. */
  async written(): Promise<void> {
    await this.#reading;
    if (this.#user) await this.#read(false);
  }

  #changedFiles(states: ReadonlyMap<string, PathState>): readonly string[] {
    return [...states].flatMap(([file, state]) => (state === this.#states.get(file) ? [] : [file]));
  }

  async #read(isTold: boolean): Promise<void> {
    const { read, isTrusted, start, shown } = this.#parts;
    const user = this.#user;
    const states = statesOf(this.#states.keys());
    const files = this.#changedFiles(states);
    const changed = files.map(shown);
    this.#states = states;
    if (isTold && user && !(await user.accepts(files))) return;
    try {
      const [merge, { pinnedToStart }, { changedLine, changedSettings }] = await Promise.all([
        read(),
        import("../../../services/config/pinned-project.ts"),
        import("../../../services/config/changed-settings.ts"),
      ]);
      const loaded = merge(isTrusted, pinnedToStart(start.layers));
      await user?.apply(loaded);
      const line = changedLine(changedSettings(this.#loaded, loaded, merge(isTrusted)), changed);
      this.#loaded = loaded;
      if (isTold && line !== undefined) user?.notify(line);
    } catch (error) {
      if (!(error instanceof UserFacingError)) throw error;
      user?.notify(`The changed settings can't be used, so the earlier settings stay. ${errorMessage(error)}`);
    }
  }
}

/** The states of files before they are read. */
export function statesOf(files: Iterable<string>): ReadonlyMap<string, PathState> {
  return new Map([...files].map((file) => [file, pathState(file)]));
}
