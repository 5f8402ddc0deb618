import { organizations } from '../../administration/organizations.ts';
import { addEntityCommands } from '../administration.ts';
import type { AddCommands } from '../base/define.ts';

export const addOrganizationCommands: AddCommands = (program, io, run) => {
  const organization = program
    .command('organization')
    .description(
      'create, find, change and close organizations; say who administers them and who may read their audit logs',
    );
  addEntityCommands(organization, organizations, io, run);
};

/** People's profiles, which belong to organizations. */
export const addProfileCommands: AddCommands = (program, io, run) =>
  addEntityCommands(program.command('profile'), organizations, io, run);
