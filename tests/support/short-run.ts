/**
 * The environment of a process that ends soon: JavaScriptCore compiles less to machine code, which saves a fifth of the processor
 * time of such a run, and freed memory is kept for the next use instead of given back and taken again, which saves up to a third.
 * Results don't depend on it.
 */
export const SHORT_RUN = {
  MIMALLOC_PURGE_DELAY: "-1",
  BUN_JSC_thresholdForJITAfterWarmUp: "5000",
  BUN_JSC_thresholdForOptimizeAfterWarmUp: "10000",
};

/**
 * The same for the program under test, most runs of which end within a second. The wasm of the shell's grammar is not compiled a
 * second time.
 */
export const SHORT_PROGRAM = {
  MIMALLOC_PURGE_DELAY: "-1",
  BUN_JSC_useBBQJIT: "0",
  BUN_JSC_thresholdForJITAfterWarmUp: "20000",
  BUN_JSC_thresholdForOptimizeAfterWarmUp: "40000",
};
