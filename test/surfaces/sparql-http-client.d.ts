/** What the tests use of sparql-http-client, which ships no types. */
declare module "sparql-http-client/ParsingClient.js" {
  import type * as RDF from "@rdfjs/types";

  interface QueryOptions {
    readonly operation?: "get" | "postUrlencoded" | "postDirect";
  }
  // biome-ignore lint/style/noDefaultExport: the package has one
  export default class ParsingClient {
    constructor(options: { readonly endpointUrl: string; readonly updateUrl?: string });
    readonly query: {
      select(query: string, options?: QueryOptions): Promise<readonly Readonly<Record<string, RDF.Term>>[]>;
      construct(query: string, options?: QueryOptions): Promise<Iterable<RDF.Quad>>;
      ask(query: string, options?: QueryOptions): Promise<boolean>;
      update(update: string, options?: QueryOptions): Promise<void>;
    };
  }
}

declare module "sparql-http-client/StreamClient.js" {
  import type { Readable } from "node:stream";
  import type * as RDF from "@rdfjs/types";
  // biome-ignore lint/style/noDefaultExport: the package has one
  export default class StreamClient {
    constructor(options: { readonly endpointUrl?: string; readonly storeUrl: string });
    readonly store: {
      get(graph: RDF.NamedNode): Promise<AsyncIterable<RDF.Quad>> | AsyncIterable<RDF.Quad>;
      put(stream: Readable, options?: { readonly graph?: RDF.Term }): Promise<void>;
      post(stream: Readable, options?: { readonly graph?: RDF.Term }): Promise<void>;
    };
  }
}
