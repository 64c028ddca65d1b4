/** Lets a test know that a wait has reached the knowledge base, so that what it does next comes after. */
import type { KnowledgeService, Session } from "../../src/protocol/index.ts";

export interface ObservedService extends KnowledgeService {
  /** Resolves when receive and remove were called `count` times in all, since the service was opened. */
  waitsBegun(count: number): Promise<void>;
}

export function observeWaits(service: KnowledgeService): ObservedService {
  let begun = 0;
  const listeners = new Set<() => void>();
  const noteWait = (): void => {
    begun++;
    for (const listener of listeners) listener();
  };
  return {
    openSession: () => observeSession(service.openSession(), noteWait),
    cursor: () => service.cursor(),
    ready: () => service.ready(),
    degraded: () => service.degraded(),
    whenFailed: () => service.whenFailed(),
    figures: () => service.figures(),
    close: () => service.close(),
    waitsBegun: (count) =>
      new Promise((resolve) => {
        const check = (): void => {
          if (begun < count) return;
          listeners.delete(check);
          resolve();
        };
        listeners.add(check);
        check();
      }),
  };
}

function observeSession(session: Session, noteWait: () => void): Session {
  return new Proxy(session, {
    get(target, property) {
      const member: unknown = Reflect.get(target, property, target);
      if (typeof member !== "function") return member;
      return (...args: unknown[]) => {
        const answer: unknown = Reflect.apply(member, target, args);
        if (property === "receive" || property === "remove") noteWait();
        return answer;
      };
    },
  });
}
