/** b. A new parent makes a grandmother a possible donor. */
import { FAMILY, type Stage } from "./stage.ts";

const DONORS = "CONSTRUCT { :Randy :canReceiveBloodFrom ?p } WHERE { ?p :isAncestorOf :Randy . ?p :hasBloodType :O }";

export async function playDonors(stage: Stage): Promise<void> {
  stage.heading("b. Ancestors: a chain of inferences");
  const client = await stage.client();
  stage.tell("retract  :Tim :isParentOf :Randy .   (as if nobody had said it)");
  await client.retract(`<${FAMILY}Tim> <${FAMILY}isParentOf> <${FAMILY}Randy> .`);
  await stage.publish(client, ":Lucille a :Woman ; :isParentOf :Tim ; :hasBloodType :O ; :hasAge 61 .");
  const news = await stage.listen(client, DONORS);
  await stage.publish(client, ":Randy :isChildOf :Tim .");
  const told = (await news.heard()).added;
  stage.check(
    "the subscriber is told: :Randy :canReceiveBloodFrom :Lucille",
    String(told) === ":Randy :canReceiveBloodFrom :Lucille",
    String(told),
  );
  await stage.checkWhy(client, "because Lucille is an ancestor of Randy", "Lucille", "isAncestorOf", "Randy");
  news.close();
}
