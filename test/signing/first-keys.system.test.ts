import { expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { startService } from '../../src/process/service.ts';
import { withClient } from '../../src/common/with-client.ts';
import { makeAddon, makeCast, run, settingsFor } from '../operations/running.ts';
import { startTestServers } from '../support/test-servers.ts';
import { watchedLogger } from '../support/trouble/watched-lines.ts';

const { stores } = await startTestServers();

const kids = () =>
  withClient({ connectionString: stores.databaseUrl }, async (client) => {
    const { rows } = await client.query<{ kid: string; algorithm: string }>(
      'select kid, algorithm from signing_keys order by algorithm',
    );
    return rows;
  });

test('FX-83: signing keys exist before a new installation says that it is ready, and no request makes any', async () => {
  const { signal } = new AbortController();
  const service = await startService(
    readConfig({ ...settingsFor(stores), PORT: '0' }),
    watchedLogger(),
    signal,
  );
  onTestFinished(() => service.close());
  const atFirst = await kids();
  expect(atFirst.map(({ algorithm }) => algorithm)).toEqual(['ES256', 'RS256']);
  const { keys } = (await (await fetch(`${service.baseUrl}/oauth/jwks`)).json()) as {
    keys: readonly { readonly kid: string }[];
  };
  expect(keys.map(({ kid }) => kid).sort()).toEqual(atFirst.map(({ kid }) => kid).sort());
  const beside = await run(stores);
  onTestFinished(() => beside.stop());
  await makeAddon(beside.core, await makeCast(beside.core));
  expect(await kids()).toEqual(atFirst);
});
