/** Bodies of requests: RDF documents, queries as text or forms, JSON objects. Decoded whole and fatally. */
import type { FastifyRequest } from "fastify";
import { quoteInput, SensError } from "../base/index.ts";
import { type JsonValue, parseJsonObject } from "../protocol/index.ts";
import { type ContentType, decodeBody, iriFault, parseContentType, RDF_FORMATS, rdfFormat } from "../rdf/index.ts";
import { Parameters } from "./parameters.ts";

export const FORM_TYPE = "application/x-www-form-urlencoded";
export const QUERY_TYPE = "application/sparql-query";
export const UPDATE_TYPE = "application/sparql-update";
const NO_BYTES = new Uint8Array(0);

export function bodyBytes(request: FastifyRequest): Uint8Array {
  return Buffer.isBuffer(request.body) ? request.body : NO_BYTES;
}

export function bodyText(request: FastifyRequest): string {
  return decodeBody(bodyBytes(request));
}

/** Throws SENS_UNSUPPORTED_MEDIA_TYPE when there is none, it is not one, or it states a charset other than UTF-8. */
export function contentTypeOf(request: FastifyRequest, wanted: string): ContentType {
  const header = request.headers["content-type"];
  if (header === undefined || header.trim() === "") {
    throw new SensError("SENS_UNSUPPORTED_MEDIA_TYPE", `The Content-Type is missing. Send ${wanted}.`);
  }
  return parseContentType(header);
}

export interface RdfBody {
  readonly data: Uint8Array;
  readonly contentType: string;
}

const RDF_TYPES = RDF_FORMATS.filter((format) => format.canParse).map((format) => format.mediaType);

/** An RDF document; `alsoAllowed` are further media types the route takes. */
export function rdfBody(request: FastifyRequest, alsoAllowed: readonly string[] = [], types: readonly string[] = RDF_TYPES): RdfBody {
  const allowed = [...types, ...alsoAllowed];
  const { type } = contentTypeOf(request, `one of ${allowed.join(", ")}`);
  if (!allowed.includes(type) || (rdfFormat(type)?.canParse === false && !alsoAllowed.includes(type))) {
    throw new SensError(
      "SENS_UNSUPPORTED_MEDIA_TYPE",
      `The Content-Type ${quoteInput(type)} is not taken here. Send one of ${allowed.join(", ")}.`,
    );
  }
  return { data: bodyBytes(request), contentType: type };
}

/** A JSON object. */
export function jsonBody(request: FastifyRequest): { readonly [key: string]: JsonValue } {
  const { type } = contentTypeOf(request, "application/json");
  if (type !== "application/json") {
    throw new SensError("SENS_UNSUPPORTED_MEDIA_TYPE", `The Content-Type ${quoteInput(type)} is not taken here. Send application/json.`);
  }
  return parseJsonObject(bodyText(request));
}

/** A query sent as `application/sparql-query`, or as the field `query` of a form whose other fields are parameters. */
export function queryBody(request: FastifyRequest, names: readonly string[]): { readonly query: string; readonly parameters: Parameters } {
  const url = Parameters.ofUrl(request.raw.url ?? "");
  const { type } = contentTypeOf(request, `${QUERY_TYPE} or ${FORM_TYPE}`);
  if (type === QUERY_TYPE) return { query: bodyText(request), parameters: url.only(...names) };
  if (type !== FORM_TYPE) {
    throw new SensError("SENS_UNSUPPORTED_MEDIA_TYPE", `The Content-Type ${quoteInput(type)} is not taken here. Send ${QUERY_TYPE}.`);
  }
  const parameters = formOf(request).only("query", ...names);
  return { query: required(parameters.one("query"), "query"), parameters };
}

/** The fields of a form body together with the parameters of the address; what is in both counts as repeated. */
export function formOf(request: FastifyRequest): Parameters {
  const text = bodyText(request);
  const url = request.raw.url ?? "";
  const query = url.includes("?") ? url.slice(url.indexOf("?") + 1) : "";
  return new Parameters(query === "" ? text : `${query}&${text}`);
}

export function required(value: string | undefined, name: string): string {
  if (value === undefined) throw new SensError("SENS_BAD_REQUEST", `The parameter "${name}" is missing.`);
  return value;
}

/** The IRI of a graph parameter. Throws SENS_IRI, SENS_RELATIVE_IRI or SENS_IRI_TOO_LONG. */
export function graphIri(value: string | undefined, name = "graph"): string | undefined {
  if (value === undefined) return undefined;
  const fault = iriFault(value);
  if (fault) throw new SensError(fault.code, `The parameter "${name}": ${fault.message}`);
  return value;
}
