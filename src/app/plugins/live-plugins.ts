import { isDeepStrictEqual } from "node:util";
import type { Approvable, Approvals } from "../../contracts/approval.ts";
import { errorMessage, UserFacingError } from "../../contracts/errors.ts";
import type { Plugin } from "../../contracts/plugin.ts";
import { entryExists } from "../../platform/paths.ts";
import type { HookContents } from "../hooks/changed-hooks.ts";
import type { OpenedPlugins } from "./open-plugins.ts";

type Checked = {
  readonly opened: OpenedPlugins;
  /** Compares hooks with their approved content, and hooks of plugins with that at the time when they were read. */
  readonly hookContents: HookContents;
};

type Parts = {
  readonly first: Checked;
  readonly approvals: Pick<Approvals, "state">;
  /**
   * Reads the plugins of the current settings.
   * @throws {UserFacingError} a folder of `--plugin-dir` is not a plugin.
   */
  open(notify: (line: string) => void): Promise<Checked>;
  /** The plugins without duplicate names, with the folders for their data. */
  ready(plugins: readonly Plugin[]): Promise<readonly Plugin[]>;
};

/** The result of reading the plugins of a running session again. */
export type PluginChanges = {
  /** Ids. */
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Plugins whose parts have changed. */
  readonly changed: readonly string[];
  /** Plugins that only the project enables, and that nobody has approved for it. */
  readonly waiting: readonly string[];
  /** One line for each plugin that is left out. */
  readonly problems: readonly string[];
};

/** The plugins in effect, which a reload changes. */
export class LivePlugins {
  readonly #parts: Parts;
  #checked: Checked;
  #current: readonly Plugin[] = [];

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#checked = parts.first;
  }

  get current(): readonly Plugin[] {
    return this.#current;
  }

  get hookContents(): HookContents {
    return this.#checked.hookContents;
  }

  /** Activates the opened plugins that are approved. */
  async settle(): Promise<void> {
    const { approvals, ready } = this.#parts;
    const { ofPerson, ofProject } = this.#checked.opened;
    const approved = ofProject.filter(({ item }) => approvals.state(item) === "approved");
    const chosen = [...ofPerson, ...approved.map(({ plugin }) => plugin)];
    this.#current = chosen.length === 0 ? [] : await ready(chosen);
  }

  /**
   * Reads the plugins again. Only approved content takes effect.
   * @param approve Asks about a plugin that only the project enables; absent if nobody can be asked.
   */
  async reload(approve?: (item: Approvable) => Promise<void>): Promise<PluginChanges> {
    const problems: string[] = [];
    const before = this.#current;
    try {
      this.#checked = await this.#parts.open((line) => problems.push(line));
    } catch (error) {
      if (!(error instanceof UserFacingError)) throw error;
      this.#checked = { ...this.#checked, opened: withFolders(this.#checked.opened) };
      problems.push(`the plugins stay as they were, as far as their folders exist: ${errorMessage(error)}`);
    }
    const isNew = ({ item }: { readonly item: Approvable }) => this.#parts.approvals.state(item) !== "approved";
    const { ofProject } = this.#checked.opened;
    if (approve) for (const { item } of ofProject.filter(isNew)) await approve(item);
    await this.settle();
    const earlier = new Map(before.map((plugin) => [plugin.id, plugin]));
    const now = new Set(this.#current.map(({ id }) => id));
    return {
      added: [...now].filter((id) => !earlier.has(id)),
      removed: [...earlier.keys()].filter((id) => !now.has(id)),
      changed: this.#current.flatMap((plugin) => {
        const old = earlier.get(plugin.id);
        return old && !isDeepStrictEqual(old, plugin) ? [plugin.id] : [];
      }),
      waiting: ofProject.filter(isNew).map(({ plugin }) => plugin.id),
      problems,
    };
  }
}

/** Returns the plugins without those whose folders are missing. */
function withFolders(opened: OpenedPlugins): OpenedPlugins {
  const isThere = ({ root }: Plugin) => entryExists(root);
  return {
    ...opened,
    ofPerson: opened.ofPerson.filter(isThere),
    ofProject: opened.ofProject.filter(({ plugin }) => isThere(plugin)),
  };
}
