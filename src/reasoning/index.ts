export { axiomTerms, installReasoning, ONTOLOGY_LANGUAGES, type OntologyLanguage, type Reasoning, type ReasoningOptions } from "./install.ts";
