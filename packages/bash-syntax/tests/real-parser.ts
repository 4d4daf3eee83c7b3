import { cpuClock } from "../../../tests/support/cpu-clock.ts";
import { loadShellParser } from "../src/load-parser.ts";
import { WASM } from "./wasm.ts";

/** The real grammar, loaded once for the process. */
export const parser = await loadShellParser(WASM, cpuClock());
