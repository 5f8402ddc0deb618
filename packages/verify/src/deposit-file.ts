/** The file name of a deposited head: by the size of its tree, so that names are in the order of the log. */
export const headFileName = (size: number): string => `head-${String(size).padStart(12, '0')}.json`;

/** The file with the timestamp authority's answer, next to the head's (RFC 3161 §3.1: a TimeStampResp, DER). */
export const timestampFileOf = (headFile: string): string => headFile.replace(/(\.json)?$/, '.tsr');

export const depositName = /^head-(\d{12,16})\.(json|tsr)$/;
