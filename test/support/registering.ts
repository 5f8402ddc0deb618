import { randomUUID } from 'node:crypto';
import type { Commands } from '../../src/commands/commands.ts';
import type { RegisterAddon } from '../../src/commands/addons/register-addon.ts';
import type { CreateUser } from '../../src/commands/people/accounts/create-user.ts';
import { valueOf } from './outcomes.ts';

/** An add-on of which nothing depends on what it is like. */
const usualAddon: RegisterAddon = {
  name: 'Door Sync',
  redirectUris: ['https://addon.example/cb'],
  configurationUrl: 'https://addon.example/configure',
  allowedScopes: ['profiles:read'],
  confidential: false,
};

type Registering = Pick<Commands, 'registerAddon'>;

export const newAddon = async (commands: Registering, changes: Partial<RegisterAddon> = {}) =>
  valueOf(await commands.registerAddon({ ...usualAddon, ...changes }));

const password = 'correct horse battery staple';

/** @returns the id of a user with that address, or with one of their own */
export const newUser = async (
  commands: Pick<Commands, 'createUser'>,
  changes: Partial<CreateUser> = {},
): Promise<string> => {
  const email = `user-${randomUUID()}@example.com`;
  const usual = { email, name: 'Ada', password, administratorOf: [], roles: [] };
  return valueOf(await commands.createUser({ ...usual, ...changes })).userId;
};
