import type { ConsentLayer, ConsentSources, SettingSource } from "../../contracts/settings.ts";
import type { Answerer } from "./confined-consent.ts";

/** The setting source that a client has to name for a layer to count as its own. */
const NAMED_AS: Readonly<Partial<Record<ConsentLayer, SettingSource>>> = { user: "user", own: "local" };
const GIVEN: ReadonlySet<ConsentLayer> = new Set(["settings-flag", "flag"]);

/**
 * What of the settings counts as an agreement for whoever answers. A program that is called back is called unless settings that
 * it loaded itself say otherwise: those it gave, and those of sources that it named. A kept answer was given to somebody else's
 * question, and the managed file does not speak for the program. Whatever says no counts for everybody.
 * @param named `--setting-sources`; undefined where the program named none.
 */
export function countingSources(
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
