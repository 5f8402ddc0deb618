import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that systems give to whoever asks for any: none of these is taken by a connection in between. */
const [first, count] = [12_000, 20_000];
let next = (process.pid * 97) % count;

/** A local port for tests that must know it before they listen on it; another one each time. */
export const freePort = async (): Promise<number> => {
  for (let tried = 0; tried < count; tried += 1) {
    const port = first + next;
    next = (next + 1) % count;
    if ((await reserve(port)) && (await isFree(port))) return port;
  }
  throw new Error(`no port of ${first} to ${first + count - 1} is free`);
};

/** Until this process ends, no other one that asks here gets the port: the UDP port of the same number says so. */
const reserve = async (port: number): Promise<boolean> => {
  const sign = createSocket('udp4').unref();
  sign.bind({ port, address: '127.0.0.1', exclusive: true });
  const isOurs = await succeeds(once(sign, 'listening'));
  if (!isOurs) sign.close();
  return isOurs;
};

const isFree = async (port: number): Promise<boolean> => {
  const probe = createServer();
  probe.listen(port, '127.0.0.1');
  if (!(await succeeds(once(probe, 'listening')))) return false;
  probe.close();
  await once(probe, 'close');
  return true;
};

const succeeds = (attempt: Promise<unknown>): Promise<boolean> =>
  attempt.then(
    () => true,
    () => false,
  );
