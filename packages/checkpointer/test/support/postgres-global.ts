import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import type { TestProject } from "vitest/node";
import { PostgresServer } from "./postgres-server.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** Port of a door that starts a server when first knocked at, and tells its URL. */
    readonly postgresDoor: number;
  }
}

/** One PostgreSQL server for all test files, started by the first one that needs it. */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  let server: Promise<PostgresServer> | undefined;
  const door = createServer((socket) => {
    server ??= PostgresServer.start();
    server.then(
      ({ url }) => socket.end(url),
      (error) => socket.end(String(error)),
    );
  }).listen(0, "127.0.0.1");
  await once(door, "listening");
  provide("postgresDoor", (door.address() as AddressInfo).port);
  return async () => {
    door.close();
    await (await server)?.stop();
  };
}
