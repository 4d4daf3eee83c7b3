/** The region in which Vertex chooses a location with free capacity. */
export const GLOBAL_REGION = "global";

/** Source: Google's documentation of Vertex, "Multi-region endpoints". */
const MULTI_REGIONS: ReadonlySet<string> = new Set(["us", "eu"]);

/** The host of the cloud's own address, if no address is set. */
export function cloudHost(type: "bedrock" | "vertex", region = GLOBAL_REGION): string {
  if (type === "bedrock") return `bedrock-runtime.${region}.amazonaws.com`;
  if (MULTI_REGIONS.has(region)) return `aiplatform.${region}.rep.googleapis.com`;
  return region === GLOBAL_REGION ? "aiplatform.googleapis.com" : `${region}-aiplatform.googleapis.com`;
}
