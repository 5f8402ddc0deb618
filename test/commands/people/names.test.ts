import { describe, expect, test } from 'vitest';
import { marketplace, valueOf } from '../../support/scenes/marketplace.ts';

/** One name, given to each kind of thing that has one. */
const naming = async (name: string) => {
  const { commands, store } = world();
  const organization = await commands.createOrganization({ name });
  const user = await commands.createUser({ ...person, email: 'bo@harbour.example', name });
  const addon = await commands.registerAddon({ ...registration, name });
  const { userId } = valueOf(await commands.createUser(person));
  const token = await commands.issueAdministratorToken({
    userId,
    by: userId,
    organizationId: null,
    name,
    days: 30,
  });
  return { store, answers: { organization, user, addon, token } };
};

const world = () => {
  const { store, ...commands } = marketplace();
  return { store, commands };
};
const person = {
  email: 'ada@harbour.example',
  name: 'Ada',
  password: 'correct horse battery staple',
  administratorOf: [],
  roles: [],
};
const registration = {
  redirectUris: ['https://addon.example/cb'],
  configurationUrl: null,
  allowedScopes: [],
  confidential: false,
};

describe('names of organizations, users, add-ons and tokens', () => {
  test('CL-08: are stored in NFC, without spaces at their ends', async () => {
    const { store } = await naming('  Cafe\u0301 ');
    const types = ['OrganizationCreated', 'AccountCreated', 'AddonRegistered', 'AdministratorTokenIssued'];
    for (const type of types) {
      const { event } = store.all().find(({ event }) => event.type === type) ?? {};
      expect([type, event?.data]).toEqual([type, expect.objectContaining({ name: 'Caf\u00E9' })]);
    }
  });

  test.each(['Door\u202ESync', 'Door\u200BSync', 'Door\u0007Sync', 'Door\u200DSync'])(
    'CL-08: %j is refused, and the problem names the field',
    async (name) => {
      const { store, answers } = await naming(name);
      for (const [what, answer] of Object.entries(answers))
        expect([what, answer]).toEqual([
          what,
          expect.objectContaining({
            refusal: 'invalid',
            problems: [expect.objectContaining({ field: 'name' })],
          }),
        ]);
      expect(JSON.stringify(store.all().map(({ event }) => event))).not.toContain('Sync');
    },
  );

  test.each(['root@corp.example', 'root＠corp.example', 'Ada @ Harbour'])(
    'FX-85: nobody gives a person the name %j, which looks like an address',
    async (name) => {
      const { commands } = world();
      const { userId } = valueOf(await commands.createUser(person));
      const refused = {
        ok: false,
        refusal: 'invalid',
        problems: [{ field: 'name', message: 'must not contain @, as e-mail addresses do' }],
      };
      expect(await commands.updateUser({ userId, name })).toEqual(refused);
      expect(await commands.createUser({ ...person, email: 'bo@harbour.example', name })).toEqual(refused);
      expect(await commands.inviteUser({ email: 'bo@harbour.example', name })).toEqual(refused);
    },
  );
});
