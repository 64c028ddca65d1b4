/** a. Somebody who asked for siblings is told of two, from knowledge that names neither as such. */
import type { Stage } from "./stage.ts";

const SIBLINGS = "CONSTRUCT { ?a :isSiblingOf ?b } WHERE { ?parent :isParentOf ?a . ?parent :isParentOf ?b . FILTER (?a != ?b) }";

export async function playSiblings(stage: Stage): Promise<void> {
  stage.heading("a. Siblings: told what follows, once");
  const client = await stage.client();
  await stage.publish(client, ":Randy :hasAge 8 . :Tim :isParentOf :Randy .");
  const news = await stage.listen(client, SIBLINGS);
  await stage.publish(client, ":Mark :isChildOf :Tim .");
  const first = (await news.heard()).added;
  const expected = [":Mark :isSiblingOf :Randy", ":Randy :isSiblingOf :Mark"];
  stage.check(`the subscriber is told: ${expected.join(", ")}`, String(first) === String(expected), String(first));
  await stage.checkWhy(client, "because Tim is a parent of Mark, which nobody said", "Tim", "isParentOf", "Mark");
  await stage.publish(client, ":Mark :isChildOf :Tim .");
  const again = (await news.heard()).added;
  stage.check("the same event again: silence", again.length === 0, String(again));
  await stage.publish(client, ":Tim :isParentOf :Mark . :Mark a :Person .");
  const inferred = (await news.heard()).added;
  stage.check("what was inferred already, stated: silence", inferred.length === 0, String(inferred));
  news.close();
}
