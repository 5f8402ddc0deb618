import { accountDecider } from '../domain/account.ts';
import {
  type AdministratorToken,
  administratorTokenDecider,
  daysProblem,
  issueAdministratorToken,
} from '../domain/administrator-token.ts';
import { isUlid } from '../domain/ids.ts';
import { nameProblem } from '../domain/name.ts';
import { accountStream, administratorTokensStream } from '../domain/streams.ts';
import { mintAdministratorToken } from './administrator-token-text.ts';
import type { Commands, FieldProblem, IssueAdministratorToken } from './commands.ts';
import { handle, load } from './handle.ts';
import { makeIsAdministrator } from './is-administrator.ts';
import type { CommandNeeds } from './needs.ts';
import { rerunUnknown } from './rerun-unknown.ts';
import { newSalt } from './secrets.ts';

type Needs = Pick<CommandNeeds, 'store' | 'keys' | 'now' | 'newId'>;

const dayLength = 86_400_000;

/**
 * Issues a token that opens what the user may administer when it is used, and never more: neither the token nor
 * its event says what that is. It is answered here and never again; the log holds the salt it is derived from.
 */
export const makeIssueAdministratorToken = (needs: Needs): Commands['issueAdministratorToken'] => {
  const { store, keys, now, newId } = needs;
  const isAdministrator = makeIsAdministrator(needs);
  return async (request) => {
    const { userId, organizationId, days, by } = request;
    const problems = problemsOf(request);
    if (problems.length > 0) return { ok: false, refusal: 'invalid', problems };
    if (!isUlid(userId)) return { ok: false, refusal: 'user-unknown' };
    // Ahead of the look at the account: a disabling that is not seen there comes later, and ends this token for good.
    const issuedAt = now();
    const { state: account } = await load(store, accountStream(userId), accountDecider);
    if (account.status === 'absent') return { ok: false, refusal: 'user-unknown' };
    if (account.status === 'disabled') return { ok: false, refusal: 'user-disabled' };
    if (organizationId !== null && !(await isAdministrator(organizationId, userId)))
      return { ok: false, refusal: 'not-an-administrator' };

    const origin = { keyId: keys.current, salt: newSalt() };
    const item = {
      tokenId: newId(),
      organizationId,
      name: request.name.trim(),
      issuedAt,
      expiresAt: issuedAt + days * dayLength,
    };
    const token: AdministratorToken = { ...item, ...origin };
    const { disabledAt } = account;
    const { refusal } = await rerunUnknown(() =>
      handle(
        store,
        administratorTokensStream(userId),
        administratorTokenDecider,
        (tokens) => issueAdministratorToken(tokens, { userId, token, disabledAt }),
        { metadata: { actor: by } },
      ),
    );
    if (refusal !== undefined) return { ok: false, refusal };
    return { ok: true, value: { ...item, token: mintAdministratorToken(keys, origin, { userId, ...item }) } };
  };
};

const problemsOf = ({ name, days }: IssueAdministratorToken): readonly FieldProblem[] =>
  [
    { field: 'name', message: nameProblem(name.trim()) },
    { field: 'days', message: daysProblem(days) },
  ].filter((problem): problem is FieldProblem => problem.message !== null);
