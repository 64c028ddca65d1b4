/**
 * Hash of a term key: MurmurHash3's 32-bit body (Austin Appleby, public domain) over the lexical UTF-8 bytes, seeded with
 * kind and datatype/language, four bytes a step. Never 0, so that 0 can mean "empty" beside an id.
 */
export function hashTerm(meta: number, bytes: Uint8Array, start: number, end: number): number {
  let h = Math.imul(meta, 0x9e3779b1);
  let i = start;
  for (const whole = end - 3; i < whole; i += 4) {
    let k = bytes[i] | (bytes[i + 1] << 8) | (bytes[i + 2] << 16) | (bytes[i + 3] << 24);
    k = Math.imul(k, 0xcc9e2d51);
    k = (k << 15) | (k >>> 17);
    h ^= Math.imul(k, 0x1b873593);
    h = (h << 13) | (h >>> 19);
    h = (Math.imul(h, 5) + 0xe6546b64) | 0;
  }
  if (i < end) {
    let k = bytes[i];
    if (i + 1 < end) k |= bytes[i + 1] << 8;
    if (i + 2 < end) k |= bytes[i + 2] << 16;
    k = Math.imul(k, 0xcc9e2d51);
    k = (k << 15) | (k >>> 17);
    h ^= Math.imul(k, 0x1b873593);
  }
  h ^= end - start;
  h ^= h >>> 16;
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  h ^= h >>> 16;
  return h === 0 ? 1 : h;
}
