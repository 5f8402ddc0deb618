import { chmod, open, rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { z } from 'zod';

/** The facts that a running service tells other processes on the same data folder. */
const factsSchema = z.object({
  pid: z.number(),
  baseUrl: z.string().optional(),
  managementUrl: z.string().optional(),
  databaseUrl: z.string().optional(),
  eventStoreUrl: z.string().optional(),
});
export type ServiceFacts = Readonly<z.output<typeof factsSchema>>;

/** Answers every connection with `facts()`; only our own user (and root) can connect. */
export async function serveFacts(dataDir: string, facts: () => ServiceFacts): Promise<Server> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined); // the client disconnected
    socket.end(JSON.stringify(facts()));
  });
  await withShortPath(dataDir, async (path) => {
    await rm(path, { force: true }); // a leftover of a killed service
    await listen(server, path);
    await chmod(path, 0o600);
  });
  return server;
}

/** Asks the service that is running on this folder; null when there is none, or without the right to connect. */
export async function askFacts(dataDir: string): Promise<ServiceFacts | null> {
  try {
    const answer = await withShortPath(dataDir, ask);
    return factsSchema.parse(JSON.parse(answer));
  } catch {
    return null;
  }
}

export async function removeSocket(dataDir: string): Promise<void> {
  await rm(join(dataDir, SOCKET), { force: true });
}

const SOCKET = 'control.sock';

/** The kernel limits a socket's path to about 100 bytes; the path through the folder's descriptor is always short. */
async function withShortPath<T>(dataDir: string, work: (path: string) => Promise<T>): Promise<T> {
  if (process.platform !== 'linux') return await work(join(dataDir, SOCKET));
  const folder = await open(dataDir);
  try {
    return await work(`/proc/self/fd/${folder.fd}/${SOCKET}`);
  } finally {
    await folder.close();
  }
}

async function ask(path: string): Promise<string> {
  const socket = connect(path);
  socket.setTimeout(10_000, () => socket.destroy(new Error('no answer')));
  return await text(socket);
}

export const listen = (server: Server, path: string): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => resolve(server.off('error', reject) && undefined));
  });
