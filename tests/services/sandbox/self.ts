/** Stands for Quoll's own program: the words under which a sandbox starts it again. */
import {
  BRIDGE_COMMAND,
  INNER_RELAY_COMMAND,
  runBridge,
  runInnerRelay,
} from "../../../src/services/sandbox/io/inner-relay.ts";
import { LANDLOCK_COMMAND } from "../../../src/services/sandbox/io/landlock/landlock-plan.ts";
import { runLandlocked } from "../../../src/services/sandbox/io/landlock/run-landlocked.ts";

const [command, ...rest] = process.argv.slice(2);
if (command === BRIDGE_COMMAND) process.exit(await runBridge(rest));
else if (command === INNER_RELAY_COMMAND) process.exit(await runInnerRelay(rest));
else if (command === LANDLOCK_COMMAND) process.exit(await runLandlocked(rest));
else process.exit(2);
