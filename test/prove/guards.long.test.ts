// Each guard that is taken out of the code turns its row of `atrium doctor --prove` red. Run with
// `npm test -- --long test/prove`; the fault is planted as `npm run mutate` plants its own.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { atriumEnv } from '../atrium.ts'
import { planter } from '../mutate/attempt.ts'

type Proof = { readonly name: string; readonly verdict: string; readonly answered: string }

const root = join(import.meta.dirname, '..', '..')

/** The rows that turn red, and a fault: a file, the code as it is, and the code with the fault. */
const guards: readonly (readonly [rows: readonly string[], file: string, is: string, becomes: string])[] = [
  [
    ['no token', 'wrong token'],
    'src/http/server.ts',
    `if ('status' in caller) return refuse(request, reply, caller)`,
    `if ('status' in caller) Object.assign(caller, { user: 'operator', name: 'x', operator: true })`,
  ],
  [
    ['no token', 'wrong token'],
    'src/doors/web/thread-routes.ts',
    `path: '/api/threads',
      who: 'user',`,
    `path: '/api/threads',
      who: 'anyone',`,
  ],
  [
    ['token in a URL'],
    'src/http/auth.ts',
    `const cookie = readCookie(request.headers.cookie)`,
    `const inUrl = new URL(request.url ?? '/', 'http://x').searchParams.get('token')
  if (inUrl) return { bearer: inUrl }
  const cookie = readCookie(request.headers.cookie)`,
  ],
  [
    ['foreign Origin', 'foreign Host'],
    'src/http/server.ts',
    `if (isSafe(raw.method) || parts.origins.isAllowed(raw)) return true`,
    `if (raw) return true`,
  ],
  [
    ['foreign Host'],
    'src/http/origin.ts',
    `if (!isKnown(request, host)) return false`,
    `if (host === '') return false`,
  ],
  [
    ['forged webhook'],
    'src/doors/webhook/verify.ts',
    `return timingSafeEqual(Buffer.from(hex, 'hex'), createHmac('sha256', secret).update(body).digest())`,
    `return true`,
  ],
  [
    ['replayed webhook'],
    'src/doors/webhook/submit.ts',
    `const idempotency = signed ? bySignedBody(signed) : byKey(submission)`,
    `const idempotency = byKey(submission)`,
  ],
  [
    ['reads of another user', 'changes by another user'],
    'src/store/reachable.ts',
    "export const isReached = `(user_id = ? OR (? = 'operator' AND ${isOperatorReached}))`",
    "export const isReached = `(user_id = ? OR ? <> '')`",
  ],
  [
    ['a user as operator'],
    'src/http/server.ts',
    `if (who === 'operator' && !caller.operator) return refuse(request, reply, { status: 403 })`,
    ``,
  ],
  [
    ['private address', 'redirect to a private address'],
    'src/net/addresses.ts',
    `if (found) return found[0]`,
    `if (found) return 'public'`,
  ],
  [
    ['private address'],
    'src/net/addresses.ts',
    `['private', networks('10.0.0.0/8 100.64.0.0/10 172.16.0.0/12 192.168.0.0/16 fc00::/7')],`,
    `['private', networks('100.64.0.0/10')],`,
  ],
  [
    ['hostile component'],
    'src/sandbox/egress/egress.ts',
    `const verdict = judgeUrl(guest.method, guest.url, allowlist)
  if (verdict.type === 'blocked') return requestFault('blocked', verdict.reason)`,
    `const { hostname: host, pathname: path, search: query } = new URL(guest.url)
  const verdict = { target: { scheme: 'https' as const, host, port: 443, path, query } }`,
  ],
  [
    ['poisoned page'],
    'src/safety/decide.ts',
    `const rule = ruleOf(row, taint !== undefined, settings)`,
    `const rule = 'allow' as ReturnType<typeof ruleOf>`,
  ],
  [['full disk'], 'src/store/sqlite-faults.ts', `    case 13:\n`, `    case 113:\n`],
  [
    ['cut database'],
    'src/store/postgres.ts',
    `if (reason === undefined) return error`,
    `if (reason !== '') return error`,
  ],
]

for (const [rows, file, is, becomes] of guards) {
  test(`without its guard in ${file}: ${rows.join(', ')}`, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'atrium-guards-'))
    t.after(() => rmSync(folder, { recursive: true, force: true }))
    const source = readFileSync(join(root, file), 'utf8')
    assert(source.includes(is), `${file} no longer has the guard as it is written here`)
    const changed = join(folder, 'changed.ts')
    writeFileSync(
      changed,
      source.replace(is, () => becomes),
    )
    const env = atriumEnv(folder)
    const args = [
      '--disable-warning=ExperimentalWarning',
      '--import',
      planter({ place: pathToFileURL(join(root, file)).href, text: changed }),
      'src/main.ts',
      'doctor',
      '--prove',
      '--json',
    ]
    const { code, stdout } = await new Promise<{ code: unknown; stdout: string }>((resolve) => {
      execFile(process.execPath, args, { cwd: root, env, maxBuffer: 1e7 }, (error, out) =>
        resolve({ code: error?.code ?? 0, stdout: out }),
      )
    })
    const proofs = JSON.parse(stdout) as Proof[]
    for (const row of rows) {
      const found = proofs.find(({ name }) => name === row)
      assert.equal(found?.verdict, 'got_through', `${row}: ${found?.answered}`)
    }
    assert.equal(code, 1)
  })
}
