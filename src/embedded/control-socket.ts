import { chmod, open, rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { z } from 'zod';

/** What a running service tells about itself to others on the same data folder. */
const factsSchema = z.object({
  pid: z.number(),
  baseUrl: z.string().optional(),
  databaseUrl: z.string().optional(),
  eventStoreUrl: z.string().optional(),
});
export type ServiceFacts = Readonly<z.output<typeof factsSchema>>;

/** Answers `facts()` to everyone who connects; only our own user (and root) may. */
export async function serveFacts(dataDir: string, facts: () => ServiceFacts): Promise<Server> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined); // the asker left
    socket.end(JSON.stringify(facts()));
  });
  await withShortPath(dataDir, async (path) => {
    await rm(path, { force: true }); // of a service that was killed
    await listen(server, path);
    await chmod(path, 0o600);
  });
  return server;
}

/** Asks the service that runs on this folder; null when there is none, or none that we may ask. */
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

/** The kernel takes about 100 bytes of a socket's path; through the folder's descriptor any folder is short. */
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
  socket.setTimeout(2_000, () => socket.destroy(new Error('no answer')));
  return await text(socket);
}

export const listen = (server: Server, path: string): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => resolve(server.off('error', reject) && undefined));
  });
