import { lazy } from "@quoll/async/lazy";
import { processorMs } from "../../platform/clock.ts";

/** One parser serves every agent of the process. */
export const loadShellParser = lazy(async () => {
  const [{ loadShellParser: load }, { shellGrammarFiles }] = await Promise.all([
    import("@quoll/bash-syntax/load-parser"),
    import("../../platform/assets.ts"),
  ]);
  return load(await shellGrammarFiles(), processorMs);
});
