import type { Command } from "../contracts/command.ts";

/** Searches all sessions. `--show` shows one match in full; the list of matches types the flag. The code is loaded at the first use. */
export const searchCommand: Command = {
  name: "search",
  summary: "Search everything that was said, in all sessions",
  argumentHint: "<words>",
  needsNoServers: true,
  async run(argument, context) {
    const { runSearch } = await import("./run-search.ts");
    return runSearch(argument, context);
  },
};
