// The version of this checkout.
import { readFileSync } from 'node:fs'
import { inCheckout } from './checkout.ts'

export function readVersion(): string {
  const text = readFileSync(inCheckout('package.json'), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}
