/** Names and ids in addresses. They are compared, never made part of a path. */
import { quoteInput, SensError } from "../../base/index.ts";
import { NAME_PATTERN } from "../../protocol/index.ts";

const ID_PATTERN = /^[A-Za-z0-9_.:-]{1,128}$/;

/** The id of a subscription, insertion or claim, or the name of one of the first two. Throws SENS_NOT_FOUND for what no id looks like. */
export function idOf(parameter: string): string {
  if (!ID_PATTERN.test(parameter)) throw new SensError("SENS_NOT_FOUND", `There is nothing with the id ${quoteInput(parameter)}.`);
  return parameter;
}

/** The name of a document. Throws SENS_BAD_REQUEST. */
export function nameOf(parameter: string): string {
  if (!NAME_PATTERN.test(parameter)) {
    throw new SensError("SENS_BAD_REQUEST", `The name ${quoteInput(parameter)} is not taken: use 1 to 64 letters, digits, _ or -.`);
  }
  return parameter;
}
