// The secrets of the installation that a scan looks for.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { ownSecretsOf } from '#app/own-secrets.ts'
import { readConfig } from '#config.ts'
import { openHome, provisionedToken } from '#home.ts'
import { createLeakScan } from '#safety/leaks.ts'
import { newHome } from '../new-home.ts'

const folder = newHome()
after(folder.remove)

test('the master key is found as the home has it, as bytes, and in what a program makes of them', () => {
  const home = openHome(folder.path)
  const token = provisionedToken(home)
  const secrets = () => ownSecretsOf(home, readConfig({ ATRIUM_HOME: folder.path }, {}))
  const scan = createLeakScan(secrets())
  const hex = readFileSync(join(folder.path, 'master-key'), 'utf8').trim()
  const bytes = Buffer.from(hex, 'hex')
  for (const text of [
    hex,
    hex.toUpperCase(),
    Buffer.from(hex).toString('base64'),
    bytes.toString('base64'),
    bytes.toString('base64url'),
    Buffer.concat([Buffer.from('a'), bytes, Buffer.from('b')]).toString('base64'),
    Buffer.from(`${hex}\n`).toString('hex'),
  ]) {
    assert.match(scan.mask(`key: ${text} .`), /^key: [\w+/=-]{0,3}\*\*\*[\w+/=-]{0,4} \.$/, text)
    assert.equal(scan.stops(text), 'own-secret', text)
  }
  assert.equal(scan.stops(Buffer.concat([Buffer.from('PK'), bytes])), 'own-secret')
  assert.equal(scan.stops(hex.match(/.{16}/g)?.toReversed().join(' ') ?? ''), 'own-secret')
  assert.equal(createLeakScan(secrets()).mask(token), '***')
  writeFileSync(join(folder.path, 'master-key.next'), 'ab'.repeat(32))
  assert.equal(createLeakScan(secrets()).mask('ab'.repeat(32)), '***', 'the key of a change that is under way')
})
