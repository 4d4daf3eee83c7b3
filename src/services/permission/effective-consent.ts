import type { Answerer } from "../../contracts/session-config.ts";
import type { SettingSource } from "../../contracts/setting-sources.ts";
import type { ConsentLayer, ConsentSources } from "../../contracts/settings.ts";

/** The `--setting-sources` name with which a layer counts as the client's own. */
const NAMED_AS: Readonly<Partial<Record<ConsentLayer, SettingSource>>> = { user: "user", own: "local" };
const GIVEN: ReadonlySet<ConsentLayer> = new Set(["settings-flag", "flag"]);

/**
 * Selects the settings that count as consent of whoever answers. Quoll asks a program with a callback, unless settings
 * that the program passed, or sources that it named, specify otherwise. A stored answer belongs to a person, and the
 * managed file does not speak for the program. A setting that forbids always takes effect.
 * @param named The value of `--setting-sources`; undefined if the program named none.
 */
export function effectiveConsent(
  sources: ConsentSources,
  answerer: Answerer,
  named: readonly SettingSource[] | undefined,
): ConsentSources {
  if (answerer !== "program") return sources;
  const { kept: _, agreedBy, ...rest } = sources;
  const isOwn = (layer: ConsentLayer) => {
    const source = NAMED_AS[layer];
    return GIVEN.has(layer) || (source !== undefined && named?.includes(source) === true);
  };
  return { ...rest, agreedBy: agreedBy.filter(({ layer }) => isOwn(layer)) };
}
