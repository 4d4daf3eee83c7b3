import { plural } from "@quoll/terminal-text/plural";
import type { LocalServerFound } from "./repl-props.ts";

/** Describes a local model server, and how to use it. */
export function localServerLine({ name, provider, address, models }: LocalServerFound): string {
  const [first] = models;
  if (first === undefined) return `${name} answers at ${address}, with no model loaded.`;
  const others = models.length > 1 ? ` (${plural(models.length, "model")} there)` : "";
  return `${name} answers at ${address}${others}: \`/model ${provider}/${first}\` uses it. Until then, Quoll sends nothing to this server.`;
}
