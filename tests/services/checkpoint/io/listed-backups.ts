import { BackupIndex } from "../../../../src/services/checkpoint/io/backup-index.ts";
import { knownBackups } from "../../../../src/services/checkpoint/io/known-backups.ts";
import { backupReader } from "../../../../src/services/guard/read-backups.ts";

/** Lists backups in a process of its own, which a test kills. Arguments: the folders of checkpoints, backups, project. */
const [, , checkpoints = "", backups = "", projectRoot = ""] = process.argv;
const reader = backupReader({ backups, projectRoot, environment: process.env });
const found = await knownBackups(new BackupIndex(checkpoints), reader, new AbortController().signal);
process.stdout.write(found.map(({ id }) => `${id}\n`).join(""));
