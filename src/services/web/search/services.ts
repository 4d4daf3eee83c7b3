import type { SearchServiceName } from "../../../contracts/search-services.ts";
import { brave } from "./brave.ts";
import { exa } from "./exa.ts";
import { kagi } from "./kagi.ts";
import type { SearchService } from "./search-service.ts";
import { searxng } from "./searxng.ts";
import { tavily } from "./tavily.ts";

/** The services that can answer WebSearch instead of the provider. */
export const SERVICES: Readonly<Record<SearchServiceName, SearchService>> = { brave, tavily, exa, kagi, searxng };
