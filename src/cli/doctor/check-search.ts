import { wantedModel } from "../../app/choose-model.ts";
import type { ModelAccess } from "../../app/model-access.ts";
import { chooseSearch } from "../../app/session/choose-search.ts";
import type { ProjectEnvironment } from "../../app/session/project-environment.ts";
import { serviceAccess } from "../../app/session/search-access.ts";
import type { Check } from "../../contracts/doctor.ts";
import { errorMessage } from "../../contracts/errors.ts";
import { SEARCH_KEY_VARIABLES, SEARCH_SERVICES } from "../../contracts/search-services.ts";
import { chooseProvider } from "../../services/provider/choose-provider.ts";
import { canSearch } from "../../services/provider/search/search-form.ts";

const NAME = "search";

type Choosing = {
  readonly environment: ProjectEnvironment;
  readonly access: ModelAccess;
  readonly model: string | undefined;
};

/** Says who answers WebSearch, and how to add one. Nothing is searched. */
export async function checkSearch({ environment, access, model }: Choosing): Promise<readonly Check[]> {
  const { settings, env } = environment;
  const { credentials } = access;
  const wish = model === undefined ? {} : { model };
  // A model that can't be chosen is reported in the check of the model.
  const chosen = await chooseProvider(wantedModel(wish, settings), access).catch(() => undefined);
  const endpoint = chosen && "endpoint" in chosen ? chosen.endpoint : undefined;
  const provider = { searchesWeb: endpoint !== undefined && canSearch(endpoint) };
  const choice = await chooseSearch({ settings, provider, env, credentials });
  if (choice === undefined) return [{ name: NAME, level: "unasked", text: "none: WebSearch is not offered", fix: HOW }];
  if (choice === "provider")
    return [{ name: NAME, level: "ok", text: `by requests to ${endpoint?.name}, which bills each search` }];
  try {
    const { service, baseUrl } = await serviceAccess(choice, { environment, credentials, version: "" });
    return [{ name: NAME, level: "ok", text: `by ${service.label} at ${new URL(baseUrl).host}` }];
  } catch (error) {
    return [{ name: NAME, level: "warning", text: `by ${choice}, which can't be asked`, fix: errorMessage(error) }];
  }
}

const VARIABLES = SEARCH_SERVICES.flatMap((name) => SEARCH_KEY_VARIABLES[name][0] ?? []).join(", ");

/** How a person adds a search. */
const HOW = `Use a model of Anthropic, OpenAI, Google, xAI or OpenRouter; or save the key of a search service with \`quoll auth login brave\` (tavily, exa, kagi), or set ${VARIABLES}; or set webSearch.baseUrl to your SearXNG.`;
