import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { packageRoot } from '../../src/process/package-root.ts';
import { watchOutput } from '../support/trouble/watched-lines.ts';
import { endInstance, readyInstance, type Instance } from '../support/servers/instance.ts';
import { untilWeDie } from '../support/servers/until-we-die.ts';

/**
 * The built service, which may open so many files and no more.
 * @param whenDone takes what is to be done in the end
 */
export const startWithFiles = async (
  files: number,
  env: Record<string, string>,
  whenDone: (end: () => Promise<void> | void) => void,
): Promise<Instance> => {
  const main = join(packageRoot, 'dist/src/main.js');
  const limited = ['-c', `ulimit -n ${files}; exec "$0" "$@"`, process.execPath, main];
  const child = spawn(...untilWeDie('/bin/bash', ...limited), {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], PORT: '0', ...env },
  });
  watchOutput(child.stdout, child.stderr);
  whenDone(() => void child.kill('SIGKILL'));
  const service = await readyInstance(child);
  whenDone(async () => void (await endInstance(service, 'SIGTERM')));
  return service;
};

export const openFrom = async (localAddress: string, baseUrl: string): Promise<Socket> => {
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(baseUrl).port), localAddress });
  socket.on('error', () => undefined); // the server may close it at any time
  await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
  return socket;
};

/** Asks over a new connection, and reads the whole answer. */
export const askFrom = async (localAddress: string, baseUrl: string, path: string): Promise<string> => {
  const socket = await openFrom(localAddress, baseUrl);
  let answer = '';
  socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
  socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
  await once(socket, 'close');
  return answer;
};

/**
 * One address that holds `count` connections with half a body each, and opens closed ones again.
 * @returns ends it
 */
export const holdConnections = async (localAddress: string, baseUrl: string, count: number) => {
  const half = 'POST /oauth/token HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhalf';
  const open = new Set<Socket>();
  const openOne = async () => {
    const socket = await openFrom(localAddress, baseUrl);
    if (socket.destroyed) return;
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    socket.write(half);
  };
  for (let opened = 0; opened < count; opened += 50)
    await Promise.all(Array.from({ length: 50 }, () => openOne()));
  const reopening = setInterval(() => {
    for (let index = open.size; index < count && index < open.size + 10; index += 1) void openOne();
  }, 100);
  return {
    open: () => open.size,
    end: () => {
      clearInterval(reopening);
      for (const socket of open) socket.destroy();
    },
  };
};

/** Resident memory of a process, in MB. */
export const residentMegabytes = async (pid: number | undefined): Promise<number> => {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
};
