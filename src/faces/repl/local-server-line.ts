import { plural } from "@quoll/terminal-text/plural";
import type { LocalServerFound, ScreenProps } from "./repl-props.ts";
import type { ReplState } from "./repl-state.ts";

/** Describes a local model server, and how to use it. */
function localServerLine({ name, provider, address, models }: LocalServerFound): string {
  const [first] = models;
  if (first === undefined) return `${name} answers at ${address}, with no model loaded.`;
  const others = models.length > 1 ? ` (${plural(models.length, "model")} there)` : "";
  return `${name} answers at ${address}${others}: \`/model ${provider}/${first}\` uses this model. Until then, Quoll sends nothing to this server.`;
}

/** Reports local model servers; Quoll uses a server only after the person has chosen it. */
export async function notifyOfLocalServers(
  { findLocalServers }: Pick<ScreenProps, "findLocalServers">,
  state: ReplState,
  ended: AbortSignal,
): Promise<void> {
  const servers = (await findLocalServers?.(ended).catch(() => [])) ?? [];
  for (const server of servers) {
    if (state.hasLeft || state.session.providerName !== "offline") return;
    state.notify("info", localServerLine(server));
  }
}
