export { NO_TERM, type TermId, TermKind, type TermTable } from "./term-table.ts";
