import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { packageRoot } from '../../src/process/package-root.ts';
import { peerClients, type Clients } from './clients.ts';
import type { Side } from './side.ts';
import { openWire } from './wire.ts';

const file = join(packageRoot, 'test/differential/children/peer.ts');

/** `oidc-provider` in a child process, with the same clients. It warns about Node 20 and runs on it. */
export const startPeerSide = async (clients: Clients): Promise<Side> => {
  const child = spawn(process.execPath, ['--import', 'tsx', file, JSON.stringify(peerClients(clients))], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the peer ended with ${String(code)}: ${said}`);
  });
  const answer = async (): Promise<unknown> => {
    const [message]: unknown[] = await Promise.race([once(child, 'message'), ended]);
    return message;
  };
  const issuer = String(await answer());
  const wire = openWire(issuer);
  return {
    name: 'theirs',
    issuer,
    wire,
    advance: async (milliseconds) => {
      const done = answer();
      child.send(milliseconds);
      await done;
    },
    close: async () => {
      wire.close();
      child.disconnect();
      await ended.catch(() => undefined);
    },
  };
};
