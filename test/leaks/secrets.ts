/** What must not be found anywhere: the strings of a story, by what they are. */
export type Secrets = {
  /** Remembers a secret string, and the bytes it spells in base64url, if it does. */
  add(name: string, value: string): void;
  addBytes(name: string, bytes: Uint8Array): void;
  readonly names: () => readonly string[];
  readonly values: () => readonly string[];
  /** Names of the secrets of which a piece is in the text; `only` narrows which are looked for. */
  find(text: string, only?: (name: string) => boolean): readonly string[];
};

/** A shorter piece could be there by chance; a longer one would let too much pass. */
const pieceLength = 16;

export const makeSecrets = (): Secrets => {
  const pieces = new Map<string, string>();
  const values = new Map<string, string>();
  const keep = (name: string, spelling: string) => {
    for (let at = 0; at + pieceLength <= spelling.length; at += 1) {
      const piece = spelling.slice(at, at + pieceLength);
      if (!pieces.has(piece)) pieces.set(piece, name);
    }
  };
  const self: Secrets = {
    add(name, value) {
      if (values.has(value)) return;
      values.set(value, name);
      if (value.length < pieceLength) throw new Error(`${name} is too short to be looked for`);
      for (const spelling of spellingsOf(value)) keep(name, spelling);
      for (const spelling of encodingsOf(Buffer.from(value))) keep(name, spelling);
      const bytes = Buffer.from(value.replace(/^mkt_[a-z]+_/, ''), 'base64url');
      if (/^[\w-]{22,}$/.test(value)) self.addBytes(name, bytes);
    },
    addBytes(name, bytes) {
      const buffer = Buffer.from(bytes);
      for (const spelling of [buffer.toString('latin1'), ...encodingsOf(buffer)]) keep(name, spelling);
    },
    names: () => [...new Set(values.values())],
    values: () => [...values.keys()],
    find(text, only = () => true) {
      const found = new Set<string>();
      for (let at = 0; at + pieceLength <= text.length; at += 1) {
        const name = pieces.get(text.slice(at, at + pieceLength));
        if (name !== undefined && only(name)) found.add(name);
      }
      return [...found];
    },
  };
  return self;
};

/** As it stands in a log line, an address, a form, or bytes that were read as Latin 1. */
const spellingsOf = (value: string): readonly string[] => [
  value,
  JSON.stringify(value).slice(1, -1),
  encodeURIComponent(value),
  new URLSearchParams({ value }).toString().slice('value='.length),
  Buffer.from(value).toString('latin1'),
];

/** In hexadecimal and in base64, wherever in a longer text of bytes it begins. */
const encodingsOf = (bytes: Buffer): readonly string[] => {
  const shifted = [0, 1, 2].map((shift) => {
    const encoded = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64url');
    return shift === 0 ? encoded : encoded.slice(shift + 1);
  });
  const classic = shifted.map((text) => text.replaceAll('-', '+').replaceAll('_', '/'));
  const hex = bytes.toString('hex');
  return [...shifted, ...classic, hex, hex.toUpperCase()];
};
