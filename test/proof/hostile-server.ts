// An MCP server that is hostile, with a secret: added on the machine before the service starts.
import { join } from 'node:path'
import { secretValue } from './history.ts'
import { type Machine, run } from './machine.ts'

const secretName = 'proof-key'
const server = join(import.meta.dirname, '..', 'mcp', 'rude-server.mjs')

/** Adds the server `rude` for all users. */
export async function addHostileServer(machine: Machine): Promise<void> {
  await setSecret(machine, 0)
  const env = ['--env', `TOKEN=${secretName}`]
  await run(machine, ['mcp', 'add', 'rude', '--everyone', ...env, '--', process.execPath, server], '')
}

/** Sets the secret to its `n`th value; for 0 as the first. */
export async function setSecret(machine: Machine, n: number): Promise<void> {
  await run(machine, ['secret', 'set', secretName], `${secretValue(n)}\n`)
}

export async function removeSecret(machine: Machine): Promise<void> {
  await run(machine, ['secret', 'remove', secretName], '')
}
