import type { Config } from '../../config/config.ts';
import { failure, ok, type Check } from './finding.ts';

const check = 'mail server';

/** Whether the mail server answers, and takes the user and the password of MAIL_URL; no mail is sent. */
export const mailChecks = ({ mail }: Pick<Config, 'mail'>): readonly Check[] =>
  mail === null
    ? []
    : [
        {
          check,
          run: async () => {
            const { makeMailer } = await import('../../mail/mailer.ts');
            const problem = await makeMailer(mail).check();
            return problem === null
              ? ok(check, 'answers')
              : failure(
                  check,
                  problem,
                  'correct MAIL_URL, or start the mail server; until then, give links to people yourself',
                );
          },
        },
      ];
