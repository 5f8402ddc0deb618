import { access } from 'node:fs/promises';
import type { ComparedHead, Manifest } from '#verify';
import type { Parameters } from '../../tasks/audit-questions.ts';
import { parsePosition, positionText } from '../../audit/timeline/position-text.ts';
import { comparePositions, type Position } from '../../eventstore/event-store.ts';
import { answer, refused, sheet, type Answer } from '../base/answer.ts';
import type { CliIo } from '../base/cli-io.ts';
import type { AddCommands } from '../base/define.ts';
import { NotReached } from '../base/not-reached.ts';
import { replaceFile } from '../base/whole-file.ts';
import { refusedAnswer } from './ask-audit.ts';
import { auditsOver, type ExportLines } from './audits.ts';
import { askedIn, questionCommand } from './question.ts';

type Options = { readonly output: string; readonly head?: string };

export const addAuditExport: AddCommands = (audit, io, run) => {
  const command = questionCommand(audit, 'export')
    .requiredOption('-o, --output <file>', 'output file; must not exist')
    .option('--head <file>', 'prove that the events are in the log of this head')
    .addHelpText(
      'after',
      '\nNDJSON; docs/reference/audit-export.md specifies it. `grantbook audit verify FILE` checks it, offline.',
    );
  command.action(({ output, head: file }: Options) =>
    run(async () => {
      const { parameters, asked } = askedIn(command, 'export');
      const { readHead } = await import('#verify');
      const head = file === undefined ? null : await readHead(file, null);
      if (head && 'unreadable' in head) return command.error(`error: --head ${file} ${head.unreadable}`);
      if (head && 'bad' in head) return refused('bad-head', `the head of ${file} ${head.bad}`);
      const early = head && untilBefore(asked.until, head);
      if (early) return refused('until-before-head', early);
      return exportTo(io, output, {
        ...parameters,
        head_size: head?.size.toString(),
        head_root: head?.root,
      });
    }),
  );
};

/** An export that ends before the head's last event cannot show that the log has grown from the head; null otherwise. */
const untilBefore = (until: Position | undefined, { position }: ComparedHead): string | null => {
  const end = position === undefined ? null : parsePosition(position);
  return until && end && comparePositions(until, end) < 0
    ? `--until ${positionText(until)} is before ${position}, the last event covered by the head of --head: omit --until, or use that position or a later one`
    : null;
};

const exportTo = async (io: CliIo, output: string, parameters: Parameters): Promise<Answer> => {
  const audits = auditsOver(await io.openApi('auditor'), io);
  try {
    if (
      await access(output).then(
        () => true,
        () => false,
      )
    )
      return refused('file-exists', `${output} already exists; an export does not overwrite files`);
    const lines = await audits.export(parameters);
    if ('ok' in lines) return refusedAnswer(lines);
    const manifest = manifestIn(await replaceFile(output, lastLineOf(lines)));
    return answer({ file: output, ...inSnakeCase(manifest) }, present(output, manifest));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== undefined && /^E[A-Z]+$/.test(code) && 'path' in (error as object))
      return refused('not-written', `${output} cannot be written (${code})`);
    throw error;
  } finally {
    await audits.close();
  }
};

/** Passes the lines on, and returns the last one. @throws NotReached where it is not the manifest: the rest did not come */
async function* lastLineOf(lines: ExportLines): AsyncGenerator<string, string> {
  const decoder = new TextDecoder();
  let last = '';
  for await (const piece of lines) {
    const text = decoder.decode(piece, { stream: true });
    const whole = last.endsWith('\n') ? text : last + text;
    last = whole.slice(whole.lastIndexOf('\n', whole.length - 2) + 1);
    yield text;
  }
  if (!last.endsWith('\n') || !last.startsWith('{"manifest":'))
    throw new NotReached('GRANTBOOK_SERVER', 'The export ended early: there is no file');
  return last;
}

const manifestIn = (line: string): Manifest => {
  const { manifest } = JSON.parse(line) as { readonly manifest: string };
  return JSON.parse(Buffer.from(manifest.split('.')[1] ?? '', 'base64url').toString()) as Manifest;
};

const inSnakeCase = ({ exportedBy, exportedAt, ...manifest }: Manifest) => ({
  ...manifest,
  exported_by: exportedBy,
  exported_at: exportedAt,
});

const present = (file: string, { events, until, root }: Manifest): string =>
  sheet({ file, events: String(events), until: until ?? 'the log is empty', root });
