export { compilePattern, type XPathPattern } from "./xpath-pattern.ts";
