/** What every route and socket works with. Built once, in `serve.ts`. */
import type { Clock, Limits, Logger } from "../base/index.ts";
import type { KnowledgeService, Session } from "../protocol/index.ts";
import type { Authenticator } from "./auth.ts";
import type { OriginPolicy } from "./origin.ts";
import type { TrafficFigures } from "./traffic-figures.ts";

export interface ServerContext {
  readonly service: KnowledgeService;
  /** The one client all plain HTTP requests are: their waits end by signal, their claims by lease. */
  readonly session: Session;
  readonly authenticator: Authenticator;
  readonly origins: OriginPolicy;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly traffic: TrafficFigures;
  /** Aborted when the server begins to stop. */
  readonly stopping: AbortSignal;
}
