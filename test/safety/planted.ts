// Secrets of every kind in varied surroundings, made from numbers: none of them opens anything.
import { createRandom } from './benign.ts'

export type Planted = {
  readonly kind: string
  readonly text: string /** Must not be left when masked. */
  readonly value: string
}

/** What this installation would keep. */
export const ownSecrets: readonly string[] = [
  'q7Rm2Zx9-Kp4Lw8Tn3',
  'correct horse battery staple 9',
  'pässwörd-ünïcode-1',
  'a+b/c="d"&e<f>?g#h 1',
  '0f9e8d7c6b5a49382716',
]

const upper = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
const lower = upper.toLowerCase()
const digits = '0123456789'

/** Each kind, in the places where keys are met. */
export function plantedSecrets(): Planted[] {
  const keys = Object.entries(makers).flatMap(([kind, make], at) =>
    [0, 1].map((turn) => ({ kind, value: make(at * 2 + turn) })),
  )
  const placed = keys.map(({ kind, value }, at) => ({
    kind,
    value,
    text: (places[at % places.length] as Place)(value),
  }))
  const own = ownSecrets.flatMap((value) =>
    spellings.map(([kind, spell]) => ({ kind: `own, ${kind}`, value: '', text: `id=7&x=${spell(value)}&y=1` })),
  )
  return [...placed, ...own, ...standing.map(([kind, text]) => ({ kind, text, value: '' }))]
}

type Place = (value: string) => string
const places: readonly Place[] = [
  (value) => value,
  (value) => JSON.stringify({ a: 1, config: { value, more: true } }),
  (value) => `service:\n  credential: ${value}\n  retries: 3\n`,
  (value) => `# settings\nexport THE_KEY="${value}"\nDEBUG=1\n`,
  (value) => `https://api.vendor.dev/v1/items?key=${encodeURIComponent(value)}&page=2`,
  (value) => `GET / HTTP/1.1\r\nX-Credential: ${value}\r\nHost: a\r\n`,
  (value) => `I put '${value}', please keep it.`,
  (value) => `<input type="hidden" value="${value}">`,
  (value) => `const client = new Client(\`${value}\`)`,
  (value) => `${value.slice(0, 5)}\u200b${value.slice(5, 9)}\u2060${value.slice(9)} is split`,
  (value) => `log line (${value}) at 10:00`,
  (value) => `| name | ${value} | 3 |`,
  (value) => JSON.stringify(JSON.stringify({ key: value })),
]

const spellings: readonly [kind: string, spell: Place][] = [
  ['plain', (value) => value],
  ['JSON', (value) => JSON.stringify(value)],
  ['percent', (value) => encodeURIComponent(value)],
  ['every byte percent', (value) => Buffer.from(value).toString('hex').replaceAll(/../g, '%$&')],
  ['form', (value) => new URLSearchParams({ v: value }).toString().slice(2)],
  ['base64', (value) => Buffer.from(value).toString('base64')],
  ['base64url within more', (value) => Buffer.from(`ab${value}cd`).toString('base64url')],
  ['hex', (value) => Buffer.from(value).toString('hex')],
  ['zero-width', (value) => value.split('').join('\u200b')],
]

const standing: readonly [kind: string, text: string][] = [
  ['database', 'DATABASE_URL=postgres://app:s3cr3tPa55@db.internal:5432/app'],
  ['database', 'mongodb+srv://admin:Tr0ub4dor-3@cluster0.ab1cd.mongodb.net/test?retryWrites=true'],
  ['database', '{"url":"mysql://root:hunter2@10.0.0.5/shop"}'],
  ['database', 'redis://:p4ssw0rd-long@cache:6379/0 and amqp://svc:N0tGuest@mq/'],
  ['header of a key', 'X-API-Key: 7Hq2mZx9Kp4Lw8Tn3q7Rm2Zx9Kp4Lw8T'],
  ['environment', 'export HCLOUD_TOKEN=k3JxP9qLm2Vw7Zt5Rb8Nc4Yd6Fh1Gs0Aq3We5Rt7Yu9Io1Pa3Sd5Fg7Hj9Kl2Zx4C'],
  ['environment', 'SNYK_TOKEN=3f2a9c1e-7b64-4d58-9e0f-a1b2c3d4e5f6'],
  ['environment', 'DD_APP_KEY: 9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c4d3e2f1a0b'],
  ['environment', 'PRIVATE_KEY=0x4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318'],
  ['password', 'DB_PASSWORD="kX93hGm4Qp7Z"'],
  ['password', 'password: t7Rm2Zx9Kp4!'],
  ['settings', "SECRET_KEY = 'k#9x!2m@q7z$w4v^t6r&y8u*i0o(p1a)s3d_f5g'"],
  ['registry', `{"auths":{"r.dev":{"auth":"${Buffer.from('deploy:kX93hGmQ').toString('base64')}"}}}`],
  ['netrc', 'machine api.dev.io login deploy password kX93hGmQ'],
  [
    'cluster',
    `client-key-data: ${Buffer.from(`-----BEGIN RSA PRIVATE KEY-----\n${'kX93hGmQ'.repeat(8)}`).toString('base64')}`,
  ],
  ['shared link', 'https://a.blob.core.windows.net/c?sv=2&sig=k3JxP9qLm2Vw7Zt5Rb8Nc4Yd6Fh1Gs0Aq3We5Rt7Yu9%3D'],
  ['letters alone', 'lin_api_zSjgqqGyJpJAIurqKLsPaXslNeYkPFlUfehWUbcH'],
  ['dashes', 'figd_k3JxP9-qLm2Vw7_Zt5Rb8-Nc4Yd6_Fh1Gs0-Aq3We5R'],
  ['feature flags', 'sdk-3f2a9c1e-7b64-4d58-9e0f-a1b2c3d4e5f6'],
  ['clone address', 'git clone https://oauth2:d8f7a6s5d4f3a2s1@git.corp.dev/a/b.git'],
  ['basic header', `Authorization: Basic ${Buffer.from('deploy:kX93hGmQ').toString('base64')}`],
  [
    'putty key',
    'PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nComment: me\nPublic-Lines: 1\nAAAA\nPrivate-Lines: 1\nAAAAIGq8Zr0h3C2t9v6Jk1Xx8Zq\n',
  ],
  [
    'private key in JSON',
    '{"private_key": "-----BEGIN PRIVATE KEY-----\\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\\n-----END PRIVATE KEY-----\\n"}',
  ],
]

