import { z } from 'zod';

const jti = z.string().max(1_000);
/** In `ack`, and in `setErrs`. */
export const mostEnded = 10_000;

/** What a receiver reports about a SET (RFC 8936 §2.6). */
const setError = z.object({
  err: z.string().max(200).describe('An error code, such as `invalid_key`.'),
  description: z.string().optional().describe('In words, for people.'),
});

/** RFC 8936 §2.4. Every member may be left out; unknown ones are ignored. */
export const pollForm = z.object({
  // Not `int`, which ends at 2^53: receivers that want everything send the largest number that they know.
  maxEvents: z
    .number()
    .multipleOf(1)
    .min(0)
    .optional()
    .meta({ type: 'integer' })
    .describe('The maximum number of SETs in the answer; `0`: acknowledge only.'),
  returnImmediately: z
    .boolean()
    .optional()
    .describe('`true`: the answer does not wait. Otherwise it waits up to 30 seconds for a SET.'),
  ack: z
    .array(jti)
    .max(mostEnded)
    .optional()
    .describe('The `jti` of each SET that has arrived: it is not offered again.'),
  setErrs: z
    .record(jti, setError)
    .optional()
    .describe(
      'By `jti`, what is wrong with a SET: it is not offered again either. The error is kept and shown.',
    ),
});

export const pollAllows: Readonly<Record<keyof typeof pollForm.shape, string>> = {
  maxEvents: 'a whole number, 0 or more',
  returnImmediately: 'true or false',
  ack: `an array of at most ${mostEnded} strings`,
  setErrs: `an object of at most ${mostEnded} members such as {"JTI": {"err": "invalid_key", "description": "…"}}`,
};

/** RFC 8936 §2.5. */
export const pollAnswer = z
  .object({
    sets: z.record(z.string(), z.string()).describe('SETs (RFC 8417), signed, by `jti`.'),
    moreAvailable: z.literal(true).optional().describe('There are more SETs than were answered.'),
  })
  .describe('What a stream offers now.');

export type PollAnswerBody = z.infer<typeof pollAnswer>;
