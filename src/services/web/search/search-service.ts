import type { WebResult, WebSearchQuery } from "../../../contracts/web.ts";

/** The results that are asked for. */
export const WANTED_RESULTS = 10;

export type ServiceRequest = {
  /** Below the address of the service. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON for a POST; a GET without it. */
  readonly body?: Readonly<Record<string, unknown>>;
};

export type ServiceAnswer = {
  readonly results: readonly WebResult[];
  /** US dollars, if the service says it. */
  readonly costUsd?: number;
};

/** The API of one service. */
export type SearchService = {
  readonly label: string;
  /** Undefined if every person has an own address. */
  readonly baseUrl?: string;
  readonly needsKey: boolean;
  request(query: WebSearchQuery, key: string): ServiceRequest;
  /** Undefined if the answer has not the documented form. */
  read(answer: unknown): ServiceAnswer | undefined;
  /** What a status means that has another meaning here than elsewhere, as a sentence. */
  readonly statuses?: Readonly<Record<number, string>>;
};
