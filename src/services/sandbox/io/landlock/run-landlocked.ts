import { readFileSync } from "node:fs";
import { printProblem } from "../../../../platform/host.ts";
import { kernelNumbers } from "./kernel-numbers.ts";
import { LANDLOCK_PROBE, type LandlockPlan } from "./landlock-plan.ts";
import { nativeCalls } from "./native-calls.ts";
import { restrictSelf } from "./restrict-self.ts";

/** Exit code of a shell for a program that could not be started. */
const CANNOT_START = 126;

/**
 * Confines this process and executes the planned program. Never returns on success.
 * @param args One element: the path of a plan, or `--probe`.
 * @returns the exit code: 0 after a probe that passed, 126 when nothing was run.
 */
export async function runLandlocked(args: readonly string[]): Promise<number> {
  try {
    const [what, ...rest] = args;
    if (what === undefined || rest.length > 0) throw new Error("it is for Quoll's own use");
    const isProbe = what === LANDLOCK_PROBE;
    const plan = isProbe ? undefined : (JSON.parse(readFileSync(what, "utf8")) as LandlockPlan);
    const kernel = kernelNumbers(process.arch);
    if (!kernel) throw new Error(`the architecture ${process.arch} is not known`);
    const native = await nativeCalls();
    // Change the folder before dropping rights, since it may be inaccessible afterwards.
    if (plan) process.chdir(plan.cwd);
    restrictSelf(native, kernel, plan?.rules ?? []);
    if (!plan) return 0;
    native.execute(plan.file, [plan.file, ...plan.args], plan.env);
    printProblem(`${plan.file} could not be executed in the sandbox.`);
  } catch (error) {
    printProblem(`the sandbox could not be set up (${(error as Error).message}).`);
  }
  return CANNOT_START;
}
