import { z } from 'zod';
import type { Browser } from '../base/browser.ts';
import type { Place } from './pages-of-administrators.ts';

const whole = z.int().min(0);
const schema = z.strictObject({
  organizationId: z.string(),
  addonId: z.string(),
  epoch: whole,
  /** When the deactivating call knew that the fence was committed. */
  fencedAt: whole,
  /** What the deactivation ended; null when the counts were not known in time. */
  ended: z.strictObject({ liveGrants: whole, unredeemedCodes: whole, approvers: whole }).nullable(),
});

/** Facts that only the deactivation's answer knows, not the log. They travel in the address of the receipt. */
export type SignedReceipt = z.infer<typeof schema>;

/** Signed against forgery, not encrypted: only administrators of the organization see the page. */
export const signReceipt = ({ signer }: Pick<Browser, 'signer'>, receipt: SignedReceipt): string =>
  signer.sign(receipt, 'receipt');

/** @returns null unless we signed it for this add-on and organization under a key that is still known */
export const verifyReceipt = (
  { signer }: Pick<Browser, 'signer'>,
  { organizationId, addonId }: Place,
  signed: string | undefined,
): SignedReceipt | null => {
  const receipt = schema.safeParse(signer.verify(signed ?? '', 'receipt')).data;
  return receipt?.organizationId === organizationId && receipt.addonId === addonId ? receipt : null;
};
