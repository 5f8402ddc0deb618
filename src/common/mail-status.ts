/** How sending mails has gone on this instance. */
export type MailStatus = {
  /** How many mails servers have taken, and how many tries failed. */
  readonly sent: number;
  readonly failed: number;
  /** Of the newest mail, if it failed. */
  readonly trouble: {
    readonly problem: string;
    readonly at: number;
    /** The server works, and takes no mail for this recipient. */
    readonly isOfRecipient: boolean;
  } | null;
};
