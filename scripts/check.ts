/** `npm run check`: types, lint, unused exports and docs, without the tests. Exits 1 if one fails. */
import { runChecks } from "./checks.ts";

const { failed } = await runChecks();
process.exit(failed === 0 ? 0 : 1);
