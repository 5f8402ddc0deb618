import type { Core } from '../../src/compose/core.ts';
import { accessRight, benchAddon, done } from '../world.ts';

/** An add-on that is active for several organizations, and their common administrators. */
export type Furniture = {
  readonly clientId: string;
  readonly organizationIds: readonly string[];
  /** The approving users: all are administrators of all of the organizations. */
  readonly userIds: readonly string[];
  /** Of a session of the first user. */
  readonly cookie: string;
};

const approvers = 5;

/** Created by the commands of the service, so that everything except the grants exists in the usual way. */
export const furnish = async (
  { commands }: Pick<Core, 'commands'>,
  organizations: number,
  records: number,
): Promise<Furniture> => {
  const organizationIds: string[] = [];
  for (let index = 0; index < organizations; index += 1)
    organizationIds.push(done(await commands.createOrganization({ name: `Bench ${index}` })).organizationId);
  const userIds: string[] = [];
  for (let index = 0; index < approvers; index += 1)
    userIds.push(done(await commands.createUser(administrator(index, organizationIds))).userId);
  const { clientId } = done(await commands.registerAddon(benchAddon));
  const { email, password } = administrator(0, []);
  const { cookie, session } = done(await commands.signIn({ email, password, from: null }));
  for (const organizationId of organizationIds)
    done(
      await commands.activateAddon({
        organizationId,
        addonId: clientId,
        by: session.userId,
        sessionId: null,
      }),
    );
  const [first = ''] = organizationIds;
  for (let index = 0; index < records; index += 1) {
    const id = `right_${index}`;
    done(await commands.recordAccessRight({ organizationId: first, id, version: 1, record: accessRight }));
  }
  return { clientId, organizationIds, userIds, cookie };
};

const administrator = (index: number, administratorOf: readonly string[]) => ({
  email: `bench_${index}@example.com`,
  password: 'a password of the bench',
  name: `Bench ${index}`,
  administratorOf,
  roles: [],
});
