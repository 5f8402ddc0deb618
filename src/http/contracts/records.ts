import { z } from 'zod';
import { accessRightStatuses } from '../../domain/access-right.ts';
import { reservationStatuses } from '../../domain/reservation.ts';
import { instant, recordId } from './fields.ts';

const kept = {
  version: z.int().min(1).describe('The host platform’s: grows with each change of the record.'),
  created_at: instant().describe('When the record came in. Lists are in this order, oldest first.'),
  updated_at: instant().describe('When the newest version came in.'),
};

/** What the lists answer (LI-07). The host platform's import says the same with the fields of `cli/import/schemas.ts`. */
export const profile = z
  .object({
    id: recordId(),
    version: kept.version,
    name: z.string().meta({ examples: ['Ada Ahoi'] }),
    email: z.string().meta({
      description:
        'An address, or `erased` where the person was erased, as every other field about them; `key lost` where their key is missing.',
      examples: ['ada@harbour.example'],
    }),
    user_id: z.string().nullable().describe('The account that the profile belongs to.'),
    phone: z.string().nullable(),
    locale: z
      .string()
      .nullable()
      .meta({ description: 'A language tag (BCP 47).', examples: ['de-AT'] }),
    external_id: z
      .string()
      .nullable()
      .describe('An id of the host platform’s own world, such as a member number.'),
    created_at: kept.created_at,
    updated_at: kept.updated_at,
  })
  .describe('A person known to an organization.');

export const reservation = z
  .object({
    id: recordId(),
    version: kept.version,
    profile_id: recordId().describe('Who has booked.'),
    resource: z.string().meta({ description: 'What is booked.', examples: ['Berth 7'] }),
    starts_at: instant(),
    ends_at: instant().describe('After `starts_at`.'),
    status: z.enum(reservationStatuses),
    title: z.string().nullable(),
    note: z.string().nullable(),
    created_at: kept.created_at,
    updated_at: kept.updated_at,
  })
  .describe('Somebody has booked something for a time.');

export const accessRight = z
  .object({
    id: recordId(),
    version: kept.version,
    profile_id: recordId().describe('Who may open it.'),
    opens: z.string().meta({ description: 'What it opens.', examples: ['Main gate'] }),
    valid_from: instant(),
    valid_until: instant().nullable().describe('`null`: without end.'),
    status: z.enum(accessRightStatuses),
    reservation_id: recordId().nullable().describe('The reservation that it comes from.'),
    created_at: kept.created_at,
    updated_at: kept.updated_at,
  })
  .describe('What a profile may open, and when.');

export type ProfileItem = z.infer<typeof profile>;
export type ReservationItem = z.infer<typeof reservation>;
export type AccessRightItem = z.infer<typeof accessRight>;
