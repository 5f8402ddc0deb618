import { nameProblem } from '../domain/name.ts';
import { createOrganization, organizationDecider } from '../domain/organization.ts';
import { organizationStream } from '../domain/streams.ts';
import type { Commands } from './commands.ts';
import { handle, unseen } from './handle.ts';
import type { CommandNeeds } from './needs.ts';

/** Creates an organization, yet without administrators, under a new id. Names need not be unique. */
export const makeCreateOrganization =
  ({ store, now, newId }: Pick<CommandNeeds, 'store' | 'now' | 'newId'>): Commands['createOrganization'] =>
  async (request) => {
    const name = request.name.trim();
    const message = nameProblem(name);
    if (message !== null) return { ok: false, refusal: 'invalid', problems: [{ field: 'name', message }] };
    const organizationId = newId();
    const { refusal } = await handle(
      store,
      organizationStream(organizationId),
      organizationDecider,
      (organization) => createOrganization(organization, { organizationId, name, now: now() }),
      { assume: unseen(organizationDecider), metadata: { actor: 'operator' } },
    );
    if (refusal) throw new Error(`the new id ${organizationId} is taken`);
    return { ok: true, value: { organizationId } };
  };
