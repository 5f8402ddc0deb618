import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

/** A local port that is free now, for tests that must know it before they listen on it. */
export const freePort = async (): Promise<number> => {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
};
