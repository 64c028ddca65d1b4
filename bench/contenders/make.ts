/** A contender by the name it has in cases.ts; modules are imported only for the one that runs. */
import type { Contender } from "./contender.ts";

/** `forNotify`: it will have subscriptions. */
export async function makeContender(name: string, forNotify: boolean): Promise<Contender> {
  switch (name) {
    case "sens-engine":
      return new (await import("./sens-engine.ts")).SensEngine();
    case "sens-memory":
    case "sens-durable":
      return (await import("./sens-service.ts")).SensService.make(name === "sens-durable");
    case "sens-http":
    case "sens-http-memory":
      return (await import("./sens-server.ts")).SensServer.make(name === "sens-http");
    case "db-ivm":
    case "db-ivm-split":
      return (await import("./db-ivm.ts")).DbIvmContender.make(forNotify, name === "db-ivm-split");
    case "n3":
      return new (await import("./n3-reasoner.ts")).N3Reasoner(forNotify);
    case "comunica":
      return new (await import("./comunica.ts")).ComunicaRerun();
    default:
      throw new Error(`no contender is called ${name}`);
  }
}
