import { defaultLifetimes } from '../../commands/kernel/dependencies.ts';
import type { OperatorTokenHolder } from '../../commands/people/tokens/read-operator-token.ts';
import { untilBeat } from '../../http/session/answer-beat.ts';
import { answer, refused, sheet, type Answer } from '../base/answer.ts';
import { leaf, type AddCommands } from '../base/define.ts';
import { readPassword } from '../base/read-password.ts';
import { withService, type CliService } from '../base/service.ts';
import { readTokenFile, removeTokenFile, writeTokenFile } from './token-file.ts';

/** Sign-ins on the command line count as one network for the limits, and for the account's (docs/explanation/sign-in.md). */
const network = 'command line';
const shown = { device: 'Command line', network: null };

export const addSignInCommands: AddCommands = (program, io, run) => {
  const login = leaf(program, 'login', 'sign in, so that the audit log says who does what');
  login
    .requiredOption('--email <email>', 'your e-mail address; the password is read from standard input')
    .action(({ email }: { readonly email: string }) =>
      run(async () => {
        const password = await readPassword(io);
        if (password === '')
          login.error('error: the password is missing: type it, or pass it as one line on standard input');
        return withService(io, (service) => signIn(service, email, password), 'nobody');
      }),
    );
  leaf(program, 'logout', 'sign out').action(() => run(() => withService(io, signOut, 'nobody')));
  leaf(program, 'whoami', 'show who is signed in').action(() =>
    run(() => withService(io, whoAmI, 'auditor')),
  );
};

const signIn = async (
  { commands, tokenFile }: CliService,
  email: string,
  password: string,
): Promise<Answer> => {
  if (tokenFile === null)
    return refused('no-folder', 'there is no place for the token: set HOME or XDG_CONFIG_HOME');
  const since = performance.now();
  const outcome = await commands.signIn({ email, password, from: { network, device: null, shown } });
  await untilBeat(since);
  if (!outcome.ok) {
    const { refusal, retryAfter } = outcome;
    const wait = retryAfter === undefined ? '' : `; try again in ${retryAfter} s`;
    return refused(refusal, `${refusals[refusal]}${wait}`);
  }
  const { cookie, session } = outcome.value;
  const { sessionId, userId, name, roles } = session;
  if (roles.length === 0) {
    await commands.signOut(sessionId);
    return refused('not-an-operator', 'the account is neither an operator nor an auditor');
  }
  await endKept(commands, tokenFile);
  await writeTokenFile(tokenFile, { token: cookie, given: false });
  const expiresAt = new Date(session.authTime + defaultLifetimes.session).toISOString();
  return answer(
    { user_id: userId, name, roles, expires_at: expiresAt, file: tokenFile },
    `Signed in as ${name} until ${expiresAt}. The token is kept in ${tokenFile}.`,
  );
};

const refusals = {
  'wrong-credentials': 'wrong e-mail address or password',
  'too-many-attempts': 'there were too many attempts',
  'interaction-ended': 'there were too many attempts',
  'passwords-off':
    'passwords are switched off (LOCAL_SIGN_IN=off): leave out grantbook login, or use a token of an operator in GRANTBOOK_TOKEN',
  busy: 'too many sign-ins are being checked; try again in a few seconds',
};

const signOut = async ({ commands, tokenFile }: CliService): Promise<Answer> => {
  const ended = tokenFile === null ? null : await endKept(commands, tokenFile);
  if (tokenFile === null || ended === null)
    return refused('not-signed-in', 'nobody is signed in here with grantbook login');
  await removeTokenFile(tokenFile);
  return answer(present(ended.user), 'Signed out: the token is no longer valid.');
};

/** Ends the session of the stored token, if it is still valid; null when no token is stored. The file stays. */
const endKept = async (
  commands: CliService['commands'],
  tokenFile: string,
): Promise<{ readonly user: OperatorTokenHolder | null } | null> => {
  const kept = await readTokenFile(tokenFile);
  if (kept === null) return null;
  const read = await commands.readOperatorToken(kept.token, { kept: true });
  if (!read.ok) return { user: null };
  if (read.value.sessionId !== null) await commands.signOut(read.value.sessionId);
  return { user: read.value };
};

const whoAmI = ({ actor }: CliService): Promise<Answer> => {
  const { user } = actor;
  if (user === null) {
    const words = 'nobody is signed in: the audit log names break-glass as the actor of what is done now';
    return Promise.resolve(refused('not-signed-in', words));
  }
  const { userId, name, roles } = user;
  return Promise.resolve(answer(present(user), sheet({ user_id: userId, name, roles: roles.join(' ') })));
};

const present = (user: OperatorTokenHolder | null) => ({
  user_id: user?.userId ?? null,
  name: user?.name ?? null,
  roles: user?.roles ?? [],
});
