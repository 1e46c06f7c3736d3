// Ordinary text of many kinds, made from numbers so that it is the same in every run: nothing in it is a secret.
import { createHash } from 'node:crypto'

export type Sample = { readonly kind: string; readonly text: string }

const prose = {
  english:
    'The committee met on Tuesday to discuss the budget. Members asked whether the token ring network would be replaced, and the secret of its long life was, as ever, patience. A bearer of bad news arrived at noon; the basic plan stayed as it was. Please review the previous chapter and follow the instructions on page four.',
  german:
    'Die Sitzung begann pünktlich um neun. Anweisungen zur Bedienung der Anlage liegen aus; bitte beachten Sie die Hinweise im Anhang. Das Passwort wird nicht per E-Mail verschickt. Risiko-Bewertungen und Desk-Sharing stehen auf der Tagesordnung.',
  french:
    'Le conseil s’est réuni hier soir pour parler du projet. Les consignes de sécurité sont affichées près de la porte, et les nouvelles mesures entrent en vigueur lundi. N’oubliez pas vos clés.',
  spanish:
    'La reunión empezó tarde. Las instrucciones del aparato están en la caja y el plazo termina mañana. No olvides la contraseña de la red de invitados.',
  russian:
    'Заседание началось в девять часов. Инструкция по установке находится в приложении, а правила остались прежними. Пользователь нажимает кнопку и ждёт ответа.',
  chinese: '会议于周二举行，讨论了预算和新的安装说明。请用户按照屏幕上的步骤操作，然后重新启动设备。',
  japanese: '会議は火曜日に行われました。以下の手順に従って設定してください。ユーザーは画面の案内を確認します。',
}

/** Two thousand samples, of every kind in turn. */
export function benignSamples(): Sample[] {
  const kinds = Object.entries(makers)
  return Array.from({ length: 2_000 }, (_, index) => {
    const [kind, make] = kinds[index % kinds.length] as [string, (random: Random) => string]
    return { kind, text: make(createRandom(index)) }
  })
}

type Random = {
  hex(length: number): string
  base64(bytes: number, encoding?: 'base64' | 'base64url'): string
  int(below: number): number
  pick<T>(from: readonly T[]): T
  words(count: number): string
  uuid(): string
}

/** Numbers that only depend on their seed. */
export function createRandom(seed: number): Random {
  let round = 0
  const bytes = (length: number): Buffer => {
    const parts: Buffer[] = []
    for (let size = 0; size < length; size += 32) parts.push(createHash('sha256').update(`${seed}:${round++}`).digest())
    return Buffer.concat(parts).subarray(0, length)
  }
  const int = (below: number): number => bytes(4).readUInt32LE() % below
  const random: Random = {
    hex: (length) =>
      bytes(Math.ceil(length / 2))
        .toString('hex')
        .slice(0, length),
    base64: (length, encoding = 'base64') => bytes(length).toString(encoding),
    int,
    pick: (from) => from[int(from.length)] as (typeof from)[number],
    words: (count) => Array.from({ length: count }, () => random.pick(vocabulary)).join(' '),
    uuid: () => `${random.hex(8)}-${random.hex(4)}-4${random.hex(3)}-a${random.hex(3)}-${random.hex(12)}`,
  }
  return random
}

const vocabulary =
  'task disk risk desk flask kiosk server client request answer handler button panel window layer index parser token tokens key keys secret password bearer basic config option value result session header author branch commit merge rebase cache queue worker thread stream buffer pixel vector matrix river mountain garden coffee bread station ticket journey'.split(
    ' ',
  )

const many = (count: number, line: (at: number) => string, between = '\n'): string =>
  Array.from({ length: count }, (_, at) => line(at)).join(between)

