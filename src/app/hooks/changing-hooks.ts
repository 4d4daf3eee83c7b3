import type { DeclaredHook } from "../../contracts/declared-hook.ts";
import type { Hooks } from "../../contracts/hook.ts";
import { isDeepEqual } from "../../platform/is-deep-equal.ts";
import type { HookParts, SettingsHooks } from "./settings-hooks.ts";

/** The hooks of settings files, which change with the files. If there are no hooks, their code is not loaded. */
export class ChangingHooks implements Hooks {
  readonly #parts: HookParts;
  #declared: readonly DeclaredHook[] = [];
  /** A background hook may still run after the settings have changed. */
  readonly #earlier: SettingsHooks[] = [];
  current: SettingsHooks | undefined;

  constructor(parts: HookParts) {
    this.#parts = parts;
  }

  /** @returns false if the hooks are the same. */
  async replace(declared: readonly DeclaredHook[]): Promise<boolean> {
    if (declared.length === 0 && this.#declared.length === 0) return false;
    if (isDeepEqual(contentOf(declared), contentOf(this.#declared))) return false;
    this.#declared = declared;
    const make = declared.length > 0 ? await import("./settings-hooks.ts") : undefined;
    if (this.current) this.#earlier.push(this.current);
    this.current = make?.settingsHooks({ ...this.#parts, place: { ...this.#parts.place, hooks: declared } });
    return true;
  }

  close(): void {
    for (const hooks of [...this.#earlier, this.current]) hooks?.close();
  }

  wants(...asked: Parameters<Hooks["wants"]>): boolean {
    return this.current?.hooks.wants(...asked) ?? false;
  }

  async run(...asked: Parameters<Hooks["run"]>): ReturnType<Hooks["run"]> {
    return this.current?.hooks.run(...asked) ?? {};
  }
}

/** A hook that only moved to another line counts as unchanged. */
function contentOf(hooks: readonly DeclaredHook[]): readonly unknown[] {
  return hooks.map(({ line: _, ...hook }) => hook);
}
