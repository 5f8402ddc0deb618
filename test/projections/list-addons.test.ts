import { afterAll, expect, test } from 'vitest';
import { usualRegistration } from '../../src/domain/addons/addon.ts';
import type { DomainEvent } from '../../src/domain/events.ts';
import { testReadModels } from '../support/log/read-models.ts';
import { projectAll, scriptedLog } from '../support/log/test-projector.ts';
import { tell, type Told } from './follow/a-story.ts';
import { eachWebAddress } from '../../src/domain/addons/web-addresses.ts';

const side = await testReadModels();
afterAll(() => side.close());

const told = (addonId: string, event: DomainEvent): Told =>
  ({ stream: `addon-${addonId}`, event }) as unknown as Told;
const registered = (addonId: string, name: string): Told =>
  told(addonId, {
    type: 'AddonRegistered',
    data: {
      addonId,
      name,
      redirectUris: ['https://addon.example/back'],
      configurationUrl: null,
      allowedScopes: ['profiles:read'],
      confidential: false,
      ...usualRegistration,
      at: 1,
    },
  });
const renamed = (addonId: string, name: string | null): Told =>
  told(addonId, {
    type: 'AddonUpdated',
    data: {
      name,
      redirectUris: null,
      configurationUrl: null,
      allowedScopes: null,
      postLogoutRedirectUris: null,
      publisher: 'Gates Ltd',
      ...eachWebAddress(() => null),
      logo: null,
      at: 2,
    },
  });

test('AM-14: add-ons are found by their id and by starts of words of the name that they have now', async () => {
  const log = scriptedLog();
  const longest = `${'㌖'.repeat(100)} gate`;
  tell(
    log,
    registered('A1', 'Door Opener'),
    registered('A2', 'Türöffner-West'),
    registered('A3', "'); drop table addons;--"),
    registered('A4', '!!!'),
    registered('A5', 'Old Name'),
    registered('A6', longest),
    renamed('A5', 'Door Keeper'),
    renamed('A1', null),
  );
  await projectAll(side.database.url, log);
  const found = async (search: string | null, after: string | null = null, limit = 100) => {
    const filter = { search, publisherId: null, withChanges: false };
    return (await side.readModels.addonIds(filter, { after, limit })).rows.map(({ id }) => id);
  };
  expect(await found(null)).toEqual(['A1', 'A2', 'A3', 'A4', 'A5', 'A6']);
  expect(await found(null, 'A2', 2)).toEqual(['A3', 'A4']);
  expect(await found('door')).toEqual(['A1', 'A5']);
  expect(await found('KEEP door')).toEqual(['A5']);
  expect(await found('old')).toEqual([]);
  expect(await found('west turo')).toEqual(['A2']);
  expect(await found('A4')).toEqual(['A4']);
  expect(await found('gat')).toEqual(['A6']);
  expect(await found('キロメ')).toEqual(['A6']);
  for (const hostile of ["'", '\\', '()&!|<->', '%', '*']) expect(await found(hostile)).toEqual([]);
});
