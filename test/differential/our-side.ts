import type { AddressInfo } from 'node:net';
import { startHttpApp, withoutGrantLimit } from '../support/scenes/http-app.ts';
import { createUser } from '../support/scenes/http-scene.ts';
import { registerClients, type Clients } from './clients.ts';
import type { Side } from './side.ts';
import { users } from './visitor.ts';
import { openWire } from './wire.ts';

/** Our own server on a port, with the users and clients of the comparison. */
export const startOurSide = async (): Promise<Side & { readonly clients: Clients }> => {
  const http = await startHttpApp({ around: withoutGrantLimit });
  const clients = await registerClients(http);
  for (const email of Object.values(users)) await createUser(http, email);
  await http.settle();
  await http.app.listen({ host: '127.0.0.1', port: 0 });
  const wire = openWire(`http://127.0.0.1:${(http.app.server.address() as AddressInfo).port}`);
  return {
    name: 'ours',
    issuer: http.baseUrl,
    wire,
    clients,
    advance: (milliseconds) => Promise.resolve(http.advance(milliseconds)),
    close: async () => {
      wire.close();
      await http.close();
    },
  };
};
