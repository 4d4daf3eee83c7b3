/**
 * The environment of a process that ends soon: JavaScriptCore compiles less to machine code, which saves a fifth of the processor
 * time of such a run. Results don't depend on it.
 */
export const SHORT_RUN = {
  BUN_JSC_thresholdForJITAfterWarmUp: "5000",
  BUN_JSC_thresholdForOptimizeAfterWarmUp: "10000",
};

/**
 * The same for the program under test, most runs of which end within a second. The wasm of the shell's grammar is not compiled a
 * second time, and freed memory is not given back page by page.
 */
export const SHORT_PROGRAM = {
  BUN_JSC_useBBQJIT: "0",
  MIMALLOC_PURGE_DELAY: "-1",
  BUN_JSC_thresholdForJITAfterWarmUp: "20000",
  BUN_JSC_thresholdForOptimizeAfterWarmUp: "40000",
};
