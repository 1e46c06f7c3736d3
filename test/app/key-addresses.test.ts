// A known key goes to no address that somebody only named.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkKeyAddresses, type KnownKeys } from '#app/key-addresses.ts'
import type { ModelConfig } from '#config/model.ts'

const now: ModelConfig = { provider: 'openai', name: 'a', apiKey: 'sk', source: 'environment' }
const claude: ModelConfig = { provider: 'anthropic', name: 'b', source: 'settings' }
const at = 'https://new.example/v1'
const there = { ...now, baseUrl: at }
const other = { ...claude, apiKey: 'sk', baseUrl: at }

type Known = Partial<KnownKeys> & { readonly key?: string }
type Row = [what: string, next: ModelConfig, known: Known, isFine: boolean]
const rows: Row[] = [
  ['the provider’s own address', now, {}, true],
  ['the provider’s own address, spelled out', { ...now, baseUrl: 'https://api.openai.com/v1' }, {}, true],
  ['the own address of a provider that was never used', { ...claude, apiKey: 'sk' }, {}, true],
  ['that address, spelled out', { ...other, baseUrl: 'https://api.anthropic.com/v1' }, {}, true],
  ['a new address', there, {}, false],
  ['a new address, with the key for it', there, { key: 'sk-typed' }, true],
  ['an address in use', there, { now: there }, true],
  ['the address of a fallback', there, { now: { ...now, fallback: [there] } }, true],
  ['an address used before', there, { kept: [there] }, true],
  ['an address of another provider', there, { kept: [other] }, false],
  ['a new address, where there is none', { ...claude, baseUrl: at }, {}, true],
  ['a new address, where it is sealed', { ...claude, baseUrl: at }, { sealed: ['ANTHROPIC_API_KEY'] }, false],
  ['a new address, where another is sealed', { ...claude, baseUrl: at }, { sealed: ['GEMINI_API_KEY'] }, true],
  [
    'a new address, where it is sealed by its second name',
    { ...claude, provider: 'google', baseUrl: at },
    { sealed: ['GOOGLE_API_KEY'] },
    false,
  ],
  ['a new address of a fallback', { ...now, fallback: [other] }, {}, false],
  ['such an address, with a key for the first model', { ...now, fallback: [other] }, { key: 'sk-typed' }, false],
  ['a new address of a model that is offered', { ...now, choices: [other] }, {}, false],
]
for (const [what, next, { key, ...known }, isFine] of rows) {
  test(`a known key ${isFine ? 'may go' : 'does not go'} to ${what}`, () => {
    const check = (): void => checkKeyAddresses(next, key, { now, kept: [], sealed: [], ...known })
    if (isFine) check()
    else assert.throws(check, { code: 'invalid_input', param: 'key' })
  })
}
