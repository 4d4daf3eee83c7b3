import { lazy } from "@quoll/async/lazy";
import type { DocumentReader } from "../../contracts/documents.ts";
import type { WebReader } from "../../contracts/web.ts";
import { systemClock } from "../../platform/clock.ts";
import { selfCommand } from "../../platform/host.ts";
import type { ProjectEnvironment } from "./project-environment.ts";

/** The readers of web pages and of documents that the agents of a session share, each loaded at its first use. */
export type SessionWeb = {
  /** True if somebody can search the web when the session begins. */
  readonly searches: boolean;
  reader(): Promise<WebReader>;
  documents(): Promise<DocumentReader>;
};

export function sessionWeb(
  { env, settings, workspace }: Pick<ProjectEnvironment, "env" | "settings" | "workspace">,
  version: string,
  searches: boolean,
): SessionWeb {
  const environment = { ...env, ...settings.env };
  const documents = lazy(async () => {
    const { createDocumentReader } = await import("../../services/documents/create-document-reader.ts");
    const isTrusted = (file: string) => !workspace.contains(file);
    return createDocumentReader({ environment, isTrusted, selfCommand: selfCommand() });
  });
  return {
    searches,
    documents,
    reader: lazy(async () => {
      const { createWebReader } = await import("../../services/web/create-web-reader.ts");
      const userAgent = `Quoll/${version}`;
      return createWebReader({ clock: systemClock, environment, userAgent, documents, selfCommand: selfCommand() });
    }),
  };
}
