import type { ConsentLayer, ConsentSources, SettingsFile } from "../../contracts/settings.ts";

/** One layer as far as consent goes. `layer` is undefined for a layer that may only say no: a project's files. */
export type ConsentVoice = {
  readonly layer: ConsentLayer | undefined;
  /** Named to people. */
  readonly file: string;
  readonly value: SettingsFile;
};

/**
 * Collects what the layers say about confined commands that nobody is asked about (`sandbox.autoAllowBashIfSandboxed`, and the
 * kept answer in the user's own file for this project).
 * @param layers Lowest first.
 * @param isManagedOnly Whether only the managed file may allow anything: then nothing else agrees, and no answer is kept.
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
