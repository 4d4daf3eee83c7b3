import { anyString, arrayOf, isObject, type Problem, problemsOf } from "../../shape.ts";

/** Fields of the Messages API that other platforms don't offer. Source: Anthropic's API reference and its pages on each platform. */
const CLAUDE_API_ONLY: readonly string[] = [
  "service_tier",
  "speed",
  "inference_geo",
  "container",
  "mcp_servers",
  "diagnostics",
  "workspace_id",
];

/** The differences between a platform and the Messages API. */
export type Platform = {
  readonly name: string;
  /**
   * The platform's own `anthropic_version` in the body. The platform's published client sends the API's value,
   * which is a date.
   */
  readonly version: string;
  /** Fields that a platform expects elsewhere, each with its place: `the path`. */
  readonly moved: Readonly<Record<string, string>>;
};

type PlatformBody =
  | { readonly fields: Readonly<Record<string, unknown>>; readonly betas: readonly string[] }
  /** At least one. */
  | { readonly problems: readonly Problem[] };

const API_VERSION = /^\d{4}-\d{2}-\d{2}$/;
const isApiVersion = (version: unknown) => typeof version === "string" && API_VERSION.test(version);

/**
 * Removes a platform's own fields from a body. The rest is a request of the Messages API, except for the fields that
 * the platform expects elsewhere.
 */
export function readPlatformBody(body: unknown, { name, version, moved }: Platform): PlatformBody {
  if (!isObject(body)) return { problems: [{ where: "", message: "the body must be an object" }] };
  const { anthropic_version: given, anthropic_beta: betas, ...fields } = body;
  const problems = problemsOf((report) => {
    if (given === undefined) report("anthropic_version", "is required");
    else if (given !== version && !isApiVersion(given))
      report(
        "anthropic_version",
        `${JSON.stringify(given)} is not supported here, only "${version}" or a version of the API`,
      );
    if (betas !== undefined) arrayOf(anyString)(betas, "anthropic_beta", report);
    for (const field of Object.keys(fields)) {
      if (Object.hasOwn(moved, field)) report(field, `extraneous key: it stands in ${moved[field]}`);
      else if (CLAUDE_API_ONLY.includes(field)) report(field, `is not available on ${name}`);
    }
  });
  return problems.length > 0 ? { problems } : { fields, betas: (betas ?? []) as readonly string[] };
}
