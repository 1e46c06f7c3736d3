// Faults in the code that rules of the checker catch: a rule that cannot fail proves nothing. The fault is planted
// as `npm run mutate` plants its own.
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { sources } from '../atrium.ts'
import { planter } from '../mutate/attempt.ts'
import { prove } from './prove.ts'
import { judge } from './rules.ts'

const root = join(import.meta.dirname, '..', '..')
/** A fault is looked for with one seed after the other, for at most 2,000 operations. */
const ops = 400
const seeds = [1, 2, 3, 4, 5]
/** With a fault in the code some turns never come to an end. */
const restMs = 10_000

/** The rule, and a fault: a file, the code as it is, and the code with the fault. */
const teeth: readonly (readonly [rule: string, file: string, is: string, becomes: string])[] = [
  ['acknowledged', 'src/store/claim-turn.ts', `long?.drafts ?? inputIn(row['input'])`, `long?.drafts ?? inputIn(null)`],
  [
    'one reply',
    'src/store/turn-store.ts',
    `UPDATE turns SET status = 'queued', owner = NULL, epoch = NULL
     WHERE \${isActive} AND owner IS NOT NULL`,
    `UPDATE turns SET status = 'cancelled', owner = NULL, epoch = NULL
     WHERE \${isActive} AND owner IS NOT NULL`,
  ],
  ['order', 'src/store/claim-turn.ts', `AND (o.id < q.id OR`, `AND (o.id > q.id OR`],
  [
    'at most once',
    'src/agent/move.ts',
    `if (attempted && !toolbox.repeatable(call)) return { call, how: 'interrupted' }`,
    ``,
  ],
  [
    'documents',
    'src/store/document-store.ts',
    `if (!existing) yield* checkPath(user, path)`,
    `if (Number(existing?.['bytes']) === bytes) return { outcome: 'replaced', after: owner }
  if (!existing) yield* checkPath(user, path)`,
  ],
  [
    'gapless',
    'src/store/append-items.ts',
    `    drafts.length,
    target.at,`,
    `    drafts.length + (drafts.length > 1 ? 1 : 0),
    target.at,`,
  ],
  [
    'no repeat',
    'src/models/chat.ts',
    `const upstream = new Upstream(`,
    `void new Upstream(agent, { ...post, body, signal } satisfies Post).more().catch(() => {})
      const upstream = new Upstream(`,
  ],
  [
    'approval',
    'src/safety/decide.ts',
    `const rule = ruleOf(row, taint !== undefined, settings)`,
    `const rule = 'allow' as ReturnType<typeof ruleOf>`,
  ],
  ['functions', 'src/agent/history-prompt.ts', `output: fenced(item.output ?? '', name),`, `output: fenced('', name),`],
  [
    'functions',
    'src/doors/openai/turn-input.ts',
    `decision: 'output', output, ...`,
    `decision: 'output', output: output.slice(1), ...`,
  ],
  [
    'secrets',
    'src/agent/settle.ts',
    `capped(await mask(withoutNuls(await orAbort(running, context.signal))))`,
    `capped(withoutNuls(await orAbort(running, context.signal)))`,
  ],
  ['secrets', 'src/mcp/open-transport.ts', `const masked = mask(line)`, `const masked = line`],
  [
    'sandbox',
    'src/sandbox/egress/egress.ts',
    `judgeUrl(guest.method, guest.url, allowlist)`,
    `judgeUrl(guest.method, guest.url, [
    { host: { type: 'exact', host: '127.0.0.1', port: Number(/:(\\d+)\\//.exec(guest.url)?.[1]) }, pathPrefix: '/', methods: ['GET'] },
  ])`,
  ],
  ['privacy', 'src/store/reachable.ts', `(user_id = ? OR (? = 'operator' AND`, `(user_id = ? OR (? <> '' OR`],
  ['money', 'src/store/turn-store.ts', `reserved_usd = NULL,`, `reserved_usd = reserved_usd,`],
  ['receipts', 'src/store/turn-digest.ts', `digestOf([...begun.entries, ...last])`, `digestOf(last)`],
  ['streams', 'src/doors/responses/tell/stream.ts', `"delta":\${json(unread)}`, `"delta":\${json(unread.trim())}`],
  [
    'documented',
    'src/doors/web/gate-routes.ts',
    `const open = await eachInPace(await gates.list(user),`,
    `if (user === user) throw new Error('planted')
        const open = await eachInPace(await gates.list(user),`,
  ],
]

for (const [name, file, is, becomes] of teeth) {
  test(`a fault in ${file} breaks: ${name}`, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'atrium-teeth-'))
    t.after(() => rmSync(folder, { recursive: true, force: true }))
    const source = readFileSync(join(root, file), 'utf8')
    assert(source.includes(is), `${file} no longer has the code as it is written here`)
    const text = join(folder, 'changed.ts')
    writeFileSync(
      text,
      source.replace(is, () => becomes),
    )
    const place = pathToFileURL(join(root, file)).href
    const env = { NODE_OPTIONS: `--import=${planter({ place, text })}` }
    const found: string[] = []
    for (const seed of seeds) {
      const history = await prove({ seed, ops, people: 12, faults: 4, replicas: 0, env, program: sources, restMs })
      found.push(...judge(history).flatMap(({ rule, breaches }) => (breaches.length > 0 ? [rule.name] : [])))
      if (found.includes(name)) return
    }
    assert.fail(`${ops * seeds.length} operations broke ${found.join(', ') || 'nothing'}`)
  })
}
