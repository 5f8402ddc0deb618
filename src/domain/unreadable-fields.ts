/** What a personal field reads once its key is gone. */
export const erased = 'erased';

/** What it reads where the key is not there, and nobody was erased: not with the backup that was restored, say. */
export const keyLost = 'key lost';

/** Whether a personal field says nothing of the person any more. */
export const isUnreadable = (field: string): boolean => field === erased || field === keyLost;
