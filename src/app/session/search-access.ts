import { ToolFailedError } from "../../contracts/errors.ts";
import { SEARCH_KEY_VARIABLES, type SearchServiceName } from "../../contracts/search-services.ts";
import type { ServiceAccess } from "../../services/web/io/ask-service.ts";
import { SERVICES } from "../../services/web/search/services.ts";
import type { ProjectEnvironment } from "./project-environment.ts";

type AccessParts = {
  readonly environment: Pick<ProjectEnvironment, "env" | "settings">;
  readonly credentials: {
    lookup(name: string): Promise<{ readonly key?: string; readonly endpoint?: string } | undefined>;
  };
  readonly version: string;
};

/**
 * The address and the key of a service.
 * @throws {ToolFailedError} one is missing, with how to add it.
 * @throws {UserFacingError} the saved keys can't be read.
 */
export async function serviceAccess(
  name: SearchServiceName,
  { environment, credentials, version }: AccessParts,
): Promise<ServiceAccess> {
  const service = SERVICES[name];
  const found = await credentials.lookup(name);
  const remedy = keyRemedy(name);
  const { settings, env } = environment;
  const { service: named = "searxng", baseUrl: own } = settings.webSearch ?? {};
  const baseUrl = (named === name ? own : undefined) ?? found?.endpoint ?? service.baseUrl;
  if (baseUrl === undefined)
    throw new ToolFailedError(`${service.label} has no address. A person can set webSearch.baseUrl in the settings.`);
  if (service.needsKey && found?.key === undefined)
    throw new ToolFailedError(`There is no key for ${service.label}. A person can add one: ${remedy}.`);
  return {
    service,
    baseUrl: baseUrl.replace(/\/+$/, ""),
    key: found?.key ?? "",
    remedy,
    environment: { ...env, ...settings.env },
    userAgent: `Quoll/${version}`,
  };
}

export function keyRemedy(name: SearchServiceName): string {
  const [variable] = SEARCH_KEY_VARIABLES[name];
  return `${variable === undefined ? "" : `set ${variable} or `}run "quoll auth login ${name}"`;
}
