/**
 * An alarm over facts that nobody stated: a smoke detector is in a room, the room on a floor, the floor in a building, and
 * whoever watches the building is told. Run it against a server: node examples/alarm.ts [URL]
 */
import { connect } from "../src/client/index.ts"; // in your own project: from "sens/client"

const client = await connect(process.argv[2] ?? process.env.SENS_URL ?? "http://127.0.0.1:7007");

const BUILDING = `
  @prefix : <http://example.org/building#> .
  @prefix owl: <http://www.w3.org/2002/07/owl#> .
  :isIn a owl:TransitiveProperty .
  :Detector7 :isIn :Room12 .
  :Room12 :isIn :Floor1 .
  :Floor1 :isIn :TownHall .`;
const SMOKE = "<http://example.org/building#Detector7> <http://example.org/building#senses> <http://example.org/building#Smoke> .";

// An axiom is published like any other triple, and the server reasons by it from then on.
await client.publish(BUILDING, { contentType: "text/turtle" });

const alarms = await client.subscribe(`
  PREFIX : <http://example.org/building#>
  CONSTRUCT { :TownHall :hasAlarmFrom ?detector }
  WHERE { ?detector :senses :Smoke ; :isIn :TownHall }`);

await client.publish(SMOKE);

for await (const { added } of alarms) {
  for (const { subject, object } of added) console.log(`ALARM in ${name(subject.value)}: ${name(object.value)}`);
  break; // leaving the loop ends the subscription
}

await client.retract(SMOKE);
await client.retract(BUILDING, { contentType: "text/turtle" });
client.close();

function name(iri: string): string {
  return iri.split("#")[1] ?? iri;
}
