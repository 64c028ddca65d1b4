/** Entries of the public RDF suites that are not run, by suite and name, with the reason. The list may only shrink. */
export const RDF_SUITE_SKIPS: Readonly<Record<string, string>> = {
  "parser language_normalization_xml": "the attribute name `foo:=` is not well-formed by Namespaces in XML",
  "good test-boolish-prefix": "N3.js 2.13 reads the prefix `false.ish:` as a boolean",
  "toRdf tdi09": "the rdfDirection option (i18n-datatype) is not offered",
  "toRdf tdi11": "the rdfDirection option (compound-literal) is not offered",
  "toRdf tdi12": "the rdfDirection option (compound-literal) is not offered",
};
