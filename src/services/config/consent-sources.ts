import type { ConsentLayer, ConsentSources } from "../../contracts/sandbox-settings.ts";
import type { SettingsFile } from "../../contracts/settings-schema.ts";

/**
 * The consent values of one layer. `layer` is undefined for a layer that may only refuse, such as a project's files.
 */
export type ConsentVoice = {
  readonly layer: ConsentLayer | undefined;
  /** The name for people. */
  readonly file: string;
  readonly value: SettingsFile;
};

/**
 * Collects all layers' settings about running confined commands without asking (`sandbox.autoAllowBashIfSandboxed`, and the
 * saved answer in the user's own file for this project).
 * @param layers The layers, lowest first.
 * @param isManagedOnly True if only the managed file may allow anything: no other layer can then agree, and no answer
 * is saved.
 */
export function consentSources(layers: readonly ConsentVoice[], isManagedOnly: boolean): ConsentSources {
  const saying = (answer: boolean) => layers.filter(({ value }) => value.sandbox?.autoAllowBashIfSandboxed === answer);
  const refusing = saying(false).at(-1);
  const agreedBy = saying(true).flatMap(({ layer, file }) =>
    layer === undefined || (isManagedOnly && layer !== "managed") ? [] : [{ layer, file }],
  );
  const own = layers.find(({ layer }) => layer === "own");
  const scope = isManagedOnly ? undefined : own?.value.sandbox?.agreed;
  return {
    ...(refusing && { refusedBy: refusing.file }),
    agreedBy,
    ...(own && scope && { kept: { scope, file: own.file } }),
  };
}
