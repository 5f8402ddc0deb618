import { z } from 'zod';
import type { Services } from '../task.ts';
import { showUser } from './show-user.ts';
import { idOf } from '../answer-fields.ts';

/** Who somebody is, for whoever gives them a role: a name is nobody's own, an address is where somebody vouches for it (FX-85). */
const personShape = z.object({
  user_id: idOf('user'),
  name: z.string(),
  email: z.string().nullable(),
  email_verified: z.boolean(),
});

export type Person = z.infer<typeof personShape>;

/** What every task with `toWhom` answers in addition. */
export const givenTo = {
  given_to: z.array(personShape).optional().describe('Who got it, as the account says now.'),
};

/** Without those that are unknown, to whom nothing can be given. */
export const personsOf = async (
  services: Services,
  userIds: readonly string[],
): Promise<readonly Person[]> => {
  const shown = await Promise.all(userIds.map((id) => showUser(services, id)));
  return shown
    .filter((user) => user !== null)
    .map(({ user_id, name, email, email_verified }) => ({ user_id, name, email, email_verified }));
};

export const personText = ({ user_id: id, name, email, email_verified: isVerified }: Person): string => {
  const address = email === null ? 'no e-mail address' : `${email} (${isVerified ? '' : 'not '}verified)`;
  return `${name}, ${address}, ${id}`;
};
