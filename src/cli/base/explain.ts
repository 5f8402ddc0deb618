import { Interrupted } from '../../audit/interrupted.ts';
import { adviceToReach, causeOf, isServerAway } from '../../common/server-away.ts';
import { ConfigError, readConfig } from '../../config/config.ts';
import { DataDirUnusable } from '../../embedded/data-dir.ts';
import { DataDirInUse } from '../../embedded/owner-lock.ts';
import {
  AppendOutcomeUnknown,
  EventStoreUnavailable,
  PersonalDataUnavailable,
  StreamUnreadable,
  RightMissing,
  UnreleasedLog,
} from '../../eventstore/event-store.ts';
import { userOf } from '../../eventstore/server/trouble.ts';
import { noRights } from '../../eventstore/server/trouble-words.ts';
import { DatabaseForeign } from '../../projections/database/migration-records.ts';
import { SchemaUnwritable } from '../../projections/database/own-schema.ts';
import { refused, type Answer } from './answer.ts';
import { NotAllowed } from '../../common/not-allowed.ts';
import { capitalized, failedAnswer, NotReached, notReachedAnswer } from './not-reached.ts';

/** Also PostgreSQL's codes for a failed authentication, and for a database that does not exist. */
const isConnectionFailure = (error: unknown): boolean =>
  isServerAway(error) || /^(28|3D)/.test(causeOf(error));

/** The database could not be opened, or its connection was lost: why, and what to do. */
export const databaseAway = (error: unknown): NotReached => {
  const cause = causeOf(error);
  const trouble =
    cause === '25006'
      ? 'is read-only: nothing was stored (25006)'
      : `cannot be reached (${cause}): ${adviceToReach(cause)}`;
  return new NotReached('DATABASE_URL', `The database of DATABASE_URL ${trouble}`, { cause: error });
};

/** The message to the operator about a thrown error. Never a stack trace, never a URL with a password. @param env names the account */
export const explain = (error: unknown, env: Readonly<Record<string, string | undefined>> = {}): Answer => {
  if (error instanceof ConfigError) return settingsAnswer(error);
  if (error instanceof NotReached) return notReachedAnswer(error);
  if (error instanceof DataDirInUse || error instanceof DataDirUnusable)
    return explain(new NotReached('DATA_DIR', error.message));
  if (error instanceof SchemaUnwritable || error instanceof DatabaseForeign)
    return explain(new NotReached('DATABASE_URL', error.message));
  if (error instanceof UnreleasedLog)
    return explain(new NotReached('EVENTSTORE_URL', capitalized(error.message)));
  if (error instanceof NotAllowed) return refused(error.code, error.message);
  if (error instanceof Interrupted) return refused('interrupted', 'it was interrupted: there is no answer');
  if (error instanceof AppendOutcomeUnknown) {
    return refused(
      'outcome-unknown',
      'the event store did not confirm whether it was stored; check, then run it again',
    );
  }
  if (error instanceof PersonalDataUnavailable)
    return explain(new NotReached('DATABASE_URL', `Nothing was stored: ${error.message}`));
  if (error instanceof RightMissing) {
    const { message, right } = error;
    const { advice } = noRights([right], userOf(readConfig(env).eventStoreUrl ?? ''));
    return refused('right-missing', `nothing was stored: ${message}; ${advice}`);
  }
  if (error instanceof EventStoreUnavailable) {
    return refused(
      'unavailable',
      'the connection to the event store was lost (EVENTSTORE_URL); nothing was stored, run it again',
    );
  }
  if (error instanceof StreamUnreadable) {
    const { stream, type, id } = error.event;
    return refused(
      'on-hold',
      `nothing was changed: ${type} ${id} of ${stream} cannot be decoded. See grantbook parked list; then retry it with a release that can decode it, or skip it: grantbook parked skip ${id} --reason TEXT`,
    );
  }
  if (isConnectionFailure(error)) return explain(databaseAway(error));
  return failedAnswer(error);
};

const settingsAnswer = ({ message, problems }: ConfigError): Answer => ({
  exitCode: 2,
  json: { error: { code: 'settings', message: 'the settings are wrong', problems } },
  text: message.replace(/^t/, 'T'),
});