function text(seed: number, alphabet: string, length: number): string {
  const random = createRandom(10_000 + seed)
  return Array.from({ length }, () => alphabet[random.int(alphabet.length)]).join('')
}

const an = (length: number) => (seed: number) => text(seed, upper + lower + digits, length)
const word = (length: number) => (seed: number) => text(seed, `${upper}${lower}${digits}_-`, length)
const hex = (length: number) => (seed: number) => text(seed, `${digits}abcdef`, length)
const low = (length: number) => (seed: number) => text(seed, lower + digits, length)
const up = (length: number) => (seed: number) => text(seed, upper + digits, length)
const uuid = (seed: number) => hex(32)(seed).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')

const makers: Readonly<Record<string, (seed: number) => string>> = {
  aws: (seed) => `AKIA${text(seed, `${upper}234567`, 16)}`,
  'aws session': (seed) => `ASIA${text(seed, `${upper}234567`, 16)}`,
  'aws secret': (seed) => `aws_secret_access_key=${text(seed, `${upper}${lower}${digits}/+`, 40)}`,
  google: (seed) => `AIza${word(35)(seed).replace(/-$/, 'x')}`,
  'google secret': (seed) => `GOCSPX-${word(28)(seed)}`,
  'google token': (seed) => `ya29.${word(120)(seed)}`,
  'azure storage': (seed) => `AccountKey=${an(86)(seed)}==`,
  'azure client': (seed) => `${an(3)(seed)}8Q~${an(34)(seed)}`,
  alibaba: (seed) => `LTAI5t${an(17)(seed)}7`,
  digitalocean: (seed) => `dop_v1_${hex(64)(seed)}`,
  heroku: (seed) => `HRKU-${uuid(seed)}`,
  fly: (seed) => `fo1_${word(43)(seed)}`,
  netlify: (seed) => `nfp_${an(40)(seed)}`,
  supabase: (seed) => `sbp_${hex(40)(seed)}`,
  planetscale: (seed) => `pscale_tkn_${word(43)(seed)}`,
  databricks: (seed) => `dapi${hex(32)(seed)}`,
  vault: (seed) => `hvs.${an(90)(seed)}`,
  terraform: (seed) => `${an(14)(seed)}.atlasv1.${an(64)(seed)}`,
  doppler: (seed) => `dp.pt.${an(43)(seed)}`,
  pulumi: (seed) => `pul-${hex(40)(seed)}`,
  age: (seed) => `AGE-SECRET-KEY-1${up(58)(seed)}`,
  tailscale: (seed) => `tskey-auth-${an(11)(seed)}1-${an(32)(seed)}`,
  github: (seed) => `ghp_${an(36)(seed)}`,
  'github app': (seed) => `ghs_${an(36)(seed)}`,
  'github fine': (seed) => `github_pat_${an(22)(seed)}_${an(59)(seed)}`,
  gitlab: (seed) => `glpat-${word(20)(seed).replace(/^-/, 'a')}`,
  bitbucket: (seed) => `ATBB${an(32)(seed)}`,
  atlassian: (seed) => `ATATT3xFfGF0${word(180)(seed)}`,
  npm: (seed) => `npm_${an(36)(seed)}`,
  'npm registry': (seed) => `//registry.corp.dev/:_authToken=${uuid(seed)}`,
  pypi: (seed) => `pypi-AgEIcHlwaS5vcmc${word(120)(seed)}`,
  rubygems: (seed) => `rubygems_${hex(48)(seed)}`,
  docker: (seed) => `dckr_pat_${word(27)(seed)}`,
  nuget: (seed) => `oy2${low(43)(seed)}`,
  circleci: (seed) => `CCIPAT_${an(22)(seed)}_${hex(40)(seed)}`,
  buildkite: (seed) => `bkua_${low(40)(seed)}`,
  sonar: (seed) => `squ_${hex(40)(seed)}`,
  grafana: (seed) => `glsa_${an(32)(seed)}_${hex(8)(seed)}`,
  newrelic: (seed) => `NRAK-${up(27)(seed)}`,
  sentry: (seed) => `sntryu_${hex(64)(seed)}`,
  dynatrace: (seed) => `dt0c01.${up(24)(seed)}.${up(64)(seed)}`,
  postman: (seed) => `PMAK-${hex(24)(seed)}-${hex(34)(seed)}`,
  openai: (seed) => `sk-${an(20)(seed)}T3BlbkFJ${an(20)(seed)}`,
  'openai project': (seed) => `sk-proj-${word(150)(seed)}A1`,
  anthropic: (seed) => `sk-ant-api03-${word(93)(seed)}AA`,
  openrouter: (seed) => `sk-or-v1-${hex(64)(seed)}`,
  deepseek: (seed) => `sk-${hex(32)(seed)}`,
  huggingface: (seed) => `hf_${text(seed, upper + lower, 34)}`,
  groq: (seed) => `gsk_${an(52)(seed)}`,
  replicate: (seed) => `r8_${an(37)(seed)}`,
  perplexity: (seed) => `pplx-${an(48)(seed)}`,
  xai: (seed) => `xai-${an(80)(seed)}`,
  nvidia: (seed) => `nvapi-${an(64)(seed)}`,
  pinecone: (seed) => `pcsk_${an(70)(seed)}`,
  tavily: (seed) => `tvly-${an(32)(seed)}`,
  langsmith: (seed) => `lsv2_pt_${hex(32)(seed)}_${hex(10)(seed)}`,
  stripe: (seed) => `sk_live_${an(24)(seed)}`,
  'stripe restricted': (seed) => `rk_test_${an(99)(seed)}`,
  'stripe webhook': (seed) => `whsec_${an(32)(seed)}`,
  square: (seed) => `sq0csp-${word(42)(seed)}7`,
  paypal: (seed) => `access_token$production$${low(16)(seed)}$${hex(32)(seed)}`,
  shopify: (seed) => `shpat_${hex(32)(seed)}`,
  plaid: (seed) => `access-production-${uuid(seed)}`,
  slack: (seed) => `xoxb-${text(seed, digits, 12)}-${text(seed, digits, 12)}-${an(24)(seed)}`,
  'slack app': (seed) => `xapp-1-A0${up(9)(seed)}-${text(seed, digits, 13)}-${hex(64)(seed)}`,
  'slack hook': (seed) => `https://hooks.slack.com/services/T${up(8)(seed)}/B${up(8)(seed)}/${an(24)(seed)}`,
  'discord hook': (seed) => `https://discord.com/api/webhooks/${text(seed, '123456789', 18)}/${word(68)(seed)}`,
  discord: (seed) => `MT${an(22)(seed)}.${an(6)(seed)}.${an(38)(seed)}`,
  telegram: (seed) => `${text(seed, '123456789', 10)}:AA${an(33)(seed)}`,
  twilio: (seed) => `SK${hex(32)(seed)}`,
  sendgrid: (seed) => `SG.${an(22)(seed)}.${an(43)(seed)}`,
  mailchimp: (seed) => `${hex(32)(seed)}-us12`,
  mailgun: (seed) => `key-${hex(32)(seed)}`,
  brevo: (seed) => `xkeysib-${hex(64)(seed)}-${an(16)(seed)}`,
  notion: (seed) => `ntn_${an(46)(seed)}`,
  linear: (seed) => `lin_api_${an(40)(seed)}`,
  figma: (seed) => `figd_${an(40)(seed)}`,
  airtable: (seed) => `pat${an(14)(seed)}.${hex(64)(seed)}`,
  hubspot: (seed) => `pat-na1-${uuid(seed)}`,
  atrium: (seed) => `atr_${an(43)(seed)}`,
  'atrium code': (seed) => `atr_${an(22)(seed)}`,
  jwt: (seed) => `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0${an(20)(seed)}.${an(43)(seed)}`,
  bearer: (seed) => `Authorization: Bearer ${an(40)(seed)}`,
  'private key': (seed) =>
    `-----BEGIN RSA PRIVATE KEY-----\n${an(64)(seed)}\n${an(64)(seed)}\n-----END RSA PRIVATE KEY-----`,
  'ssh key': (seed) => `-----BEGIN OPENSSH PRIVATE KEY-----\n${an(70)(seed)}\n-----END OPENSSH PRIVATE KEY-----`,
  'named key': (seed) => `DATADOG_API_KEY=${hex(32)(seed)}`,
  'named secret': (seed) => `"client_secret": "${an(40)(seed)}"`,
}
