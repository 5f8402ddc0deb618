import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that systems give to whoever asks for any: none of these is taken by a connection in between. */
const first = 12_000;
const portsPerWorker = 2_000;
const slice = first + (Number(process.env.VITEST_POOL_ID ?? 0) % 10) * portsPerWorker;
let next = process.pid % portsPerWorker;

/** A local port that is free now, for tests that must know it before they listen on it; another one each time. */
export const freePort = async (): Promise<number> => {
  for (let tried = 0; tried < portsPerWorker; tried += 1) {
    const port = slice + next;
    next = (next + 1) % portsPerWorker;
    if (await isFree(port)) return port;
  }
  throw new Error(`no port of ${slice} to ${slice + portsPerWorker - 1} is free`);
};

const isFree = async (port: number): Promise<boolean> => {
  const probe = createServer();
  const listened = once(probe, 'listening').then(
    () => true,
    () => false,
  );
  probe.listen(port, '127.0.0.1');
  if (!(await listened)) return false;
  probe.close();
  await once(probe, 'close');
  return true;
};
