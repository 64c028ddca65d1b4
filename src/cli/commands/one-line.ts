/** A query as a field of a line. */
export function oneLine(query: string): string {
  return query.trim().replace(/\s+/g, " ");
}
