import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { maxHeaderSize } from 'node:http';
import { startHttpApp } from '../support/http-app.ts';

/** What a socket is answered that says just this. */
const answerTo = async (said: string) => {
  const http = await startHttpApp();
  onTestFinished(() => http.close());
  await http.app.listen({ host: '127.0.0.1', port: 0 });
  const socket = connect((http.app.server.address() as AddressInfo).port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(said);
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
  return { baseUrl: http.baseUrl, head, body: JSON.parse(body) as Record<string, unknown> };
};

test('G-07: header fields that are too large are a problem that says what is allowed, and not what was sent', async () => {
  const long = `hush${'x'.repeat(maxHeaderSize)}`;
  const { head, body, baseUrl } = await answerTo(`GET /x HTTP/1.1\r\nhost: a\r\nx-long: ${long}`);
  expect(head).toMatch(/^HTTP\/1\.1 431 .*content-type: application\/problem\+json/s);
  expect(body).toMatchObject({
    type: `${baseUrl}/problems/headers-too-large`,
    status: 431,
    detail: `The request line and all header fields together may have ${maxHeaderSize} bytes`,
  });
  expect(JSON.stringify(body)).not.toContain('hush');
});

test('what is no HTTP is a problem, too', async () => {
  const { head, body, baseUrl } = await answerTo('hush\r\n\r\n');
  expect(head).toMatch(/^HTTP\/1\.1 400 /);
  expect(body).toMatchObject({ type: `${baseUrl}/problems/malformed-request`, status: 400 });
  expect(JSON.stringify(body)).not.toContain('hush');
});
