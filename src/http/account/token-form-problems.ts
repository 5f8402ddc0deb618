import type { Commands } from '../../commands/commands.ts';
import { tokenDays, tokensADay, tokensAllowed } from '../../domain/people/administrator-token.ts';
import type { TokenFormProblem } from './views/new-token-page.ts';

export const chooseOne: TokenFormProblem = {
  field: 'organization',
  message: 'Choose what the token is for.',
};

type Refused = Extract<Awaited<ReturnType<Commands['issueAdministratorToken']>>, { readonly ok: false }>;

/** Shows one problem at a time, in the order of the fields. */
export const problemOf = ({ refusal, problems = [] }: Refused): TokenFormProblem => {
  const wrongName = problems.find(({ field }) => field === 'name');
  switch (refusal) {
    case 'invalid':
      return wrongName !== undefined
        ? { field: 'name', message: `Give the token a name. It ${wrongName.message}.` }
        : {
            field: 'days',
            message: `Choose a number of days from ${tokenDays.least} to ${tokenDays.most}.`,
          };
    case 'name-taken':
      return { field: 'name', message: 'You have a token of this name. Choose another, or revoke that one.' };
    case 'too-many-tokens':
      return {
        field: 'name',
        message: `You have ${tokensAllowed} tokens, which is the maximum. Revoke one that is no longer needed.`,
      };
    case 'too-many-tokens-today':
      return {
        field: 'name',
        message: `You have created ${tokensADay} tokens within a day, which is the maximum. Try again tomorrow.`,
      };
    case 'not-an-administrator':
      return { field: 'organization', message: 'You do not administer this organization. Choose another.' };
    case 'user-unknown':
    case 'user-disabled':
      return { field: 'name', message: 'Your account cannot have tokens now.' };
  }
};
