/**
 * A process of its own that spends as fast as it can until it is refused: `bun spend-child.ts <folder> <cap> <name> [crash]`.
 * With `crash` it ends itself, by SIGKILL, with requests open.
 */
import { SpendLimitError } from "../../../src/contracts/errors.ts";
import { seededRandom } from "../../support/seeded-random.ts";
import { makeGuard, never, used } from "./support.ts";

const [folder = "", cap = "0", name = "", crash] = process.argv.slice(2);
const random = seededRandom(name.length + name.charCodeAt(0));
const { guard } = makeGuard({ folder, spend: { dayUsd: Number(cap), sessionUsd: 1_000 }, session: name });

async function spendOnce(): Promise<void> {
  const plan = { source: "main", model: "dear", inputTokens: 2_000, maxOutputTokens: 1_000 } as const;
  const reservation = await guard.reserve(plan, never);
  if (crash === "crash" && random.chance(0.1)) process.kill(process.pid, "SIGKILL");
  await Bun.sleep(random.below(3));
  await reservation.settle(used(random.below(2_001), random.below(1_001)));
}

async function spendUntilRefused(): Promise<void> {
  try {
    for (;;) await spendOnce();
  } catch (error) {
    if (!(error instanceof SpendLimitError)) throw error;
  }
}

const ended = await Promise.allSettled([spendUntilRefused(), spendUntilRefused()]);
const failure = ended.find(({ status }) => status === "rejected");
// Nothing may be left of what was not sent: the session's cap comes first.
process.stdout.write(`${failure ? "failed" : "refused"}, ${guard.status()[0]?.held} held\n`);
if (failure?.status === "rejected") throw failure.reason;
