import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { createServer, type SecureContextOptions, type TLSSocket } from 'node:tls';

/**
 * Speaks TLS in front of a server that does not, so that its certificate can be replaced.
 * @param identity with `ca`, clients need a certificate of that authority
 */
export const startTlsProxy = async (target: number, identity: SecureContextOptions) => {
  const sockets = new Set<TLSSocket>();
  const options = { ...identity, ALPNProtocols: ['h2'], requestCert: identity.ca !== undefined };
  const server = createServer(options, (near) => {
    const far = connect(target, '127.0.0.1');
    sockets.add(near);
    near.on('error', () => undefined).on('close', () => far.destroy());
    far.on('error', () => undefined).on('close', () => near.destroy());
    near.pipe(far).pipe(near);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Like a server that is started again with another certificate. */
    restartWith(next: SecureContextOptions) {
      server.setSecureContext(next);
      cut();
    },
    async close() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
};
