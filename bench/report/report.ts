/** The results as Markdown: a table for each question, then how they stand to what was aimed at. */
import { CONTENDERS, type TableName } from "../cases.ts";
import { aims } from "./aims.ts";
import { figure, markdownTable } from "./figure.ts";
import { machineLines } from "./machine.ts";
import type { Measured } from "./measured.ts";

interface TableSpec {
  readonly title: string;
  readonly note: string;
  /** Heading and name of the figure; scaled by `per`. */
  readonly columns: readonly (readonly [heading: string, figure: string, per?: number])[];
}

const TABLES: Readonly<Record<TableName, TableSpec>> = {
  load: {
    title: "Load with reasoning",
    note: "Patients of 32 triples one by one, each with all inferences before the next; from N-Triples bytes.",
    columns: [
      ["CPU s", "cpuS"],
      ["wall s", "wallS"],
      ["triples per CPU-s", "triplesPerCpuS"],
      ["CPU us per patient, last tenth", "lastPatientUs"],
      ["peak RSS MB", "peakRssMb"],
    ],
  },
  notify: {
    title: "Publish to notify",
    note: "Subscriptions of nine shapes, each publication affects one. CPU us per publication of 32 and of 8 triples; wall us for 32.",
    columns: [
      ["CPU us, 32 triples", "publishUs"],
      ["CPU us, 8 triples", "publish8Us"],
      ["wall p50", "p50Us"],
      ["wall p99", "p99Us"],
      ["CPU us to withdraw 32", "withdrawUs"],
      ["CPU us to register", "registerUs"],
      ["B each", "subscriptionBytes"],
      ["published", "published"],
    ],
  },
  delete: {
    title: "Delete one patient",
    note: "A patient with parents and children, 32 statements and all that followed from them; and one statement of a link.",
    columns: [
      ["CPU us per patient", "patientUs"],
      ["wall p50 us", "p50Us"],
      ["wall max us", "maxUs"],
      ["CPU us per fact", "factUs"],
      ["patients", "deleted"],
    ],
  },
  store: {
    title: "The store alone",
    note: "Per CPU-second, in thousands. Bytes per quad: what the process holds more after a full collection, terms included; in brackets what the relation says of itself.",
    columns: [
      ["k inserts/s", "insertPerS", 1000],
      ["k triples/s from bytes", "loadPerS", 1000],
      ["k rows/s, by predicate", "scanPerS", 1000],
      ["k subjects/s", "subjectsPerS", 1000],
      ["k rows/s, by predicate and object", "objectRowsPerS", 1000],
      ["B per quad", "bytesPerQuad"],
      ["(own count)", "ownBytesPerQuad"],
    ],
  },
  surface: {
    title: "HTTP publish to WebSocket notification",
    note: "Server in a process of its own, one publisher that waits for each notification; wall ms, client included.",
    columns: [
      ["p50 ms", "p50Us", 1000],
      ["p99 ms", "p99Us", 1000],
      ["published", "published"],
    ],
  },
};

export function report(measured: Measured, { quick, seconds }: { readonly quick: boolean; readonly seconds: number }): string {
  const parts = [
    `# Results${quick ? " (quick)" : ""}`,
    [...machineLines(), `- ${measured.length} cases in ${Math.round(seconds)} s`].join("\n"),
  ];
  for (const name of Object.keys(TABLES) as TableName[]) {
    const rows = measured.filter(([benchCase]) => benchCase.table === name);
    if (rows.length > 0) parts.push(`## ${TABLES[name].title}`, TABLES[name].note, table(TABLES[name], rows));
  }
  const reached = aims(measured);
  if (reached.length > 0) parts.push("## Aims", markdownTable(["Aim", "aimed at", "reached", ""], reached));
  return `${parts.join("\n\n")}\n`;
}

function table({ columns }: TableSpec, rows: Measured): string {
  const hasSubscriptions = rows.some(([{ subscriptions }]) => subscriptions !== undefined);
  const sorted = [...rows].sort(([a], [b]) => a.triples - b.triples || (a.subscriptions ?? 0) - (b.subscriptions ?? 0));
  return markdownTable(
    ["", "triples", ...(hasSubscriptions ? ["subscriptions"] : []), ...columns.map(([heading]) => heading), "runs", "answers"],
    sorted.map(([benchCase, { figures, result }]) => [
      CONTENDERS[benchCase.contender] ?? benchCase.contender,
      benchCase.triples.toLocaleString("en-US"),
      ...(hasSubscriptions ? [(benchCase.subscriptions ?? 0).toLocaleString("en-US")] : []),
      ...columns.map(([, name, per = 1]) => figure(figures[name] === undefined ? undefined : figures[name] / per)),
      String(benchCase.runs),
      result,
    ]),
  );
}
