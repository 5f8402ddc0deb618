import { proxiesTo, readProxies } from '../../common/outgoing/proxies.ts';
import type { RunIo } from '../base/cli-io.ts';
import { NotAllowed } from '../../common/not-allowed.ts';
import type { AddCommands } from '../base/define.ts';
import { contents, withLoaders, type Loaders } from '../contents.ts';
import { runProgram } from '../program.ts';
import { taskGroups } from '../task-groups.ts';
import { connect, type RemoteIo } from './connect.ts';
import { readServer, serversGivenToo } from './server.ts';
import { refused, type Answer } from '../base/answer.ts';
import { jsonText, printing } from '../base/printable.ts';
import { failedAnswer, NotReached, notReachedAnswer } from '../base/not-reached.ts';

type Io = Omit<RunIo, 'openApi' | 'openService' | 'openServers'>;

/** Runs one command line over the API of a service. It loads nothing of the service, and reads no key. @returns the exit code */
export const runRemote = async (args: readonly string[], own: Io, given: string): Promise<number> => {
  const io = printing(own);
  const server = readServer(given);
  const too = serversGivenToo(io.env);
  const onlyAsks = args.length === 0 || args.some((arg) => /^(?:--help|-h|help|--version|-V)$/.test(arg));
  if (!onlyAsks && 'problem' in server)
    return misused(
      io,
      args,
      `the address of the service (--server or GRANTBOOK_SERVER) is wrong: ${server.problem}`,
    );
  if (!onlyAsks && too.length > 0)
    return misused(
      io,
      args,
      `the address of a service (--server or GRANTBOOK_SERVER) and ${too.join(', ')} are both set: unset one of both, so that it is clear whether this goes over the API or, as break-glass, to the servers`,
    );
  const { proxies, problems } = readProxies(io.env);
  if (!onlyAsks && problems.length > 0) return misused(io, args, problems.join('; '));
  const url = 'url' in server ? server.url : given;
  const remote: RemoteIo = { ...io, server: { url, proxies: proxiesTo(url, proxies) } };
  return runProgram(
    args,
    {
      ...io,
      openApi: async (who) => (await connect(remote, who)).api,
      openService: () => Promise.reject(notOverTheApi()),
      openServers: () => Promise.reject(notOverTheApi()),
    },
    { groups: withLoaders(loadersFor(remote)), explain: (error) => Promise.resolve(explain(error)) },
  );
};

const loadersFor = (remote: RemoteIo): Loaders => ({
  ...Object.fromEntries(contents.map(({ commands }) => [Object.keys(commands)[0], refusing(commands)])),
  ...taskGroups,
  login: async () => (await import('./sign-in.ts')).addRemoteSignIn(remote),
});

/** Groups that work on the servers themselves. */
const refusing =
  (commands: Readonly<Record<string, string>>): Loaders[string] =>
  () =>
    Promise.resolve<AddCommands>((program, _io, run) => {
      for (const name of Object.keys(commands))
        program
          .command(name)
          .argument('[words...]')
          .allowUnknownOption()
          .allowExcessArguments()
          .action(() => run(() => Promise.reject(notOverTheApi(name))));
    });

const notOverTheApi = (name = 'this command'): NotAllowed =>
  new NotAllowed(
    'needs-servers',
    `${name} works on the servers themselves, not over the API: run it without --server and GRANTBOOK_SERVER where EVENTSTORE_URL, DATABASE_URL and TOKEN_KEYS are set (for Kafka, KAFKA_BROKERS)`,
  );

const misused = (io: Io, args: readonly string[], message: string): number => {
  if (args.includes('--json')) io.stdout.write(`${jsonText({ error: { code: 'usage', message } })}\n`);
  else io.stderr.write(`error: ${message}\n`);
  return 2;
};

/** The message about a thrown error, without a stack trace. */
const explain = (error: unknown): Answer => {
  if (error instanceof NotReached) return notReachedAnswer(error);
  if (error instanceof NotAllowed) return refused(error.code, error.message);
  if (error instanceof Error && error.name === 'AbortError')
    return refused('interrupted', 'it was interrupted: there is no answer, and what was asked may be done');
  return failedAnswer(error);
};
