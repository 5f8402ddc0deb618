import { createReadStream } from 'node:fs';
import { verifyExport, type Verdict } from '../../audit/export/verify-export.ts';
import type { Jwks } from '../../audit/jws.ts';
import { answer, refused, sheet, type Answer } from '../answer.ts';
import { leaf, type AddCommands } from '../define.ts';
import { readJwks, whyUnreadable } from './kept-files.ts';

type Options = { readonly jwks?: string };

export const addAuditVerify: AddCommands = (audit, _io, run) => {
  const command = leaf(
    audit,
    'verify',
    'check an export, without a server: what is wrong with it, and where',
  );
  command
    .argument('<file>', 'what `grantbook audit export` wrote')
    .option('--jwks <file>', 'keys of the service, kept from elsewhere (GET /oauth/jwks)')
    .action((file: string, { jwks }: Options) =>
      run(async () => {
        const unreadable = await whyUnreadable(file);
        if (unreadable !== null)
          return command.error(`error: the file ${file} cannot be read: ${unreadable}`);
        const kept = jwks === undefined ? null : await readJwks(jwks);
        if (typeof kept === 'string') return command.error(`error: --jwks ${jwks} ${kept}`);
        return present(file, await verifyExport(createReadStream(file), kept satisfies Jwks | null));
      }),
    );
};

const present = (file: string, verdict: Verdict): Answer => {
  if (!verdict.ok) {
    const { line, problem } = verdict;
    const { text } = refused('', `${file} is not what was exported: line ${line} ${problem}`);
    return {
      exitCode: 1,
      json: { ok: false, line, problem, error: { code: 'not-verified', message: `line ${line} ${problem}` } },
      text,
    };
  }
  const { manifest, kid, trusted } = verdict;
  const { organization, events, first, last, until, root, exportedAt, exportedBy } = manifest;
  return answer(
    { ok: true, key: kid, key_is_known: trusted, manifest },
    [
      sheet({
        organization,
        events: `${events}${first === null || last === null ? '' : `, from ${first} to ${last}`}`,
        'log read to': until ?? 'its beginning: it was empty',
        exported: `${exportedAt} by ${exportedBy}`,
        root,
        key: kid,
      }),
      trusted
        ? 'Nothing was changed, left out or added since a holder of this key, which is among yours, signed it.'
        : 'Nothing was changed since it was signed by the key that stands in it. Whose key that is, is not proved: give the ' +
          "service's keys, kept from elsewhere, with --jwks, or compare the id of the key.",
    ].join('\n'),
  );
};
