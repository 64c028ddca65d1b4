/**
 * Patients as N-Triples documents of 32 triples, kept as bytes in one buffer: a million triples held as JavaScript
 * strings would make the garbage collector a part of every figure.
 */
import type { Person } from "./people.ts";
import { SeededNumbers } from "./random.ts";
import { iri, literal, TYPE } from "./vocabulary.ts";

export const TRIPLES_PER_PATIENT = 32;

/** Sizes of the pools that attribute values are drawn from. */
export const POOLS = { City: 200, Doctor: 500, Hospital: 20, Insurer: 10, Job: 100, ICD: 500, Allergen: 50, Drug: 300 } as const;

/** Predicate and object of one triple of a patient. */
export type Attribute = readonly [predicate: string, object: string];

export class Documents {
  /** diagnoses.get(i): patients with diagnosis `ICD{i}`. */
  readonly diagnoses = new Map<number, number>();
  readonly #bytes: Buffer;
  readonly #ends: number[] = [];

  constructor(patients: readonly Person[], seed = 77) {
    const random = new SeededNumbers(seed);
    let bytes = Buffer.allocUnsafeSlow(patients.length * 3800 + 10_000);
    let end = 0;
    for (const patient of patients) {
      const text = documentOf(patient.name, this.#attributesOf(patient, random));
      if (end + text.length > bytes.length) bytes = Buffer.concat([bytes], Math.ceil(bytes.length * 1.5));
      end += bytes.write(text, end, "latin1");
      this.#ends.push(end);
    }
    this.#bytes = bytes;
  }

  get count(): number {
    return this.#ends.length;
  }

  /** The document of one patient; a view, not a copy. */
  at(index: number): Buffer {
    return this.#bytes.subarray(index === 0 ? 0 : this.#ends[index - 1], this.#ends[index]);
  }

  /** Documents `from` (included) to `to` (excluded), as one. */
  span(from: number, to: number): Buffer {
    return this.#bytes.subarray(from === 0 ? 0 : this.#ends[from - 1], this.#ends[to - 1]);
  }

  #attributesOf(patient: Person, random: SeededNumbers): Attribute[] {
    const from = (pool: keyof typeof POOLS): string => iri(`${pool}${random.below(POOLS[pool])}`);
    const diagnosis = random.below(POOLS.ICD);
    this.diagnoses.set(diagnosis, (this.diagnoses.get(diagnosis) ?? 0) + 1);
    const attributes: Attribute[] = [
      [TYPE, iri(patient.isWoman ? "Woman" : "Man")],
      [iri("hasAge"), literal(patient.age, "int")],
      [iri("hasBloodType"), iri(patient.blood)],
      ...patient.links.map(({ predicate, other }): Attribute => [iri(predicate), iri(other)]),
      [iri("hasName"), literal(`Name${random.below(2000)}`)],
      [iri("hasFamilyName"), literal(`Family${patient.family}`)],
      [iri("hasPatientNumber"), literal(`P-${patient.name}`)],
      [iri("hasDateOfBirth"), literal(`${2025 - patient.age}-0${1 + random.below(9)}-1${random.below(10)}`, "date")],
      [iri("livesIn"), from("City")],
      [iri("hasPractitioner"), from("Doctor")],
      [iri("registeredAt"), from("Hospital")],
      [iri("hasInsurance"), from("Insurer")],
      [iri("hasOccupation"), from("Job")],
      [iri("hasWeight"), literal((45 + random.fraction() * 60).toFixed(1), "decimal")],
      [iri("hasHeight"), literal(140 + random.below(60), "int")],
      [iri("hasDiagnosis"), iri(`ICD${diagnosis}`)],
      [iri("hasAllergy"), from("Allergen")],
      [iri("takesMedication"), from("Drug")],
    ];
    return filledUp(attributes, TRIPLES_PER_PATIENT, random);
  }
}

/** Adds laboratory values until there are `size` attributes. */
export function filledUp(attributes: Attribute[], size: number, random: SeededNumbers): Attribute[] {
  for (let i = 1; attributes.length < size; i++)
    attributes.push([iri(`lab${i}`), literal((random.fraction() * 200).toFixed(2), "decimal")]);
  return attributes;
}

export function documentOf(name: string, attributes: readonly Attribute[]): string {
  const subject = iri(name);
  let text = "";
  for (const [predicate, object] of attributes) text += `${subject} ${predicate} ${object} .\n`;
  return text;
}
