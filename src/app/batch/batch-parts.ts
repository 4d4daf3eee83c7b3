import type { OpenedSession } from "../session/opened-session.ts";

/** The parts of a session that its batches need. */
export type BatchParts = Pick<OpenedSession, "main" | "environment" | "spend">;
