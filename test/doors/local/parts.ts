// The parts of the local door without anything behind them: every call is written down.
import type { LocalParts } from '#doors/local/door.ts'
import { silentLog } from '#lib/log.ts'
import type { OperatorClient } from '#turns/operator-client.ts'

export type Called = readonly [verb: string, ...args: unknown[]]

/** A client whose every verb returns its own name. */
export function recordingClient(called: Called[]): OperatorClient {
  const verb = (_: unknown, name: string) => {
    return (...args: readonly unknown[]): Promise<string> => {
      called.push([name, ...args])
      return Promise.resolve(name)
    }
  }
  return new Proxy({}, { get: verb }) as unknown as OperatorClient
}

export function fakeParts(parts: Pick<LocalParts, 'socket'> & Partial<LocalParts>, called: Called[] = []): LocalParts {
  const noted =
    <T>(verb: string, result: T) =>
    (...args: readonly unknown[]): Promise<T> => {
      called.push([verb, ...args])
      return Promise.resolve(result)
    }
  return {
    turns: {
      removeUser: noted('removeUser', undefined),
      prune: noted('prune', { threads: 0, turns: 0, items: 0 }),
    },
    gates: { signedIn: noted('signedIn', 2), revoke: noted('revoke', true) },
    client: recordingClient(called),
    status: noted('status', {}),
    reload: noted('reload', undefined),
    settings: {
      change: noted('change', undefined),
      read: () => Promise.reject(new Error('no settings here')),
      tryModel: () => Promise.reject(new Error('no model here')),
    },
    loginLink: noted('loginLink', undefined),
    log: silentLog,
    ...parts,
  }
}
