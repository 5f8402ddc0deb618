import type { Entity } from '../tasks/task.ts';
import type { Ways } from './entity-commands.ts';
import type { Loaders } from './contents.ts';

/** A group with the commands of an entity that are there. */
const about =
  (name: string, load: () => Promise<Entity>, ways?: Ways): Loaders[string] =>
  async () => {
    const [{ addEntityCommands }, entity] = await Promise.all([import('./entity-commands.ts'), load()]);
    return (program, io, run) => addEntityCommands(program.command(name), entity, io, run, ways);
  };

const expiredMessages = about(
  'expired-messages',
  async () => (await import('../tasks/expired-messages.ts')).expiredMessages,
);

const organizations = async () => (await import('../tasks/organizations.ts')).organizations;

/** What operators and auditors do: on the servers, and over the API. */
export const taskGroups: Loaders = {
  organization: about('organization', organizations),
  user: about('user', async () => (await import('../tasks/users.ts')).users, {
    groups: { token: 'tokens for the programs of an administrator, an operator or an auditor' },
  }),
  addon: async () => (await import('./addons/addon.ts')).addAddonCommands,
  activation: async () => (await import('./addons/activation.ts')).addActivationCommands,
  signals: about('signals', async () => (await import('../tasks/signals.ts')).signals),
  grant: about('grant', async () => (await import('../tasks/grants.ts')).grants),
  import: async () => {
    const [{ addImportCommands }, addExpiredMessages] = await Promise.all([
      import('./import/import.ts'),
      expiredMessages(),
    ]);
    return (...given) => {
      addImportCommands(...given);
      addExpiredMessages(...given);
    };
  },
  profile: about('profile', organizations),
  audit: async () => (await import('./audit/audit.ts')).addAuditCommands,
};
