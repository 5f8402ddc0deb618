import { packageVersion } from '../../process/package-root.ts';
import { NotAllowed } from '../base/not-allowed.ts';
import type { Refused } from './api.ts';

/** The service refused a request before, or instead of, carrying out a task. */
export class RefusedByService extends NotAllowed {
  constructor({ code, kind, message, problems }: Refused) {
    const which = (problems ?? []).map((one) => ` ${one.field}: allowed is ${one.message}.`).join('');
    super(
      code,
      kind === 'not-found'
        ? `the service does not offer this: it has another version than this command line (${packageVersion})`
        : `${message}${which}`,
    );
  }
}
