import { Client, type ClientConfig } from 'pg';
import { withTimeoutOrNull } from './with-timeout.ts';

const farewellMs = 1_000;
/** In milliseconds: unless `config` says otherwise. */
const connectionTimeoutMillis = 10_000;

/**
 * Opens a connection to the database for one use, and closes it afterwards without waiting for a server that does not
 * answer. A lost connection makes the pending statement fail; without the listener it would end the process.
 */
export const withClient = async <T>(
  config: ClientConfig,
  use: (client: Client) => Promise<T>,
): Promise<T> => {
  const client = new Client({ connectionTimeoutMillis, ...config });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await use(client);
  } finally {
    await withTimeoutOrNull(farewellMs, client.end());
  }
};
