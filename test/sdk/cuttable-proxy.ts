/** A TCP proxy whose lines can be cut at any moment, as networks do. */
import { connect, createServer, type Server, type Socket } from "node:net";

export class CuttableProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  cuts = 0;

  private constructor(server: Server) {
    this.#server = server;
  }

  /** Passes on to the server at `url`. */
  static async before(url: string): Promise<CuttableProxy> {
    const target = Number(new URL(url).port);
    const server = createServer();
    const proxy = new CuttableProxy(server);
    server.on("connection", (near) => {
      const far = connect(target, "127.0.0.1");
      near.pipe(far);
      far.pipe(near);
      for (const socket of [near, far]) {
        proxy.#sockets.add(socket);
        socket.on("error", () => socket.destroy());
        socket.on("close", () => {
          proxy.#sockets.delete(socket);
          near.destroy();
          far.destroy();
        });
      }
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return proxy;
  }

  get url(): string {
    const address = this.#server.address();
    if (typeof address !== "object" || address === null) throw new Error("The proxy is closed.");
    return `http://127.0.0.1:${address.port}`;
  }

  cut(): void {
    this.cuts++;
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}
