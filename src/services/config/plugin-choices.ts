import type { PluginChoices } from "../../contracts/settings.ts";
import type { SettingsFile } from "../../contracts/settings-schema.ts";

type ChoosingLayer = { readonly value: SettingsFile; readonly isOfProject?: true };

/**
 * The enabled plugins: by the choice of the person or the administrator, otherwise by the project's request.
 * @param layers Lowest first.
 * @returns undefined if no layer makes a choice.
 */
export function pluginChoices(layers: readonly ChoosingLayer[]): PluginChoices | undefined {
  const chosen = layers.filter(({ value }) => value.enabledPlugins ?? value.extraKnownMarketplaces);
  if (chosen.length === 0) return undefined;
  const own = joined(chosen.filter(({ isOfProject }) => !isOfProject));
  const ofProject = joined(chosen.filter(({ isOfProject }) => isOfProject));
  const wished = Object.keys(ofProject).filter((id) => ofProject[id] === true && own[id] === undefined);
  return {
    enabled: Object.keys(own).filter((id) => own[id] === true),
    disabled: Object.keys(own).filter((id) => own[id] === false),
    ofProject: wished,
    marketplaces: Object.assign({}, ...chosen.map(({ value }) => value.extraKnownMarketplaces ?? {})),
  };
}

function joined(layers: readonly ChoosingLayer[]): Readonly<Record<string, boolean>> {
  return Object.assign({}, ...layers.map(({ value }) => value.enabledPlugins ?? {}));
}
