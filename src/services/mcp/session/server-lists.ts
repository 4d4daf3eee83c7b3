import { oneLine } from "@quoll/terminal-text/one-line";
import { z } from "zod";
import { errorMessage } from "../../../contracts/errors.ts";
import type { McpPrompt, McpResource, McpResourceTemplate } from "../../../contracts/mcp.ts";
import type { ClientSession } from "./client-session.ts";
import { listPages } from "./list-pages.ts";

/** Entries of one list. */
const MAX_ENTRIES = 5_000;
const MAX_NAME_COLUMNS = 120;
const MAX_DESCRIPTION_COLUMNS = 500;
const MAX_URI_CHARS = 4_096;
const MAX_ARGUMENTS = 50;

const line = (columns: number) =>
  z
    .string()
    .transform((text) => oneLine(text, columns))
    .optional()
    .catch(undefined);
/** Texts with control characters can't be shown or typed. */
const address = z
  .string()
  .min(1)
  .max(MAX_URI_CHARS)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is refused
  .regex(/^[^\u0000-\u001f\u007f]+$/);
const fields = {
  name: line(MAX_NAME_COLUMNS),
  title: line(MAX_NAME_COLUMNS),
  description: line(MAX_DESCRIPTION_COLUMNS),
  mimeType: line(MAX_NAME_COLUMNS),
};
const resourceSchema = z.object({ ...fields, uri: address, size: z.number().optional().catch(undefined) });
const templateSchema = z.object({ ...fields, uriTemplate: address });
const promptSchema = z.object({
  ...fields,
  name: address,
  arguments: z
    .array(
      z.object({
        name: z.string().min(1),
        description: line(MAX_DESCRIPTION_COLUMNS),
        required: z.boolean().optional().catch(undefined),
      }),
    )
    .max(MAX_ARGUMENTS)
    .catch([])
    .default([]),
});

type ListName = "resources" | "templates" | "prompts";
const METHODS = {
  resources: { method: "resources/list", key: "resources" },
  templates: { method: "resources/templates/list", key: "resourceTemplates" },
  prompts: { method: "prompts/list", key: "prompts" },
} as const satisfies Record<ListName, { method: string; key: string }>;
const pageSchema = z.looseObject({ nextCursor: z.string().optional().catch(undefined) });

/** The last lists of resources and prompts of one server. */
export class ServerLists {
  readonly #server: string;
  readonly #onChanged: () => void;
  #resources: readonly McpResource[] = [];
  #templates: readonly McpResourceTemplate[] = [];
  #prompts: readonly McpPrompt[] = [];
  #reading: Promise<void> | undefined;
  readonly #stale = new Set<ListName>();
  readonly #problems = new Map<ListName, string>();

  constructor(server: string, onChanged: () => void) {
    this.#server = server;
    this.#onChanged = onChanged;
  }

  get resources(): readonly McpResource[] {
    return this.#resources;
  }

  get templates(): readonly McpResourceTemplate[] {
    return this.#templates;
  }

  get prompts(): readonly McpPrompt[] {
    return this.#prompts;
  }

  /** For the server's state. */
  get counts(): { readonly resources?: number; readonly prompts?: number } {
    const resources = this.#resources.length + this.#templates.length;
    const prompts = this.#prompts.length;
    return { ...(resources > 0 && { resources }), ...(prompts > 0 && { prompts }) };
  }

  /** The reasons why a list could not be read, one line each. */
  get notes(): readonly string[] {
    return [...this.#problems.values()];
  }

  /** Resolves when no list is being read any more; undefined if none is being read. */
  get reading(): Promise<void> | undefined {
    return this.#reading;
  }

  /** Reads lists, or reads them again. Never rejects. */
  read(names: readonly ListName[], session: ClientSession, signal: AbortSignal): Promise<void> {
    for (const name of names) this.#stale.add(name);
    this.#reading ??= this.#readAll(session, signal).finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  /** Reads the lists that the server offers; undefined if it offers none. Never rejects. */
  readOffered(session: ClientSession, signal: AbortSignal): Promise<void> | undefined {
    const { resources, prompts } = session.offers;
    const names = [
      ...(resources ? (["resources", "templates"] as const) : []),
      ...(prompts ? (["prompts"] as const) : []),
    ];
    return names.length === 0 ? undefined : this.read(names, session, signal);
  }

  clear(): void {
    this.#resources = [];
    this.#templates = [];
    this.#prompts = [];
    this.#problems.clear();
  }

  async #readAll(session: ClientSession, signal: AbortSignal): Promise<void> {
    while (this.#stale.size > 0 && !signal.aborted) {
      const names = [...this.#stale];
      this.#stale.clear();
      await Promise.all(names.map((name) => this.#readOne(name, session, signal)));
      this.#onChanged();
    }
  }

  async #readOne(name: ListName, session: ClientSession, signal: AbortSignal): Promise<void> {
    const { method, key } = METHODS[name];
    try {
      const items = await listPages(async (params) => {
        const page = await session.request({ method, params }, pageSchema, signal);
        return { items: z.array(z.unknown()).catch([]).parse(page[key]), nextCursor: page.nextCursor };
      }, MAX_ENTRIES);
      this.#take(name, items.slice(0, MAX_ENTRIES));
      this.#problems.delete(name);
    } catch (error) {
      // Many servers announce resources but do not support templates.
      if (name !== "templates") this.#problems.set(name, `its ${name} could not be listed: ${errorMessage(error)}`);
    }
  }

  #take(name: ListName, items: readonly unknown[]): void {
    const server = this.#server;
    if (name === "prompts") {
      this.#prompts = valid(promptSchema, items).map(({ name: own, arguments: listed, ...about }) => ({
        server,
        ...described(about),
        name: own,
        arguments: listed.map(({ name: argument, description, required = false }) => ({
          name: argument,
          isRequired: required,
          ...(description !== undefined && { description }),
        })),
      }));
    } else if (name === "resources") {
      this.#resources = valid(resourceSchema, items).map(({ uri, size, ...about }) => ({
        server,
        uri,
        name: about.name ?? uri,
        ...described(about),
        ...(size !== undefined && { size }),
      }));
    } else {
      this.#templates = valid(templateSchema, items).map(({ uriTemplate, ...about }) => ({
        server,
        uriTemplate,
        name: about.name ?? uriTemplate,
        ...described(about),
      }));
    }
  }
}

type Described = Partial<Record<"title" | "description" | "mimeType", string | undefined>>;

function described({ title, description = title, mimeType }: Described) {
  return { ...(description !== undefined && { description }), ...(mimeType !== undefined && { mimeType }) };
}

function valid<Schema extends z.ZodType>(schema: Schema, items: readonly unknown[]): readonly z.infer<Schema>[] {
  return items.flatMap((item) => {
    const parsed = schema.safeParse(item);
    return parsed.success ? [parsed.data] : [];
  });
}
