import { createReadStream } from 'node:fs';
import { verifyExport, type Verdict } from '../../audit/export/verify-export.ts';
import type { Manifest } from '../../audit/export/format.ts';
import type { ComparedHead } from '../../audit/log-heads/check-log.ts';
import { answer, refused, sheet, type Answer } from '../base/answer.ts';
import { leaf, type AddCommands } from '../base/define.ts';
import { isDirectory, readHead, readJwks, whyUnreadable } from './kept-files.ts';
import { readAuthorities, verifyDepositsAt } from './verify-deposits.ts';

type Options = { readonly jwks?: string; readonly head?: string; readonly timestampCa?: string };

export const addAuditVerify: AddCommands = (audit, _io, run) => {
  const command = leaf(
    audit,
    'verify',
    'verify an export, a head or a folder of deposited heads offline, and show what is wrong',
  );
  command
    .argument('<file>', 'output of `grantbook audit export` or `head`, or HEAD_DEPOSIT_DIR')
    .option('--jwks <file>', 'public keys of the service, stored earlier (GET /oauth/jwks)')
    .option(
      '--head <file>',
      'a stored head of the log: checks that the events are in that log or its continuation',
    )
    .option('--timestamp-ca <file>', 'certificates of the timestamp authority (PEM)')
    .action((file: string, { jwks, head, timestampCa }: Options) =>
      run(async () => {
        const unreadable = await whyUnreadable(file);
        if (unreadable !== null && unreadable !== isDirectory)
          return command.error(`error: the file ${file} cannot be read: ${unreadable}`);
        const kept = jwks === undefined ? null : await readJwks(jwks);
        if (typeof kept === 'string') return command.error(`error: --jwks ${jwks} ${kept}`);
        const authorities = await readAuthorities(timestampCa);
        if (typeof authorities === 'string')
          return command.error(`error: --timestamp-ca ${timestampCa} ${authorities}`);
        const deposits = await verifyDepositsAt(file, { keys: kept, authorities });
        if (deposits) return deposits;
        const found = head === undefined ? null : await readHead(head, kept, authorities);
        if (found && 'unreadable' in found) return command.error(`error: --head ${head} ${found.unreadable}`);
        if (found && 'bad' in found) return refused('bad-head', `the head of ${head} ${found.bad}`);
        const verdict = await verifyExport(createReadStream(file), kept);
        const difference = verdict.ok && found ? differenceTo(found, verdict.manifest.log) : null;
        return difference === null ? present(file, verdict, found) : refused('other-log', difference);
      }),
    );
};

/** Why the events are not proved to be in the log of the head; null if they are. */
const differenceTo = ({ size, root }: ComparedHead, log: Manifest['log']): string | null => {
  if (!log) return 'the export does not prove the place of its events in the log: it was made without --head';
  const known = [log, log.head].find((one) => one.size === size);
  if (!known)
    return `the head covers ${size} events, but the export contains proofs only for heads over ${log.head.size} and ${log.size}`;
  return known.root === root
    ? null
    : `the export belongs to another log: its first ${size} events differ from those of the head`;
};

const present = (file: string, verdict: Verdict, head: ComparedHead | null): Answer => {
  if (!verdict.ok) {
    const { line, problem } = verdict;
    const { text } = refused('', `${file} was changed after the export: line ${line} ${problem}`);
    return {
      exitCode: 1,
      json: { ok: false, line, problem, error: { code: 'not-verified', message: `line ${line} ${problem}` } },
      text,
    };
  }
  const { manifest, kid, trusted } = verdict;
  const { organization, events, first, last, until, root, exportedAt, exportedBy } = manifest;
  return answer(
    { ok: true, key: kid, key_is_known: trusted, in_log_of_head: head !== null, manifest },
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
        ? 'Nothing was changed, removed or added since it was signed by this key, which is one of the given keys.'
        : "Nothing was changed since it was signed by the key contained in the file. Whether the key is the service's is not verified: pass the " +
          "service's public keys, stored earlier, with --jwks, or compare the id of the key.",
      ...(head
        ? [`The events are in the log of ${head.name} (${head.size} events) or its continuation.`]
        : []),
    ].join('\n'),
  );
};
