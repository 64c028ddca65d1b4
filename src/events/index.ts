export { createKnowledgeBase, type KnowledgeBaseOptions } from "./knowledge-base.ts";
