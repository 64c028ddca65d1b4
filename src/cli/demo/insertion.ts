/** c. A continuous insertion keeps a conclusion in the knowledge base for exactly as long as it holds. */

import { writeNQuads } from "../../client/index.ts";
import { PREFIX, type Stage, shorten } from "./stage.ts";

const INSERTION =
  "CONSTRUCT { :Randy :canReceiveBloodFrom ?p } WHERE { ?p a :Man ; :hasBloodType :O ; :hasAge ?age . FILTER (?age >= 18) }";
const DONORS = "CONSTRUCT { :Randy :canReceiveBloodFrom ?p } WHERE { :Randy :canReceiveBloodFrom ?p }";
const AL = ":Randy :canReceiveBloodFrom :Al";

export async function playInsertion(stage: Stage): Promise<void> {
  stage.heading("c. Continuous insertion: a conclusion that comes and goes");
  const client = await stage.client();
  const waiter = await stage.client();
  stage.tell(`insert  ${INSERTION}`);
  const { insertion } = await client.registerInsertion(PREFIX + INSERTION);
  const news = await stage.listen(client, DONORS, { removals: true });
  stage.tell("receive  another client waits for a donor");
  const waiting = waiter.receive(PREFIX + DONORS, { timeoutMs: 20_000 });
  await stage.publish(client, ":Bob a :Man ; :hasBloodType :O ; :hasAge 12 .");
  const none = (await news.heard()).added;
  stage.check("Bob, who is 12, is no donor", none.length === 0, String(none));
  await stage.publish(client, ":Al a :Man ; :hasBloodType :O ; :hasAge 35 .");
  const received = await waiting;
  const woken = received ? shorten(writeNQuads(received.quads)) : "nothing";
  stage.check(`Al's data wakes the waiting receive: ${AL}`, woken === AL, woken);
  const told = (await news.heard()).added;
  stage.check(`the subscriber is told: ${AL}`, String(told) === AL, String(told));
  await stage.checkWhy(client, "because the insertion says so", "Randy", "canReceiveBloodFrom", "Al");
  stage.tell("update  Al's blood type was A all along");
  await client.update(`${PREFIX}DELETE DATA { :Al :hasBloodType :O } ; INSERT DATA { :Al :hasBloodType :A }`);
  const gone = (await news.heard()).removed;
  stage.check(`the conclusion is withdrawn: ${AL}`, String(gone) === AL, String(gone));
  stage.check("and no query sees it any more", !(await client.ask(`${PREFIX}ASK { :Randy :canReceiveBloodFrom :Al }`)));
  news.close();
  await client.unregisterInsertion(insertion);
}
