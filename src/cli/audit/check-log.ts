import { Interrupted } from '../../audit/interrupted.ts';
import { checkLog, type ComparedHead, type LogCheck } from '../../audit/log-heads/check-log.ts';
import { headsFrom } from '../../audit/log-heads/read-heads.ts';
import { answer, refused, type Answer } from '../answer.ts';
import type { CliIo } from '../cli-io.ts';
import { leaf, type AddCommands } from '../define.ts';
import { collect } from '../option-values.ts';
import { withService, type CliService } from '../service.ts';
import { readHead, readJwks } from './kept-files.ts';

type Options = { readonly head?: readonly string[]; readonly jwks?: string };

export const addAuditCheckLog: AddCommands = (audit, io, run) => {
  const command = leaf(
    audit,
    'check-log',
    'read the whole log, and compare it with heads that were signed over it',
  );
  command
    .option(
      '--head <files...>',
      'heads that were kept outside (grantbook audit head -o FILE)',
      collect(String),
    )
    .option('--jwks <file>', 'keys of the service, kept from elsewhere (GET /oauth/jwks)')
    .addHelpText(
      'after',
      '\nThe heads that are in the log itself are compared too. Only those kept outside prove anything to others.',
    )
    .action(({ head: files = [], jwks }: Options) =>
      run(async () => {
        const kept = jwks === undefined ? null : await readJwks(jwks);
        if (typeof kept === 'string') return command.error(`error: --jwks ${jwks} ${kept}`);
        const heads: ComparedHead[] = [];
        for (const file of files) {
          const read = await readHead(file, kept);
          if ('unreadable' in read) return command.error(`error: --head ${file} ${read.unreadable}`);
          if ('bad' in read) return refused('bad-head', `the head of ${file} ${read.bad}`);
          heads.push(read);
        }
        return withService(io, (service) => check(io, service, heads));
      }),
    );
};

const check = async (io: CliIo, { store }: CliService, outside: readonly ComparedHead[]): Promise<Answer> => {
  const inside = (await headsFrom(store, 0n)).map(({ size, root, revision }) => ({
    name: `head ${revision} of the log itself`,
    size,
    root,
  }));
  try {
    return present(await checkLog(store, [...outside, ...inside], io.signal), outside.length, inside.length);
  } catch (error) {
    if (error instanceof Interrupted)
      return refused('interrupted', 'it was interrupted: nothing was found out');
    throw error;
  }
};

const present = ({ size, root, difference }: LogCheck, outside: number, inside: number): Answer => {
  const facts = { size, root, heads: { outside, inside } };
  if (difference === null) {
    const heads = `${outside} heads from outside and ${inside} of its own`;
    return answer(
      { ok: true, ...facts },
      `The log has ${size} events and agrees with ${heads}. Its root is ${root}.`,
    );
  }
  const { head, kind, agreesTo } = difference;
  const where =
    kind === 'cut'
      ? `it has ${size} events, and ${head.name} is over ${head.size}`
      : `its first ${head.size} events are not those of ${head.name}`;
  const first =
    agreesTo === 0
      ? 'It agrees with no head before that'
      : `It agrees with the heads up to ${agreesTo} events, so the first that differs is one of ${agreesTo + 1} to ${head.size}`;
  const message = `the log was ${kind}: ${where}. ${first}`;
  return {
    exitCode: 1,
    json: {
      ok: false,
      ...facts,
      difference: { kind, head: head.name, head_size: head.size, agrees_to: agreesTo },
      error: { code: `log-${kind}`, message },
    },
    text: refused('', message).text,
  };
};
