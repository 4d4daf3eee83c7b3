import { errorMessage, ToolFailedError } from "../../contracts/errors.ts";
import { NO_USAGE } from "../../contracts/message.ts";
import { SEARCH_MODEL_PREFIX, type SearchServiceName } from "../../contracts/search-services.ts";
import type { WebSearchAnswer, WebSearchQuery, WebSearchReport } from "../../contracts/web.ts";
import {
  MAX_SEARCH_ANSWER_TOKENS,
  RESERVED_SEARCHES,
  SEARCH_INPUT_TOKENS,
  searchQuestion,
} from "../../services/provider/search/search-form.ts";
import type { WebSearchDeps } from "../../services/tools/web-search/web-search.ts";
import { askService } from "../../services/web/io/ask-service.ts";
import { resolveRedirects } from "../../services/web/io/resolve-redirects.ts";
import { cleanReport } from "../../services/web/search/clean-report.ts";
import { SERVICES } from "../../services/web/search/services.ts";
import { chooseSearch } from "../session/choose-search.ts";
import { serviceAccess } from "../session/search-access.ts";
import type { AgentParts } from "./agent-parts.ts";
import { askWebModel, type WebAsker } from "./ask-web-model.ts";

/** The searches of one turn of an agent. */
export const MAX_SEARCHES_PER_TURN = 20;

type Searcher = WebAsker & Pick<AgentParts, "environment">;

type Found = WebSearchReport & Pick<WebSearchAnswer, "by" | "model">;

/**
 * Searches the web for an agent: by a side request to its provider, or by a service.
 * @param made The searches of the turn; set to 0 at the end of each turn.
 */
export function webSearcher(agent: Searcher, made: { inTurn: number }): Omit<WebSearchDeps, "redactor"> {
  return {
    searcher: async () => {
      const choice = await chosen(agent);
      return choice === "provider" ? `the search of ${agent.state.model.provider.name}` : SERVICES[choice].label;
    },
    search: async (query, signal) => {
      const choice = await chosen(agent);
      if (made.inTurn >= MAX_SEARCHES_PER_TURN)
        throw new ToolFailedError(
          `This turn has made ${MAX_SEARCHES_PER_TURN} searches, the most that it may. Work with what was found.`,
        );
      made.inTurn += 1;
      try {
        const found = await (choice === "provider"
          ? byProvider(agent, query, signal)
          : byService(choice, agent, query, signal));
        const { by, model, ...report } = found;
        return { ...cleanReport(report, query), by, ...(model !== undefined && { model }) };
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof ToolFailedError) throw error;
        throw new ToolFailedError(`The search failed: ${errorMessage(error)}`, { cause: error });
      }
    },
  };
}

/** @throws {ToolFailedError} nobody can search, for example after a change of the model. */
async function chosen({ session, environment, state }: Searcher) {
  const { settings, env } = environment;
  const { credentials } = session.access;
  const choice = await chooseSearch({ settings, provider: state.model.provider, env, credentials });
  if (choice !== undefined) return choice;
  throw new ToolFailedError(
    `The provider ${state.model.provider.name} has no web search. A person can add a search service: "quoll doctor" says how.`,
  );
}

async function byProvider(agent: Searcher, query: WebSearchQuery, signal: AbortSignal): Promise<Found> {
  let report: WebSearchReport | undefined;
  const webSearch = {
    ...query,
    found: (told: WebSearchReport) => {
      report = told;
    },
  };
  const costs = { searches: RESERVED_SEARCHES, inputTokens: SEARCH_INPUT_TOKENS };
  const question = { ...searchQuestion(query), ...costs, webSearch, maxTokens: MAX_SEARCH_ANSWER_TOKENS };
  const { model } = await askWebModel(agent, question, signal);
  const by = `the search of ${agent.state.model.provider.name}`;
  if (report === undefined || (report.searches === 0 && report.results.length === 0 && report.fault === undefined))
    throw new ToolFailedError(`${model} answered without a search. Try again with other words.`);
  const { env, settings } = agent.environment;
  const results = await resolveRedirects(report.results, { ...env, ...settings.env }, signal);
  return { ...report, results, by, model };
}

async function byService(
  name: SearchServiceName,
  { session: { app, access }, environment, spend }: Searcher,
  query: WebSearchQuery,
  signal: AbortSignal,
): Promise<Found> {
  const opened = await serviceAccess(name, {
    environment,
    credentials: access.credentials,
    version: app.version,
  });
  const model = `${SEARCH_MODEL_PREFIX}${name}`;
  const plan = { source: "web", model, provider: name, inputTokens: 0, maxOutputTokens: 0, webSearches: 1 } as const;
  const held = await spend.reserve(plan, signal);
  let usage: typeof NO_USAGE | undefined;
  try {
    const { results, costUsd } = await askService(query, opened, signal);
    usage = { ...NO_USAGE, webSearches: 1, ...(costUsd !== undefined && { costUsd }) };
    return { results, text: "", searches: 1, by: opened.service.label };
  } finally {
    await held.settle(usage);
  }
}
