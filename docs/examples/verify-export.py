#!/usr/bin/env python3
"""Checks an audit export of Grantbook by docs/reference/audit-export.md alone: verify-export.py FILE [JWKS-FILE]"""
import base64, hashlib, json, sys

LONGEST, FORMAT, at = 4 * 1024 * 1024, 'grantbook-audit-export/1', [0]
SHA256 = bytes.fromhex('3031300d060960864801650304020105000420')
def sha256(*parts): return hashlib.sha256(b''.join(parts)).digest()
def fail(why, *_): raise ValueError(why)
def base64url(data): return base64.urlsafe_b64encode(data).rstrip(b'=').decode()
def place_of(text): return tuple(map(int, text.split('/')))
def number(text): return int.from_bytes(decoded(text), 'big')
def decoded(text):
    data = base64.urlsafe_b64decode(text + '=' * (-len(text) % 4))
    return data if base64url(data) == text else fail('is not base64url')
def names(pairs): return dict(pairs) if len(dict(pairs)) == len(pairs) else fail('has a name twice')
JSON = json.JSONDecoder(object_pairs_hook=names, parse_constant=lambda text: fail('is not JSON'))
def root(tree, value=None):
    for _, left in reversed(tree): value = left if value is None else sha256(b'\1', left, value)
    return sha256() if value is None else value

def signed(jws, known):
    head, payload, signature = jws.split('.')
    header = JSON.decode(decoded(head).decode())
    key, n = header['jwk'], number(header['jwk']['n'])
    kid = base64url(sha256(f'{{"e":"{key["e"]}","kty":"RSA","n":"{key["n"]}"}}'.encode()))
    if (header['alg'], header['typ'], header['kid']) != ('RS256', 'audit-export+jws', kid): fail('has a wrong header')
    if known is not None and (key['n'], key['e']) not in known: fail('is signed by a key that is not among those given')
    size = (n.bit_length() + 7) // 8 if len(key['n'] + key['e']) < 3000 else fail('has a key that is too long')
    block = b'\0\1' + b'\xff' * (size - 54) + b'\0' + SHA256 + sha256(f'{head}.{payload}'.encode())
    if number(signature) >= n or pow(number(signature), number(key['e']), n).to_bytes(size, 'big') != block:
        fail('has a wrong signature')
    return JSON.decode(decoded(payload).decode()), kid
def verify(file, known):
    chain, tree, count, said, first, last = sha256(FORMAT.encode()), [], 0, None, None, None
    for line in iter(lambda: file.readline(LONGEST + 1), b''):
        at[0] += 1
        if said is not None or not line.endswith(b'\n'): fail('follows the manifest, or has no end')
        text = line[:-1].decode()
        value = JSON.decode(text)
        if (said := value.get('manifest')) is not None and text == f'{{"manifest":"{said}"}}': continue
        end = JSON.raw_decode(text, 84)[1] if text[74:84] == '","event":' else fail('is no line of this format')
        leaf, chain = sha256(b'\0', text[84:end].encode()), sha256(chain, b'{' + text[76:].encode())
        if (value['chain'], value['leaf'], value['line']) != (chain.hex(), leaf.hex(), count + 1): fail('was changed')
        place = value['event']['position']
        if last and place_of(place) <= place_of(last): fail('is out of order')
        first, last, count, node = first or place, place, count + 1, (0, leaf)
        while tree and tree[-1][0] == node[0]: node = (node[0] + 1, sha256(b'\1', tree.pop()[1], node[1]))
        tree.append(node)
    manifest, kid = signed(said if said is not None else fail('is missing: the file was cut off'), known)
    found = [FORMAT, count, root(tree).hex(), chain.hex(), first, last]
    if [manifest[name] for name in ('format', 'events', 'root', 'chain', 'first', 'last')] != found:
        fail('is of another export')
    return f'{count} events of {manifest["organization"]}, signed by {kid}' + ('' if known else ', whoever that is')

try:
    keys = [(k.get('n'), k.get('e')) for k in json.load(open(sys.argv[2]))['keys']] if len(sys.argv) > 2 else None
    with open(sys.argv[1] if sys.argv[1:] else sys.exit(__doc__), 'rb') as export: print('ok:', verify(export, keys))
except Exception as wrong:
    sys.exit(f'wrong at line {at[0]}: {wrong!r}' if at[0] else f'wrong: {wrong!r}')
