/**
 * The folder list is the architecture. `MAY_IMPORT` says, for each folder of src/, which other folders it may import; type-only
 * imports count. From outside a folder only its index.ts is imported. There are no cycles, and the engine does no I/O.
 */
const KNOWLEDGE = ["base", "rdf", "engine", "sparql", "reasoning"];
const MAY_IMPORT = {
  base: [],
  rdf: ["base"],
  engine: ["base"],
  sparql: ["base", "rdf", "engine"],
  reasoning: ["base", "rdf", "engine", "sparql"],
  protocol: ["base", "rdf"],
  events: [...KNOWLEDGE, "protocol", "storage"],
  storage: ["base", "rdf"],
  client: ["base", "rdf", "protocol"],
  server: [...KNOWLEDGE, "protocol", "events", "storage", "lila", "discovery", "streams", "cluster", "console"],
  cli: ["base", "server", "client"],
  lila: [...KNOWLEDGE, "protocol", "events"],
  discovery: [...KNOWLEDGE, "protocol", "events"],
  streams: [...KNOWLEDGE, "protocol", "events"],
  cluster: [...KNOWLEDGE, "protocol", "events", "storage"],
  console: [...KNOWLEDGE, "protocol", "events"],
};

/** Tests and their fixtures. */
const TEST = "\\.(test|fixture)\\.ts$";
const folders = Object.keys(MAY_IMPORT);

const layers = folders.flatMap((folder) => {
  const allowed = `^src/(${[folder, ...MAY_IMPORT[folder]].join("|")})/`;
  const comment = `src/${folder} may import ${MAY_IMPORT[folder].join(", ") || "nothing of ours"}`;
  const ours = "^(src|test|bench|examples|scripts)/";
  return [
    {
      name: `layer-${folder}`,
      comment: `${comment}.`,
      severity: "error",
      from: { path: `^src/${folder}/`, pathNot: TEST },
      to: { path: ours, pathNot: allowed },
    },
    {
      name: `layer-${folder}-tests`,
      comment: `${comment}; its tests also what tests share, and a log to write to.`,
      severity: "error",
      from: { path: `^src/${folder}/.*${TEST}` },
      to: { path: ours, pathNot: [allowed, "^test/", "^src/storage/"] },
    },
  ];
});

export default {
  forbidden: [
    ...layers,
    {
      name: "known-folder",
      comment: "A new folder of src/ needs a line in MAY_IMPORT.",
      severity: "error",
      from: { path: `^src/(?!(${folders.join("|")})/)[^/]+/` },
      to: {},
    },
    {
      name: "only-the-index",
      comment: "From outside a folder import its index.ts, which is its whole outside surface.",
      severity: "error",
      from: { path: "^src/([^/]+)/" },
      to: { path: "^src/[^/]+/", pathNot: ["^src/$1/", "^src/[^/]+/index\\.ts$"] },
    },
    {
      name: "only-the-index-from-outside-src",
      comment: "The package root, benchmarks, scripts and examples import the index.ts of a folder.",
      severity: "error",
      from: { path: "^(src/[^/]+\\.ts$|(bench|scripts|examples)/)" },
      to: { path: "^src/[^/]+/", pathNot: "^src/[^/]+/index\\.ts$" },
    },
    {
      name: "only-an-index-from-tests",
      comment: "Tests import an index.ts; that of a subfolder too, for oracles are built from parts (the evaluator of expressions).",
      severity: "error",
      from: { path: "^test/" },
      to: { path: "^src/[^/]+/", pathNot: "^src/.+/index\\.ts$" },
    },
    { name: "no-cycle", comment: "The shared noun belongs one layer down.", severity: "error", from: {}, to: { circular: true } },
    {
      name: "engine-without-io",
      comment: "The engine is synchronous and deterministic: no module of Node and no package.",
      severity: "error",
      from: { path: "^src/engine/", pathNot: TEST },
      to: { dependencyTypes: ["core", "npm", "npm-dev"] },
    },
    {
      name: "no-test-in-product",
      comment: "Product code does not import tests and their fixtures.",
      severity: "error",
      from: { path: "^src/", pathNot: TEST },
      to: { path: TEST },
    },
    {
      name: "no-dev-dependency-in-product",
      comment: "What src/ needs at run time is a dependency, not a devDependency.",
      severity: "error",
      from: { path: "^src/", pathNot: TEST },
      to: { dependencyTypes: ["npm-dev"], dependencyTypesNot: ["type-only", "npm"], pathNot: "node_modules/@types/" },
    },
    {
      name: "resolvable",
      comment: "The import does not lead to a file or an installed package.",
      severity: "error",
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "^(dist|reports)/" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    detectProcessBuiltinModuleCalls: true,
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "types", "node", "default"] },
  },
};
