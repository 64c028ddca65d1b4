/** d. Two clients that never address each other: request and response, produce and consume, a worker that dies. */
import type { SensClient } from "../../client/index.ts";
import { PREFIX, type Stage } from "./stage.ts";

const REQUEST = `${PREFIX}CONSTRUCT WHERE { ?request :asksDonorFor ?patient }`;
const TASK = `${PREFIX}CONSTRUCT { ?task :toDo ?what } WHERE { ?task :toDo ?what } LIMIT 1`;
const SHORT_LEASE_MS = 1_000;

export async function playCoordination(stage: Stage): Promise<void> {
  stage.heading("d. Coordination: who waits is woken, who takes has it alone");
  const ward = await stage.client();
  const bank = await stage.client();
  await playRequestResponse(stage, ward, bank);
  await playProduceConsume(stage, ward, bank);
  await playDeadWorker(stage, ward, bank);
}

async function playRequestResponse(stage: Stage, ward: SensClient, bank: SensClient): Promise<void> {
  stage.tell("remove  the blood bank waits for requests");
  const request = bank.remove(REQUEST, { timeoutMs: 20_000 });
  stage.tell("receive  the ward waits for the answer to its request");
  const answer = ward.receive(`${PREFIX}CONSTRUCT WHERE { :request1 :isAnsweredBy ?donor }`, { timeoutMs: 20_000 });
  await stage.publish(ward, ":request1 :asksDonorFor :Randy .");
  const taken = await request;
  stage.check(
    "the bank has the request, and it is gone from the knowledge base",
    taken?.quads.length === 1 && !(await ward.ask(`${PREFIX}ASK { ?r :asksDonorFor ?p }`)),
  );
  await stage.publish(bank, ":request1 :isAnsweredBy :Lucille .");
  stage.check("the ward's waiting receive has the answer: :Lucille", (await answer)?.quads[0]?.object.value.endsWith("#Lucille") === true);
}

async function playProduceConsume(stage: Stage, producer: SensClient, consumer: SensClient): Promise<void> {
  await stage.publish(producer, ":task1 :toDo :label . :task2 :toDo :label . :task3 :toDo :label .");
  const all = await Promise.all([consumer.remove(TASK), producer.remove(TASK), consumer.remove(TASK)]);
  const names = all.map((one) => one?.quads[0]?.subject.value.split("#")[1]).sort();
  stage.check("three removes at once take three tasks, each one once", String(names) === "task1,task2,task3", String(names));
  stage.check("and a fourth finds nothing", (await producer.tryRemove(TASK)) === undefined);
}

async function playDeadWorker(stage: Stage, producer: SensClient, consumer: SensClient): Promise<void> {
  await stage.publish(producer, ":task4 :toDo :cool .");
  const worker = await stage.client();
  const lost = await worker.take(TASK, { leaseMs: SHORT_LEASE_MS });
  stage.check(`a worker takes the task with a lease of ${SHORT_LEASE_MS} ms`, lost?.quads.length === 1);
  worker.close();
  stage.tell("the worker dies without a word");
  const again = await consumer.take(TASK, { timeoutMs: 20_000 });
  stage.check(
    "the task comes back, and another worker gets it as the second delivery",
    again?.quads.length === 1 && again.deliveries === 2,
    `deliveries ${again?.deliveries}`,
  );
  await again?.confirm();
  stage.check("confirmed, it is gone for good", (await producer.tryReceive(TASK)) === undefined);
}
