import { once } from "@quoll/async/once";
import { processorMs } from "../../platform/clock.ts";

/** One parser serves every agent of the process. */
export const loadShellParser = once(async () => {
  const [{ loadShellParser: load }, { shellGrammarFiles }] = await Promise.all([
    import("@quoll/bash-syntax/load-parser"),
    import("../../platform/assets.ts"),
  ]);
  return load(await shellGrammarFiles(), processorMs);
});
