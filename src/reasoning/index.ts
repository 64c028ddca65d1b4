export { type ExplainOptions, explain, type ProofTree } from "./explain.ts";
export { axiomTerms, installReasoning, type OntologyLanguage, type Reasoning, type ReasoningOptions } from "./install.ts";
export { type CompiledRules, type CompileOptions, compileRules, type InstalledRules, RuleDocuments } from "./rule-documents.ts";
