import { answer, refused, sheet, type Answer } from '../base/answer.ts';
import { NotAllowed } from '../../common/not-allowed.ts';
import { leaf, type AddCommands } from '../base/define.ts';
import { readPassword } from '../base/read-password.ts';
import { type KeptToken, readTokenFile, removeTokenFile, writeTokenFile } from '../sign-in/token-file.ts';
import { makeApi } from './network.ts';
import { signInWithBrowser } from './browser-sign-in.ts';
import { connect, tokenFileFor, whoAmI, type Me, type RemoteIo } from './connect.ts';

/** `login`, `logout` and `whoami` at a service, with the same JSON as on the servers. */
export const addRemoteSignIn =
  (remote: RemoteIo): AddCommands =>
  (program, io, run) => {
    leaf(program, 'login', 'sign in with the browser; the service shows what the command line may do')
      .option('--token-stdin', 'read a token of your account from standard input instead')
      .action(({ tokenStdin = false }: { readonly tokenStdin?: boolean }) =>
        run(async () => {
          const file = tokenFileFor(remote);
          if (file === null)
            return refused('no-folder', 'there is no place for the token: set HOME or XDG_CONFIG_HOME');
          const keeping = (given: boolean) => (token: string) => keep(remote, file, { token, given });
          if (!tokenStdin) return signInWithBrowser(remote, io, keeping(false));
          const token = await readPassword(io, 'Token: ');
          return token === ''
            ? refused('token-missing', 'no token came: pass it as one line on standard input')
            : keeping(true)(token);
        }),
      );
    leaf(program, 'logout', 'sign out').action(() => run(() => signOut(remote)));
    leaf(program, 'whoami', 'show who is signed in').action(() =>
      run(async () => {
        const { me } = await connect(remote, 'member');
        const { user_id, name, roles } = me;
        return answer(present(me), sheet({ user_id, name, roles: roles.join(' ') }));
      }),
    );
  };

/** Keeps a token of an operator, an auditor or a member of a publisher; one that a login before made ends. */
const keep = async (remote: RemoteIo, file: string, kept: KeptToken): Promise<Answer> => {
  const { token } = kept;
  const { server, signal } = remote;
  if (!/^[\x21-\x7e]{1,2048}$/.test(token)) return refused('token-unknown', 'this is no token');
  const me = await whoAmI(remote, makeApi({ server, token, signal }));
  if (!me.roles.some((role) => role === 'operator' || role === 'auditor' || role === 'publisher'))
    return refused('not-an-operator', 'the account is no operator, no auditor and no member of a publisher');
  const before = await readTokenFile(file).catch(() => null);
  if (before !== null && !before.given && before.token !== token) await end(remote, before.token);
  await writeTokenFile(file, kept);
  return answer(
    { ...present(me), expires_at: me.expires_at, file },
    `Signed in at ${server.url} as ${me.name} until ${me.expires_at ?? 'it is revoked'}. The token is kept in ${file}.`,
  );
};

const signOut = async (remote: RemoteIo): Promise<Answer> => {
  const file = tokenFileFor(remote);
  const kept = file === null ? null : await readTokenFile(file);
  if (file === null || kept === null)
    return refused('not-signed-in', `nobody is signed in at ${remote.server.url} with grantbook login`);
  const ended = kept.given ? null : await end(remote, kept.token);
  await removeTokenFile(file);
  return answer(
    present(ended),
    kept.given
      ? 'Signed out: the token is no longer kept here. Whoever has it can use it until it expires or is revoked.'
      : 'Signed out: the token is no longer valid.',
  );
};

/** Ends a token at the service; null where it had ended. */
const end = async ({ server, signal }: RemoteIo, token: string): Promise<Me | null> => {
  const api = makeApi({ server, token, signal });
  const answered = await api.ask('DELETE', '/operator/api/token').catch((error: unknown) => {
    if (error instanceof NotAllowed) return null;
    throw error;
  });
  return answered?.ok === true ? (answered.json as Me) : null;
};

const present = (me: Me | null) => ({
  user_id: me?.user_id ?? null,
  name: me?.name ?? null,
  roles: me?.roles ?? [],
});
