// Wrong uses of a command as a table: what is told, where, and with which exit code.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { atrium } from '../atrium.ts'

export type Fault = {
  readonly what: string
  readonly args: readonly string[]
  readonly env?: Record<string, string>
  readonly input?: string
  readonly code: number
  readonly says: RegExp
}

/** A test for each: words on standard error alone, without a stack or a secret. */
export function testFaults(home: string, faults: readonly Fault[]): void {
  for (const { what, args, env, input, code, says } of faults) {
    test(`${what} is told in words on standard error, exit code ${code}`, async () => {
      const ran = await atrium(home, args, { ...(env && { env }), ...(input && { input }) })
      assert.match(ran.stderr, says)
      assert.equal(ran.code, code)
      assert.equal(ran.stdout, '')
      assert.doesNotMatch(ran.stderr, /\n\s+at |sekret/)
    })
  }
}
