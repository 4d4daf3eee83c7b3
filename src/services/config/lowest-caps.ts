import { SPEND_SOURCES } from "../../contracts/spend.ts";
import type { SpendSettings } from "../../contracts/spend-settings.ts";

const CAPS = ["sessionUsd", "dayUsd", "turnUsd", "sessionTokens", "dayTokens", "turnTokens"] as const;
const SOURCE_CAPS = ["sessionUsd", "dayUsd"] as const;

/** Merges the caps of several layers: each layer can only lower a cap. @returns undefined if there are no caps. */
export function lowestCaps(layers: readonly SpendSettings[]): SpendSettings | undefined {
  const caps = lowest(CAPS, layers);
  const bySource = Object.fromEntries(
    SPEND_SOURCES.flatMap((source) => {
      const own = lowest(
        SOURCE_CAPS,
        layers.flatMap((layer) => layer.bySource?.[source] ?? []),
      );
      return Object.keys(own).length > 0 ? [[source, own]] : [];
    }),
  );
  const joined = { ...caps, ...(Object.keys(bySource).length > 0 && { bySource }) };
  return Object.keys(joined).length > 0 ? joined : undefined;
}

function lowest<Name extends string>(
  names: readonly Name[],
  layers: readonly { readonly [Key in Name]?: number | undefined }[],
): { [Key in Name]?: number } {
  const found: { [Key in Name]?: number } = {};
  for (const name of names) {
    const values = layers.flatMap((layer) => layer[name] ?? []);
    if (values.length > 0) found[name] = Math.min(...values);
  }
  return found;
}
