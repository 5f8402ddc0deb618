import type { ComparedHead } from '#verify';
import { refused } from '../base/answer.ts';
import { leaf, type AddCommands } from '../base/define.ts';
import { collect } from '../base/option-values.ts';
import { withService } from '../base/service.ts';

type Options = {
  readonly head?: readonly string[];
  readonly jwks?: string;
  readonly full?: true;
  readonly timestampCa?: string;
};

export const addAuditCheckLog: AddCommands = (audit, io, run) => {
  const command = leaf(
    audit,
    'check-log',
    'compare the log with its signed heads, starting where the last check ended',
  );
  command
    .option(
      '--head <files...>',
      'heads that were stored outside (grantbook audit head -o FILE)',
      collect(String),
    )
    .option('--jwks <file>', 'public keys of the service, stored earlier (GET /oauth/jwks)')
    .option('--timestamp-ca <file>', 'certificates of the authority that timestamped the heads (PEM)')
    .option('--full', 'read the whole log again, including the part that earlier checks have read')
    .addHelpText(
      'after',
      '\nHeads in the log itself are compared, too. Only heads stored outside are proof for others.\n' +
        'An interrupted check continues when it is run again.',
    )
    .action(({ head: files = [], jwks, full, timestampCa }: Options) =>
      run(async () => {
        const { readAuthorities, readHead, readJwks } = await import('#verify');
        const kept = jwks === undefined ? null : await readJwks(jwks);
        if (typeof kept === 'string') return command.error(`error: --jwks ${jwks} ${kept}`);
        const authorities = await readAuthorities(timestampCa);
        if (typeof authorities === 'string')
          return command.error(`error: --timestamp-ca ${timestampCa} ${authorities}`);
        const heads: ComparedHead[] = [];
        for (const file of files) {
          const read = await readHead(file, kept, authorities);
          if ('unreadable' in read) return command.error(`error: --head ${file} ${read.unreadable}`);
          if ('bad' in read) return refused('bad-head', `the head of ${file} ${read.bad}`);
          heads.push(read);
        }
        return withService(
          io,
          async (service) => {
            const { checkAgainst } = await import('./check-against.ts');
            return checkAgainst(io, service, { heads, kept }, full ? 'full' : 'verified');
          },
          'auditor',
        );
      }),
    );
};
