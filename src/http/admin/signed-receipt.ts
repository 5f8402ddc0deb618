import { z } from 'zod';
import type { Browser } from '../browser.ts';
import type { Place } from './pages-of-administrators.ts';

const whole = z.int().min(0);
const schema = z.strictObject({
  organizationId: z.string(),
  addonId: z.string(),
  epoch: whole,
  /** When the call that answered knew the fence to be committed. */
  fencedAt: whole,
  /** What it ended; null when that was not known in time. */
  ended: z.strictObject({ liveGrants: whole, unredeemedCodes: whole, approvers: whole }).nullable(),
});

/** What only the answer to a deactivation knows, and the log does not: it travels in the address of the receipt. */
export type SignedReceipt = z.infer<typeof schema>;

/** Nobody else can make one up. It is no secret: only administrators of the organization are shown the page. */
export const signReceipt = ({ signer }: Pick<Browser, 'signer'>, receipt: SignedReceipt): string =>
  signer.sign(receipt, 'receipt');

/** @returns null for anything that we did not signer for this add-on and organization, or under a key that is gone */
export const verifyReceipt = (
  { signer }: Pick<Browser, 'signer'>,
  { organizationId, addonId }: Place,
  signed: string | undefined,
): SignedReceipt | null => {
  const receipt = schema.safeParse(signer.verify(signed ?? '', 'receipt')).data;
  return receipt?.organizationId === organizationId && receipt.addonId === addonId ? receipt : null;
};