const makers: Readonly<Record<string, (random: Random) => string>> = {
  prose: (random) => `${random.pick(Object.values(prose))} ${random.words(12)}. ${random.pick(Object.values(prose))}`,
  'lock file': (random) =>
    many(
      8,
      () =>
        `    "node_modules/${random.pick(vocabulary)}-${random.pick(vocabulary)}": {\n      "version": "${random.int(9)}.${random.int(30)}.${random.int(9)}",\n      "resolved": "https://registry.example.com/${random.pick(vocabulary)}/-/x-${random.int(9)}.0.0.tgz",\n      "integrity": "sha512-${random.base64(64)}",\n      "license": "MIT"\n    },`,
    ),
  'yarn and cargo': (random) =>
    many(6, () => `[[package]]\nname = "${random.pick(vocabulary)}"\nchecksum = "${random.hex(64)}"\n`),
  uuids: (random) => many(20, () => random.uuid()),
  'base64 image': (random) => `<img alt="" src="data:image/png;base64,iVBORw0KGgo${random.base64(1_500)}">`,
  'wrapped base64': (random) => many(20, () => random.base64(57)),
  'base64url ids': (random) =>
    many(10, () => `{"cursor":"${random.base64(40, 'base64url')}","etag":"W/${random.hex(32)}"}`),
  'git log': (random) =>
    many(
      6,
      () =>
        `commit ${random.hex(40)}\nAuthor: A Person <a@example.com>\nDate:   Mon Mar 3 10:0${random.int(9)}:00 2025 +0100\n\n    ${random.words(6)}\n`,
    ),
  css: (random) =>
    `.sk-${random.pick(vocabulary)}-fade-animation-container{animation:sk-${random.pick(vocabulary)}-bounce-delay-long 1.${random.int(9)}s infinite;color:#${random.hex(6)};background:#${random.hex(6)}}\n.sk-cube-grid .sk-cube${random.int(9)}{width:33%}`,
  sql: (random) =>
    many(
      5,
      () =>
        `INSERT INTO sessions (id, user_id, token_hash, created_at) VALUES ('${random.uuid()}', ${random.int(9_999)}, '\\x${random.hex(64)}', '2025-01-0${1 + random.int(8)}');`,
    ),
  'stack trace': (random) =>
    `TypeError: Cannot read properties of undefined (reading '${random.pick(vocabulary)}')\n${many(8, () => `    at ${random.pick(vocabulary)}.${random.pick(vocabulary)} (file:///app/node_modules/${random.pick(vocabulary)}/dist/chunk-${random.hex(8).toUpperCase()}.js:${random.int(900)}:${random.int(90)})`)}`,
  'long query': (random) =>
    `https://www.example.com/search/${random.pick(vocabulary)}?q=${random.pick(vocabulary)}+${random.pick(vocabulary)}&utm_source=mail&utm_campaign=${random.hex(12)}&gclid=${random.base64(36, 'base64url')}&fbclid=${random.base64(40, 'base64url')}&sid=${random.uuid()}&page=${random.int(99)}&sig=${random.hex(40)}`,
  'wasm hex': (random) => `0061736d01000000${random.hex(600)}`,
  minified: (random) =>
    `!function(e,t){var n=t(${random.int(999)}),r={apiKey:e.apiKey,token:n.t("a${random.hex(3)}"),secretKey:o.secretKey};${many(12, () => `function ${random.pick(vocabulary)}${random.int(99)}(e){return e.${random.pick(vocabulary)}?n[${random.int(99)}]:r.${random.pick(vocabulary)}}`, '')}}(window);`,
  'ssh public keys': (random) =>
    `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${random.base64(32).replaceAll('=', '')} me@host\nssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQ${random.base64(380).replaceAll('=', '')} you@host`,
  certificate: (random) =>
    `-----BEGIN CERTIFICATE-----\n${many(14, () => random.base64(48))}\n-----END CERTIFICATE-----\n-----BEGIN PUBLIC KEY-----\n${random.base64(48)}\n-----END PUBLIC KEY-----`,
  placeholders: (random) =>
    random.pick([
      'export OPENAI_API_KEY=sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
      'aws_access_key_id = AKIAIOSFODNN7EXAMPLE\naws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
      'Authorization: Bearer YOUR_ACCESS_TOKEN_GOES_HERE',
      'curl -H "Authorization: Bearer $ACCESS_TOKEN" https://api.example.com',
      'DATABASE_URL=postgres://user:password@localhost:5432/app',
      'postgresql://postgres:postgres@db:5432/postgres and mysql://root:${DB_PASSWORD}@db/app',
      'GITHUB_TOKEN=ghp_your_token_here; SLACK=xoxb-your-token',
      'token: ${{ secrets.GITHUB_TOKEN }}\napi_key: <your-api-key>',
      'if (pem.startsWith("-----BEGIN PRIVATE KEY-----")) return "-----END PRIVATE KEY-----"',
      'The header is `Authorization: Basic <credentials>`; basic authentication sends them encoded.',
    ]),
  typescript: (random) =>
    many(
      6,
      () =>
        `export async function ${random.pick(vocabulary)}${random.int(99)}({ apiKey, accessToken }: Options): Promise<Result> {\n  const apiToken = await getAccessTokenFromStorage${random.int(9)}(config.clientSecret)\n  return fetch(\`\${base}/v1/${random.pick(vocabulary)}?key=\${apiKey}\`, { headers: { Authorization: \`Bearer \${apiToken}\` } })\n}`,
    ),
  python: (random) =>
    many(
      5,
      () =>
        `def ${random.pick(vocabulary)}_${random.pick(vocabulary)}(secret_key: str = os.environ["SECRET_KEY"]) -> bytes:\n    api_key = settings.API_KEY_${random.int(9)}\n    return hmac.new(secret_key.encode(), digestmod="sha256").digest()[${random.int(9)}:]`,
    ),
  'env names': (random) =>
    `API_KEY=\nSECRET_KEY_BASE=$SECRET\nPASSWORD=\nCACHE_KEY=v${random.int(9)}-${random.hex(8)}\nPUBLIC_URL=https://${random.pick(vocabulary)}.example.com\nBUILD=${random.uuid()}`,
  html: (random) =>
    `<!doctype html><html><head><meta charset="utf-8"><!-- build ${random.hex(8)} --><link rel="stylesheet" href="/assets/index-${random.base64(6, 'base64url')}.css" integrity="sha384-${random.base64(48)}"></head><body><div style="display:none" id="x${random.int(99)}"></div><p>${random.words(30)}</p></body></html>`,
  'kubernetes yaml': (random) =>
    `apiVersion: v1\nkind: Pod\nmetadata:\n  uid: ${random.uuid()}\n  annotations:\n    checksum/config: ${random.hex(64)}\nspec:\n  containers:\n    - image: registry.example.com/app@sha256:${random.hex(64)}\n      env:\n        - name: API_KEY\n          valueFrom: { secretKeyRef: { name: app-secret, key: api-key } }`,
  csv: (random) =>
    many(
      12,
      (at) =>
        `${at},${random.pick(vocabulary)},${random.int(99_999)}.${random.int(99)},2025-0${1 + random.int(8)}-1${random.int(9)},${random.hex(16)}`,
    ),
  'docker log': (random) =>
    many(
      8,
      () =>
        `2025-03-0${1 + random.int(8)}T10:00:0${random.int(9)}.${random.int(999)}Z INFO [${random.hex(16)}] ${random.words(7)} took=${random.int(900)}ms id=${random.uuid()}`,
    ),
  'go sum': (random) =>
    many(
      8,
      () =>
        `github.com/${random.pick(vocabulary)}/${random.pick(vocabulary)} v1.${random.int(20)}.0 h1:${random.base64(32)}`,
    ),
  'source map': (random) =>
    `{"version":3,"sources":["a.ts"],"mappings":"${many(80, () => random.pick(['AAAA', 'CAAC', 'MAAM', 'SAAS', 'OAAO', 'GAAG', 'IAAI', 'EAAE', ';AACA', 'ODAD', 'MTAC']), ',')}"}`,
  markdown: (random) =>
    `# ${random.words(4)}\n\nSee [the guide](https://docs.example.com/${random.pick(vocabulary)}/${random.pick(vocabulary)}#${random.pick(vocabulary)}) and ![logo](https://cdn.example.com/${random.hex(10)}.png).\n\n- Set \`API_KEY\` first.\n- Never commit a password.\n- Run \`npm ci\`, then \`npm test\`.`,
  emoji: (random) => many(6, () => `${random.pick(['👨‍👩‍👧‍👦', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', '✔️', '🇩🇪', '❤️‍🔥'])} ${random.words(5)}`),
}
